/* surface.cu -- SURFACE on the device: where the liquid is. The maths, a cell and a tile at a time,
 * stand in kernels/surface.h.
 *
 * The density is gathered: each cell sums over the particles of the 3^DIM cells around it, in order
 * of cells and particles. The layer of cells around the domain takes part, and is then folded in.
 */
#include "kernels/surface.h"
#include "launch.h"

typedef struct surface_args {
    X(fields) f;
    float *sums; /* density, or phi where nothing else needs it */
    X(near_pass) pass;
    float high, low; /* room of the cells to do */
} surface_args;

/* ---- tiles near the surface */

typedef struct empty_shared {
    uint32_t empty;
} empty_shared;

BLOCKS(find_empty, surface_args, empty_shared, 128)
{
    int tile = a->f.tiles.active[block];
    FOR_THREADS(t, 1)
        shared->empty = X(counts_as_empty)(&a->f, tile);
    BARRIER();
    FOR_THREADS(t, TILE_CELLS) {
        int cell[DIM];
        if (a->f.count[X(tile_place)(&a->f.grid, tile, t, cell)] == 0)
            GPU_ADD32(&shared->empty, 1u);
    }
    BARRIER();
    FOR_THREADS(t, 1)
        a->f.tiles.near[tile] = shared->empty ? NEAR_EMPTY : 0;
}

MAP(spread_marks, surface_args)
{
    X(spread_marks)(&a->f, &a->pass, a->f.tiles.active[i]);
}

static void find_near_tiles(X(gpu) *g, surface_args args)
{
    size_t tiles = (size_t)g->f.tiles.active_count;
    find_empty(g, args, tiles);
    for (int pass = 0; pass < NEAR_PASSES; pass++) {
        args.pass = X(near_pass_at)(pass, g->f.tiles.near, (uint8_t *)g->tile_flags);
        spread_marks(g, args, tiles);
    }
}

/* ---- density */

/* A block does a tile with the cells around it, plane by plane along the last axis; a thread has a
 * column of cells. What the particles of a cell give to the 3^DIM cells around it is summed once
 * and waits in shared memory, by the plane it is for, until all three planes that give to that one
 * are through. */
#define SIDE (TILE + 2)
#define COLUMNS (SIDE * LAST(SIDE))
#define OUTPUTS (TILE * LAST(TILE))
#define OFFSETS (3 * LAST(3))
#define DENSITY_THREADS 128

typedef struct density_shared {
    float sum[3][OFFSETS][COLUMNS];
} density_shared;

/* Shares of a particle that go to the middles of the cells before, at and after its own. */
GPU_FN void shares_of(float inside, float share[3])
{
    float off = inside - 0.5f;
    share[0] = off < 0.0f ? -off : 0.0f;
    share[1] = 1.0f - GPU_ABS(off);
    share[2] = off > 0.0f ? off : 0.0f;
}

/* What the particles of a cell give: to the planes before, at and after it, and there to the cells
 * around its own. */
GPU_FN void give_density(const X(fields) *f, const int cell[DIM], float given[3][OFFSETS])
{
    size_t c = X(index)(&f->grid, cell);
    uint32_t first = f->first[c], end = first + f->count[c];
    for (uint32_t k = first; k < end; k++) {
        float share[3][3];
        FOR_DIM(d)
            shares_of(f->particles.x[d][k] - (float)cell[d], share[d]);
        for (int plane = 0; plane < 3; plane++)
            for (int j = 0; j < LAST(3); j++) {
                float line = share[DIM - 1][plane] * (DIM == 3 ? share[1][j] : 1.0f);
                for (int i = 0; i < 3; i++)
                    given[plane][3 * j + i] += line * share[0][i];
            }
    }
}

GPU_FN void give_plane(const surface_args *a, const int corner[DIM], int plane, int column,
                       density_shared *shared)
{
    int cell[DIM];
    float given[3][OFFSETS] = {{0.0f}};
    cell[0] = corner[0] + column % SIDE - 1;
    if (DIM == 3)
        cell[1] = corner[1] + column / SIDE - 1;
    cell[DIM - 1] = corner[DIM - 1] + plane;
    if (X(inside)(&a->f.grid, cell))
        give_density(&a->f, cell, given);
    for (int k = 0; k < OFFSETS; k++) {
        shared->sum[(plane + 2) % 3][k][column] += given[0][k];
        shared->sum[(plane + 3) % 3][k][column] += given[1][k];
        shared->sum[(plane + 4) % 3][k][column] = given[2][k];
    }
}

