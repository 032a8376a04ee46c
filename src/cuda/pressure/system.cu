/* system.cu -- the pressure system on the device: assembly into blocks, gradient, divergence. The
 * maths stands in cpu/pressure/system.c; expressions and their order are the same. */
#include "kernels/faces.h"
#include "kernels/surface.h"
#include "smoother_rows.h"

typedef struct system_args {
    X(fields) f;
    DEV(gpu_level) level;            /* 0 */
    uint32_t *flags, *shallow_flags; /* per tile: with unknowns; and not deep */
    uint8_t *deep;
    const int *shallow; /* blocks to be done */
    float *right, *q, *to[DIM];
    uint8_t *pocket;
    double *partials;
    float factor;
    bool blind;
    double dt;
} system_args;

typedef struct tile_shared {
    uint32_t most[PAIRS], other[PAIRS];
} tile_shared;

static system_args args_of(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    system_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.level = solver->levels[0];
    args.flags = solver->flags;
    args.shallow_flags = solver->flags + 3 * solver->places;
    args.deep = solver->deep;
    args.shallow = solver->shallow;
    args.right = solver->right;
    args.q = g->f.p;
    args.pocket = solver->pocket;
    args.partials = g->partials;
    args.blind = solver->blind;
    args.dt = g->dt;
    return args;
}

/* ---- assembly */

GPU_FN float factor_of(const system_args *a, float liquid, float air)
{
    return X(surface_factors)(a->f.surface, (float)a->f.grid.dx, liquid, air);
}

/* Whether solids may come near a tile or the faces around it. */
GPU_FN bool has_solids(const system_args *a, int tile)
{
    const X(grid) *g = &a->f.grid;
    if (!a->f.has_solids)
        return false;
    if (a->blind) { /* the far bound is not of all of them */
        bool cut = a->f.tiles.cut[tile];
        for (int d = 0, step = 1; d < DIM; step *= g->tiles[d++])
            cut = cut || a->f.tiles.cut[tile + step];
        return cut;
    }
    int t[DIM];
    bool blind = false;
    size_t middle = X(tile_index)(g, tile);
    X(tile_coordinates)(g, tile, t);
    FOR_DIM(d) {
        blind = blind || (g->periodic[d] && (t[d] <= 1 || t[d] >= g->tiles[d] - 2));
        middle += TILE / 2 * g->stride[d];
    }
    float far = (DIM == 3 ? 1.75f : 1.42f) * (TILE / 2 + 1) + 1.0f;
    return blind || a->f.phi_solid[middle] < far * (float)g->dx;
}

typedef struct equation {
    float diagonal, off[DIM];
    bool surface; /* touches air */
} equation;

GPU_FN equation equation_of(const system_args *a, size_t c, bool solids)
{
    const X(fields) *f = &a->f;
    equation e;
    e.diagonal = 0.0f;
    e.surface = false;
    FOR_DIM(d)
        for (int side = 0; side < 2; side++) {
            size_t face = side ? c + f->grid.stride[d] : c;
            size_t near = side ? face : c - f->grid.stride[d];
            uint8_t type = f->type[near];
            float w = type >= SPATE_CELL_SOLID ? 0.0f : solids ? f->w[d][face] : 1.0f;
            bool parted = f->parts && f->parted[near]; /* q = 0 in its middle */
            if (side == 0)
                e.off[d] = type == SPATE_CELL_LIQUID && !parted ? w : 0.0f;
            e.surface = e.surface || (parted && w > 0.0f);
            if (type == SPATE_CELL_AIR) {
                e.surface = e.surface || w > 0.0f;
                w = w * factor_of(a, f->phi[c], f->phi[near]);
            }
            e.diagonal += w;
        }
    return e;
}

/* Flux through face d of a cell, per face area, m/s: through its open part and with the solid's
 * surface. moving: some solid moves; a constant, so that the code for the others is small. */
