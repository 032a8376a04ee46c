/* surface.c -- where the liquid is: a level set from the particles, and the type of every cell.
 *
 * Level set. The density of particles around a cell's middle, taken with the linear kernel (support
 * two cells) and measured against rest density times the free room there, is 1 in full water and 0
 * far from it. Across a flat surface, t cells above it,
 *
 *     density(t) = (1 - t)^2 / 2  for 0 <= t <= 1,    1 - (1 + t)^2 / 2  for -1 <= t < 0,
 *
 * which is turned round to give phi = t dx, cut off at one dx. By its symmetry the surface lies
 * where the water ends, however the particles are jittered: density 1/2 is the surface, not the
 * outermost particle. Only tiles near an empty cell are computed; elsewhere phi = -dx.
 *
 * Types. A cell is solid if none of its faces is open (voxel: if its middle is inside a solid), an
 * inflow or outflow if its middle is inside one, liquid if phi < 0 (voxel surface: if it holds a
 * particle, or if solids leave it little room and its neighbours do), and air otherwise. Outflow
 * cells are air: what enters them leaves. */
#include "kernels/surface.h"
#include "cpu.h"
#include "simd.h"

#include <math.h>

/* ---- density */

float *DEV(density_sums)(X(sim) *s)
{
    return s->density ? s->density : X(has_level_set)(s) ? s->phi : NULL;
}

typedef struct density_args {
    X(sim) *s;
    const int *tiles;
    char *scratch; /* one part per worker */
} density_args;

static void density_range(void *user, size_t begin, size_t end, int worker)
{
    const density_args *args = user;
    char *scratch = args->scratch + (size_t)worker * DEV(tile_scratch)();
    for (size_t k = begin; k < end; k++)
        if (args->s->density || (args->s->tiles.near[args->tiles[k]] & NEAR_GIVES))
            DEV(p2g_linear)(args->s, args->tiles[k], scratch, false, DEV(density_sums)(args->s));
}

static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    size_t active = (size_t)s->tiles.active_count;
    for (size_t k = begin; k < end; k++) {
        size_t base =
            X(tile_index)(&s->grid, k < active ? s->tiles.active[k] : s->tiles.border[k - active]);
        for (int r = 0; r < TILE_ROWS; r++)
            memset(DEV(density_sums)(s) + base + X(row_offset)(&s->grid, r), 0,
                   TILE * sizeof(float));
    }
}

/* P2G has done it, unless its kernel is another one or somebody else wants a surface. */
static void sum_density(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    const X(tiles) *t = &s->tiles;
    sp_arena arena = X(arena)(s);
    char *scratch = sp_arena_take(&arena, (size_t)sp_pool_threads(pool), DEV(tile_scratch)());
    sp_parallel_for(pool, (size_t)(t->active_count + t->border_count), 16, zero_range, s);
    for (int colour = 0; colour < COLOURS; colour++) {
        density_args args = {s, t->liquid + t->colour_start[colour], scratch};
        sp_parallel_for(pool, (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]), 1,
                        density_range, &args);
    }
}

/* Which tiles are near the surface: those with an empty cell, their neighbours, and the neighbours
 * of those. Across periodic sides nothing is looked up: tiles there always count as near. */
typedef struct near_args {
    X(sim) *s;
    const uint8_t *from; /* per tile: marks so far */
    uint8_t *to;
    uint8_t looked_for, mark; /* tiles with the first next to them get the second */
} near_args;

static void empty_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const near_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k], at[DIM];
        size_t base = X(tile_index)(g, tile);
        bool empty = !(s->tiles.state[tile] & TILE_LIQUID);
        X(tile_coordinates)(g, tile, at);
        FOR_DIM(d)
            empty = empty || (g->periodic[d] && (at[d] == 1 || at[d] >= g->tiles[d] - 3));
        for (int r = 0; r < TILE_ROWS && !empty; r++)
            for (int i = 0; i < TILE; i++)
                empty = empty || s->count[base + X(row_offset)(g, r) + (size_t)i] == 0;
        args->to[tile] = empty ? NEAR_EMPTY : 0;
    }
}

static void near_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const near_args *args = user;
    X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k], at[DIM], near[DIM];
        uint8_t marks = args->from[tile];
        X(tile_coordinates)(&s->grid, tile, at);
        for (int c = 0; c < (DIM == 3 ? 27 : 9); c++) {
            int offset[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
            FOR_DIM(d)
                near[d] = at[d] + offset[d];
            int other = X(tile_number)(&s->grid, near);
            if ((s->tiles.state[other] & TILE_ACTIVE) && (args->from[other] & args->looked_for))
                marks |= args->mark;
        }
        args->to[tile] = marks;
    }
}

static void find_near_tiles(X(sim) *s)
{
    sp_arena arena = X(arena)(s);
    size_t tiles = (size_t)s->tiles.active_count;
    uint8_t *other = sp_arena_take(&arena, (size_t)s->grid.tile_count, 1);
    near_args passes[3] = {{.s = s, .to = s->tiles.near},
                           {s, s->tiles.near, other, NEAR_EMPTY, NEAR_SURFACE},
                           {s, other, s->tiles.near, NEAR_SURFACE, NEAR_GIVES}};
    for (int pass = 0; pass < 3; pass++)
        sp_parallel_for(s->common->pool, tiles, 8, pass == 0 ? empty_range : near_range,
                        &passes[pass]);
}