BLOCKS(gather_density, surface_args, density_shared, DENSITY_THREADS)
{
    const X(fields) *f = &a->f;
    bool border = (int)block >= f->tiles.active_count;
    int tile =
            border ? f->tiles.border[(int)block - f->tiles.active_count] : f->tiles.active[block],
        corner[DIM];
    X(tile_cell)(&f->grid, tile, corner);
    size_t base = X(index)(&f->grid, corner);
    if (!border && !f->density && !(f->tiles.near[tile] & NEAR_SURFACE))
        return;
    FOR_THREADS(t, COLUMNS)
        for (int k = 0; k < OFFSETS; k++)
            shared->sum[1][k][t] = shared->sum[2][k][t] = 0.0f;
    BARRIER();
    for (int plane = -1; plane <= TILE; plane++) {
        FOR_THREADS(t, COLUMNS)
            give_plane(a, corner, plane, t, shared);
        BARRIER();
        FOR_THREADS(t, plane > 0 ? OUTPUTS : 0) {
            int i = t % TILE, j = t / TILE; /* j = 0 in 2D */
            float sum = 0.0f;
            for (int k = 0; k < OFFSETS; k++) {
                int from = i + 2 - k % 3 + (DIM == 3 ? SIDE * (j + 2 - k / 3) : 0);
                sum += shared->sum[(plane + 2) % 3][k][from];
            }
            size_t c = base + (size_t)i + (size_t)(plane - 1) * f->grid.stride[DIM - 1];
            c += DIM == 3 ? (size_t)j * f->grid.stride[1] : 0;
            a->sums[c] = sum;
        }
        BARRIER();
    }
}

/* ---- level set */

/* In place of the sums over both sides of thin solids. */
MAP(see_density, surface_args)
{
    int cell[DIM];
    if (!X(has_thin)(&a->f, a->f.tiles.active[i / TILE_CELLS]))
        return;
    size_t c = X(active_place)(&a->f, i, cell);
    X(see_density)(&a->f, c, cell, a->sums);
}

MAP(find_distance, surface_args)
{
    int cell[DIM];
    bool near = a->f.tiles.near[a->f.tiles.active[i / TILE_CELLS]] & NEAR_SURFACE;
    X(find_distance)(&a->f, X(active_place)(&a->f, i, cell), a->sums, near);
}

MAP(extend_cells, surface_args)
{
    int cell[DIM];
    X(extend_cell)(&a->f, X(active_place)(&a->f, i, cell), a->high, a->low);
}

static void extend_into_solids(X(gpu) *g, surface_args args)
{
    static const float bands[] = ROOM_BANDS;
    for (int band = 0; band < ROOM_BAND_COUNT && g->f.has_solids; band++) {
        args.high = bands[band];
        args.low = bands[band + 1];
        extend_cells(g, args, (size_t)g->f.tiles.active_count * TILE_CELLS);
        DEV(gpu_fill_border)(g, g->f.phi, -1);
    }
}

static void update_level_set(X(gpu) *g, surface_args args)
{
    size_t active = (size_t)g->f.tiles.active_count, border = (size_t)g->f.tiles.border_count;
    find_near_tiles(g, args);
    gather_density(g, args, active + border);
    DEV(gpu_fold_border)(g, args.sums, NULL, -1);
    see_density(g, args, g->f.has_solids ? active * TILE_CELLS : 0);
    find_distance(g, args, active * TILE_CELLS);
    DEV(gpu_fill_border)(g, g->f.phi, -1);
    extend_into_solids(g, args);
}

static surface_args args_of(X(gpu) *g)
{
    surface_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.sums = g->f.density ? g->f.density : g->f.phi;
    return args;
}

void DEV(gpu_update_level_set)(X(gpu) *g)
{
    update_level_set(g, args_of(g));
}

MAP(mark_cells, surface_args)
{
    int cell[DIM];
    X(mark_cell)(&a->f, X(active_place)(&a->f, i, cell));
}

MAP(find_types, surface_args)
{
    int cell[DIM];
    bool solids = X(may_have_solids)(&a->f, a->f.tiles.active[i / TILE_CELLS]);
    X(find_types)(&a->f, X(active_place)(&a->f, i, cell), solids);
}

void DEV(gpu_build_surface)(X(gpu) *g)
{
    size_t cells = (size_t)g->f.tiles.active_count * TILE_CELLS;
    surface_args args = args_of(g);
    if (g->f.ghost || g->f.density)
        update_level_set(g, args);
    if (!g->f.ghost) {
        mark_cells(g, args, cells);
        DEV(gpu_fill_border)(g, g->f.phi, -1);
        if (g->f.cut)
            extend_into_solids(g, args);
    }
    find_types(g, args, cells);
    DEV(gpu_fill_border_type)(g);
}
