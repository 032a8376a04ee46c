/* test_invariance.c -- the same water, seen in a mirror, turned, or at another size, does the same.
 *
 * A column collapses in a corner for 100 steps of fixed length, before it meets another wall. The
 * particles are not seeded anew: the same ones are mirrored, turned or scaled, and compared one by
 * one at the end, in cells. Differences come only from rounding and from what the solver leaves
 * (tolerance 1e-6), so whatever in the code prefers an axis, a side or a size shows.
 *
 * Froude scaling: lengths by L, times and speeds by sqrt(L), gravity as it is. In cells nothing
 * changes, and with L a power of four not even a rounding does. */
#include "fixture.h"

#define STEPS (100 / TEST_STRIDE(4))
#define DX 0.03125
#define DT (1.0 / 512)
#define GRAVITY 9.81

typedef struct setup {
    int to[3];     /* axis a of the plain setup is axis to[a] */
    bool mirrored; /* along the first axis of the plain setup */
    double dx, dt;
    spate_transfer transfer;
    spate_kernel kernel;
    bool separated; /* with the density projection */
} setup;

typedef struct outcome {
    uint32_t count;
    float *x; /* [3 * id + axis of the plain setup], cells, mirrored back */
} outcome;

static const int plain_cells[3] = {32, 16, 9};

static setup plain_setup(void)
{
    return (setup){.to = {0, 1, 2}, .dx = DX, .dt = DT, .separated = true};
}

static spate_scene *tank(const setup *how)
{
    int n[3];
    for (int a = 0; a < 3; a++)
        n[how->to[a]] = plain_cells[a];
    spate_scene *scene = scene_of_cells(how->dx, n[0], n[1], n[2]);
    scene->gravity[how->to[1]] = -GRAVITY;
    scene->pressure.tolerance = 1e-6;
    scene->fluid.transfer = how->transfer;
    scene->fluid.kernel = how->kernel;
    scene->fluid.flip_step = 0; /* the one setting with a time of its own */
    scene->volume.method = how->separated ? SPATE_VOLUME_DENSITY : SPATE_VOLUME_NONE;
    return scene;
}

/* Two particles per axis and cell, jittered, in the low corner; the top slopes, so that nothing is
 * symmetric. */
static void put_column(fixture *f, const setup *how)
{
    int c[DIM] = {0}, n[DIM];
    float v[DIM] = {0}, x[DIM];
    FOR_DIM(d)
        n[d] = 2 * (d == 0 ? 9 : d == 1 ? 13 : plain_cells[2]);
    test_random_state = 3;
    do {
        float plain[DIM];
        FOR_DIM(d)
            plain[d] = (float)((c[d] + 0.5 + random_in(-0.2, 0.2)) / 2);
        if (plain[1] > 12.0f - 0.2f * plain[0])
            continue;
        if (how->mirrored)
            plain[0] = (float)plain_cells[0] - plain[0];
        FOR_DIM(d)
            x[how->to[d]] = plain[d];
        put_particle(f, x, v);
    } while (next_cell(c, n));
}

static outcome collapse(setup how)
{
    outcome out = {0, NULL};
    fixture *f = fixture_create(tank(&how));
    if (!f)
        return out;
    put_column(f, &how);
    run_steps(f, STEPS, how.dt);
    const X(particles) *p = &f->s->particles;
    out.count = p->count;
    out.x = calloc(3 * ((size_t)p->count + 1), sizeof *out.x);
    for (uint32_t k = 0; k < p->count; k++)
        FOR_DIM(a) {
            float x = p->x[how.to[a]][k];
            out.x[3 * p->id[0][k] + (uint32_t)a] =
                how.mirrored && a == 0 ? (float)plain_cells[0] - x : x;
        }
    fixture_destroy(f);
    return out;
}

/* Largest distance along an axis between two outcomes; also sees that the water moved and met no
 * other wall. */
static double difference(const outcome *a, const outcome *b)
{
    double worst = 0, front = 0;
    CHECK(a->count == b->count && a->count > 0);
    for (size_t k = 0; k < 3 * (size_t)(a->count == b->count ? a->count : 0); k++) {
        worst = fmax(worst, fabs((double)a->x[k] - b->x[k]));
        front = k % 3 == 0 ? fmax(front, a->x[k]) : front;
    }
    CHECK(front > (TEST_IS_SLOW ? 9 : 11)); /* the column was 9 wide; fewer steps if slow */
    CHECK(front < plain_cells[0] - 2);
    return worst;
}

/* The plain collapse is computed once per transfer and kernel in use. */
static const outcome *plain_outcome(const setup *how)
{
    static outcome known[3][3][2];
    outcome *out = &known[how->transfer][how->kernel][how->separated];
    setup plain = plain_setup();
    plain.transfer = how->transfer;
    plain.kernel = how->kernel;
    plain.separated = how->separated;
    if (!out->x)
        *out = collapse(plain);
    return out;
}

static void compare(setup how, double limit)
{
    outcome other = collapse(how);
    CHECK_LESS(difference(plain_outcome(&how), &other), limit);
    free(other.x);
}

static void mirrored(void)
{
    setup how = plain_setup();
    how.mirrored = true;
    how.separated = false;
    compare(how, 1e-3);
}

/* The density projection leaves what one cycle of its solver leaves, and the red and black cells of
 * the smoother change places in a mirror. */
static void mirrored_with_density_projection(void)
{
    setup how = plain_setup();
    how.mirrored = true;
    compare(how, 1e-2);
}

