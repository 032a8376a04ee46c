/* test_level_set.c -- the level set from particles (src/stages/surface.c): it must lie where the
 * water ends.
 *
 * Pools are laid by hand, from a flat surface at any height downwards, n particles per axis and
 * cell, each moved at random inside its own place by `jitter`: the surface is then known, wherever
 * it is between cells. */
#include "fixture.h"

#define DX 0.07

/* Whether the particles of a place at x (cells) belong there: not in a solid. */
static bool is_free(const fixture *f, const double x[3])
{
    double place[3] = {x[0] * DX, x[1] * DX, x[2] * DX};
    return sp_solids_distance(&f->s->solids, place, NULL, NULL) > 0;
}

/* Fills the domain up to `height` cells. */
static void lay_pool(fixture *f, double height, double jitter)
{
    const X(grid) *g = &f->s->grid;
    int n = f->common.scene->fluid.particles_per_axis, c[DIM] = {0}, places[DIM];
    const float rest[DIM] = {0};
    test_random_state = 7;
    FOR_DIM(d)
        places[d] = g->n[d] * n;
    do {
        double x[3] = {0, 0, 0};
        float at[DIM];
        FOR_DIM(d) {
            double moved = (c[d] + 0.5 + random_in(-0.5, 0.5) * jitter) / n;
            x[d] = d == 1 ? height - moved : moved;
            at[d] = (float)x[d];
        }
        if (x[1] > 0.001 && is_free(f, x))
            put_particle(f, at, rest);
    } while (next_cell(c, places));
}

static fixture *pool(spate_scene *scene, int n, double height, double jitter)
{
    scene->fluid.particles_per_axis = n;
    fixture *f = fixture_create(scene);
    if (!f)
        return NULL;
    lay_pool(f, height, jitter);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    return f;
}

/* Height of the highest zero of phi in the column of a cell, in cells; -1 if there is none. */
static double zero_level(const fixture *f, const int column[DIM])
{
    int c[DIM];
    memcpy(c, column, sizeof c);
    for (c[1] = f->s->grid.n[1] - 1; c[1] > 0; c[1]--) {
        size_t at = X(index)(&f->s->grid, c);
        double above = f->s->phi[at], below = f->s->phi[at - f->s->grid.stride[1]];
        if (above > 0 && below <= 0)
            return c[1] - 0.5 + below / (below - above);
    }
    return -1;
}

typedef struct level {
    double mean, rms, worst; /* of zero level - height, cells */
    int missing;             /* columns without a surface */
} level;

static level measure(const fixture *f, double height)
{
    level l = {0, 0, 0, 0};
    int c[DIM] = {0}, columns[DIM], count = 0;
    FOR_DIM(d)
        columns[d] = d == 1 ? 1 : f->s->grid.n[d];
    do {
        double off = zero_level(f, c) - height;
        if (off < -height) {
            l.missing++;
            continue;
        }
        count++;
        l.mean += off;
        l.rms += off * off;
        l.worst = fmax(l.worst, fabs(off));
    } while (next_cell(c, columns));
    l.mean /= count;
    l.rms = sqrt(l.rms / count);
    return l;
}

/* ---- a flat pool, columns at the walls included */

static spate_scene *flat_scene(void)
{
    return DIM == 2 ? scene_of_cells(DX, 41, 18, 0) : scene_of_cells(DX, 13, 18, 12);
}

static void check_flat(int n, double jitter)
{
    double mean = 0, rms = 0, worst = 0;
    for (int k = 0; k < 7; k++) {
        double height = 9 + k / 7.0;
        fixture *f = pool(flat_scene(), n, height, jitter);
        if (!f)
            return;
        level l = measure(f, height);
        CHECK(l.missing == 0);
        CHECK_NEAR(l.mean, 0, 0.1);
        CHECK_LESS(l.worst, jitter > 0 ? 0.5 : 0.2);
        mean = fabs(l.mean) > fabs(mean) ? l.mean : mean;
        rms = fmax(rms, l.rms);
        worst = fmax(worst, l.worst);
        fixture_destroy(f);
    }
    printf("  n = %d, jitter %g: mean %+.4f, rms %.4f, largest %.3f cells (worst of 7 heights)\n",
           n, jitter, mean, rms, worst);
}

static void flat_pool_at_any_height(void)
{
    for (int n = 2; n <= 3; n++) {
        check_flat(n, 0);
        check_flat(n, 0.5);
    }
}

/* One particle in the air has an eighth of a cell's water (2D: a quarter), too little to be a
 * liquid cell. */
static void a_lone_particle_is_no_water(void)
{
    fixture *f = pool(flat_scene(), 2, 6, 0);
    const float at[DIM] = {5.3f, 13.4f}, rest[DIM] = {0};
    float place[DIM];
    int c[DIM];
    if (!f)
        return;
    FOR_DIM(d) {
        place[d] = d == 2 ? 5.5f : at[d];
        c[d] = (int)place[d];
    }
    put_particle(f, place, rest);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    CHECK(f->s->phi[X(index)(&f->s->grid, c)] > 0);
    CHECK(f->s->type[X(index)(&f->s->grid, c)] == SPATE_CELL_AIR);
    fixture_destroy(f);
}

