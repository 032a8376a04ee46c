/* test_spacing.c -- what the statistics say of the distances of particles and the filling of cells,
 * against a look at all pairs and all cells; and what the transfers lose. */
#include "fixture.h"

#define DX 0.07

static fixture *box(int n, double jitter, const double low[3], const double high[3])
{
    spate_scene *scene = scene_of_cells(DX, n, n, n);
    scene->fluid.jitter = jitter;
    add_box(scene, SPATE_LIST_FILL, low, high);
    return fixture_create(scene);
}

static void distances_match_all_pairs(void)
{
    const double low[3] = {1, 2, 1}, high[3] = {7, 9, 7};
    for (int scattered = 0; scattered < 2; scattered++) {
        fixture *f = box(10, 1, low, high);
        X(particles) *p = &f->s->particles;
        for (uint32_t k = 0; k < p->count && scattered; k++)
            FOR_DIM(d)
                p->x[d][k] = (float)random_in(0.1, 9.9);
        spate_stats stats = {0};
        f->s->host->stats(f->s, &stats);
        double best = 1, limit = 0.45 / 2;
        uint32_t overlap = 0, count = f->s->tiles.first_flying; /* the others are not looked at */
        for (uint32_t a = 0; a < count; a++) {
            double own = 1;
            for (uint32_t b = 0; b < count; b++) {
                double sum = 0;
                FOR_DIM(d)
                    sum += pow((double)p->x[d][a] - (double)p->x[d][b], 2);
                own = b != a && sqrt(sum) < own ? sqrt(sum) : own;
            }
            best = own < best ? own : best;
            overlap += own < limit;
        }
        CHECK_NEAR(stats.min_distance / DX, best, 1e-6);
        CHECK_NEAR(stats.overlaps, (double)overlap / count, 1.5 / count);
        CHECK(overlap > 0 && overlap < count);
        fixture_destroy(f);
    }
}

static void nothing_and_one_particle(void)
{
    fixture *f = fixture_create(scene_of_cells(DX, 8, 8, 8));
    spate_stats stats = {0};
    f->s->host->stats(f->s, &stats);
    CHECK(stats.min_distance == f->s->grid.dx && stats.overlaps == 0 && stats.interior_max == 0);
    const float x[DIM] = {3.5f, 3.5f}, rest[DIM] = {0};
    put_particle(f, x, rest);
    f->s->host->stats(f->s, &stats);
    CHECK(stats.min_distance == f->s->grid.dx && stats.overlaps == 0 && stats.interior_mean == 0);
    fixture_destroy(f);
}

/* A block of water in air, with one cell emptied. */
static void cells_are_told_apart(void)
{
    const double low[3] = {1, 1, 1}, high[3] = {9, 8, 9};
    fixture *f = box(12, 0, low, high);
    X(particles) *p = &f->s->particles;
    uint64_t full = DIM == 3 ? 8 : 4, cells = DIM == 3 ? 6 * 5 * 6 : 6 * 5;
    spate_stats stats = {0};
    f->s->host->stats(f->s, &stats);
    CHECK(stats.interior_good == cells && stats.interior_max == full);
    CHECK(stats.interior_mean == (double)full);
    /* empty a cell: those around it are no longer interior, it still is */
    for (uint32_t k = 0; k < p->count; k++) {
        bool in = true;
        FOR_DIM(d)
            in = in && (int)p->x[d][k] == 4;
        if (in)
            p->x[0][k] = DEAD;
    }
    X(particles_remove_dead)(&f->s->particles);
    f->s->host->stats(f->s, &stats);
    CHECK(stats.interior_empty == 1);
    CHECK(stats.interior_good == cells - (DIM == 3 ? 27 : 9));
    fixture_destroy(f);
}