GPU_FN double flux(const system_args *a, const int cell[DIM], int d, bool solids, bool moving)
{
    size_t face = X(index)(&a->f.grid, cell);
    double u = a->f.u[d][face], w = solids ? (double)a->f.w[d][face] : 1.0;
    float v[DIM];
    if (!moving || w >= 1.0)
        return w * u;
    X(solid_velocity)(&a->f.grid, &a->f.solids, cell, d, a->dt, v);
    return w * u + (1 - w) * (double)v[d];
}

GPU_FN double outflow(const system_args *a, const int cell[DIM], bool solids, bool moving)
{
    double sum = 0;
    FOR_DIM(d) {
        int next[DIM];
        FOR_DIM(axis)
            next[axis] = cell[axis] + (axis == d);
        sum += flux(a, next, d, solids, moving) - flux(a, cell, d, solids, moving);
    }
    return sum;
}

/* Whether a cell has an equation. */
GPU_FN bool is_unknown(const system_args *a, const int cell[DIM], size_t c, bool solids)
{
    bool open = false;
    if (a->f.type[c] != SPATE_CELL_LIQUID || !X(inside)(&a->f.grid, cell))
        return false;
    if (a->f.parts && a->f.parted[c])
        return false;
    FOR_DIM(d) {
        size_t step = a->f.grid.stride[d];
        bool low = a->f.type[c - step] < SPATE_CELL_SOLID;
        bool high = a->f.type[c + step] < SPATE_CELL_SOLID;
        open = open || (low && (!solids || a->f.w[d][c] > 0.0f)) ||
               (high && (!solids || a->f.w[d][c + step] > 0.0f));
    }
    return open;
}

/* Whether all cells of a row are liquid; it begins at a multiple of TILE. */
GPU_FN bool is_liquid_row(const uint8_t *type)
{
    const uint64_t liquid = 0x0101010101010101u * SPATE_CELL_LIQUID;
    bool all = true;
    SP_UNROLL_ALL
    for (int k = 0; k < TILE / 8; k++) {
        uint64_t eight;
        memcpy(&eight, GPU_ALIGNED(type + 8 * k, 8), sizeof eight);
        bool same = eight == liquid;
        all = same && all;
    }
    return all;
}

/* Whether a cell of a row, or one across their faces, has parted from a wall. */
GPU_FN bool has_parted_near(const system_args *a, size_t c)
{
    const uint8_t *parted = a->f.parted + c;
    bool some = parted[-1] | parted[TILE];
    KEEP_LOOP
    for (int i = 0; i < TILE; i++) {
        some = some || parted[i];
        for (int d = 1; d < DIM; d++)
            some = some || parted[i - (ptrdiff_t)a->f.grid.stride[d]] ||
                   parted[i + (ptrdiff_t)a->f.grid.stride[d]];
    }
    return some;
}

/* Whether the rows around a row of liquid are liquid too, and the cells at its ends. All are looked
 * at, side by side: one after the other would take longer. */
GPU_FN bool is_deep_row(const system_args *a, size_t c)
{
    const X(grid) *g = &a->f.grid;
    const uint8_t *type = a->f.type + c;
    bool before = type[-1] == SPATE_CELL_LIQUID, behind = type[TILE] == SPATE_CELL_LIQUID;
    bool all = before && behind;
    SP_UNROLL_ALL
    for (int d = 1; d < DIM; d++) {
        bool low = is_liquid_row(type - g->stride[d]), high = is_liquid_row(type + g->stride[d]);
        all = low && high && all;
    }
    return all;
}

/* Bits of what a tile has. */
enum { SOME_UNKNOWN = 1, NOT_DEEP = 2 };

GPU_FN uint32_t flag_row(const system_args *a, int tile, int number, bool solids)
{
    const X(grid) *g = &a->f.grid;
    int first[DIM], cell[DIM];
    X(tile_cell)(g, tile, first);
    X(row_cell)(first, number, cell);
    size_t c = X(index)(g, cell);
    cell[0] += TILE - 1;
    bool parts = a->f.parts && has_parted_near(a, c);
    if (!solids && !parts && X(inside)(g, cell) && is_liquid_row(a->f.type + c))
        return SOME_UNKNOWN | (is_deep_row(a, c) ? 0 : NOT_DEEP);
    cell[0] -= TILE - 1;
    uint32_t flags = NOT_DEEP;
    KEEP_LOOP
    for (int i = 0; i < TILE; i++, cell[0]++)
        if (is_unknown(a, cell, c + (size_t)i, solids))
            flags |= SOME_UNKNOWN;
        else
            a->q[c + (size_t)i] = 0.0f;
    return flags;
}

