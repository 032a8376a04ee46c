/* test_thin.c -- cells beside thin solids (src/kernels/thin.h): the particles and the room that a
 * cell sees, against sums over points to which the way is walked in small steps; two plates near
 * each other; a shelf with a film on it; middles of cells on the corner of a box; plates that move.
 */
#include "fixture.h"

#include "kernels/thin.h"

#define DX 0.07

/* Whether a way meets no solid, in steps of 1/200 cell. */
static bool sees(const fixture *f, const double from[3], const double to[3])
{
    double length = 0;
    for (int d = 0; d < DIM; d++)
        length += (to[d] - from[d]) * (to[d] - from[d]);
    int steps = (int)(sqrt(length) / (0.005 * DX)) + 1;
    for (int k = 0; k <= steps; k++) {
        double x[3] = {0, 0, 0};
        FOR_DIM(d)
            x[d] = from[d] + (to[d] - from[d]) * k / steps;
        if (sp_solids_distance(&f->s->solids, x, NULL, NULL) <= 0)
            return false;
    }
    return true;
}

/* The middle of a cell, m; whether it is clear of solids. */
static bool clear_middle(const fixture *f, const int c[DIM], double x[3])
{
    X(middle_of)(&f->s->grid, c, x);
    return sp_solids_distance(&f->s->solids, x, NULL, NULL) > 0.02 * DX;
}

/* What a cell's middle sees of its kernel's volume, by points. */
static double sampled_view(const fixture *f, const int c[DIM])
{
    enum { POINTS = DIM == 3 ? 12 : 32 };
    int count[DIM], k[DIM] = {0};
    double middle[3], sum = 0, all = 0;
    clear_middle(f, c, middle);
    FOR_DIM(d)
        count[d] = POINTS;
    do {
        double x[3] = {0, 0, 0}, weight = 1;
        FOR_DIM(d) {
            double from = 2 * (k[d] + 0.5) / POINTS - 1;
            weight *= 1 - fabs(from);
            x[d] = middle[d] + from * DX;
        }
        all += weight;
        sum += sees(f, middle, x) ? weight : 0;
    } while (next_cell(k, count));
    return sum / all;
}

/* The particles that it sees, by all particles; in a cell clear of the domain's walls. */
static double counted_view(const fixture *f, const int c[DIM])
{
    double middle[3], sum = 0;
    clear_middle(f, c, middle);
    for (uint32_t k = 0; k < f->s->particles.count; k++) {
        double x[3] = {0, 0, 0}, weight = 1;
        FOR_DIM(d) {
            x[d] = (double)f->s->particles.x[d][k] * DX;
            weight *= fmax(0, 1 - fabs(x[d] - middle[d]) / DX);
        }
        sum += weight > 0 && sees(f, middle, x) ? weight : 0;
    }
    return sum;
}

/* All cells beside thin solids, two cells or more from the walls. */
static void check_views(fixture *f, const char *what, double most)
{
    const X(sim) *s = f->s;
    int c[DIM] = {0}, cells = 0;
    double room_error = 0, error = 0, middle[3];
    if (!run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01))
        return;
    do {
        size_t at = X(index)(&s->grid, c);
        bool inner = true;
        FOR_DIM(d)
            inner = inner && c[d] >= 2 && c[d] < s->grid.n[d] - 2;
        if (!inner || !s->thin[at] || !clear_middle(f, c, middle))
            continue;
        double room = fmax(s->room[at], 0.02), sum = s->density[at] * s->rest * room;
        room_error = fmax(room_error, fabs(s->room[at] - sampled_view(f, c)));
        if (s->room[at] > 0.5f) /* others have a density of 1 */
            error = fmax(error, fabs(sum - counted_view(f, c)) / s->rest);
        cells++;
    } while (next_cell(c, s->grid.n));
    printf("  %s: %d cells; room off by %.4f at most, particles by %.1e of a full cell\n", what,
           cells, room_error, error);
    CHECK(cells > 5);
    CHECK_LESS(room_error, most);
    CHECK_LESS(error, 1e-5);
}

/* Liquid all over the domain but for `dry`, the part to the right of it. */
static spate_scene *tank(double dry)
{
    const double low[3] = {0, 0, 0}, high[3] = {dry, 12, 7};
    spate_scene *scene = scene_of_cells(DX, 16, 12, 7);
    scene->volume.method = SPATE_VOLUME_DENSITY;
    add_box(scene, SPATE_LIST_FILL, low, high);
    return scene;
}