/* The emptied cell, one particle more each time. */
static void fuller_and_fuller(void)
{
    const double low[3] = {1, 1, 1}, high[3] = {9, 8, 9};
    const float rest[DIM] = {0};
    fixture *f = box(12, 0, low, high);
    X(particles) *p = &f->s->particles;
    float place[DIM];
    FOR_DIM(d)
        place[d] = 4.5f;
    for (uint32_t k = 0; k < p->count; k++) {
        bool in = true;
        FOR_DIM(d)
            in = in && (int)p->x[d][k] == 4;
        if (in)
            p->x[0][k] = DEAD;
    }
    X(particles_remove_dead)(&f->s->particles);
    for (uint32_t held = 0; held <= (DIM == 3 ? 17 : 9); held++) {
        /* 3D: 0, 1-2, 3-5, 6-16, more; 2D: 0, 1, 2, 3-8, more */
        const uint32_t ends[4] = {0, DIM == 3 ? 2 : 1, DIM == 3 ? 5 : 2, DIM == 3 ? 16 : 8};
        int kind = 0;
        while (kind < 4 && held > ends[kind])
            kind++;
        spate_stats stats = {0};
        f->s->host->stats(f->s, &stats);
        const uint64_t found[] = {stats.interior_empty, stats.interior_few, stats.interior_low, 0,
                                  stats.interior_crowded};
        if (kind != 3) /* good, as all others are */
            CHECK(found[kind] == 1);
        else
            CHECK(stats.interior_few + stats.interior_low + stats.interior_empty == 0);
        put_particle(f, place, rest);
    }
    fixture_destroy(f);
}

/* Smooth water in free flight gets back what it gave; if the grid is damped behind the projection's
 * back, the share is told. */
static void lost_momentum_is_told(void)
{
    for (int damped = 0; damped < 2; damped++) {
        fixture *f = full_box(12, SPATE_TRANSFER_FLIP, SPATE_KERNEL_LINEAR);
        const double dt = 0.004;
        for (uint32_t k = 0; k < f->s->particles.count; k++)
            FOR_DIM(d)
                f->s->particles.v[d][k] = 1.0f + 0.5f * (float)d;
        run_stages(f, SP_STAGE_SORT, SP_STAGE_EXTRAPOLATE, dt);
        double before[DIM];
        DEV(carry_kick)(f->s, dt);
        DEV(before_transfer)(f->s, dt, before);
        DEV(grid_to_particles)(f->s, dt);
        for (uint32_t k = 0; k < f->s->particles.count && damped; k++)
            FOR_DIM(d)
                f->s->particles.v[d][k] *= 0.9f;
        DEV(after_transfer)(f->s, dt, before);
        CHECK_NEAR(f->common.momentum_lost * dt, damped ? 0.1 / 0.9 : 0, 1e-5);
        fixture_destroy(f);
    }
}

/* What gravity, pressure and solids do is no loss, wherever along the path it is taken
 * (g2p_field.c): of a pool that sloshes FLIP with ratio 1 loses nothing. */
static void forces_are_no_loss(void)
{
    const double low[3] = {0, 0, 0}, high[3] = {14, 9, 14}, center[3] = {6.1, 3.2, 7.3};
    for (int kind = 0; kind < 4; kind++) {
        bool solid = kind & 1, half_way = kind & 2;
        spate_scene *scene = scene_with(14, SPATE_TRANSFER_FLIP, SPATE_KERNEL_LINEAR);
        const double dt = 0.01;
        scene->fluid.flip_ratio = 1;
        scene->gravity[1] = -9.81;
        scene->gravity[0] = 30;
        add_box(scene, SPATE_LIST_FILL, low, high);
        if (solid)
            add_ball(scene, SPATE_LIST_SOLIDS, center, 2.4);
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        test_random_state = 5;
        shake(f, 2);
        f->common.last_dt = half_way ? dt : 0;
        run_stages(f, SP_STAGE_SORT, SP_STAGE_EXTRAPOLATE, dt);
        double speed = 0, before = sum_velocity(f, 0, false);
        FOR_DIM(d)
            speed += sum_velocity(f, d, true);
        run_stage(f, SP_STAGE_G2P, dt);
        CHECK(fabs(sum_velocity(f, 0, false) - before) > 1e-3 * speed); /* something was done */
        CHECK_LESS(f->common.momentum_lost * dt, 1e-6);
        if (test_failures)
            printf("  solid %d, half way back %d\n", solid, half_way);
        fixture_destroy(f);
    }
}

TESTS(spacing)
{
    TEST(distances_match_all_pairs);
    TEST(nothing_and_one_particle);
    TEST(cells_are_told_apart);
    TEST(fuller_and_fuller);
    TEST(lost_momentum_is_told);
    TEST(forces_are_no_loss);
}
