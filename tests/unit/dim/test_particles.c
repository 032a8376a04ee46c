/* test_particles.c -- sets of particles that know nothing of each other, nor of a simulation: two
 * of them on one grid, with other columns each, grow, are sorted, lose particles and are hashed by
 * the same functions. */
#include "test.h"

#include "cpu/cpu.h"
#include "kernels/particle.h"
#include "kernels/random.h"

#include <stdlib.h>

#define THREADS 3

typedef struct set {
    X(particles) p;
    X(tiles) tiles;
    uint32_t *first, *count;
    uint64_t seed;
} set;

typedef struct world {
    X(grid) grid;
    sp_pool *pool;
    void *scratch;
    sp_arena arena;
    set sets[2];
} world;

/* ---- life */

/* n cells along each axis; the last tile is a part of one. */
static X(grid) make_grid(bool periodic)
{
    spate_scene *scene = spate_scene_create();
    const int n[3] = {5 * TILE + 3, 4 * TILE, 3 * TILE - 1};
    scene->dim = DIM;
    scene->domain.cell_size = 0.3;
    FOR_DIM(d)
        scene->domain.size[d] = n[d] * 0.3;
    scene->domain.sides[0][0] = scene->domain.sides[0][1] =
        periodic ? SPATE_SIDE_PERIODIC : SPATE_SIDE_WALL;
    X(grid) g = X(grid_make)(scene);
    spate_scene_destroy(scene);
    return g;
}

static set make_set(const X(grid) *g, unsigned needs, int own_columns, uint64_t seed)
{
    size_t tiles = (size_t)g->tile_count;
    set s = {.p = X(particles_make)(needs, own_columns), .seed = seed};
    s.tiles.start = sp_alloc(tiles + 1, sizeof *s.tiles.start);
    s.tiles.state = sp_alloc(tiles, sizeof *s.tiles.state);
    s.tiles.active = sp_alloc(tiles, sizeof *s.tiles.active);
    s.tiles.liquid = sp_alloc(tiles, sizeof *s.tiles.liquid);
    s.tiles.faces = sp_alloc(tiles, sizeof *s.tiles.faces);
    s.tiles.border = sp_alloc(tiles, sizeof *s.tiles.border);
    s.first = sp_alloc(g->size, sizeof *s.first);
    s.count = sp_alloc(g->size, sizeof *s.count);
    return s;
}

static void free_set(set *s)
{
    void *blocks[] = {s->tiles.start, s->tiles.state,  s->tiles.active, s->tiles.liquid,
                      s->tiles.faces, s->tiles.border, s->first,        s->count};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        sp_free(blocks[k]);
    X(particles_free)(&s->p);
}

/* A set with all columns and two channels, and one with as few as there can be. */
static world *make_world(bool periodic)
{
    world *w = calloc(1, sizeof *w);
    w->grid = make_grid(periodic);
    w->pool = sp_pool_create(THREADS, NULL, NULL);
    size_t bytes = (size_t)w->grid.tile_count * (THREADS + 1) * 4 + THREADS * DEV(tile_scratch)();
    bytes += 3 * 64; /* each part begins at a multiple of it */
    w->scratch = sp_alloc(bytes, 1);
    w->arena = (sp_arena){w->scratch, (char *)w->scratch + bytes};
    w->sets[0] = make_set(&w->grid, WHEN_ALWAYS | WHEN_AFFINE | WHEN_PUSH, 2, 1);
    w->sets[1] = make_set(&w->grid, WHEN_ALWAYS, 0, 2);
    return w;
}

static void free_world(world *w)
{
    free_set(&w->sets[0]);
    free_set(&w->sets[1]);
    sp_pool_destroy(w->pool);
    sp_free(w->scratch);
    free(w);
}

/* ---- particles */

/* Each value of a particle follows from the set and its id. */
static float value_of(const set *s, uint32_t id, int which, float most)
{
    return most * sp_uniform(sp_hash2(sp_hash2(s->seed, id), (uint64_t)which));
}

static void place_of(const world *w, const set *s, uint32_t id, float x[DIM])
{
    FOR_DIM(d)
        x[d] = value_of(s, id, d, (float)w->grid.n[d]);
}

/* Some more particles; those that are there stay. */
static void append(world *w, set *s, uint32_t count)
{
    spate_error error = {.status = SPATE_OK};
    CHECK(X(particles_reserve)(&s->p, (uint64_t)s->p.count + count, &error) == SPATE_OK);
    CHECK(s->p.capacity >= s->p.count + count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t id = s->p.next_id;
        float x[DIM], v[DIM], initial[CHANNEL_COLUMNS];
        place_of(w, s, id, x);
        FOR_DIM(d)
            v[d] = value_of(s, id, DIM + d, 1.0f);
        for (int e = 0; e < s->p.own_columns; e++)
            initial[e] = value_of(s, id, 2 * DIM + e, 1.0f);
        X(particles_append)(&s->p, x, v, initial);
    }
    CHECK(!s->p.sorted && s->p.fastest < 0.0f);
}

