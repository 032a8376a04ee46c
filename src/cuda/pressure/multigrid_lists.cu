/* multigrid_lists.cu -- memory of the pressure solver on the device, and its lists of tiles.
 *
 * A tile of a coarser level is listed if one of the finer tiles in it is. The flags of all levels
 * lie behind each other, so that one running sum numbers the blocks of all of them, and the host
 * waits for their counts once. */
#include "solver.h"

#ifdef __cplusplus
extern "C" {
#endif
#include "base/memory.h"
#ifdef __cplusplus
}
#endif

#define FINE_FIELDS 9 /* of level 0, without faces */
#define COARSE_FIELDS (3 + DIM)
#define COUNTS (3 * MAX_LEVELS + 1)

/* ---- memory */

static size_t ints_of(const X(grid) *g)
{
    return (size_t)(g->tile_count + 1) * (3 + 2 * DIM);
}

/* One more than there are, for their sum. */
static size_t flag_count(const DEV(gpu_solver) * solver)
{
    return 3 * solver->places + (size_t)solver->levels[0].grid.tile_count + 1;
}

/* Parts of the arrays of whole numbers. */
static void lay_ints(DEV(gpu_solver) * solver)
{
    int *next = solver->ints;
    uint8_t *kind = solver->kinds;
    for (int k = 0; k < solver->level_count; k++) {
        DEV(gpu_level) *l = &solver->levels[k];
        size_t n = (size_t)l->grid.tile_count + 1;
        l->slot = next;
        l->tile_of = next + n;
        l->parent = next + 2 * n;
        l->near = next + 3 * n;
        next += ints_of(&l->grid);
        l->kind = kind;
        kind += n;
    }
}

void DEV(gpu_solver_create)(X(gpu) *g, int level_count, const X(grid) *const grids[], bool density)
{
    DEV(gpu_solver) *solver = (DEV(gpu_solver) *)sp_alloc(1, sizeof *solver);
    g->solver = solver;
    if (!solver) {
        DEV(gpu_fail)(g, "the pressure solver", "no memory left");
        return;
    }
    size_t ints = 0, tiles = (size_t)grids[0]->tile_count;
    solver->level_count = level_count;
    for (int k = 0; k < level_count; k++) {
        solver->levels[k].grid = *grids[k];
        solver->levels[k].even = k == 0 ? 1.0f : 0.25f * solver->levels[k - 1].even;
        solver->base[k + 1] = solver->base[k] + (size_t)grids[k]->tile_count;
        ints += ints_of(grids[k]);
    }
    FOR_DIM(d)
        solver->periodic = solver->periodic || grids[0]->periodic[d];
    solver->places = solver->base[level_count];
    const char *what = "the pressure solver";
    solver->flags = (uint32_t *)DEV(gpu_alloc)(g, flag_count(solver) * sizeof(uint32_t), what);
    solver->sums = (uint32_t *)DEV(gpu_alloc)(g, flag_count(solver) * sizeof(uint32_t), what);
    solver->shallow = (int *)DEV(gpu_alloc)(g, tiles * sizeof(int), what);
    solver->counts = (uint32_t *)DEV(gpu_alloc)(g, COUNTS * sizeof(uint32_t), what);
    solver->deep = (uint8_t *)DEV(gpu_alloc)(g, tiles, what);
    solver->ints = (int *)DEV(gpu_alloc)(g, ints * sizeof(int), what);
    solver->kinds = (uint8_t *)DEV(gpu_alloc)(g, solver->places + (size_t)level_count, what);
    solver->partials = (double *)DEV(gpu_alloc)(g, (tiles / 1024 + 1) * sizeof(double), what);
    solver->state = (DEV(gpu_state) *)DEV(gpu_alloc)(g, sizeof *solver->state, what);
    if (density)
        solver->q_density = (float *)DEV(gpu_alloc)(g, grids[0]->size * sizeof(float), what);
    if (g->failure[0])
        return;
    lay_ints(solver);
    DEV(gpu_set)(g, solver->state, 0, sizeof *solver->state);
    if (density)
        DEV(gpu_set)(g, solver->q_density, 0, grids[0]->size * sizeof(float));
}

