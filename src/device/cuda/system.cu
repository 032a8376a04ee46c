/* system.cu -- the pressure system on the device: assembly into blocks, gradient, divergence. The
 * maths stands in sim/pressure/system.c; expressions and their order are the same. */
#include "device/cuda/solver.h"
#include "kernels/faces.h"

typedef struct system_args {
    X(fields) f;
    X(gpu_level) level; /* 0 */
    uint32_t *flags;
    float *right, *q, *to[DIM];
    uint8_t *pocket;
    double *partials;
    float least_theta, factor;
    bool blind;
    double dt;
} system_args;

typedef struct tile_shared {
    uint32_t most[PAIRS], other[PAIRS];
} tile_shared;

static system_args args_of(X(gpu) *g)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    system_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.level = y->levels[0];
    args.flags = y->flags;
    args.right = y->right;
    args.q = g->f.p;
    args.pocket = y->pocket;
    args.partials = g->partials;
    args.least_theta = y->least_theta;
    args.blind = y->blind;
    args.dt = g->dt;
    return args;
}

/* ---- assembly */

/* 1 / theta from a liquid cell to an air cell. */
GPU_FN float surface_factor(const system_args *a, float liquid, float air)
{
    if (!a->f.ghost)
        return 1.0f;
    float theta = liquid / (liquid - air);
    theta = theta > a->least_theta ? theta : a->least_theta;
    return air < 0.0f ? 2.0f : 1.0f / theta;
}

