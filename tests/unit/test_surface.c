/* test_surface.c -- surfaces from particles: closed and manifold whatever the particles are, flat
 * where the liquid is, with the volume of the particles, nothing lost. */
#include <spate/spate.h>

#include "base/memory.h"
#include "sample.h"
#include "scene/solids.h"
#include "surface_check.h"

#define DX 0.05 /* m, not 1 */

typedef struct table {
    float *x, *v; /* 3 per particle */
    size_t count, capacity;
} table;

static uint64_t state = 1;
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static void add(table *c, double x, double y, double z)
{
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 1024;
        c->x = realloc(c->x, c->capacity * 3 * sizeof *c->x);
        c->v = realloc(c->v, c->capacity * 3 * sizeof *c->v);
    }
    float *at = c->x + 3 * c->count, *v = c->v + 3 * c->count++;
    at[0] = (float)x, at[1] = (float)y, at[2] = (float)z;
    v[0] = at[1], v[1] = 2.0f, v[2] = -at[0]; /* a velocity that varies linearly */
}

/* Particles dx / 2 apart, jittered, wherever inside(point in cells) holds, in a box of cells. */
typedef bool inside_fn(const double p[3]);
static void fill(table *c, int dim, const double low[3], const double high[3], double jitter,
                 inside_fn *inside)
{
    int n[3];
    for (int d = 0; d < 3; d++)
        n[d] = d < dim ? (int)lround(2 * (high[d] - low[d])) : 1;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                int at[3] = {i, j, k};
                double p[3] = {0, 0, 0};
                for (int d = 0; d < dim; d++)
                    p[d] = low[d] + 0.5 * (at[d] + 0.5 + jitter * (uniform() - 0.5));
                if (!inside || inside(p))
                    add(c, p[0] * DX, p[1] * DX, p[2] * DX);
            }
}

static void clear(table *c)
{
    free(c->x);
    free(c->v);
    memset(c, 0, sizeof *c);
}

static spate_surface_options options_of(int dim, int resolution, double walls)
{
    spate_surface_options options = sample_surface_options(NULL);
    options.dim = dim;
    options.cell_size = DX;
    options.resolution = resolution;
    options.threads = 2;
    for (int d = 0; d < dim; d++)
        options.domain[d] = walls * DX;
    return options;
}

static spate_surface *make(const table *c, const spate_surface_options *options)
{
    spate_error error = {0};
    spate_surface *mesh = spate_surface_create(c->x, c->v, c->count, options, &error);
    if (!mesh) {
        printf("  no surface: %s: %s\n", error.where, error.message);
        test_failures++;
    }
    return mesh;
}

static double particle_volume(int dim)
{
    return dim == 2 ? DX * DX / 4 : DX * DX * DX / 8;
}

/* Makes the surface, checks that it is sound, and returns its volume over that of the particles. */
static double volume_share(const table *c, const spate_surface_options *options)
{
    spate_surface *mesh = make(c, options);
    if (!mesh)
        return 0;
    CHECK(surface_sound(mesh));
    double share = surface_volume(mesh) / ((double)c->count * particle_volume(options->dim));
    spate_surface_destroy(mesh);
    return share;
}

#define FOR_EACH_KIND(dim, r)          \
    for (int dim = 2; dim <= 3; dim++) \
        for (int r = 1; r <= SPATE_SURFACE_RESOLUTION_MAX; r++)

/* The same without the finest one in 3D in the short form, which costs more than all others. */
static bool is_short(int dim)
{
    return dim == 3 && !test_full();
}

#define FOR_MOST_KINDS(dim, r)         \
    for (int dim = 2; dim <= 3; dim++) \
        for (int r = 1; r <= SPATE_SURFACE_RESOLUTION_MAX - is_short(dim); r++)

/* In the short form in 3D, and in slow builds, every n-th trial. */
static int stride(int dim, int n)
{
    return TEST_IS_SLOW || is_short(dim) ? n : 1;
}

/* ------------------------------------------------------------------ sound whatever comes */

