/* test_sort.c -- the order of particles: by tile, cell and id, whatever it was before; those of
 * tiles first, those in free flight (test_flight.c) behind them. */
#include "fixture.h"

typedef struct key {
    int tile, cell;
    uint32_t id;
} key;

static key key_at(const X(grid) *g, const X(particles) *p, uint32_t k)
{
    int c[DIM], t[DIM], cell = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        c[d] = (int)floorf(p->x[d][k]);
        c[d] = c[d] < 0 ? 0 : c[d] < g->n[d] ? c[d] : g->n[d] - 1;
        t[d] = c[d] / TILE + 1;
        cell = cell * TILE + c[d] % TILE;
    }
    return (key){X(tile_number)(g, t), cell, p->id[0][k]};
}

static bool is_before(key a, key b)
{
    return a.tile != b.tile ? a.tile < b.tile : a.cell != b.cell ? a.cell < b.cell : a.id < b.id;
}

/* Order, cells, and that every particle still has its own values: v[0] is its id. */
static void check_order(const fixture *f)
{
    const X(particles) *p = &f->s->particles;
    const X(grid) *g = &f->s->grid;
    int wrong = 0, misplaced = 0, torn = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        int c[DIM];
        if (k > 0 && k != f->s->tiles.first_flying)
            wrong += !is_before(key_at(g, p, k - 1), key_at(g, p, k));
        FOR_DIM(d) {
            c[d] = (int)p->x[d][k];
            c[d] = c[d] < g->n[d] ? c[d] : g->n[d] - 1;
        }
        size_t cell = X(index)(g, c);
        if (k < f->s->tiles.first_flying)
            misplaced += k < f->s->first[cell] || k >= f->s->first[cell] + f->s->count[cell];
        torn += p->v[0][k] != (float)p->id[0][k];
    }
    CHECK(wrong == 0);
    CHECK(misplaced == 0);
    CHECK(torn == 0);
}

static void exchange(X(particles) *p, uint32_t a, uint32_t b)
{
    uint32_t id = p->id[0][a];
    p->id[0][a] = p->id[0][b];
    p->id[0][b] = id;
    FOR_DIM(d) {
        float x = p->x[d][a], v = p->v[d][a];
        p->x[d][a] = p->x[d][b];
        p->x[d][b] = x;
        p->v[d][a] = p->v[d][b];
        p->v[d][b] = v;
    }
}

/* `count` particles within `span` cells of the low corner of a domain `width` cells wide, in a
 * random order. */
static void check_many(int width, int count, double span)
{
    fixture *f = fixture_create(scene_of_cells(0.3, width, 37, 20));
    if (!f)
        return;
    X(particles) *p = &f->s->particles;
    spate_error error;
    CHECK(X(make_room)(f->s, (uint64_t)count, &error) == SPATE_OK);
    test_random_state = 11;
    for (int k = 0; k < count; k++) {
        float x[DIM], v[DIM] = {(float)k};
        FOR_DIM(d) {
            double n = f->s->grid.n[d];
            x[d] = (float)random_in(0, span < n ? span : n);
            x[d] = k == count / 2 ? (float)n : x[d]; /* at the very end of the domain */
        }
        X(particles_append)(p, x, v, NULL);
    }
    run_stage(f, SP_STAGE_SORT, 0.01);
    CHECK(p->count == (uint32_t)count);
    check_order(f);
    uint64_t hash = hash_of(f);
    for (uint32_t k = 0; k < p->count; k++)
        exchange(p, k, (uint32_t)random_in(0, count - 0.5));
    run_stage(f, SP_STAGE_SORT, 0.01);
    check_order(f);
    CHECK(hash_of(f) == hash);
    fixture_destroy(f);
}

static void check_crowd(int count, double span)
{
    check_many(40, count, span);
}

static void few_and_many_in_a_cell(void)
{
    check_crowd(5, 40);
    check_crowd(4999, 40);
    check_crowd(4999, 9.5); /* more than eight in a cell */
    check_crowd(700, 1.5);
}

/* More than the scratch memory of a thread holds. */
static void a_tile_that_is_too_full(void)
{
    check_crowd((int)(DEV(tile_scratch)() / sizeof(uint32_t)) + 3000, TILE + 1.5);
    check_crowd((int)(DEV(tile_scratch)() / sizeof(uint32_t)) + 3000, 1.0);
}

/* Columns of 16 MiB together, and some more. */
static void more_than_the_caches_hold(void)
{
    check_many(DIM == 3 ? 40 : 4000, DIM == 3 ? 600003 : 840005, 4000);
}

/* If it is to be done: run_stage has it done in any case. */
static void sort(fixture *f)
{
    spate_error error = {.status = SPATE_OK};
    CHECK(X(run_stage)(f->s, SP_STAGE_SORT, 0.001, &error) == SPATE_OK);
}

/* Columns change places with a spare one when they are sorted. */
static void nothing_moved(void)
{
    fixture *f = fixture_create(scene_of_cells(0.07, 12, 12, 12));
    const float high[3] = {9.5f, 3.5f, 4.5f}, low[3] = {0.5f, 1.5f, 2.5f}, rest[DIM] = {0};
    put_particle(f, high, rest);
    sort(f);
    const float *column = f->s->particles.x[0];
    sort(f);
    CHECK(f->s->particles.x[0] == column);
    put_particle(f, low, rest);
    sort(f);
    CHECK(f->s->particles.x[0] != column && f->s->particles.x[0][0] == low[0]);
    column = f->s->particles.x[0];
    spate_error error = {.status = SPATE_OK};
    CHECK(X(run_stage)(f->s, SP_STAGE_ADVECT, 0.001, &error) == SPATE_OK);
    sort(f);
    CHECK(f->s->particles.x[0] != column);
    fixture_destroy(f);
}

static void nothing_at_all(void)
{
    fixture *f = fixture_create(scene_of_cells(0.3, 40, 37, 20));
    if (!f)
        return;
    run_stage(f, SP_STAGE_SORT, 0.01);
    CHECK(f->s->tiles.liquid_count == 0);
    fixture_destroy(f);
}

TESTS(sort)
{
    TEST(few_and_many_in_a_cell);
    TEST(a_tile_that_is_too_full);
    TEST(more_than_the_caches_hold);
    TEST(nothing_moved);
    TEST(nothing_at_all);
}