/* ---- level set */

static void distance_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    float n = (float)s->common->scene->fluid.particles_per_axis, dx = s->grid.dx;
    float rest = 1.0f;
    FOR_DIM(d)
        rest *= n;
    bool solids = s->solids.live > 0;
    const float *sums = DEV(density_sums)(s);
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k];
        bool near = s->tiles.near[tile] & NEAR_SURFACE;
        size_t base = X(tile_index)(&s->grid, tile);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                float room = solids ? s->room[index] : 1.0f;
                float density = room > LEAST_ROOM ? sums[index] / (rest * room) : 0.0f;
                if (s->density)
                    s->density[index] = room > LEAST_ROOM ? density : 1.0f;
                s->phi[index] = near ? dx * SP_SURFACE_DISTANCE(density, __builtin_sqrtf) : -dx;
            }
    }
}

/* Cells with little room take the mean of the neighbours that have more, through their open faces,
 * so that no film of air lies on solids and nothing leaks into them. In bands of room, each from
 * the ones above it. */
static const float room_bands[] = ROOM_BANDS;

typedef struct extend_args {
    X(sim) *s;
    float high, low; /* room of the cells to do */
} extend_args;

static void extend_cell(X(sim) *s, size_t index, float high)
{
    float sum = 0.0f, count = 0.0f;
    FOR_DIM(d) {
        size_t step = s->grid.stride[d];
        float w[2] = {s->w[d][index], s->w[d][index + step]};
        size_t near[2] = {index - step, index + step};
        for (int side = 0; side < 2; side++)
            if (w[side] > 0.0f && s->room[near[side]] > high) {
                sum += w[side] * s->phi[near[side]];
                count += w[side];
            }
    }
    s->phi[index] = count > 0.0f ? sum / count : -(float)s->grid.dx;
}

static void extend_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const extend_args *args = user;
    X(sim) *s = args->s;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                if (s->room[index] <= args->high && s->room[index] > args->low)
                    extend_cell(s, index, args->high);
            }
    }
}

static void extend_into_solids(X(sim) *s)
{
    for (int band = 0; band < ROOM_BAND_COUNT && s->solids.live > 0; band++) {
        extend_args args = {s, room_bands[band], room_bands[band + 1]};
        sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, extend_range, &args);
        X(fill_border)(s, s->phi, -1);
    }
}

void DEV(update_level_set)(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    X(tiles) *t = &s->tiles;
    find_near_tiles(s);
    if (!s->density_summed)
        sum_density(s);
    s->density_summed = false;
    X(fold_border)(s, DEV(density_sums)(s), NULL, -1);
    sp_parallel_for(pool, (size_t)t->active_count, 4, distance_range, s);
    X(fill_border)(s, s->phi, -1);
    extend_into_solids(s);
}

/* With a voxel surface phi is only a mark, -dx where a cell holds a particle and dx elsewhere. */
static void mark_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    float dx = (float)s->grid.dx;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                s->phi[index] = s->count[index] > 0 ? -dx : dx;
            }
    }
}

static void mark_cells(X(sim) *s)
{
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 8, mark_range, s);
    X(fill_border)(s, s->phi, -1);
    if (X(has_cut_cells)(s))
        extend_into_solids(s);
}

/* ---- types */

static bool is_solid(const X(sim) *s, size_t index)
{
    float open = 0.0f;
    FOR_DIM(d)
        open += s->w[d][index] + s->w[d][index + s->grid.stride[d]];
    return open == 0.0f;
}

/* Eight cells by what is beside the level set: where liquid comes and goes, and solids. */
static void type_others(X(sim) *s, size_t first, bool solids)
{
    for (size_t index = first; index < first + 8; index++) {
        if (s->marks && s->marks[index])
            s->type[index] = s->marks[index] & MARK_INFLOW ? SPATE_CELL_INFLOW : SPATE_CELL_AIR;
        if (solids && is_solid(s, index))
            s->type[index] = SPATE_CELL_SOLID;
    }
}

static void type_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k], first[DIM];
        X(tile_cell)(&s->grid, tile, first);
        size_t base = X(index)(&s->grid, first);
        bool solids = s->tiles.cut[tile];
        FOR_DIM(d)
            solids = solids || first[d] + TILE > s->grid.n[d]; /* what is outside is solid, too */
        solids = solids && s->solids.live > 0;
        FOR_TILE_EIGHTS(r, i) {
            size_t c = base + X(row_offset)(&s->grid, r) + (size_t)i;
            store_bytes(s->type + c, is_positive(-load(s->phi + c)) & SPATE_CELL_LIQUID);
            if (s->marks || solids)
                type_others(s, c, solids);
        }
    }
}

void DEV(build_surface)(X(sim) *s)
{
    if (X(has_level_set)(s) || s->density)
        DEV(update_level_set)(s);
    if (!X(has_level_set)(s))
        mark_cells(s);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, type_range, s);
    X(fill_border_type)(s);
}
