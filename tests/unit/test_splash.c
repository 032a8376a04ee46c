/* test_splash.c -- surfaces of splashes, in every frame: no shards, no folds, no slivers, the right
 * volume, and no flicker.
 *
 * The area of a splash grows by 3 % and more from one frame to the next, so that says little about
 * the surface. Flicker is how far the area of a frame is off the mean of those before and after. */
#include <spate/spate.h>

#include "sample.h"
#include "scene/solids.h"
#include "sim/table.h"
#include "surface_check.h"

#define FPS 120
#define RESOLUTION 2
#define CELLS_2D 48
#define CELLS_3D 20

/* Limits, in lattice cells, shares and counts; docs/surfaces.md has what is measured. */
#define LONGEST 3
#define FOLDED 0.003
#define FOLDED_SOLIDS 0.009 /* with solids of four cells */
#define SHARP 0.003
#define AWAY 0.52         /* beyond a particle's distance from the next */
#define AWAY_AT_WALLS 0.9 /* where a film on a wall tears into drops */
#define TOUCHING 0.25     /* cells more on walls and solids, where particles keep off */
#define DROP 9            /* particles, of a drop, which may grow */
#define GROWN 0.4         /* cells, by that */
#define VOLUME 0.001
#define PIECE 64

typedef struct splash {
    const char *name;
    void (*fill)(spate_scene *scene, int dim);
    int frames;
    double flicker; /* limit, share of the area */
    uint64_t least; /* particles from which on it counts */
    bool solids;
    double away; /* lattice cells; below */
} splash;

static spate_scene *tank(int dim, double width)
{
    return sample_scene(dim, width, 1, dim == 3 ? 0.6 : 0, dim == 2 ? CELLS_2D : CELLS_3D);
}

static void dam(spate_scene *scene, int dim)
{
    (void)dim;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.7, 1);
}

static void pillars(spate_scene *scene, int dim)
{
    dam(scene, dim);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 1.0, 0.25, 0.3, 0.15);
    sample_box(scene, SPATE_LIST_SOLIDS, 1.4, -0.1, 0.2, 1.6, 0.5, 0.4);
}

static void drop(spate_scene *scene, int dim)
{
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1.6, 0.2, 1);
    spate_shape *ball = sample_sphere(scene, SPATE_LIST_FILL, 0.5, 0.5, dim == 3 ? 0.3 : 0, 0.2);
    sample_velocity(ball, 0, -2, 0);
}

static void jet(spate_scene *scene, int dim)
{
    (void)dim;
    spate_shape *box = sample_box(scene, SPATE_LIST_INFLOWS, 0, 0.4, 0.2, 0.15, 0.65, 0.45);
    sample_velocity(box, 5, 0, 0);
}

static void rock(spate_scene *scene, int dim)
{
    dam(scene, dim);
    spate_shape *mesh = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    mesh->shape = SPATE_SHAPE_MESH;
    mesh->mesh = sample_mesh(0.3, 0.3, 0.3);
    mesh->position[0] = 1.0;
    mesh->position[1] = -0.02;
    mesh->position[2] = dim == 3 ? 0.12 : 0;
    mesh->rotation[1] = 20;
}

static const splash splashes[] = {
    {"dam", dam, 90, 0.02, 0, false, AWAY},    {"pillars", pillars, 90, 0.03, 0, true, AWAY},
    {"drop", drop, 60, 0.035, 0, false, AWAY}, {"jet", jet, 60, 0.035, 1000, false, AWAY_AT_WALLS},
    {"rock", rock, 80, 0.02, 0, true, AWAY},
};

/* The worst of all frames. */
typedef struct worst {
    surface_quality q;
    double volume, flicker; /* shares */
    long pieces, before;    /* change of their number; of the last frame */
    double areas[2];        /* of the last two frames that count, 0: of none; the last first */
} worst;

static bool touches(const spate_sim *sim, const float x[3], double h)
{
    double point[3] = {(double)x[0], (double)x[1], (double)x[2]};
    const spate_scene *scene = spate_sim_scene(sim);
    bool wall = sp_solids_distance(sp_sim_solids(sim), point, NULL, NULL) < h;
    for (int d = 0; d < scene->dim; d++)
        wall = wall || point[d] < 0.1 * h || point[d] > scene->domain.size[d] - 0.1 * h;
    return wall;
}