/* 2D: x and y swapped. 3D: x to y to z to x, and once more. */
static void turned(void)
{
    for (int shift = 1; shift < DIM; shift++) {
        setup how = plain_setup();
        FOR_DIM(a)
            how.to[a] = (a + shift) % DIM;
        compare(how, 1e-3);
    }
}

static void turned_with_apic_and_cubic_kernel(void)
{
    setup how = plain_setup();
    FOR_DIM(a)
        how.to[a] = (a + 1) % DIM;
    how.transfer = SPATE_TRANSFER_APIC;
    how.kernel = SPATE_KERNEL_CUBIC;
    compare(how, 1e-3);
}

static void scaled_by_powers_of_two(void)
{
    setup how = plain_setup();
    how.dx *= 16;
    how.dt *= 4;
    compare(how, 1e-5);
    how.dx = DX / 64;
    how.dt = DT / 8;
    compare(how, 1e-5);
}

static void scaled_to_a_centimetre(void)
{
    setup how = plain_setup();
    how.dx = 0.01;
    how.dt = DT * sqrt(0.01 / DX);
    compare(how, 1e-3);
}

/* ---- one step's transfer, every face */

/* Water in the high half, along `surface`, of a walled box; mirrored along `axis`. */
static fixture *half_box(const int n[3], int surface, int axis, bool mirror, spate_kernel kernel)
{
    spate_scene *scene = scene_of_cells(DX, n[0], n[1], n[2]);
    scene->fluid.kernel = kernel;
    fixture *f = fixture_create(scene);
    int c[DIM] = {0}, places[DIM];
    FOR_DIM(d)
        places[d] = 2 * n[d];
    test_random_state = 13;
    do {
        float x[DIM], v[DIM];
        bool dry = c[surface] < n[surface];
        FOR_DIM(d) {
            x[d] = (float)((c[d] + 0.5 + random_in(-0.2, 0.2)) / 2);
            v[d] = (float)random_in(-1, 1);
        }
        if (mirror) {
            x[axis] = (float)n[axis] - x[axis];
            v[axis] = -v[axis];
        }
        if (f && !dry)
            put_particle(f, x, v);
    } while (next_cell(c, places));
    return f;
}

/* Largest difference of a face field and the mirror image of another, `rim` places beyond the walls
 * included. */
static double field_difference(const X(grid) *g, float *const a[DIM], float *const b[DIM], int axis,
                               bool sign, int rim)
{
    double worst = 0;
    FOR_DIM(d) {
        int c[DIM] = {0}, places[DIM], at[DIM], image[DIM];
        FOR_DIM(e)
            places[e] = g->n[e] + (e == d) + 2 * rim;
        do {
            FOR_DIM(e)
                at[e] = c[e] - rim;
            memcpy(image, at, sizeof at);
            image[axis] = g->n[axis] - at[axis] - (d != axis);
            double other = b[d][X(index)(g, image)];
            worst = fmax(worst, fabs(a[d][X(index)(g, at)] - (sign && d == axis ? -other : other)));
        } while (next_cell(c, places));
    }
    return worst;
}

static void check_mirrored_faces(const int n[3], int surface, int axis, spate_kernel kernel)
{
    fixture *a = half_box(n, surface, axis, false, kernel),
            *b = half_box(n, surface, axis, true, kernel);
    if (a && b) {
        const X(grid) *g = &a->s->grid;
        for (int k = 0; k < 2; k++)
            run_stages(k ? b : a, SP_STAGE_SORT, SP_STAGE_P2G, 0.01);
        CHECK_LESS(field_difference(g, a->s->w, b->s->w, axis, false, 0), 1e-4);
        CHECK_LESS(field_difference(g, a->s->u_old, b->s->u_old, axis, true, 0), 1e-4);
        for (int k = 0; k < 2; k++) {
            run_stages(k ? b : a, SP_STAGE_SURFACE, SP_STAGE_FORCES, 0.01);
            run_stage(k ? b : a, SP_STAGE_EXTRAPOLATE, 0.01);
        }
        CHECK_LESS(field_difference(g, a->s->u, b->s->u, axis, true, 2), 1e-4);
        CHECK_LESS(field_difference(g, a->s->u_old, b->s->u_old, axis, true, 2), 1e-4);
        if (test_failures)
            printf("  surface across axis %d, mirrored along %d, kernel %s, %d x %d x %d cells\n",
                   surface, axis, kernel_name(kernel), n[0], n[1], n[2]);
    }
    fixture_destroy(a);
    fixture_destroy(b);
}

/* Sizes that are a whole number of tiles, where the last faces lie in the border, and others. */
static void faces_are_mirrored(void)
{
    static const int sizes[3][3] = {{16, 16, 16}, {13, 16, 8}, {16, 11, 9}};
    for (int size = 0; size < 3; size++)
        for (int pair = 0; pair < DIM * DIM; pair++)
            for (int kernel = 0; kernel < 3; kernel++)
                check_mirrored_faces(sizes[size], pair / DIM, pair % DIM, (spate_kernel)kernel);
}

TESTS(invariance)
{
    TEST(faces_are_mirrored);
    TEST(mirrored);
    TEST(mirrored_with_density_projection);
    TEST(turned);
    TEST(turned_with_apic_and_cubic_kernel);
    TEST(scaled_by_powers_of_two);
    TEST(scaled_to_a_centimetre);
}