/* What the solver will take for so many cells of liquid: a fifth more of them in tiles that are
 * partly filled, and an eighth in hand. */
uint64_t DEV(gpu_solver_bytes)(const X(grid) *grid, double liquid, bool solids, bool density)
{
    double tiles = (double)grid->tile_count, blocks = 1.35 * liquid / TILE_CELLS + 65;
    bool periodic = grid->periodic[0] || grid->periodic[1] || grid->periodic[2];
    blocks = blocks < tiles + 1 ? blocks : tiles + 1;
    double fine = blocks * TILE_CELLS * (4.0 * (FINE_FIELDS + (solids || periodic ? DIM : 0)) + 1);
    double coarse = (blocks / ((1 << DIM) - 1) + 64) * TILE_CELLS * COARSE_FIELDS * 4.0;
    return (uint64_t)(fine + coarse + tiles * 100 + (density ? 4.0 * (double)grid->size : 0));
}

static size_t fine_bytes(const DEV(gpu_solver) * solver)
{
    size_t fields = FINE_FIELDS + (solver->faces ? DIM : 0);
    return solver->fine_blocks * TILE_CELLS * (fields * sizeof(float) + 1);
}

static size_t coarse_bytes(const DEV(gpu_solver) * solver)
{
    return solver->coarse_blocks * TILE_CELLS * COARSE_FIELDS * sizeof(float);
}

void DEV(gpu_solver_destroy)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    if (!solver)
        return;
    size_t ints = 0, tiles = (size_t)solver->levels[0].grid.tile_count;
    for (int k = 0; k < solver->level_count; k++)
        ints += ints_of(&solver->levels[k].grid);
    DEV(gpu_free)(g, solver->flags, flag_count(solver) * sizeof(uint32_t));
    DEV(gpu_free)(g, solver->sums, flag_count(solver) * sizeof(uint32_t));
    DEV(gpu_free)(g, solver->shallow, tiles * sizeof(int));
    DEV(gpu_free)(g, solver->counts, COUNTS * sizeof(uint32_t));
    DEV(gpu_free)(g, solver->deep, tiles);
    DEV(gpu_free)(g, solver->ints, ints * sizeof(int));
    DEV(gpu_free)(g, solver->kinds, solver->places + (size_t)solver->level_count);
    DEV(gpu_free)(g, solver->partials, (tiles / 1024 + 1) * sizeof(double));
    DEV(gpu_free)(g, solver->state, sizeof *solver->state);
    DEV(gpu_free)(g, solver->q_density, solver->levels[0].grid.size * sizeof(float));
    DEV(gpu_free)(g, solver->fine, fine_bytes(solver));
    DEV(gpu_free)(g, solver->coarse, coarse_bytes(solver));
    sp_free(solver);
    g->solver = NULL;
}

/* Blocks that a level uses, with block 0. */
static size_t blocks_of(const DEV(gpu_level) * l)
{
    return (size_t)(l->tile_count + l->image_count) + 1;
}

static void lay_fine(DEV(gpu_solver) * solver)
{
    DEV(gpu_level) *l = &solver->levels[0];
    size_t size = solver->fine_blocks * TILE_CELLS;
    float **fields[FINE_FIELDS] = {&l->d,
                                   &l->b,
                                   &l->x,
                                   &solver->high,
                                   &solver->low,
                                   &solver->right,
                                   &solver->step,
                                   &solver->direction[0],
                                   &solver->direction[1]};
    float *next = solver->fine;
    for (int k = 0; k < FINE_FIELDS; k++, next += size)
        *fields[k] = next;
    FOR_DIM(d) {
        l->a[d] = solver->faces ? next : NULL;
        next += solver->faces ? size : 0;
    }
    solver->pocket = (uint8_t *)next;
}