static void take_area(worst *w, double area)
{
    if (w->areas[1] > 0)
        w->flicker = fmax(w->flicker, fabs(0.5 * (area + w->areas[1]) / w->areas[0] - 1));
    w->areas[1] = w->areas[0];
    w->areas[0] = area;
}

static void take_frame(spate_sim *sim, const splash *s, worst *w)
{
    const spate_scene *scene = spate_sim_scene(sim);
    spate_surface_options options = sample_surface_options(scene);
    size_t count = spate_sim_particles_count(sim, "fluid");
    float *x = malloc(3 * (count + 1) * sizeof *x);
    spate_sim_particles_read(sim, "fluid", x, NULL, NULL);
    options.resolution = RESOLUTION;
    spate_surface *mesh = spate_sim_surface(sim, &options, NULL);
    CHECK(mesh && surface_sound(mesh));
    double dx = options.cell_size, spacing = dx / options.particles_per_axis;
    double particle = pow(spacing, scene->dim), h = dx / RESOLUTION;
    if (mesh && count > 0) {
        double *allowed = malloc((mesh->vertices + 1) * sizeof *allowed);
        long pieces = (long)surface_pieces(mesh, PIECE * particle, allowed);
        for (size_t k = 0; k < mesh->vertices; k++)
            allowed[k] = spacing + (allowed[k] < DROP * particle ? GROWN * dx : 0) +
                         (touches(sim, mesh->positions + 3 * k, h) ? TOUCHING * dx : 0);
        surface_quality q = surface_measure(mesh, x, count, 2 * dx, allowed);
        free(allowed);
        w->q.longest = fmax(w->q.longest, q.longest / h);
        w->q.folded = fmax(w->q.folded, q.folded);
        w->q.sharp = fmax(w->q.sharp, q.sharp);
        w->q.away = fmax(w->q.away, q.away / h);
        w->volume = fmax(w->volume, fabs(surface_volume(mesh) / ((double)count * particle) - 1));
        if (count >= s->least) {
            long change = w->areas[0] > 0 ? labs(pieces - w->before) : 0;
            w->pieces = change > w->pieces ? change : w->pieces;
            w->before = pieces;
            take_area(w, q.area);
        }
    }
    spate_surface_destroy(mesh);
    free(x);
}

static void run_splash(int dim, const splash *s)
{
    spate_scene *scene = tank(dim, 1.6);
    scene->fps = FPS / TEST_STRIDE(10);
    s->fill(scene, dim);
    spate_sim *sim = sample_sim(scene, 2);
    worst w = {0};
    for (int frame = 0; sim && frame < s->frames; frame += TEST_STRIDE(10)) {
        spate_error error = {0};
        CHECK(spate_sim_step_frame(sim, &error) == SPATE_OK);
        take_frame(sim, s, &w);
    }
    if (getenv("SPATE_TEST_SHOW"))
        printf("  %dD %s: edge %.2f, folded %.3f %%, sharp %.4f %%, away %.2f, "
               "volume %.4f %%, flicker %.2f %%, pieces %ld\n",
               dim, s->name, w.q.longest, 100 * w.q.folded, 100 * w.q.sharp, w.q.away,
               100 * w.volume, 100 * w.flicker, w.pieces);
    CHECK_LESS(w.q.longest, LONGEST);
    CHECK_LESS(w.q.folded, s->solids ? FOLDED_SOLIDS : FOLDED);
    CHECK_LESS(w.q.sharp, SHARP);
    CHECK_LESS(w.q.away, s->away);
    CHECK_LESS(w.volume, VOLUME);
    if (!TEST_IS_SLOW)
        CHECK_LESS(w.flicker, s->flicker);
    CHECK(TEST_IS_SLOW || w.pieces <= 2);
    spate_sim_destroy(sim);
}

static void splashes_are_clean_2d(void)
{
    for (size_t k = 0; k < sizeof splashes / sizeof *splashes; k++)
        if (splashes[k].fill != rock) /* meshes are for 3D */
            run_splash(2, &splashes[k]);
}

static void splashes_are_clean_3d(void)
{
    for (size_t k = 0; k < sizeof splashes / sizeof *splashes; k++) {
        splash s = splashes[k];
        s.frames = test_full() ? s.frames : 40;
        if (test_full() || s.fill == pillars || s.fill == jet)
            run_splash(3, &s);
    }
}

TESTS(splash)
{
    TEST(splashes_are_clean_2d);
    TEST(splashes_are_clean_3d);
}
