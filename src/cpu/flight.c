/* flight.c -- free flight (kernels/flight.h): SORT takes particles that touch no liquid out of
 * their tiles, and ADVECT moves them on their parabolas.
 *
 * In SORT the particles of tiles come first, in canonical order, and then those that fly, likewise;
 * no table says where the latter are, so that no stage that works by tiles or cells sees them.
 * Three passes, each over tiles: how many particles are in the cells around each, and which
 * particles are dense where those are few; who flies; and, if somebody does, the tables without
 * them. The kinds of the particles and who flies, a byte each by their places in `order`, lie in
 * the first and in the last quarter of the spare column. */
#include "kernels/flight.h"
#include "advect.h"
#include "cpu.h"

#include <string.h>

/* Cells of a tile and one more on either side. */
#define WIDTH (TILE + 2)
#define WIDE_CELLS (WIDTH * WIDTH * LAST(WIDTH))

typedef struct flight_args {
    const X(flight) *flight;
    const X(cell_list) *list;
    uint8_t *kinds, *flies; /* by places in `order` */
    uint32_t *number;       /* per tile: loose particles, then those that fly, then those before */
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

/* The particles around a cell, brought together as far as somebody has looked. */
#define NEAR_MOST 1024
typedef struct near_particles {
    float x[DIM][NEAR_MOST];
    uint32_t place[NEAR_MOST]; /* in `order` */
    uint32_t end[CELLS_AROUND];
    int cells; /* that have been brought */
} near_particles;

static void bring_cell(const X(flight) *f, const int c[DIM], near_particles *near)
{
    int n = near->cells++;
    uint32_t count = n > 0 ? near->end[n - 1] : 0;
    size_t index = 0;
    float shift[DIM];
    if (X(cell_around)(f->grid, c, n, &index, shift))
        for (uint32_t k = f->first[index], end = k + f->count[index]; k < end; k++) {
            FOR_DIM(d)
                near->x[d][count] = f->x[d][f->order[k]] + shift[d];
            near->place[count++] = k;
        }
    near->end[n] = count;
}

/* X(is_filled) of all particles, with those around the cell at hand: the same sum. */
static bool is_filled_near(const X(flight) *f, const int c[DIM], uint32_t k, near_particles *near)
{
    float x[DIM], full = DENSE * f->rest, sum = 1.0f;
    uint32_t j = 0;
    FOR_DIM(d)
        x[d] = f->x[d][f->order[k]];
    for (int n = 0; n < CELLS_AROUND && sum < full; n++) {
        if (n >= near->cells)
            bring_cell(f, c, near);
        for (; j < near->end[n]; j++) {
            float weight = 1.0f;
            FOR_DIM(d) {
                float gap = near->x[d][j] - x[d];
                gap = 1.0f - (gap < 0.0f ? -gap : gap);
                weight *= gap > 0.0f ? gap : 0.0f;
            }
            sum += near->place[j] == k ? 0.0f : weight;
        }
    }
    return sum >= full || (sum > 0.0f && sum >= full * X(room_around)(f, x));
}

/* The kinds of the particles of a tile; returns how many are loose. */
static uint32_t find_kinds(const flight_args *args, int tile)
{
    const X(flight) *f = args->flight;
    const uint32_t *start = args->list->tiles->start;
    uint32_t counts[WIDE_CELLS], other[WIDE_CELLS], loose = 0;
    bool few = 0.5f * CELLS_AROUND * f->rest <= (float)NEAR_MOST;
    near_particles near;
    int cell[DIM], place = 0;
    memset(args->kinds + start[tile], PARTICLE_DENSE, start[tile + 1] - start[tile]);
    load_counts(args->list, tile, counts);
    const uint32_t *around = sum_around(counts, other);
    FOR_CELLS(f->grid, tile, c, cell) {
        int row = place / TILE, wide = 1 + place % TILE + WIDTH * (1 + row % TILE);
        wide += DIM == 3 ? WIDTH * WIDTH * (1 + row / TILE) : 0;
        place++;
        if (f->count[c] == 0 || around[wide] > X(sparse_limit)(f->grid, cell, f->rest))
            continue;
        near.cells = 0;
        bool inflow = f->marks && f->marks[c] & MARK_INFLOW;
        for (uint32_t k = f->first[c], end = k + f->count[c]; k < end && !inflow; k++)
            if (!(few ? is_filled_near(f, cell, k, &near)
                      : X(is_filled)(f, cell, k, NULL, DENSE))) {
                args->kinds[k] = PARTICLE_LOOSE;
                loose++;
            }
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
        for (uint32_t k = f->first[c], end = k + f->count[c]; k < end; k++)
            if (args->kinds[k] == PARTICLE_LOOSE && !X(is_filled)(f, cell, k, args->kinds, TOUCH)) {
                args->flies[k] = 1;
                flying++;
            }
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

/* From the particles that fly in each tile to those before it; returns all. */
static uint32_t sum_before(const flight_args *args)
{
    uint32_t sum = 0;
    const X(tiles) *t = args->list->tiles;
    for (int tile = 0; tile < args->list->grid->tile_count; tile++) {
        uint32_t number = t->start[tile + 1] > t->start[tile] ? args->number[tile] : 0;
        args->number[tile] = sum;
        sum += number;
    }
    return sum;
}

/* Of the cells of active tiles; `number`: flying particles before each tile. */
static void cells_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flight_args *args = user;
    const X(cell_list) *list = args->list;
    for (size_t t = begin; t < end; t++) {
        int tile = list->tiles->active[t];
        uint32_t before = args->number[tile];
        bool last = tile + 1 == list->grid->tile_count;
        bool some = last || args->number[tile + 1] > before;
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

/* `order` and `start`; flies[k] is read before the list of those that fly, in the same memory,
 * comes to it. Returns whether a tile has lost all its particles. */
static bool take_out(X(particles) *p, const flight_args *args, uint32_t flying)
{
    uint32_t *order = p->order, *start = args->list->tiles->start, kept = 0, out = 0, from = 0;
    X(word) *list = (X(word) *)p->spare;
    bool emptied = false;
    for (int tile = 0; tile < args->list->grid->tile_count; tile++) {
        uint32_t begin = from, end = start[tile + 1], old = kept;
        bool last = tile + 1 == args->list->grid->tile_count;
        bool some = end > begin && (last ? out < flying : args->number[tile + 1] > out);
        from = end;
        start[tile] = kept;
        if (!some) {
            if (out > 0 && end > begin)
                memmove(order + kept, order + begin, (end - begin) * sizeof *order);
            kept += end - begin;
            continue;
        }
        for (uint32_t k = begin; k < end; k++) {
            if (args->flies[k])
                list[out++] = order[k];
            else
                order[kept++] = order[k];
        }
        emptied = emptied || kept == old;
    }
    start[args->list->grid->tile_count] = kept;
    args->list->tiles->first_flying = kept;
    for (uint32_t k = 0; k < out; k++)
        order[kept + k] = list[k];
    return emptied;
}

void X(set_flying_apart)(X(particles) *p, const X(cell_list) *list, const X(flight) *flight,
                         uint32_t *scratch, sp_pool *pool, sp_arena arena)
{
    X(tiles) *t = list->tiles;
    flight_args args = {.flight = flight, .list = list, .number = scratch};
    if (!X(may_fly)(flight->rest) || p->count == 0)
        return;
    args.kinds = (uint8_t *)p->spare;
    args.flies = args.kinds + 3 * (size_t)p->count;
    sp_parallel_for(pool, (size_t)t->liquid_count, 1, kinds_range, &args);
    sp_parallel_for(pool, (size_t)t->liquid_count, 1, flying_range, &args);
    uint32_t flying = sum_before(&args);
    if (flying == 0)
        return;
    sp_parallel_for(pool, (size_t)t->active_count, 8, cells_range, &args);
    if (take_out(p, &args, flying))
        X(update_tiles_again)(list, pool, arena);
}

X(flight) X(flight_of)(const X(sim) *s)
{
    X(flight) f = {.grid = &s->grid,
                   .sides = s->common->scene->domain.sides,
                   .solids = &s->solids,
                   .first = s->first,
                   .count = s->count,
                   .order = s->particles.order,
                   .marks = s->marks,
                   .rest = s->rest};
    FOR_DIM(d)
        f.x[d] = s->particles.x[d];
    return f;
}

/* ---- ADVECT */

typedef struct fly_args {
    X(advection) *advection;
    X(fields) f;
    float dv[DIM];
} fly_args;

static double fly_partial(void *user, size_t begin, size_t end)
{
    const fly_args *args = user;
    const X(fields) *f = &args->f;
    float fastest = 0.0f;
    for (size_t n = begin; n < end; n++) {
        uint32_t k = f->tiles.first_flying + (uint32_t)n;
        float x[DIM], to[DIM], square = 0.0f;
        X(fall)(f, k, args->advection->h, args->dv, x, to);
        X(advect_one)(args->advection, k, x, to);
        FOR_DIM(d)
            square += f->particles.v[d][k] * f->particles.v[d][k];
        fastest = square <= fastest ? fastest : square; /* a NaN stays */
    }
    return (double)fastest;
}

float X(advect_flying)(X(advection) *advection, double dt)
{
    X(sim) *s = advection->s;
    fly_args args = {.advection = advection, .f = X(fields_of)(s)};
    FOR_DIM(d)
        args.dv[d] = X(gravity_kick)(s, d, dt);
    return (float)X(maximum)(s, s->particles.count - s->tiles.first_flying, 1024, fly_partial,
                             &args);
}