/* Room for the blocks of level 0; what they held is lost when they grow. */
static void reserve_fine(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    size_t wanted = blocks_of(&solver->levels[0]),
           all = (size_t)solver->levels[0].grid.tile_count + 1;
    bool faces = g->f.has_solids || solver->periodic;
    if (wanted <= solver->fine_blocks && faces <= solver->faces)
        return;
    DEV(gpu_free)(g, solver->fine, fine_bytes(solver));
    solver->fine_blocks = wanted + wanted / 8 + 64 < all ? wanted + wanted / 8 + 64 : all;
    solver->faces = faces || solver->faces;
    solver->fine = (float *)DEV(gpu_alloc)(g, fine_bytes(solver), "the pressure solver");
    lay_fine(solver);
    if (!g->failure[0])
        DEV(gpu_set)(g, solver->fine, 0, fine_bytes(solver));
}

static void reserve_coarse(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    size_t wanted = 0;
    for (int k = 1; k < solver->level_count; k++)
        wanted += blocks_of(&solver->levels[k]);
    if (wanted > solver->coarse_blocks) {
        DEV(gpu_free)(g, solver->coarse, coarse_bytes(solver));
        solver->coarse_blocks = wanted + wanted / 8 + 64;
        solver->coarse = (float *)DEV(gpu_alloc)(g, coarse_bytes(solver), "the pressure solver");
    }
    size_t size = solver->coarse_blocks * TILE_CELLS, first = 0;
    for (int k = 1; k < solver->level_count; k++) {
        DEV(gpu_level) *l = &solver->levels[k];
        float **fields[3] = {&l->d, &l->b, &l->x};
        for (int e = 0; e < 3; e++)
            *fields[e] = solver->coarse + (size_t)e * size + first * TILE_CELLS;
        FOR_DIM(d)
            l->a[d] = solver->coarse + (size_t)(3 + d) * size + first * TILE_CELLS;
        first += blocks_of(l);
    }
    if (!g->failure[0] && wanted > 0)
        DEV(gpu_set)(g, solver->coarse, 0, coarse_bytes(solver));
}

/* ---- lists */

typedef struct list_args {
    DEV(gpu_level) level, coarser;
    size_t places, base, fine_base;
    X(grid) fine;
    int number;
    bool last, finest;
    uint32_t *flags, *sums, *counts;
    int *shallow;
} list_args;

GPU_FN bool is_inner(const X(grid) *g, const int t[DIM])
{
    bool inner = true;
    FOR_DIM(d)
        inner = inner && t[d] >= 1 && t[d] <= g->tiles[d] - 2;
    return inner;
}

/* Tiles that hold a listed one of the finer level; which of them are even. */
MAP(flag_level, list_args)
{
    const X(grid) *g = &a->level.grid;
    int t[DIM], sum = 0;
    X(tile_coordinates)(g, (int)i, t);
    FOR_DIM(d)
        sum += t[d];
    uint32_t flag = a->finest ? a->flags[a->base + i] : 0;
    for (int child = 0; child < FAMILY && !a->finest && is_inner(g, t); child++) {
        int f[DIM];
        FOR_DIM(d)
            f[d] = 2 * t[d] - 1 + (child >> d & 1);
        if (is_inner(&a->fine, f))
            flag |= a->flags[a->fine_base + (size_t)X(tile_number)(&a->fine, f)];
    }
    a->flags[a->base + i] = flag;
    a->flags[a->places + a->base + i] = flag && (sum & 1) == 0;
}