/* Whether solids may come near a tile or the faces around it. */
GPU_FN bool has_solids(const system_args *a, int tile)
{
    const X(grid) *g = &a->f.grid;
    if (!a->f.solids)
        return false;
    if (a->blind) { /* the far bound is not of all of them */
        bool cut = a->f.tile_cut[tile];
        for (int d = 0, step = 1; d < DIM; step *= g->tiles[d++])
            cut = cut || a->f.tile_cut[tile + step];
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

GPU_FN bool has_seam(const X(grid) *g, int tile)
{
    int t[DIM];
    bool seam = false;
    X(tile_coordinates)(g, tile, t);
    FOR_DIM(d)
        seam = seam || (g->periodic[d] && (t[d] == 1 || t[d] >= g->tiles[d] - 2));
    return seam;
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
            if (side == 0)
                e.off[d] = type == SPATE_CELL_LIQUID ? w : 0.0f;
            if (type == SPATE_CELL_AIR) {
                e.surface = e.surface || w > 0.0f;
                w = w * surface_factor(a, f->phi[c], f->phi[near]);
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
    X(solid_velocity)(&a->f.grid, &a->f.bodies, cell, d, a->dt, v);
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
    FOR_DIM(d) {
        size_t step = a->f.grid.stride[d];
        bool low = a->f.type[c - step] < SPATE_CELL_SOLID;
        bool high = a->f.type[c + step] < SPATE_CELL_SOLID;
        open = open || (low && (!solids || a->f.w[d][c] > 0.0f)) ||
               (high && (!solids || a->f.w[d][c + step] > 0.0f));
    }
    return open;
}

/* Tiles with unknowns; there is no pressure where there is no unknown. */
BLOCKS(flag_tiles, system_args, tile_shared, PAIRS)
{
    int tile = a->f.active[block];
    bool solids = has_solids(a, tile);
    FOR_THREADS(t, PAIRS) {
        uint32_t some = 0;
        for (int e = 0; e < 2; e++) {
            int cell[DIM];
            size_t c = X(tile_place)(&a->f.grid, tile, t + e * PAIRS, cell);
            if (is_unknown(a, cell, c, solids))
                some = 1;
            else
                a->q[c] = 0.0f;
        }
        shared->most[t] = some;
    }
    find_largest(shared->most, PAIRS);
    FOR_THREADS(t, 1)
        a->flags[tile] = shared->most[0];
}

/* The equation of a cell into the blocks; the magnitude of its right side. */
GPU_FN uint32_t assemble_cell(const system_args *a, int tile, int slot, int k, bool solids,
                              bool moving, bool *ragged)
{
    int cell[DIM];
    size_t c = X(tile_place)(&a->f.grid, tile, k, cell);
    size_t at = (size_t)slot * TILE_CELLS + (size_t)k;
    bool liquid = a->f.type[c] == SPATE_CELL_LIQUID && X(inside)(&a->f.grid, cell);
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
    int slot = (int)block + 1, tile = a->level.tile_of[slot];
    bool solids = has_solids(a, tile), general = solids || has_seam(&a->f.grid, tile);
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
        a->partials[block] = bits_magnitude(shared->most[0]);
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

double X(gpu_assemble)(X(gpu) *g, float least_theta, bool blind)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    y->least_theta = least_theta;
    y->blind = blind;
    FOR_DIM(d)
        X(gpu_fill_border)(g, g->f.u[d], d);
    X(gpu_set)(g, y->flags, 0, (3 * y->places + 1) * sizeof(uint32_t));
    flag_tiles(g, args_of(g), (size_t)g->f.active_count);
    X(gpu_list_levels)(g);
    if (g->failure[0])
        return 0;
    size_t tiles = (size_t)y->levels[0].tile_count;
    if (g->f.bodies.any_moving)
        assemble_moving(g, args_of(g), tiles);
    else
        assemble_tiles(g, args_of(g), tiles);
    FOR_DIM(d)
        if (y->periodic)
            X(gpu_wrap)(g, &y->levels[0], y->levels[0].a[d]);
    double most = X(gpu_maximum)(g, tiles);
    X(gpu_find_pockets)(g, most);
    return most;
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

double X(gpu_largest_b)(X(gpu) *g)
{
    size_t tiles = (size_t)X(gpu_solver_of)(g)->levels[0].tile_count;
    measure_right(g, args_of(g), tiles);
    return X(gpu_maximum)(g, tiles);
}

GPU_FN void measure_tile(const system_args *a, size_t block, tile_shared *shared, bool moving)
{
    int slot = (int)block + 1, tile = a->level.tile_of[slot];
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
        a->partials[block] = bits_magnitude(shared->most[0]);
}

BLOCKS(measure_divergence, system_args, tile_shared, PAIRS)
{
    measure_tile(a, block, shared, false);
}

BLOCKS(measure_moving, system_args, tile_shared, PAIRS)
{
    measure_tile(a, block, shared, true);
}

double X(gpu_divergence)(X(gpu) *g)
{
    size_t tiles = (size_t)X(gpu_solver_of)(g)->levels[0].tile_count;
    if (g->f.bodies.any_moving)
        measure_moving(g, args_of(g), tiles);
    else
        measure_divergence(g, args_of(g), tiles);
    return X(gpu_maximum)(g, tiles);
}

/* ---- the dense pressure */

MAP(scale_cells, system_args)
{
    int cell[DIM];
    size_t c = X(tile_place)(&a->f.grid, a->f.active[i / TILE_CELLS], (int)(i % TILE_CELLS), cell);
    a->q[c] *= a->factor;
}

void X(gpu_scale_pressure)(X(gpu) *g, float factor)
{
    system_args args = args_of(g);
    args.factor = factor;
    scale_cells(g, args, (size_t)g->f.active_count * TILE_CELLS);
}

/* to -= grad q, on the faces of a place. */
MAP(subtract_gradient, system_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    size_t c = X(tile_place)(&f->grid, tile, k, cell);
    if (!X(place_has_faces)(&f->grid, tile, k))
        return;
    uint8_t type = f->type[c];
    bool here = type == SPATE_CELL_LIQUID;
    FOR_DIM(d) {
        size_t low = c - f->grid.stride[d];
        uint8_t other = f->type[low];
        bool there = other == SPATE_CELL_LIQUID;
        bool open = type < SPATE_CELL_SOLID && other < SPATE_CELL_SOLID && (here || there);
        if (!open || (f->solids && f->w[d][c] == 0.0f))
            continue;
        float change = a->q[c] - a->q[low];
        if (here != there) {
            float one = f->phi[c], two = f->phi[low];
            change = surface_factor(a, here ? one : two, here ? two : one) * change;
        }
        a->to[d][c] -= change;
    }
}

void X(gpu_gradient)(X(gpu) *g, bool density)
{
    system_args args = args_of(g);
    args.q = density ? X(gpu_solver_of)(g)->q_density : g->f.p;
    FOR_DIM(d)
        args.to[d] = density ? g->f.weight[d] : g->f.u[d];
    X(gpu_fill_border_periodic)(g, args.q);
    subtract_gradient(g, args, (size_t)g->f.face_count * TILE_CELLS);
    FOR_DIM(d)
        X(gpu_fill_border)(g, args.to[d], d);
}