/* ---- solids under the water */

/* Cells that water can enter, at least `under` cells below the surface, that are not liquid. */
static int air_below(const fixture *f, double surface, double under)
{
    const X(sim) *s = f->s;
    int c[DIM] = {0}, air = 0;
    do {
        size_t at = X(index)(&s->grid, c);
        double open = 0;
        FOR_DIM(d)
            open += s->w[d][at] + s->w[d][at + s->grid.stride[d]];
        if (open > 0.05 && c[1] + 0.5 < surface - under)
            air += s->type[at] != SPATE_CELL_LIQUID;
    } while (next_cell(c, s->grid.n));
    return air;
}

static void check_floor(double top, double jitter)
{
    const double low[3] = {-9, -9, -9}, high[3] = {90, top, 90}, height = 9.37;
    spate_scene *scene = flat_scene();
    add_box(scene, SPATE_LIST_SOLIDS, low, high);
    fixture *f = pool(scene, 2, height, jitter);
    if (!f)
        return;
    level l = measure(f, height);
    CHECK(l.missing == 0);
    CHECK_NEAR(l.mean, 0, 0.1);
    CHECK(air_below(f, height, 1) == 0);
    if (test_failures)
        printf("  floor at %g cells, jitter %g\n", top, jitter);
    fixture_destroy(f);
}

static void flat_floor(void)
{
    for (int k = 0; k < 7; k++) {
        check_floor(3 + k / 7.0, 0);
        check_floor(3 + k / 7.0, 0.5);
    }
}

/* A ramp that rises out of the water: no film of air on it, and the surface keeps its height up to
 * two cells from it. */
static void check_ramp(double degrees, double jitter)
{
    const double height = 9.6, turn = degrees * acos(-1.0) / 180;
    spate_scene *scene = DIM == 2 ? scene_of_cells(DX, 41, 20, 0) : scene_of_cells(DX, 32, 20, 10);
    spate_shape *ramp = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    ramp->shape = SPATE_SHAPE_PLANE;
    FOR_DIM(d) {
        ramp->normal[d] = d == 0 ? -sin(turn) : d == 1 ? cos(turn) : 0;
        ramp->point[d] = d == 0 ? 7.3 * DX : 1.2 * DX;
    }
    fixture *f = pool(scene, 2, height, jitter);
    if (!f)
        return;
    CHECK(air_below(f, height, 1.6) == 0);
    double shore = 7.3 + (height - 1.2) / tan(turn), mean = 0;
    int c[DIM] = {0}, count = 0;
    for (c[0] = 0; c[0] + 3 < shore && c[0] < f->s->grid.n[0]; c[0]++, count++)
        mean += zero_level(f, c) - height;
    CHECK(count > 5);
    CHECK_NEAR(mean / count, 0, 0.1);
    if (test_failures)
        printf("  ramp of %g degrees, jitter %g\n", degrees, jitter);
    fixture_destroy(f);
}

static void sloped_floor(void)
{
    check_ramp(20, 0);
    check_ramp(20, 0.5);
    check_ramp(45, 0.5);
    check_ramp(63, 0.5);
}

/* ---- only near the surface */

/* Far below the surface phi is -dx to the bit, although the density of jittered particles is not 1
 * there; near it not. */
static void deep_water_is_not_computed(void)
{
    int deep = 6 * TILE, wide = 4 * TILE;
    double height = deep - 3.3;
    fixture *f =
        pool(DIM == 2 ? scene_of_cells(DX, wide, deep, 0) : scene_of_cells(DX, wide, deep, TILE), 2,
             height, 1);
    if (!f)
        return;
    int c[DIM] = {0}, below = 0, near = 0;
    do {
        float phi = f->s->phi[X(index)(&f->s->grid, c)];
        below += c[1] < deep - 4 * TILE && phi != -(float)DX;
        near += c[1] < (int)height - 1 && c[1] > (int)height - TILE && phi != -(float)DX;
        if (c[1] > (int)height + 2)
            CHECK(phi == (float)DX);
    } while (next_cell(c, f->s->grid.n));
    CHECK(below == 0);
    CHECK(near > 0);
    CHECK_NEAR(measure(f, height).mean, 0, 0.1);
    fixture_destroy(f);
}

static void no_water_at_all(void)
{
    fixture *f = fixture_create(flat_scene());
    if (!f)
        return;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    int c[DIM] = {0}, liquid = 0;
    do
        liquid += f->s->type[X(index)(&f->s->grid, c)] == SPATE_CELL_LIQUID;
    while (next_cell(c, f->s->grid.n));
    CHECK(liquid == 0);
    fixture_destroy(f);
}

TESTS(level_set)
{
    TEST(flat_pool_at_any_height);
    TEST(a_lone_particle_is_no_water);
    TEST(flat_floor);
    TEST(sloped_floor);
    TEST(deep_water_is_not_computed);
    TEST(no_water_at_all);
}