typedef struct flag_shared {
    uint32_t some[GROUP], shallow[GROUP];
} flag_shared;

/* Tiles with unknowns, and deep ones; there is no pressure where there is no unknown. */
BLOCKS(flag_tiles, system_args, flag_shared, GROUP_ROWS)
{
    FOR_THREADS(group, GROUP)
        shared->some[group] = shared->shallow[group] = 0;
    BARRIER();
    FOR_THREADS(t, GROUP_ROWS) {
        int group = t / TILE_ROWS, number = (int)block * GROUP + group;
        if (number >= a->f.tiles.active_count)
            continue;
        int tile = a->f.tiles.active[number];
        bool solids = has_solids(a, tile), seam = X(has_seam)(&a->f.grid, tile);
        uint32_t flags = flag_row(a, tile, t % TILE_ROWS, solids);
        if (flags & SOME_UNKNOWN)
            GPU_MAX32(&shared->some[group], 1u);
        if (seam || (flags & NOT_DEEP))
            GPU_MAX32(&shared->shallow[group], 1u);
    }
    BARRIER();
    FOR_THREADS(group, GROUP) {
        int number = (int)block * GROUP + group;
        if (number < a->f.tiles.active_count) {
            int tile = a->f.tiles.active[number];
            a->flags[tile] = shared->some[group];
            a->shallow_flags[tile] = shared->some[group] && shared->shallow[group];
            a->deep[tile] = !shared->shallow[group];
        }
    }
}

/* The equation of a cell into the blocks; the magnitude of its right side. */
GPU_FN uint32_t assemble_cell(const system_args *a, int tile, int slot, int k, bool solids,
                              bool moving, bool *ragged)
{
    int cell[DIM];
    size_t c = X(tile_place)(&a->f.grid, tile, k, cell);
    size_t at = (size_t)slot * TILE_CELLS + (size_t)k;
    bool liquid = a->f.type[c] == SPATE_CELL_LIQUID && X(inside)(&a->f.grid, cell) &&
                  !(a->f.parts && a->f.parted[c]);
    equation e;
    memset(&e, 0, sizeof e);
    if (liquid)
        e = equation_of(a, c, solids);
    float b = e.diagonal > 0.0f ? (float)-outflow(a, cell, solids, moving) : 0.0f;
    a->level.d[at] = e.diagonal;
    a->right[at] = b;
    a->pocket[at] = liquid && !e.surface;
    FOR_DIM(d)
        if (a->level.a[d])
            a->level.a[d][at] = e.off[d];
    *ragged = *ragged || e.diagonal != (float)(2 * DIM);
    return magnitude_bits(b);
}

/* The system of a tile; its kind; the largest right side. */
GPU_FN void assemble_tile(const system_args *a, size_t block, tile_shared *shared, bool moving)
{
    int slot = a->shallow[block], tile = a->level.tile_of[slot];
    bool solids = has_solids(a, tile), general = solids || X(has_seam)(&a->f.grid, tile);
    FOR_THREADS(t, PAIRS) {
        bool ragged = false;
        uint32_t one = assemble_cell(a, tile, slot, t, solids, moving, &ragged);
        uint32_t two = assemble_cell(a, tile, slot, t + PAIRS, solids, moving, &ragged);
        shared->most[t] = one > two ? one : two;
        shared->other[t] = general ? GENERAL : ragged ? PLAIN : UNIFORM;
    }
    find_largest(shared->most, PAIRS);
    find_largest(shared->other, PAIRS);
    FOR_THREADS(t, 1) {
        a->partials[slot - 1] = bits_magnitude(shared->most[0]);
        a->level.kind[slot] = (uint8_t)shared->other[0];
    }
}

BLOCKS(assemble_tiles, system_args, tile_shared, PAIRS)
{
    assemble_tile(a, block, shared, false);
}