static void random_clouds_are_manifold(void)
{
    FOR_MOST_KINDS(dim, r)
    for (int trial = 0; trial < 16; trial += stride(dim, 5)) {
        table c = {0};
        int count = trial < 4 ? trial + 1 : (int)(uniform() * (dim == 2 ? 300 : 3000));
        double size = 2 + 12 * uniform();
        for (int k = 0; k < count; k++)
            add(&c, size * DX * uniform(), size * DX * uniform(),
                dim == 3 ? size * DX * uniform() : 0);
        spate_surface_options options = options_of(dim, r, trial % 2 ? ceil(size) : 0);
        spate_surface *mesh = make(&c, &options);
        CHECK(mesh && surface_sound(mesh));
        CHECK(mesh && (count == 0 || mesh->triangles > 0));
        CHECK(mesh && mesh->dim == dim);
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

static void nothing_gives_nothing(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int walls = 0; walls <= 4; walls += 4) {
            table c = {0};
            spate_surface_options options = options_of(dim, 2, walls);
            spate_surface *mesh = make(&c, &options);
            CHECK(mesh && mesh->vertices == 0 && mesh->triangles == 0);
            spate_surface_destroy(mesh);
        }
}

/* Many particles in one place, on walls, in corners, outside. */
static void degenerate_clouds_are_manifold(void)
{
    FOR_EACH_KIND(dim, r)
    {
        table c = {0};
        double end = 6 * DX;
        for (int k = 0; k < 40; k++)
            add(&c, 0.05, 0.05, 0);
        for (int k = 0; k < 8; k++)
            add(&c, k & 1 ? end : 0, k & 2 ? end : 0, k & 4 && dim == 3 ? end : 0);
        add(&c, -1, 0.1, 0);
        add(&c, 0.1, 2, dim == 3 ? 5 : 0);
        spate_surface_options options = options_of(dim, r, 6);
        spate_surface *mesh = make(&c, &options);
        CHECK(mesh && surface_sound(mesh));
        for (size_t k = 0; mesh && k < mesh->vertices; k++)
            for (int d = 0; d < dim; d++) {
                double x = (double)mesh->positions[3 * k + (size_t)d];
                CHECK(x >= -1e-6 && x <= end + 1e-6);
            }
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

static void full_domain_is_a_box(void)
{
    FOR_EACH_KIND(dim, r)
    {
        table c = {0};
        const double low[3] = {0, 0, 0}, high[3] = {7, 7, 7};
        fill(&c, dim, low, high, 0.5, NULL);
        spate_surface_options options = options_of(dim, r, 7);
        CHECK_NEAR(volume_share(&c, &options), 1, 0.003);
        clear(&c);
    }
}

/* ------------------------------------------------------------------ volume */

static bool in_ball(const double p[3])
{
    double x = p[0] - 7.3, y = p[1] - 7.1, z = p[2] > 0 ? p[2] - 6.9 : 0;
    return x * x + y * y + z * z < 25;
}

static void bulk_keeps_its_volume(void)
{
    FOR_EACH_KIND(dim, r)
    {
        table c = {0};
        const double low[3] = {0, 0, 0}, high[3] = {14, 14, 14};
        fill(&c, dim, low, high, 0.5, in_ball);
        spate_surface_options options = options_of(dim, r, 0);
        CHECK_NEAR(volume_share(&c, &options), 1, 0.02);
        clear(&c);
    }
}

/* A sheet one particle thick, flat and tilted; it must stay in one piece. */
static void sheets_are_kept(void)
{
    FOR_MOST_KINDS(dim, r)
    for (int trial = 0; trial < 8; trial += stride(dim, 5)) {
        table c = {0};
        double tilt = 0.15 * trial, level = 10 + uniform();
        for (int k = 0; k < (dim == 3 ? 40 : 1); k++)
            for (int i = 0; i < 40; i++) {
                double s = 0.5 * i + 0.15 * (uniform() - 0.5);
                double t = dim == 3 ? 0.5 * k + 0.15 * (uniform() - 0.5) : 0;
                add(&c, DX * s * cos(tilt), DX * (level + s * sin(tilt)), DX * t);
            }
        spate_surface_options options = options_of(dim, r, 0);
        spate_surface *mesh = make(&c, &options);
        CHECK(surface_sound(mesh));
        CHECK_NEAR(surface_volume(mesh) / ((double)c.count * particle_volume(dim)), 1, 0.02);
        if (dim == 3) { /* Euler: one piece without holes is a sphere */
            long euler =
                (long)mesh->vertices - (long)(mesh->triangles * 3 / 2) + (long)mesh->triangles;
            CHECK(euler == 2);
        } else {
            size_t at = mesh->indices[1], steps = 1;
            uint32_t *next = calloc(mesh->vertices, sizeof *next);
            for (size_t k = 0; k < mesh->triangles; k++)
                next[mesh->indices[2 * k]] = mesh->indices[2 * k + 1];
            for (; at != mesh->indices[0]; steps++)
                at = next[at];
            CHECK(steps == mesh->vertices);
            free(next);
        }
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

static void drops_are_kept(void)
{
    FOR_MOST_KINDS(dim, r)
    for (int trial = 0; trial < 12; trial += stride(dim, 5)) {
        table c = {0};
        int drops = 0;
        for (int j = 0; j < 4; j++) /* far enough from each other to stay drops */
            for (int i = 0; i < 4; i++, drops++) {
                double x = 6 * i + uniform(), y = 6 * j + uniform(), z = uniform();
                for (int k = 0; k <= trial % 3; k++)
                    add(&c, DX * (x + 0.4 * k), DX * y, dim == 3 ? DX * z : 0);
            }
        spate_surface_options options = options_of(dim, r, 0);
        spate_surface *mesh = make(&c, &options);
        CHECK(surface_sound(mesh));
        CHECK_NEAR(surface_volume(mesh) / ((double)c.count * particle_volume(dim)), 1, 0.02);
        if (dim == 3)
            CHECK((long)mesh->vertices - (long)mesh->triangles / 2 == 2 * drops);
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

/* Drops that touch a wall or a corner end there. */
static void drops_at_walls_are_kept(void)
{
    FOR_EACH_KIND(dim, r)
    for (int trial = 0; trial < 20; trial += TEST_STRIDE(5)) {
        table c = {0};
        double x = trial % 2 ? 0.4 * uniform() : 8 * uniform(), y = 0.5 * uniform();
        add(&c, DX * x, DX * y, dim == 3 ? DX * 8 * uniform() : 0);
        spate_surface_options options = options_of(dim, r, 8);
        CHECK_NEAR(volume_share(&c, &options), 1, 0.02);
        clear(&c);
    }
}

/* ------------------------------------------------------------------ flat, and where it should be
 */

/* rms of the height of the free surface of a pool `depth` cells deep against its mean, in cells,
 * away from the walls; *mean receives the mean. */
static double bumps(const spate_surface *mesh, double width, double *mean)
{
    double sum = 0, square = 0;
    size_t count = 0;
    for (size_t k = 0; k < mesh->vertices; k++) {
        const float *x = mesh->positions + 3 * k;
        bool middle = true;
        for (int d = 0; d < mesh->dim; d++)
            middle = middle && (d == 1 || ((double)x[d] > DX && (double)x[d] < (width - 1) * DX));
        if (!middle || (double)x[1] < DX)
            continue;
        double y = (double)x[1] / DX;
        sum += y;
        square += y * y;
        count++;
    }
    *mean = sum / (double)count;
    return sqrt(square / (double)count - *mean * *mean);
}

static void pools_are_flat(void)
{
    FOR_MOST_KINDS(dim, r)
    for (int trial = 0; trial < 4; trial += stride(dim, 3)) {
        table c = {0};
        double depth = 4 + 0.5 * trial, mean;
        const double low[3] = {0, 0, 0}, high[3] = {20, depth, 20};
        /* in 2D a cell has only 4 particles: anywhere in their quarter they are not even */
        fill(&c, dim, low, high, dim == 2 || trial < 2 ? 0.5 : 1, NULL);
        spate_surface_options options = options_of(dim, r, 20);
        spate_surface *mesh = make(&c, &options);
        CHECK(surface_sound(mesh));
        CHECK_LESS(bumps(mesh, 20, &mean), 0.05);
        CHECK_NEAR(mean, depth, 0.03);
        CHECK_NEAR(surface_volume(mesh) / ((double)c.count * particle_volume(dim)), 1, 0.005);
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

/* Particles as a simulation leaves them, not as seeds. */
static void pools_of_a_simulation_are_flat(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 16 * DX, 8 * DX, 16 * DX, 16);
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 16 * DX, 4 * DX, 16 * DX);
        spate_sim *sim = sample_sim(scene, 2);
        for (int k = 0; sim && k < 60; k++)
            sample_step(sim, 1.0 / 60);
        table c = {.count = spate_sim_particles_count(sim, "fluid")};
        c.x = malloc(3 * c.count * sizeof *c.x);
        c.v = malloc(3 * c.count * sizeof *c.v);
        spate_sim_particles_read(sim, "fluid", c.x, c.v, NULL);
        for (int r = 1; r <= 3; r++) {
            double mean;
            spate_surface_options options = sample_surface_options(spate_sim_scene(sim));
            options.resolution = r;
            spate_surface *mesh = make(&c, &options);
            CHECK(surface_sound(mesh));
            CHECK_LESS(bumps(mesh, 16, &mean), 0.05);
            CHECK_NEAR(mean, 4, 0.05);
            spate_surface_destroy(mesh);
        }
        clear(&c);
        spate_sim_destroy(sim);
    }
}

/* ------------------------------------------------------------------ solids */

/* Half in the liquid, standing on the floor, and all in it. */
static spate_scene *solids_scene(int dim, double size)
{
    spate_scene *scene = sample_scene(dim, size * DX, size * DX, size * DX, (int)size);
    for (int k = 0; k < 3; k++) {
        spate_shape *solid = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
        solid->shape = k == 1 ? SPATE_SHAPE_BOX : SPATE_SHAPE_SPHERE;
        for (int d = 0; d < dim; d++) {
            const double center[3][3] = {{5.2, 7.7, 6.1}, {0, 0, 0}, {16.3, 4.2, 14.9}};
            const double low[3] = {11.1, -1, 9.2}, high[3] = {13.8, 12.3, 12.6};
            solid->center[d] = center[k][d] * DX;
            solid->min[d] = low[d] * DX;
            solid->max[d] = high[d] * DX;
        }
        solid->radius = (k == 0 ? 3.1 : 2.2) * DX;
        /* it comes to its place in the second that the surface is made after */
        solid->velocity[0] = k == 0 ? 0.5 : 0;
        solid->center[0] -= solid->velocity[0];
    }
    return scene;
}

static double solid_distance(const sp_solids *solids, const float x[3], double normal[3])
{
    double point[3] = {(double)x[0], (double)x[1], (double)x[2]};
    return sp_solids_distance(solids, point, normal, NULL);
}

/* The largest distance to a solid (cells) of vertices less than a cell away from one, whose normal
 * leads to it, `depth` cells below or more; *inside receives how far one is in a solid. */
static double gap(const spate_surface *mesh, const sp_solids *solids, double depth, double *inside)
{
    double worst = 0;
    *inside = 0;
    for (size_t k = 0; k < mesh->vertices; k++) {
        double normal[3], cosine = 0, d = solid_distance(solids, mesh->positions + 3 * k, normal);
        for (int c = 0; c < mesh->dim; c++)
            cosine -= normal[c] * (double)mesh->normals[3 * k + (size_t)c];
        *inside = fmax(*inside, -d / DX);
        if (d < DX && cosine > 0.7 && (double)mesh->positions[3 * k + 1] < depth * DX)
            worst = fmax(worst, d / DX);
    }
    return worst;
}

static void solids_end_the_surface(void)
{
    FOR_MOST_KINDS(dim, r)
    {
        table c = {0}, wet = {0};
        double inside, width = 20;
        const double low[3] = {0, 0, 0}, high[3] = {width, 8, width};
        spate_scene *scene = solids_scene(dim, width);
        sp_solids solids = {.dim = dim};
        for (int k = 0; k < scene->solids.count; k++)
            sp_solids_add(&solids, &scene->solids.items[k], 0, NULL, NULL);
        sp_solids_advance(&solids, 1, 0);
        fill(&c, dim, low, high, 0.5, NULL);
        for (size_t k = 0; k < c.count; k++) /* what a simulation keeps clear of solids */
            if (solid_distance(&solids, c.x + 3 * k, NULL) > 0.02 * DX)
                add(&wet, (double)c.x[3 * k], (double)c.x[3 * k + 1], (double)c.x[3 * k + 2]);
        spate_surface_options options = options_of(dim, r, width);
        spate_surface *mesh = make(&wet, &options);
        CHECK(gap(mesh, &solids, 7, &inside) > 0.05); /* what there is to close */
        spate_surface_destroy(mesh);
        options.scene = scene;
        options.time = 1;
        mesh = make(&wet, &options);
        CHECK(surface_sound(mesh));
        CHECK_LESS(gap(mesh, &solids, 7, &inside), 0.05);
        CHECK_LESS(inside, 0.001);
        CHECK_NEAR(surface_volume(mesh) / ((double)wet.count * particle_volume(dim)), 1, 0.02);
        spate_surface_destroy(mesh);
        sp_solids_clear(&solids);
        spate_scene_destroy(scene);
        clear(&c);
        clear(&wet);
    }
}

/* The surface keeps a gap from solids and walls, and its volume. */
static void a_gap_keeps_it_off(void)
{
    FOR_MOST_KINDS(dim, r)
    for (int trial = 1; trial <= 2; trial++) {
        table c = {0}, wet = {0};
        double inside, width = 20, wanted = 0.02 * trial, least = 1;
        const double low[3] = {0, 0, 0}, high[3] = {width, 8, width};
        spate_scene *scene = solids_scene(dim, width);
        sp_solids solids = {.dim = dim};
        for (int k = 0; k < scene->solids.count; k++)
            sp_solids_add(&solids, &scene->solids.items[k], 0, NULL, NULL);
        sp_solids_advance(&solids, 1, 0);
        fill(&c, dim, low, high, 0.5, NULL);
        for (size_t k = 0; k < c.count; k++)
            if (solid_distance(&solids, c.x + 3 * k, NULL) > 0.02 * DX)
                add(&wet, (double)c.x[3 * k], (double)c.x[3 * k + 1], (double)c.x[3 * k + 2]);
        spate_surface_options options = options_of(dim, r, width);
        options.scene = scene;
        options.time = 1;
        options.gap = wanted;
        spate_surface *mesh = make(&wet, &options);
        CHECK(surface_sound(mesh));
        for (size_t k = 0; k < mesh->vertices; k++) {
            const float *x = mesh->positions + 3 * k;
            least = fmin(least, solid_distance(&solids, x, NULL) / DX);
            for (int d = 0; d < dim; d++)
                least = fmin(least, fmin((double)x[d], width * DX - (double)x[d]) / DX);
        }
        CHECK_NEAR(least, wanted, 0.001);
        CHECK_LESS(gap(mesh, &solids, 7, &inside), wanted + 0.05);
        CHECK_NEAR(surface_volume(mesh) / ((double)wet.count * particle_volume(dim)), 1, 0.02);
        spate_surface_destroy(mesh);
        sp_solids_clear(&solids);
        spate_scene_destroy(scene);
        clear(&c);
        clear(&wet);
    }
}

/* ------------------------------------------------------------------ velocities */

static void velocities_follow_the_particles(void)
{
    FOR_EACH_KIND(dim, r)
    {
        table c = {0};
        const double low[3] = {0, 0, 0}, high[3] = {14, 14, 14};
        double worst = 0;
        fill(&c, dim, low, high, 0.5, in_ball);
        spate_surface_options options = options_of(dim, r, 0);
        spate_surface *mesh = make(&c, &options);
        for (size_t k = 0; k < mesh->vertices; k++) {
            const float *x = mesh->positions + 3 * k, *v = mesh->velocities + 3 * k;
            double expected[3] = {(double)x[1], 2, dim == 3 ? -(double)x[0] : 0};
            for (int d = 0; d < 3; d++)
                worst = fmax(worst, fabs((double)v[d] - expected[d]));
        }
        CHECK_LESS(worst, DX); /* it changes by 1 m/s per m: that of liquid within a cell */
        spate_surface_destroy(mesh);
        mesh = spate_surface_create(c.x, NULL, c.count, &options, NULL);
        CHECK(mesh && !mesh->velocities);
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

/* ------------------------------------------------------------------ the same bits; bad input */

static bool same(const spate_surface *a, const spate_surface *b)
{
    size_t floats = 3 * a->vertices * sizeof(float);
    return a->vertices == b->vertices && a->triangles == b->triangles &&
           memcmp(a->positions, b->positions, floats) == 0 &&
           memcmp(a->normals, b->normals, floats) == 0 &&
           memcmp(a->velocities, b->velocities, floats) == 0 &&
           memcmp(a->indices, b->indices, (size_t)a->dim * a->triangles * sizeof *a->indices) == 0;
}

static void threads_do_not_matter(void)
{
    FOR_MOST_KINDS(dim, r)
    {
        if (TEST_IS_SLOW && r != 3) /* the one with blocks of another size */
            continue;
        table c = {0};
        const double low[3] = {0, 0, 0}, high[3] = {24, 24, 24};
        fill(&c, dim, low, high, 1, in_ball);
        for (int k = 0; k < 500; k += TEST_STRIDE(5))
            add(&c, 24 * DX * uniform(), 24 * DX * uniform(), dim == 3 ? 24 * DX * uniform() : 0);
        spate_surface_options options = options_of(dim, r, 24);
        options.threads = 1;
        spate_surface *first = make(&c, &options);
        for (int threads = 2; threads <= 5; threads += 3) {
            options.threads = threads;
            spate_surface *other = make(&c, &options);
            CHECK(same(first, other));
            spate_surface_destroy(other);
        }
        spate_surface_destroy(first);
        clear(&c);
    }
}

static void refuses(const table *c, spate_surface_options options, const char *where,
                    const char *text)
{
    spate_error error = {0};
    spate_surface *mesh = spate_surface_create(c->x, c->v, c->count, &options, &error);
    CHECK(!mesh);
    CHECK(error.status == SPATE_ERROR_USAGE);
    CHECK_TEXT(error.where, where);
    CHECK_TEXT(error.message, text);
    spate_surface_destroy(mesh);
}

static void bad_input_is_refused(void)
{
    table c = {0};
    add(&c, 0, 0, 0);
    add(&c, 0, 0, 0);
    spate_surface_options good = options_of(3, 2, 0), bad = good;
    bad.dim = 4;
    refuses(&c, bad, "dim", "must be 2 or 3 (got 4)");
    bad = good;
    bad.cell_size = 0;
    refuses(&c, bad, "cell_size", "must be positive (got 0)");
    bad = good;
    bad.resolution = 5;
    refuses(&c, bad, "resolution", "must be 1 .. 4 (got 5)");
    bad = good;
    bad.particles_per_axis = 0;
    refuses(&c, bad, "particles_per_axis", "must be 1 .. 16 (got 0)");
    bad = good;
    bad.gap = 0.2;
    refuses(&c, bad, "gap", "must be 0 .. 0.1 cells (got 0.2)");
    bad = good;
    bad.domain[0] = 1;
    refuses(&c, bad, "domain", "must be positive along all axes, or 0 for no walls");
    c.x[4] = NAN;
    refuses(&c, good, "surface", "the position of particle 1 is not a finite number");
    c.x[4] = 1e9f;
    refuses(&c, good, "surface", "the particles lie 2e+10 cells apart: too far for a surface");
    clear(&c);
}

/* Lattice cells of the blocks that come within three cells of a vertex: the band, as it is stored.
 */
static size_t band_cells(const spate_surface *mesh, int resolution, double width)
{
    long n = lround(width * resolution), last = mesh->dim == 3 ? n : 1, band = 0;
    long side = (resolution == 3 ? 9 : 8) * (mesh->dim == 3 ? 1 : 2); /* of a block */
    unsigned char *near = calloc((size_t)(n * n * last), 1);
    for (size_t k = 0; k < mesh->vertices; k++) {
        long low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        for (int d = 0; d < mesh->dim; d++) {
            long at = (long)floor((double)mesh->positions[3 * k + (size_t)d] / DX * resolution);
            low[d] = at < 3 ? 0 : (at - 3) / side * side;
            high[d] = (at + 3) / side * side + side - 1;
            high[d] = high[d] < n ? high[d] : n - 1;
        }
        for (long z = low[2]; z <= high[2]; z++)
            for (long y = low[1]; y <= high[1]; y++)
                for (long x = low[0]; x <= high[0]; x++)
                    near[x + n * (y + n * z)] = 1;
    }
    for (long k = 0; k < n * n * last; k++)
        band += near[k];
    free(near);
    return (size_t)band;
}

/* What is needed follows the surface: 100 bytes per cell of its band, and 8 per particle; tables
 * take some kilobytes in any case. */
static void memory_follows_the_surface(void)
{
    FOR_MOST_KINDS(dim, r)
    for (int ball = 0; ball < 2; ball++) {
        table c = {0};
        const double low[3] = {0, 0, 0}, high[3] = {28, 12, 28}, all[3] = {14, 14, 14};
        fill(&c, dim, low, ball ? all : high, 0.5, ball ? in_ball : NULL);
        spate_surface_options options = options_of(dim, r, 28);
        options.threads = 1;
        sp_alloc_peak();
        uint64_t before = sp_alloc_peak();
        spate_surface *mesh = make(&c, &options);
        double most = (double)(sp_alloc_peak() - before) - 8 * (double)c.count - 32768;
        CHECK_LESS(most / (double)band_cells(mesh, r, 28), 100);
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

static void every_allocation_may_fail(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        table c = {0};
        const double low[3] = {0, 0, 0}, high[3] = {3, 3, 3};
        spate_error error;
        spate_surface *mesh = NULL;
        uint64_t n = 1;
        fill(&c, dim, low, high, 0.5, NULL);
        spate_surface_options options = options_of(dim, 2, 4);
        for (; n < 200 && !mesh; n++) {
            memset(&error, 0, sizeof error);
            sp_alloc_fail_at(n);
            mesh = spate_surface_create(c.x, c.v, c.count, &options, &error);
            sp_alloc_fail_at(0);
            CHECK(mesh || error.status == SPATE_ERROR_MEMORY);
        }
        CHECK(mesh && n > 20);
        spate_surface_destroy(mesh);
        clear(&c);
    }
}

TESTS(surface)
{
    TEST(random_clouds_are_manifold);
    TEST(nothing_gives_nothing);
    TEST(degenerate_clouds_are_manifold);
    TEST(full_domain_is_a_box);
    TEST(bulk_keeps_its_volume);
    TEST(sheets_are_kept);
    TEST(drops_are_kept);
    TEST(drops_at_walls_are_kept);
    TEST(pools_are_flat);
    TEST(pools_of_a_simulation_are_flat);
    TEST(solids_end_the_surface);
    TEST(a_gap_keeps_it_off);
    TEST(velocities_follow_the_particles);
    TEST(threads_do_not_matter);
    TEST(bad_input_is_refused);
    TEST(memory_follows_the_surface);
    TEST(every_allocation_may_fail);
}