/* Border tiles that hold the image of a listed tile's first or last cells. */
MAP(flag_images, list_args)
{
    const X(grid) *g = &a->level.grid;
    int t[DIM], outside = 0, axis = 0;
    uint32_t flag = 0;
    X(tile_coordinates)(g, (int)i, t);
    FOR_DIM(d)
        if (t[d] < 1 || t[d] > g->tiles[d] - 2) {
            outside++;
            axis = d;
        }
    if (outside == 1 && g->periodic[axis]) {
        t[axis] = t[axis] == 0 ? g->tiles[axis] - 2 : 1;
        flag = a->flags[a->base + (size_t)X(tile_number)(g, t)];
    }
    a->flags[2 * a->places + a->base + i] = flag;
}

MAP(number_blocks, list_args)
{
    size_t here = a->base + i, next = a->base + (size_t)a->level.grid.tile_count;
    const uint32_t *listed = a->sums, *even = a->sums + a->places, *image = even + a->places;
    const uint32_t *shallow = image + a->places;
    uint32_t count = listed[next] - listed[a->base];
    uint32_t even_count = even[next] - even[a->base];
    uint32_t place = listed[here] - listed[a->base], early = even[here] - even[a->base];
    int slot = 0;
    if (a->flags[here]) {
        bool first = a->flags[a->places + here];
        slot = (int)(first ? early : even_count + place - early) + 1;
        a->level.tile_of[slot] = (int)i;
        if (a->finest && a->flags[3 * a->places + i])
            a->shallow[shallow[i] - shallow[0]] = slot;
    } else if (a->flags[2 * a->places + here]) {
        slot = (int)(count + image[here] - image[a->base]) + 1;
    }
    a->level.slot[i] = slot;
    if (i == 0) {
        a->counts[3 * a->number] = count;
        a->counts[3 * a->number + 1] = even_count;
        a->counts[3 * a->number + 2] = image[next] - image[a->base];
        if (a->finest)
            a->counts[COUNTS - 1] = shallow[a->level.grid.tile_count] - shallow[0];
    }
}

MAP(find_near, list_args)
{
    const DEV(gpu_level) *l = &a->level;
    int t[DIM], slot = l->slot[i];
    if (!a->flags[a->base + i])
        return;
    X(tile_coordinates)(&l->grid, (int)i, t);
    FOR_DIM(d)
        for (int side = 0; side < 2; side++) {
            int near[DIM];
            memcpy(near, t, sizeof near);
            near[d] += side ? 1 : -1;
            l->near[2 * DIM * slot + 2 * d + side] = l->slot[X(tile_number)(&l->grid, near)];
        }
    if (a->last)
        return;
    int part = 0;
    FOR_DIM(d) {
        part |= ((t[d] - 1) & 1) << d;
        t[d] = (t[d] - 1) / 2 + 1;
    }
    l->parent[slot] = a->coarser.slot[X(tile_number)(&a->coarser.grid, t)] * FAMILY + part;
}

static list_args list_of(DEV(gpu_solver) * solver, int k)
{
    list_args args;
    memset(&args, 0, sizeof args);
    args.level = solver->levels[k];
    args.finest = k == 0;
    args.last = k == solver->level_count - 1;
    if (!args.last)
        args.coarser = solver->levels[k + 1];
    if (!args.finest) {
        args.fine = solver->levels[k - 1].grid;
        args.fine_base = solver->base[k - 1];
    }
    args.places = solver->places;
    args.base = solver->base[k];
    args.number = k;
    args.flags = solver->flags;
    args.sums = solver->sums;
    args.counts = solver->counts;
    args.shallow = solver->shallow;
    return args;
}

/* The flags of level 0's tiles, none of which is set so far. */
uint32_t *DEV(gpu_clear_flags)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    DEV(gpu_set)(g, solver->flags, 0, flag_count(solver) * sizeof(uint32_t));
    return solver->flags;
}