BLOCKS(assemble_moving, system_args, tile_shared, PAIRS)
{
    assemble_tile(a, block, shared, true);
}

double DEV(gpu_assemble)(X(gpu) *g, bool blind, float scale, int sweeps)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    DEV(gpu_state) state;
    memset(&state, 0, sizeof state);
    solver->scale = scale;
    solver->blind = blind;
    solver->pockets = solver->prepared = false;
    solver->largest = 0;
    DEV(gpu_fill_faces)(g, g->f.u);
    DEV(gpu_clear_flags)(g);
    flag_tiles(g, args_of(g), groups_of(g->f.tiles.active_count));
    DEV(gpu_list_levels)(g);
    if (g->failure[0] || solver->levels[0].tile_count == 0)
        return 0;
    if (g->f.solids.any_moving)
        assemble_moving(g, args_of(g), (size_t)solver->shallow_count);
    else
        assemble_tiles(g, args_of(g), (size_t)solver->shallow_count);
    DEV(gpu_assemble_deep)(g);
    FOR_DIM(d)
        if (solver->periodic)
            DEV(gpu_wrap)(g, &solver->levels[0], solver->levels[0].a[d]);
    DEV(gpu_gather_largest)(g);
    DEV(gpu_find_pockets)(g);
    if (sweeps > 0) /* while the device is busy with what is queued */
        DEV(gpu_prepare_multigrid)(g, sweeps);
    DEV(gpu_download)(g, &state, solver->state, sizeof state);
    solver->largest = state.largest;
    solver->pockets =
        state.pockets && state.largest < 1e30; /* otherwise the solve will be refused */
    DEV(gpu_remove_pocket_means)(g, solver->largest);
    return solver->largest;
}

/* ---- sizes */

BLOCKS(measure_right, system_args, tile_shared, PAIRS)
{
    const float *right = a->right + (block + 1) * TILE_CELLS;
    FOR_THREADS(t, PAIRS) {
        uint32_t one = magnitude_bits(right[t]), two = magnitude_bits(right[t + PAIRS]);
        shared->most[t] = one > two ? one : two;
    }
    find_largest(shared->most, PAIRS);
    FOR_THREADS(t, 1)
        a->partials[block] = bits_magnitude(shared->most[0]);
}

double DEV(gpu_largest_b)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    size_t tiles = (size_t)solver->levels[0].tile_count;
    if (!solver->pockets && solver->largest >= 0)
        return solver->largest;
    measure_right(g, args_of(g), tiles);
    return DEV(gpu_maximum)(g, tiles);
}

GPU_FN void measure_tile(const system_args *a, size_t block, tile_shared *shared, bool moving)
{
    int slot = a->shallow[block], tile = a->level.tile_of[slot];
    bool solids = has_solids(a, tile);
    FOR_THREADS(t, PAIRS) {
        uint32_t most = 0;
        for (int e = 0; e < 2; e++) {
            int cell[DIM], k = t + e * PAIRS;
            X(tile_place)(&a->f.grid, tile, k, cell);
            bool unknown = a->level.d[(size_t)slot * TILE_CELLS + (size_t)k] > 0.0f;
            uint32_t bits = unknown ? magnitude_bits((float)outflow(a, cell, solids, moving)) : 0;
            most = bits > most ? bits : most;
        }
        shared->most[t] = most;
    }
    find_largest(shared->most, PAIRS);
    FOR_THREADS(t, 1)
        a->partials[slot - 1] = bits_magnitude(shared->most[0]);
}

BLOCKS(measure_divergence, system_args, tile_shared, PAIRS)
{
    measure_tile(a, block, shared, false);
}

BLOCKS(measure_moving, system_args, tile_shared, PAIRS)
{
    measure_tile(a, block, shared, true);
}

double DEV(gpu_divergence)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    size_t tiles = (size_t)solver->levels[0].tile_count, shallow = (size_t)solver->shallow_count;
    if (g->f.solids.any_moving)
        measure_moving(g, args_of(g), shallow);
    else
        measure_divergence(g, args_of(g), shallow);
    DEV(gpu_measure_deep)(g);
    return DEV(gpu_maximum)(g, tiles);
}

