/* test_seed.c -- the particles at the start are as much liquid as the fills hold, to one particle
 * or 0.05 %, wherever these stand against the grid, and lie inside of it. */
#include "fixture.h"

#include <math.h>
#include <spate/spate_io.h>

#define DX 0.07
#define PI 3.14159265358979323846

/* The short form in 3D takes every n-th case. */
#define STRIDE_3D(n) (DIM == 3 && !test_full() ? (n) : 1)

/* Particles of a scene, times the volume of one, in cells; -1: there is no simulation. */
static double seeded(spate_scene *scene)
{
    int n = scene->fluid.particles_per_axis;
    fixture *f = fixture_create(scene);
    if (!f)
        return -1;
    double volume = f->s->particles.count / pow(n, DIM);
    uint64_t count;
    spate_error error = {.status = SPATE_OK};
    CHECK(X(seed_count)(f->common.scene, &f->s->grid, &f->s->solids, &count, &error) == SPATE_OK);
    CHECK(count == f->s->particles.count);
    fixture_destroy(f);
    return volume;
}

static void check_volume(const char *what, double got, double wanted, int particles_per_axis)
{
    double one = 1 / pow(particles_per_axis, DIM), off = fabs(got - wanted);
    if (!(off <= fmax(1.01 * one, 5e-4 * wanted)))
        printf("  %s: %g cells, wanted %g: off by %.2f particles\n", what, got, wanted, off / one);
    CHECK(off <= fmax(1.01 * one, 5e-4 * wanted));
}

static spate_scene *room_for(int particles_per_axis, double jitter, int k)
{
    spate_scene *scene = scene_of_cells(DX, 26, 24, 22);
    scene->fluid.particles_per_axis = particles_per_axis;
    scene->fluid.jitter = jitter;
    scene->fluid.seed = (uint64_t)k;
    return scene;
}

static void random_box(double low[3], double high[3])
{
    for (int d = 0; d < 3; d++) {
        low[d] = random_in(2, 9);
        high[d] = low[d] + random_in(0.2, 11);
    }
}

static double box_volume(const double low[3], const double high[3])
{
    double volume = 1;
    FOR_DIM(d)
        volume *= high[d] - low[d];
    return volume;
}

static void boxes_at_any_place(void)
{
    test_random_state = 1;
    for (int k = 0; k < 24 / STRIDE_3D(2); k++) {
        int n = 1 + k % 3;
        double low[3], high[3];
        spate_scene *scene = room_for(n, k % 2 ? 0.5 : 0, k);
        random_box(low, high);
        add_box(scene, SPATE_LIST_FILL, low, high);
        check_volume("a box", seeded(scene), box_volume(low, high), n);
    }
}

/* Layers thinner than a particle, and levels anywhere in a cell, at no simple fraction of it, which
 * cutting cells in halves would find exactly. */
static void levels_of_any_height(void)
{
    for (int k = 1; k <= 40; k += STRIDE_3D(5)) {
        const double low[3] = {0, 0, 0}, high[3] = {26, 0.123 * k, test_full() ? 22 : 11};
        spate_scene *scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        check_volume("a level", seeded(scene), box_volume(low, high), 2);
    }
}

static void balls_and_rotated_boxes(void)
{
    test_random_state = 2;
    for (int k = 0; k < 12 / STRIDE_3D(2); k++) {
        double low[3], high[3], center[3], radius = random_in(1, 8);
        for (int d = 0; d < 3; d++)
            center[d] = random_in(9.5, 12);
        spate_scene *scene = room_for(2, 0.5, k);
        add_ball(scene, SPATE_LIST_FILL, center, radius);
        check_volume("a ball", seeded(scene),
                     DIM == 3 ? 4 * PI / 3 * pow(radius, 3) : PI * radius * radius, 2);
        scene = room_for(2, 0.5, k);
        for (int d = 0; d < 3; d++) {
            low[d] = center[d] - random_in(1, 5);
            high[d] = center[d] + random_in(1, 5);
        }
        spate_shape *box = add_box(scene, SPATE_LIST_FILL, low, high);
        box->rotation[2] = random_in(0, 90);
        check_volume("a rotated box", seeded(scene), box_volume(low, high), 2);
    }
}