static spate_shape *add_plate(spate_scene *scene, double x, double thick, double turn)
{
    const double low[3] = {x, -20, -20}, high[3] = {x + thick, 32, 27};
    spate_shape *plate = add_box(scene, SPATE_LIST_SOLIDS, low, high);
    plate->rotation[2] = turn;
    return plate;
}

static void room_and_particles_that_are_seen(void)
{
    const double thick[3] = {0.1, 0.2, 0.5}, turns[4] = {0, 10, -20, 45};
    for (int k = 0; k < 12; k += DIM - 1) {
        spate_scene *scene = tank(8);
        spate_shape *plate = add_plate(scene, 7.83, thick[k % 3], turns[k / 3]);
        plate->rotation[0] = DIM == 3 ? 9.0 * (k % 2) : 0;
        fixture *f = fixture_create(scene);
        if (f)
            check_views(f, "a plate", DIM == 3 ? 0.04 : 0.02); /* points are fewer */
        fixture_destroy(f);
    }
}

/* The upper end of a plate inside the liquid: what is behind it is seen past its edge. */
static void seen_past_an_edge(void)
{
    const double low[3] = {7.83, -20, -20}, high[3] = {8.03, 6.2, 27};
    spate_scene *scene = tank(16);
    add_box(scene, SPATE_LIST_SOLIDS, low, high);
    fixture *f = fixture_create(scene);
    if (f)
        check_views(f, "an edge", 0.1);
    fixture_destroy(f);
}

/* Water left of a line through (8, 6) that leans by `turn` to the left. */
static spate_scene *leaning_tank(double turn, double depth)
{
    spate_scene *scene = scene_of_cells(DX, 16, 12, 7);
    double slope = tan(turn * acos(-1.0) / 180);
    scene->gravity[1] = -9.81;
    scene->volume.method = SPATE_VOLUME_DENSITY;
    for (double y = 0; y < depth; y += 0.5) {
        const double low[3] = {0, y, 0}, high[3] = {8 - (y + 0.25 - 6) * slope, y + 0.5, 7};
        add_box(scene, SPATE_LIST_FILL, low, high);
    }
    return scene;
}

/* A full cell is full, whatever is on the other side of a plate. */
static void full_beside_air(void)
{
    for (int turn = -45; turn <= 45; turn += 15) {
        spate_scene *scene = leaning_tank(turn, 12);
        add_plate(scene, 7.9, 0.2, turn);
        fixture *f = fixture_create(scene);
        if (!f || !run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01))
            return;
        double angle = turn * acos(-1.0) / 180, worst = 0;
        int c[DIM] = {0};
        do {
            double x = (c[0] + 0.5 - 8) * cos(angle) + (c[1] + 0.5 - 6) * sin(angle);
            if (x < -0.15 && x > -2)
                worst = fmax(worst, 1 - f->s->density[X(index)(&f->s->grid, c)]);
        } while (next_cell(c, f->s->grid.n));
        printf("  %d degrees: density too low by %.3f\n", turn, worst);
        CHECK_LESS(worst, 0.25);
        fixture_destroy(f);
    }
}

/* ---- what the liquid does */

/* Water at rest under gravity; particles that have come right of a line through x0, y0 (cells). */
static int crossed_after(fixture *f, int steps, double x0, double y0, double turn)
{
    double angle = turn * acos(-1.0) / 180;
    int crossed = 0;
    uint32_t count = f->s->particles.count;
    CHECK(run_steps(f, steps, 0.005));
    CHECK(f->s->particles.count == count);
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        crossed += (f->s->particles.x[0][k] - x0) * cos(angle) +
                       (f->s->particles.x[1][k] - y0) * sin(angle) >
                   0;
    return crossed;
}