static bool sort(world *w, set *s)
{
    X(cell_list) list = {&w->grid, &s->tiles, s->first, s->count};
    return DEV(sort_particles)(&s->p, &list, NULL, w->pool, w->arena);
}

/* Reverses all columns. */
static void reverse(X(particles) *p)
{
    void **columns[MAX_COLUMNS];
    int count = X(list_columns)(p, false, columns);
    for (int c = 0; c < count; c++) {
        X(word) *column = *columns[c];
        for (uint32_t k = 0; k < p->count / 2; k++) {
            uint32_t other = column[k];
            column[k] = column[p->count - 1 - k];
            column[p->count - 1 - k] = other;
        }
    }
    p->sorted = false;
}

/* ---- checks */

/* The cell of a particle: its tile, its number in the tile, and its index. */
typedef struct cell {
    int tile, number;
    size_t index;
} cell;

static cell cell_of(const X(grid) *g, const X(particles) *p, uint32_t k)
{
    int c[DIM], t[DIM], number = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        c[d] = (int)p->x[d][k];
        c[d] = c[d] < g->n[d] ? c[d] : g->n[d] - 1;
        t[d] = c[d] / TILE + 1;
        number = number * TILE + c[d] % TILE;
    }
    return (cell){X(tile_number)(g, t), number, X(index)(g, c)};
}

static bool in_order(cell a, uint32_t a_id, cell b, uint32_t b_id)
{
    return a.tile != b.tile       ? a.tile < b.tile
           : a.number != b.number ? a.number < b.number
                                  : a_id < b_id;
}

/* By tile, cell and id; every particle still has its own values. */
static void check_order(const world *w, const set *s)
{
    const X(particles) *p = &s->p;
    int wrong = 0, torn = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        uint32_t id = p->id[0][k];
        float x[DIM];
        wrong += k > 0 && !in_order(cell_of(&w->grid, p, k - 1), p->id[0][k - 1],
                                    cell_of(&w->grid, p, k), id);
        place_of(w, s, id, x);
        FOR_DIM(d)
            torn += p->x[d][k] != x[d] || p->v[d][k] != value_of(s, id, DIM + d, 1.0f);
        for (int e = 0; e < p->own_columns; e++)
            torn += p->own[e][k] != value_of(s, id, 2 * DIM + e, 1.0f);
    }
    CHECK(wrong == 0);
    CHECK(torn == 0);
}

/* `start` of tiles, `first` and `count` of cells against the particles, in the whole array. */
static void check_tables(const world *w, const set *s)
{
    const X(grid) *g = &w->grid;
    uint32_t *count = calloc(g->size, sizeof *count);
    uint32_t *start = calloc((size_t)g->tile_count + 2, sizeof *start);
    int wrong = 0;
    for (uint32_t k = 0; k < s->p.count; k++) {
        cell c = cell_of(g, &s->p, k);
        count[c.index]++;
        start[c.tile + 1]++;
        wrong += k < s->first[c.index] || k >= s->first[c.index] + s->count[c.index];
        wrong += !(s->tiles.state[c.tile] & TILE_LIQUID);
    }
    wrong += memcmp(count, s->count, g->size * sizeof *count) != 0;
    int liquid = 0;
    for (int t = 0; t < g->tile_count; t++) {
        liquid += start[t + 1] > 0;
        start[t + 1] += start[t];
    }
    wrong += memcmp(start, s->tiles.start, ((size_t)g->tile_count + 1) * sizeof *start) != 0;
    for (int t = 0; t < g->tile_count; t++) {
        size_t base = X(tile_index)(g, t);
        if (s->tiles.state[t] & TILE_ACTIVE)
            continue;
        for (int r = 0; r < TILE_ROWS; r++)
            for (size_t i = 0; i < TILE; i++)
                wrong += s->first[base + X(row_offset)(g, r) + i] != 0;
    }
    CHECK(wrong == 0);
    CHECK(s->tiles.liquid_count == liquid);
    CHECK(s->tiles.active_count >= liquid);
    free(count);
    free(start);
}

static void check_sorted(const world *w, const set *s)
{
    CHECK(s->p.sorted && s->p.at_home);
    check_order(w, s);
    check_tables(w, s);
}

/* Sorts one set and says that the other is as it was. */
static void sort_and_check(world *w, int which)
{
    set *s = &w->sets[which], *other = &w->sets[1 - which];
    uint64_t own = X(hash)(&s->p, w->pool), others = X(hash)(&other->p, w->pool);
    bool others_sorted = other->p.sorted;
    CHECK(sort(w, s));
    check_sorted(w, s);
    CHECK(X(hash)(&s->p, w->pool) == own);
    CHECK(X(hash)(&other->p, w->pool) == others && other->p.sorted == others_sorted);
    if (others_sorted)
        check_sorted(w, other);
}

/* ---- tests */

static void check_two_sets(bool periodic)
{
    world *w = make_world(periodic);
    uint32_t counts[2] = {4999, 37};
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < 2; k++)
            append(w, &w->sets[k], counts[k]);
        for (int k = 0; k < 2; k++)
            sort_and_check(w, k);
        counts[0] = 11; /* fits */
        counts[1] = 3000;
    }
    CHECK(w->sets[0].p.count == 4999 + 22 && w->sets[1].p.count == 37 + 6000);
    CHECK(w->sets[0].p.next_id == w->sets[0].p.count && w->sets[1].p.next_id == 37 + 6000);
    CHECK(!sort(w, &w->sets[0]) && !sort(w, &w->sets[1])); /* nothing has moved */
    free_world(w);
}