/* Fills that overlap count once, and what is inside a solid does not. */
static void overlaps_and_solids(void)
{
    test_random_state = 3;
    for (int k = 0; k < 8 / STRIDE_3D(2); k++) {
        double low[3], high[3], other_low[3], other_high[3], both = 1;
        random_box(low, high);
        random_box(other_low, other_high);
        FOR_DIM(d)
            both *= fmax(fmin(high[d], other_high[d]) - fmax(low[d], other_low[d]), 0);
        spate_scene *scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        add_box(scene, k % 2 ? SPATE_LIST_SOLIDS : SPATE_LIST_FILL, other_low, other_high);
        check_volume(k % 2 ? "a box with a solid in it" : "two boxes", seeded(scene),
                     box_volume(low, high) - both + (k % 2 ? 0 : box_volume(other_low, other_high)),
                     2);
    }
}

/* ---- meshes */

#define RINGS 9
#define SECTORS 14

typedef struct triangles {
    double x[3 * (RINGS * SECTORS + 2)]; /* m */
    uint32_t corner[6 * RINGS * SECTORS];
    size_t vertices, count;
} triangles;

/* A ball of flat facets around the origin, a box with half sizes `half` if `is_box`; cells. */
static triangles facets(const double half[3], bool is_box)
{
    static const uint32_t box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    triangles t = {.vertices = is_box ? 8 : RINGS * SECTORS + 2, .count = is_box ? 12 : 0};
    memcpy(t.corner, box, sizeof box);
    for (size_t k = 0; k < t.vertices; k++) {
        double ring = PI * (double)(k / SECTORS + 1) / (RINGS + 1),
               turn = 2 * PI * (double)(k % SECTORS) / SECTORS;
        double x[3] = {sin(ring) * cos(turn), cos(ring), -sin(ring) * sin(turn)};
        for (int d = 0; d < 3; d++) {
            double pole = d != 1 ? 0 : k == RINGS * SECTORS ? 1 : -1;
            x[d] = is_box ? (k >> d & 1 ? 1 : -1) : k < RINGS * SECTORS ? x[d] : pole;
            t.x[3 * k + (size_t)d] = x[d] * half[d] * DX;
        }
    }
    for (uint32_t r = 0; r <= RINGS && !is_box; r++)
        for (uint32_t s = 0; s < SECTORS; s++) {
            uint32_t next = (s + 1) % SECTORS, up = RINGS * SECTORS, down = up + 1;
            uint32_t a = r > 0 ? (r - 1) * SECTORS + s : up, b = r * SECTORS + s,
                     c = r * SECTORS + next, d = (r - 1) * SECTORS + next;
            const uint32_t all[6] = {a, r < RINGS ? b : down, r < RINGS ? c : d, a, c, d};
            for (int k = 0; k < (r > 0 && r < RINGS ? 6 : 3); k++)
                t.corner[3 * t.count + (size_t)k] = all[k];
            t.count += r > 0 && r < RINGS ? 2 : 1;
        }
    return t;
}