static double fastest(const fixture *f)
{
    double most = 0;
    for (uint32_t k = 0; k < f->s->particles.count; k++) {
        double square = 0;
        FOR_DIM(d)
            square += (double)f->s->particles.v[d][k] * f->s->particles.v[d][k];
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* Two plates 1.3 dx apart hold the water, and it rests. */
static void two_plates(void)
{
    for (int turn = 0; turn <= 20; turn += 20) {
        spate_scene *scene = leaning_tank(turn, 9);
        add_plate(scene, 7.95, 0.2, turn);
        add_plate(scene, 9.45, 0.2, turn);
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        int crossed = crossed_after(f, DIM == 3 ? 60 : 120, 8.05, 6, turn);
        printf("  %d degrees: %d crossed, fastest %.4f m/s\n", turn, crossed, fastest(f));
        CHECK(crossed == 0);
        CHECK_LESS(fastest(f), DIM == 3 ? 0.15 : 0.08); /* 3D: after half the time */
        fixture_destroy(f);
    }
}

/* A film of one layer of particles on a thin shelf stays on it. */
static void a_film_stays_on_a_shelf(void)
{
    for (int turn = -3; turn <= 3; turn += 3)
        for (int place = 0; place < 4; place += DIM - 1) {
            const double low[3] = {-20, 5.8 + 0.25 * place, -20},
                         high[3] = {36, 6 + 0.25 * place, 27};
            const float still[DIM] = {0};
            spate_scene *scene = scene_of_cells(DX, 16, 12, 7);
            scene->gravity[1] = -9.81;
            scene->volume.method = SPATE_VOLUME_DENSITY;
            add_box(scene, SPATE_LIST_SOLIDS, low, high)->rotation[2] = turn;
            fixture *f = fixture_create(scene);
            if (!f)
                return;
            double slope = tan(turn * acos(-1.0) / 180);
            for (int i = 0; i < 32; i++)
                for (int k = 0; k < LAST(14); k++) {
                    float x[3] = {0.25f + 0.5f * (float)i, 0, 0.25f + 0.5f * (float)k};
                    x[1] = (float)(high[1] + 0.15 + (x[0] - 8) * slope);
                    put_particle(f, x, still);
                }
            uint32_t count = f->s->particles.count;
            int fallen = 0;
            CHECK(run_steps(f, 40, 0.005));
            CHECK(f->s->particles.count == count);
            for (uint32_t k = 0; k < f->s->particles.count; k++)
                fallen += f->s->particles.x[1][k] <
                          5.9 + 0.25 * place + (f->s->particles.x[0][k] - 8) * slope;
            CHECK(fallen == 0);
            fixture_destroy(f);
        }
}

/* A cell's middle exactly on the corner of a thin box, and on its face: finite, and no way through.
 */
static void middles_on_corners(void)
{
    for (int k = 0; k < 3; k++) {
        const double low[3] = {7.5, k == 1 ? -20 : 3.5, k == 2 ? 2.5 : -20},
                     high[3] = {k == 2 ? 8.5 : 7.7, 20, 27};
        spate_scene *scene = tank(7);
        add_box(scene, SPATE_LIST_SOLIDS, low, high);
        fixture *f = fixture_create(scene);
        int c[DIM] = {0};
        if (!f || !run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01))
            return;
        do {
            size_t at = X(index)(&f->s->grid, c);
            float room = f->s->room[at], density = f->s->density[at];
            CHECK(room >= 0.0f && room <= 1.0f);
            CHECK(density >= 0.0f && density < 1.5f);
            if (c[0] == 7 && c[1] > 4 && c[1] < 11 && (DIM == 2 || k != 2 || c[DIM - 1] > 3)) {
                CHECK(f->s->w[0][at] == 1.0f);
                CHECK(f->s->w[0][at + 1] == 0.0f);
                CHECK_NEAR(room, 0.5, k == 2 ? 0.51 : 0.01);
                CHECK(f->s->w[1][at] > 0.0f);
            }
        } while (next_cell(c, f->s->grid.n));
        fixture_destroy(f);
    }
}

/* A plate that moves pushes the water before it: none gets through, and no cell at depth is air. */
static void a_moving_plate(void)
{
    spate_scene *scene = leaning_tank(10, 9);
    add_plate(scene, 7.95, 0.2, 10)->velocity[0] = -0.3;
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    int air = 0, crossed = crossed_after(f, 40, 8.05 - 0.3 * 40 * 0.005 / DX, 6, 10);
    for (int j = 0; j < 6; j++) {
        int c[3] = {(int)(5.5 - (j - 6) * 0.176), j, 3};
        air += f->s->type[X(index)(&f->s->grid, c)] != SPATE_CELL_LIQUID;
    }
    CHECK(crossed == 0);
    CHECK(air == 0);
    fixture_destroy(f);
}

TESTS(thin)
{
    TEST(room_and_particles_that_are_seen);
    TEST(seen_past_an_edge);
    TEST(full_beside_air);
    TEST(two_plates);
    TEST(a_film_stays_on_a_shelf);
    TEST(middles_on_corners);
    TEST(a_moving_plate);
}