/* ---- the dense pressure, CHUNK cells per thread */

MAP(scale_chunks, system_args)
{
    size_t c = chunk_place(&a->f.grid, a->f.tiles.active[i / TILE_CHUNKS], (int)(i % TILE_CHUNKS));
    float q[CHUNK];
    load_floats(a->q + c, q, CHUNK);
    SP_UNROLL_ALL
    for (int k = 0; k < CHUNK; k++)
        q[k] *= a->factor;
    store_floats(a->q + c, q, CHUNK);
}

void DEV(gpu_scale_pressure)(X(gpu) *g, float *p, float factor)
{
    system_args args = args_of(g);
    args.q = p;
    args.factor = factor;
    scale_chunks(g, args, (size_t)g->f.tiles.active_count * TILE_CHUNKS);
}

/* to -= grad q, on the faces of a place. */
GPU_FN void subtract_at(const system_args *a, size_t c)
{
    const X(fields) *f = &a->f;
    uint8_t type = f->type[c];
    bool here = type == SPATE_CELL_LIQUID;
    FOR_DIM(d) {
        size_t low = c - f->grid.stride[d];
        uint8_t other = f->type[low];
        bool there = other == SPATE_CELL_LIQUID;
        bool open = type < SPATE_CELL_SOLID && other < SPATE_CELL_SOLID && (here || there);
        if (!open || (f->has_solids && f->w[d][c] == 0.0f))
            continue;
        float change = a->q[c] - a->q[low];
        if (here != there) {
            float one = f->phi[c], two = f->phi[low];
            change = factor_of(a, here ? one : two, here ? two : one) * change;
        }
        a->to[d][c] -= change;
    }
}

/* A chunk with liquid on both sides of all its faces, and no solid anywhere. All loads come before
 * the stores, which might change what they read for all that the compiler knows. */
GPU_FN void subtract_chunk(const system_args *a, size_t c)
{
    float q[CHUNK], to[DIM][CHUNK], low[DIM][CHUNK];
    load_floats(a->q + c, q, CHUNK);
    low[0][0] = a->q[c - 1];
    FOR_DIM(d) {
        load_floats(a->to[d] + c, to[d], CHUNK);
        if (d > 0)
            load_floats(a->q + c - a->f.grid.stride[d], low[d], CHUNK);
    }
    SP_UNROLL_ALL
    for (int k = 0; k + 1 < CHUNK; k++)
        low[0][k + 1] = q[k];
    FOR_DIM(d) {
        SP_UNROLL_ALL
        for (int k = 0; k < CHUNK; k++)
            to[d][k] -= q[k] - low[d][k];
        store_floats(a->to[d] + c, to[d], CHUNK);
    }
}

MAP(subtract_gradient, system_args)
{
    const X(grid) *g = &a->f.grid;
    int tile = a->f.tiles.faces[i / TILE_CHUNKS], e = (int)(i % TILE_CHUNKS);
    size_t c = chunk_place(g, tile, e);
    int slot =
        a->level.slot[tile]; /* of tiles without unknowns `deep` is old, or was never known */
    if (slot > 0 && slot <= a->level.tile_count && a->deep[tile]) {
        subtract_chunk(a, c);
        return;
    }
    if (!X(place_has_faces)(g, tile, e * CHUNK))
        return;
    KEEP_LOOP
    for (int k = 0; k < CHUNK; k++)
        subtract_at(a, c + (size_t)k);
}

void DEV(gpu_gradient)(X(gpu) *g, bool density)
{
    system_args args = args_of(g);
    args.q = density ? DEV(gpu_solver_of)(g)->q_density : g->f.p;
    FOR_DIM(d)
        args.to[d] = density ? g->f.away[d] : g->f.u[d];
    DEV(gpu_fill_border_periodic)(g, args.q, -1);
    subtract_gradient(g, args, (size_t)g->f.tiles.face_count * TILE_CHUNKS);
    DEV(gpu_fill_faces)(g, args.to);
}