/* Cells. */
static double volume_inside(const triangles *t)
{
    double sum = 0;
    for (size_t k = 0; k < t->count; k++) {
        const double *a = &t->x[3 * t->corner[3 * k]], *b = &t->x[3 * t->corner[3 * k + 1]],
                     *c = &t->x[3 * t->corner[3 * k + 2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return fabs(sum) / 6 / (DX * DX * DX);
}

/* By way of a file, as a scene reads it. */
static spate_mesh *through_obj(const triangles *t)
{
    char path[] = "/tmp/spate_test_seed_XXXXXX.obj";
    int descriptor = mkstemps(path, 4);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    CHECK(file != NULL);
    for (size_t k = 0; k < t->vertices && file; k++)
        fprintf(file, "v %.17g %.17g %.17g\n", t->x[3 * k], t->x[3 * k + 1], t->x[3 * k + 2]);
    for (size_t k = 0; k < t->count && file; k++)
        fprintf(file, "f %u %u %u\n", t->corner[3 * k] + 1, t->corner[3 * k + 1] + 1,
                t->corner[3 * k + 2] + 1);
    if (file)
        fclose(file);
    spate_mesh *mesh = spate_mesh_read(path, NULL);
    remove(path);
    return mesh;
}

static spate_shape *add_mesh(spate_scene *scene, const triangles *t, const double at[3])
{
    spate_shape *shape = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    shape->shape = SPATE_SHAPE_MESH;
    shape->mesh = through_obj(t);
    CHECK(shape->mesh != NULL);
    for (int d = 0; d < 3; d++)
        shape->position[d] = at[d] * DX;
    return shape;
}

/* Boxes and balls, turned and not, and a box of which another fill holds a part. */
static void meshes(void)
{
    test_random_state = 4;
    for (int k = 0; k < 8 / STRIDE_3D(2) && DIM == 3; k++) { /* in 2D there are none */
        double center[3], half[3], low[3], high[3], other_low[3], other_high[3], both = 1;
        for (int d = 0; d < 3; d++) {
            center[d] = random_in(10, 12);
            half[d] = random_in(1, 5);
            low[d] = center[d] - half[d];
            high[d] = center[d] + half[d];
        }
        triangles shape = facets(half, k % 2);
        spate_scene *scene = room_for(2, 0.5, k);
        spate_shape *mesh = add_mesh(scene, &shape, center);
        for (int d = 0; d < 3 && k > 1; d++)
            mesh->rotation[d] = random_in(0, 90);
        check_volume(k % 2 ? "a box as a mesh" : "a ball as a mesh", seeded(scene),
                     volume_inside(&shape), 2);

        random_box(other_low, other_high);
        for (int d = 0; d < 3; d++)
            both *= fmax(fmin(high[d], other_high[d]) - fmax(low[d], other_low[d]), 0);
        shape = facets(half, true);
        scene = room_for(2, 0.5, k);
        if (k % 2)
            add_mesh(scene, &shape, center);
        add_box(scene, SPATE_LIST_FILL, other_low, other_high);
        if (k % 2 == 0)
            add_mesh(scene, &shape, center);
        check_volume("a mesh and a box", seeded(scene),
                     box_volume(low, high) + box_volume(other_low, other_high) - both, 2);
    }
}

/* Fills that end at a solid or where another one begins, anywhere in a cell, at no simple fraction
 * of it. */
static void borders_in_common(void)
{
    for (int k = 1; k < 16; k += STRIDE_3D(5)) {
        double at = 9.02 + k / 16.0;
        const double low[3] = {2, 2, 2}, high[3] = {at, 12, 12}, other_low[3] = {at, 2, 2},
                     other_high[3] = {18, 12, 12}, all_high[3] = {18, 12, 12};
        spate_scene *scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        add_box(scene, SPATE_LIST_FILL, other_low, other_high);
        check_volume("two fills side by side", seeded(scene), box_volume(low, all_high), 2);
        scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        add_box(scene, SPATE_LIST_SOLIDS, other_low, other_high);
        check_volume("a fill beside a solid", seeded(scene), box_volume(low, high), 2);
    }
}

/* No particle is outside of its fill by more than its own sub-cell, and the mean height of a layer
 * is that of the liquid. */
static void particles_lie_in_their_liquid(void)
{
    for (int k = 1; k < 16; k += STRIDE_3D(5)) {
        double level = 6 + k / 8.0, mean = 0, top = 0;
        const double low[3] = {0, 0, 0}, high[3] = {26, level, 22};
        spate_scene *scene = room_for(2, 0.5, k);
        add_box(scene, SPATE_LIST_FILL, low, high);
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        for (uint32_t i = 0; i < f->s->particles.count; i++) {
            double y = f->s->particles.x[1][i];
            mean += y / f->s->particles.count;
            top = fmax(top, y);
        }
        CHECK_NEAR(mean, 0.5 * level, 0.01);
        CHECK_LESS(top, level + 1e-6);
        fixture_destroy(f);
    }
}

TESTS(seed)
{
    TEST(boxes_at_any_place);
    TEST(levels_of_any_height);
    TEST(balls_and_rotated_boxes);
    TEST(overlaps_and_solids);
    TEST(meshes);
    TEST(borders_in_common);
    TEST(particles_lie_in_their_liquid);
}
