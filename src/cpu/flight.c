/* flight.c -- free flight (kernels/flight.h): SORT takes particles that touch no liquid out of
 * their tiles.
 *
 * In SORT the particles of tiles come first, in canonical order, and then those that fly, likewise;
 * no table says where the latter are, so that no stage that works by tiles or cells sees them.
 * Passes over tiles: which particles are dense, where few are in the cells around; who flies; and,
 * if somebody does, the tables without them and the order with them behind the others. The kinds of
 * the particles and who flies, a byte each by their places in `order`, lie in the first and in the
 * last quarter of the spare column. */
#include "kernels/flight.h"
#include "cpu.h"
#include "simd.h"

#include <string.h>

/* Cells of a tile and one more on either side. */
#define WIDTH (TILE + 2)
#define WIDE_CELLS (WIDTH * WIDTH * LAST(WIDTH))

typedef struct flight_args {
    const X(flight) *flight;
    const X(cell_list) *list;
    X(particles) *p;
    uint8_t *kinds, *flies; /* by places in `order` */
    uint32_t *number;       /* per tile: loose particles, then those that fly, then those before */
    uint32_t flying;        /* in all */
} flight_args;

/* ---- who flies */

static void load_counts(const X(cell_list) *list, int tile, uint32_t counts[WIDE_CELLS])
{
    const X(grid) *g = list->grid;
    int first[DIM], at[DIM];
    bool seam = X(has_seam)(g, tile);
    X(tile_cell)(g, tile, first);
    for (int r = 0; r < WIDE_CELLS / WIDTH; r++, counts += WIDTH) {
        at[0] = first[0] - 1;
        at[1] = first[1] - 1 + r % WIDTH;
        at[DIM - 1] = DIM == 3 ? first[DIM - 1] - 1 + r / WIDTH : at[DIM - 1];
        if (!seam) {
            memcpy(counts, list->count + X(index)(g, at), WIDTH * sizeof *counts);
            continue;
        }
        for (int i = 0; i < WIDTH; i++) {
            int cell[DIM];
            FOR_DIM(d) {
                cell[d] = at[d] + (d == 0 ? i : 0);
                if (g->periodic[d])
                    cell[d] += cell[d] < 0 ? g->n[d] : cell[d] >= g->n[d] ? -g->n[d] : 0;
            }
            counts[i] = list->count[X(index)(g, cell)];
        }
    }
}

/* The sum of each with the ones `step` before and after it; ends of the array are left out. */
static void add_neighbours(const uint32_t *restrict from, uint32_t *restrict to, int step)
{
    for (int k = step; k < WIDE_CELLS - step; k++)
        to[k] = from[k - step] + from[k] + from[k + step];
}

/* Particles in the cells around each one; of those of the tile alone they are right. Returns where
 * they are. */
static uint32_t *sum_around(uint32_t *counts, uint32_t *other)
{
    memset(other, 0, WIDE_CELLS * sizeof *other);
    add_neighbours(counts, other, 1);
    add_neighbours(other, counts, WIDTH);
    if (DIM == 2)
        return counts;
    add_neighbours(counts, other, WIDTH * WIDTH);
    return other;
}

/* The particles around a cell, brought together: first those of its own and the nearest cells, the
 * others when these do not suffice. The lanes behind the last one of either are far away. */
#define NEAR_MOST 1024
#define NEAR_CELLS (2 * DIM + 1)
typedef struct near_particles {
    float x[DIM][NEAR_MOST + 2 * LANES];
    uint32_t end[2];
} near_particles;

/* kinds: only those that are dense, or NULL. */
static void bring(const X(flight) *f, const int c[DIM], const uint8_t *kinds, int turn,
                  near_particles *near)
{
    uint32_t count = turn > 0 ? near->end[0] : 0;
    for (int n = turn > 0 ? NEAR_CELLS : 0; n < (turn > 0 ? CELLS_AROUND : NEAR_CELLS); n++) {
        size_t index = 0;
        float shift[DIM];
        if (!X(cell_around)(f->grid, c, n, &index, shift))
            continue;
        for (uint32_t k = f->first[index], end = k + f->count[index]; k < end; k++) {
            if (kinds && kinds[k] != PARTICLE_DENSE)
                continue;
            FOR_DIM(d)
                near->x[d][count] = f->x[d][f->order[k]] + shift[d];
            count++;
        }
    }
    FOR_DIM(d)
        store(near->x[d] + count, f8_of(1e9f));
    near->end[turn] = (count + LANES - 1) & ~(uint32_t)(LANES - 1);
}

/* X(add_cell) of those brought in a turn. */
SIMD_FN uint32_t add_near(const near_particles *near, int turn, const float x[DIM], uint32_t sum)
{
    i8 sums = {0};
    for (uint32_t k = turn > 0 ? near->end[0] : 0; k < near->end[turn]; k += LANES) {
        f8 weight = f8_of(1.0f);
        FOR_DIM(d)
            weight *= f8_max(1.0f - f8_abs(load(near->x[d] + k) - x[d]), f8_of(0.0f));
        sums += convert(weight * FLIGHT_UNIT, i8);
    }
    for (int k = 0; k < LANES; k++)
        sum += (uint32_t)lane(sums, k);
    return sum;
}