static void two_sets_on_one_grid(void)
{
    check_two_sets(false);
    check_two_sets(true);
}

/* A set has the columns that it was made for, whatever the other has. */
static void columns_are_those_of_the_set(void)
{
    world *w = make_world(false);
    void **columns[MAX_COLUMNS];
    append(w, &w->sets[0], 1);
    append(w, &w->sets[1], 1);
    CHECK(X(list_columns)(&w->sets[0].p, false, columns) == 2 * DIM + 1 + DIM * DIM + 2);
    CHECK(X(list_columns)(&w->sets[1].p, false, columns) == 2 * DIM + 1);
    CHECK(w->sets[0].p.c[0] && w->sets[0].p.pairs && w->sets[0].p.own[1]);
    CHECK(!w->sets[1].p.c[0] && !w->sets[1].p.pairs && !w->sets[1].p.own[0]);
    free_world(w);
}

static void order_before_does_not_matter(void)
{
    world *w = make_world(false);
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        append(w, &w->sets[k], 2000);
        hash[k] = X(hash)(&w->sets[k].p, w->pool);
        sort_and_check(w, k);
        reverse(&w->sets[k].p);
        CHECK(X(hash)(&w->sets[k].p, w->pool) == hash[k]);
        sort_and_check(w, k);
    }
    CHECK(hash[0] != hash[1]);
    w->sets[0].p.v[0][7] += 1.0f;
    CHECK(X(hash)(&w->sets[0].p, w->pool) != hash[0]);
    CHECK(X(hash)(&w->sets[1].p, w->pool) == hash[1]);
    free_world(w);
}

/* Of one set those with an even id, or all but one, die; of the other none. */
static void the_dead_of_one_set(void)
{
    for (uint32_t kept = 1; kept <= 2; kept++) {
        world *w = make_world(false);
        X(particles) *p = &w->sets[0].p;
        uint32_t left = 0;
        append(w, &w->sets[0], 1500);
        append(w, &w->sets[1], 1500);
        sort_and_check(w, 0);
        sort_and_check(w, 1);
        p->fastest = 1.0f;
        for (uint32_t k = 0; k < p->count; k++) {
            bool dies = kept == 1 ? p->id[0][k] != 77 : p->id[0][k] % 2 == 0;
            p->x[0][k] = dies ? DEAD : p->x[0][k];
            p->dead += dies;
            left += !dies;
        }
        X(particles_remove_dead)(p);
        CHECK(p->count == left && p->dead == 0 && p->next_id == 1500);
        CHECK(!p->sorted && !p->at_home && p->fastest < 0.0f);
        CHECK(w->sets[1].p.count == 1500 && w->sets[1].p.sorted && w->sets[1].p.at_home);
        sort_and_check(w, 0);
        append(w, &w->sets[0], 40); /* ids go on */
        CHECK(p->id[0][left] == 1500);
        sort_and_check(w, 0);
        free_world(w);
    }
}

/* Tiles that a set leaves are as if it never had been there. */
static void a_set_that_leaves(void)
{
    world *w = make_world(false);
    X(particles) *p = &w->sets[1].p;
    append(w, &w->sets[0], 300);
    append(w, &w->sets[1], 300);
    sort_and_check(w, 0);
    sort_and_check(w, 1);
    for (uint32_t k = 0; k < p->count; k++)
        p->x[0][k] = DEAD;
    X(particles_remove_dead)(p);
    sort_and_check(w, 1);
    CHECK(p->count == 0 && w->sets[1].tiles.active_count == 0);
    CHECK(w->sets[0].p.count == 300);
    free_world(w);
}

static void more_than_there_can_be(void)
{
    world *w = make_world(false);
    X(particles) *p = &w->sets[0].p;
    spate_error error = {.status = SPATE_OK};
    append(w, &w->sets[0], 10);
    uint64_t hash = X(hash)(p, w->pool);
    uint32_t capacity = p->capacity;
    CHECK(X(particles_reserve)(p, UINT32_MAX, &error) == SPATE_ERROR_MEMORY);
    sp_alloc_fail_at(2); /* one column has grown */
    CHECK(X(particles_reserve)(p, 10 * (uint64_t)capacity, &error) == SPATE_ERROR_MEMORY);
    sp_alloc_fail_at(0);
    CHECK(p->count == 10 && p->capacity == capacity && X(hash)(p, w->pool) == hash);
    append(w, &w->sets[0], 10 * capacity);
    sort_and_check(w, 0);
    free_world(w);
}

TESTS(particles)
{
    TEST(two_sets_on_one_grid);
    TEST(columns_are_those_of_the_set);
    TEST(order_before_does_not_matter);
    TEST(the_dead_of_one_set);
    TEST(a_set_that_leaves);
    TEST(more_than_there_can_be);
}