/* From the flags of level 0's tiles: the lists of all levels, and room for their blocks. */
void DEV(gpu_list_levels)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    uint32_t counts[COUNTS] = {0};
    for (int k = 0; k < solver->level_count; k++) {
        list_args args = list_of(solver, k);
        size_t tiles = (size_t)args.level.grid.tile_count;
        flag_level(g, args, tiles);
        if (solver->periodic)
            flag_images(g, args, tiles);
    }
    DEV(gpu_scan)(g, solver->flags, solver->sums, flag_count(solver));
    for (int k = 0; k < solver->level_count; k++)
        number_blocks(g, list_of(solver, k), (size_t)solver->levels[k].grid.tile_count);
    for (int k = 0; k < solver->level_count; k++)
        find_near(g, list_of(solver, k), (size_t)solver->levels[k].grid.tile_count);
    DEV(gpu_download)(g, counts, solver->counts, COUNTS * sizeof *counts);
    for (int k = 0; k < solver->level_count && !g->failure[0]; k++) {
        solver->levels[k].tile_count = (int)counts[3 * k];
        solver->levels[k].even_count = (int)counts[3 * k + 1];
        solver->levels[k].image_count = (int)counts[3 * k + 2];
    }
    solver->shallow_count = (int)counts[COUNTS - 1];
    reserve_fine(g);
    if (solver->level_count > 1)
        reserve_coarse(g);
}

/* ---- images across periodic sides */

typedef struct wrap_args {
    DEV(gpu_level) level;
    float *field, *other; /* to be wrapped; with `state`: one of them, as it says */
    const DEV(gpu_state) * state;
    int axis;
} wrap_args;

/* Place (u, v) of layer `at` across an axis, in a block. */
GPU_FN size_t layer_place(int axis, int at, int u, int v)
{
    int c[3] = {u, axis == 0 ? u : v, v};
    c[axis] = at;
    return (size_t)((c[2] * TILE + c[1]) * TILE + c[0]);
}

MAP(wrap_layer, wrap_args)
{
    const DEV(gpu_level) *l = &a->level;
    const X(grid) *g = &l->grid;
    int slot = (int)(i / FACE_CELLS) + 1, e = (int)(i % FACE_CELLS), axis = a->axis, t[DIM];
    int u = e % TILE, v = e / TILE, n = g->n[axis];
    X(tile_coordinates)(g, l->tile_of[slot], t);
    bool low = t[axis] == 1, high = t[axis] == (n - 1) / TILE + 1;
    float *field = a->state && a->state->last == 0 ? a->other : a->field;
    const float *from = field + (size_t)slot * TILE_CELLS;
    if (low) { /* cell 0 is also cell n */
        t[axis] = n / TILE + 1;
        int to = l->slot[X(tile_number)(g, t)];
        if (to)
            field[(size_t)to * TILE_CELLS + layer_place(axis, n % TILE, u, v)] =
                from[layer_place(axis, 0, u, v)];
    }
    if (high) { /* cell n - 1 is also cell -1 */
        t[axis] = 0;
        int to = l->slot[X(tile_number)(g, t)];
        if (to)
            field[(size_t)to * TILE_CELLS + layer_place(axis, TILE - 1, u, v)] =
                from[layer_place(axis, (n - 1) % TILE, u, v)];
    }
}

static void wrap(X(gpu) *g, wrap_args args)
{
    for (args.axis = 0; args.axis < DIM; args.axis++)
        if (args.level.grid.periodic[args.axis])
            wrap_layer(g, args, (size_t)args.level.tile_count * FACE_CELLS);
}

void DEV(gpu_wrap)(X(gpu) *g, const DEV(gpu_level) * l, float *field)
{
    wrap_args args;
    memset(&args, 0, sizeof args);
    args.level = *l;
    args.field = field;
    wrap(g, args);
}

void DEV(gpu_wrap_direction)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    wrap_args args;
    memset(&args, 0, sizeof args);
    args.level = solver->levels[0];
    args.field = solver->direction[0];
    args.other = solver->direction[1];
    args.state = solver->state;
    wrap(g, args);
}