/* X(is_filled) of particle k in cell c. */
static bool is_filled(const X(flight) *f, const int c[DIM], uint32_t k, const uint8_t *kinds,
                      float share, near_particles *near, bool *all)
{
    float x[DIM], full = share * f->rest * FLIGHT_UNIT;
    FOR_DIM(d)
        x[d] = f->x[d][f->order[k]];
    uint32_t sum = add_near(near, 0, x, 0);
    if ((float)sum < full) {
        if (!*all)
            bring(f, c, kinds, 1, near);
        *all = true;
        sum = add_near(near, 1, x, sum);
    }
    return (float)sum >= full || (sum > 0 && (float)sum >= full * X(room_around)(f, x));
}

/* Of the particles of a cell that are loose, or with NULL of all: marks[k] = to where the density
 * is below `share`; returns how many these are. */
static uint32_t mark_cell(const X(flight) *f, const int c[DIM], size_t cell, const uint8_t *kinds,
                          float share, uint8_t *marks, uint8_t to)
{
    near_particles near;
    bool begun = false, all = false, few = 0.5f * CELLS_AROUND * f->rest <= (float)NEAR_MOST;
    uint32_t marked = 0;
    for (uint32_t k = f->first[cell], end = k + f->count[cell]; k < end; k++) {
        if (kinds && kinds[k] != PARTICLE_LOOSE)
            continue;
        if (!begun && few)
            bring(f, c, kinds, 0, &near);
        begun = true;
        if (few ? is_filled(f, c, k, kinds, share, &near, &all)
                : X(is_filled)(f, c, k, kinds, share))
            continue;
        marks[k] = to;
        marked++;
    }
    return marked;
}

/* The kinds of the particles of a tile; returns how many are loose. */
static uint32_t find_kinds(const flight_args *args, int tile)
{
    const X(flight) *f = args->flight;
    const uint32_t *start = args->list->tiles->start;
    uint32_t counts[WIDE_CELLS], other[WIDE_CELLS], loose = 0;
    int cell[DIM], place = 0;
    memset(args->kinds + start[tile], PARTICLE_DENSE, start[tile + 1] - start[tile]);
    load_counts(args->list, tile, counts);
    const uint32_t *around = sum_around(counts, other);
    FOR_CELLS(f->grid, tile, c, cell) {
        int row = place / TILE, wide = 1 + place % TILE + WIDTH * (1 + row % TILE);
        wide += DIM == 3 ? WIDTH * WIDTH * (1 + row / TILE) : 0;
        place++;
        if (f->count[c] == 0 || around[wide] > X(sparse_limit)(f->grid, cell, f->rest) ||
            (f->marks && f->marks[c] & MARK_INFLOW))
            continue;
        loose += mark_cell(f, cell, c, NULL, DENSE, args->kinds, PARTICLE_LOOSE);
    }
    return loose;
}

static void kinds_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flight_args *args = user;
    for (size_t k = begin; k < end; k++)
        args->number[args->list->tiles->liquid[k]] = find_kinds(args, args->list->tiles->liquid[k]);
}

/* Of a tile with loose particles: those that fly; returns how many. */
static uint32_t find_flying(const flight_args *args, int tile)
{
    const X(flight) *f = args->flight;
    const uint32_t *start = args->list->tiles->start;
    uint32_t flying = 0;
    int cell[DIM];
    memset(args->flies + start[tile], 0, start[tile + 1] - start[tile]);
    FOR_CELLS(f->grid, tile, c, cell)
        flying += mark_cell(f, cell, c, args->kinds, TOUCH, args->flies, 1);
    return flying;
}

static void flying_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flight_args *args = user;
    for (size_t k = begin; k < end; k++) {
        int tile = args->list->tiles->liquid[k];
        if (args->number[tile] > 0)
            args->number[tile] = find_flying(args, tile);
    }
}

/* ---- the tables without them */

/* From the particles that fly in each tile to those before it. */
static void sum_before(flight_args *args)
{
    const X(tiles) *t = args->list->tiles;
    for (int tile = 0; tile < args->list->grid->tile_count; tile++) {
        uint32_t number = t->start[tile + 1] > t->start[tile] ? args->number[tile] : 0;
        args->number[tile] = args->flying;
        args->flying += number;
    }
}

/* How many of a tile do. */
static uint32_t flying_in(const flight_args *args, int tile)
{
    bool last = tile + 1 == args->list->grid->tile_count;
    return (last ? args->flying : args->number[tile + 1]) - args->number[tile];
}

/* Of the cells of active tiles. */
static void cells_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flight_args *args = user;
    const X(cell_list) *list = args->list;
    for (size_t t = begin; t < end; t++) {
        int tile = list->tiles->active[t];
        uint32_t before = args->number[tile];
        bool some = flying_in(args, tile) > 0;
        FOR_INDICES(list->grid, tile, c) {
            uint32_t first = list->first[c], flying = 0;
            for (uint32_t k = first, n = first + list->count[c]; some && k < n; k++)
                flying += args->flies[k];
            list->first[c] = first - before;
            list->count[c] -= flying;
            before += flying;
        }
    }
}

static void reverse(uint32_t *list, uint32_t begin, uint32_t end)
{
    for (; begin + 1 < end; begin++) {
        uint32_t other = list[--end];
        list[end] = list[begin];
        list[begin] = other;
    }
}

/* Puts those of [begin, end) that fly behind the others, both in their order: block by block, each
 * block's others in front of those that fly in the blocks before. */
static void part(uint32_t *order, const uint8_t *flies, uint32_t begin, uint32_t end)
{
    enum { PART = 256 };
    uint32_t out[PART], kept = begin; /* order[kept ..]: those that fly, so far */
    for (uint32_t block = begin; block < end; block += PART) {
        uint32_t stop = end - block < PART ? end : block + PART, to = block, count = 0;
        for (uint32_t k = block; k < stop; k++) {
            if (flies[k])
                out[count++] = order[k];
            else
                order[to++] = order[k];
        }
        memcpy(order + to, out, count * sizeof *out);
        if (kept < block && to > block) {
            reverse(order, kept, block);
            reverse(order, block, to);
            reverse(order, kept, to);
        }
        kept += to - block;
    }
}

static void part_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flight_args *args = user;
    const X(tiles) *t = args->list->tiles;
    for (size_t k = begin; k < end; k++) {
        int tile = t->liquid[k];
        if (flying_in(args, tile) > 0)
            part(args->p->order, args->flies, t->start[tile], t->start[tile + 1]);
    }
}

/* From `order` to the spare column, which takes its place. */
static void move_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flight_args *args = user;
    const X(tiles) *t = args->list->tiles;
    const uint32_t *order = args->p->order;
    X(word) *to = (X(word) *)args->p->spare;
    for (size_t k = begin; k < end; k++) {
        int tile = t->liquid[k];
        uint32_t from = t->start[tile], before = args->number[tile];
        uint32_t flying = flying_in(args, tile), kept = t->start[tile + 1] - from - flying;
        memcpy(to + (from - before), order + from, kept * sizeof *order);
        memcpy(to + (t->first_flying + before), order + from + kept, flying * sizeof *order);
    }
}

/* Returns whether a tile has lost all its particles. */
static bool move_starts(const flight_args *args)
{
    uint32_t *start = args->list->tiles->start;
    int count = args->list->grid->tile_count;
    bool emptied = false;
    for (int tile = 0; tile < count; tile++) {
        uint32_t had = start[tile + 1] - start[tile];
        emptied = emptied || (had > 0 && had == flying_in(args, tile));
        start[tile] -= args->number[tile];
    }
    start[count] -= args->flying;
    return emptied;
}

void DEV(set_flying_apart)(X(particles) *p, const X(cell_list) *list, const X(flight) *flight,
                           uint32_t *scratch, sp_pool *pool, sp_arena arena)
{
    X(tiles) *t = list->tiles;
    size_t liquid = (size_t)t->liquid_count;
    flight_args args = {.flight = flight, .list = list, .p = p, .number = scratch};
    if (!X(may_fly)(flight->rest) || p->count == 0)
        return;
    args.kinds = (uint8_t *)p->spare;
    args.flies = args.kinds + 3 * (size_t)p->count;
    sp_parallel_pass(pool, liquid, 1, kinds_range, &args);
    sp_parallel_pass(pool, liquid, 1, flying_range, &args);
    sum_before(&args);
    uint32_t *order = p->order;
    if (args.flying == 0)
        return;
    t->first_flying = p->count - args.flying;
    sp_parallel_for(pool, (size_t)t->active_count, 8, cells_range, &args);
    sp_parallel_for(pool, liquid, 4, part_range, &args);
    sp_parallel_for(pool, liquid, 4, move_range, &args);
    p->order = (uint32_t *)(void *)p->spare;
    p->spare = (void *)order;
    if (move_starts(&args))
        X(update_tiles_again)(list, pool, arena);
}

X(flight) DEV(flight_of)(const X(sim) *s)
{
    X(flight) f = {.grid = &s->grid,
                   .sides = s->common->scene->domain.sides,
                   .solids = &s->solids,
                   .first = s->first,
                   .count = s->count,
                   .order = s->particles.order,
                   .marks = s->marks,
                   .rest = s->free_flight ? s->rest : 0.0f};
    FOR_DIM(d)
        f.x[d] = s->particles.x[d];
    return f;
}
