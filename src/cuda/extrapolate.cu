/* extrapolate.cu -- carries the velocity of the liquid into the faces around it
 * (cpu/extrapolate.c), and past solids (kernels/faces.h). */
#include "exec.h"
#include "kernels/extrapolate.h"
#include "kernels/faces.h"

typedef struct extrapolate_args {
    X(fields) f;
    DEV(gpu_counters) * counters;
    int layer;
} extrapolate_args;

/* Whether a solid leaves face d open. Beside a thin one particles may be those of the liquid behind
 * it. */
GPU_FN bool is_open(const X(fields) *f, size_t c, int d)
{
    return !f->cut || (f->w[d][c] > NARROW && !f->thin[c] && !f->thin[c - f->grid.stride[d]]);
}

/* Whether face d of a cell, between air cells, was reached by particles away from the liquid. */
GPU_FN bool is_in_cloud(const X(fields) *f, const int cell[DIM], size_t c, int d)
{
    bool cloud = f->weight[d][c] > 0.0f && is_open(f, c, d);
    FOR_DIM(axis)
        cloud = cloud && cell[axis] < f->grid.n[axis] + (axis == d);
    for (int n = 0; n < 2 * DIM && cloud; n++) {
        size_t step = f->grid.stride[n / 2], near = n % 2 ? c + step : c - step;
        uint8_t here = f->type[near], there = f->type[near - f->grid.stride[d]];
        cloud = here != SPATE_CELL_LIQUID && here != SPATE_CELL_INFLOW &&
                there != SPATE_CELL_LIQUID && there != SPATE_CELL_INFLOW;
    }
    return cloud;
}

/* What a face is at the start, and the largest |u| of the sources. */
MAP(mark_faces, extrapolate_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->tiles.faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    if (!X(place_has_faces)(&f->grid, tile, k))
        return;
    size_t c = X(tile_place)(&f->grid, tile, k, cell);
    uint8_t here = f->type[c];
    uint32_t most = 0;
    FOR_DIM(d) {
        uint8_t there = f->type[c - f->grid.stride[d]];
        bool wet = here == SPATE_CELL_LIQUID || there == SPATE_CELL_LIQUID;
        bool inflow = here == SPATE_CELL_INFLOW || there == SPATE_CELL_INFLOW;
        bool beside = here >= SPATE_CELL_SOLID || there >= SPATE_CELL_SOLID;
        bool closed = here >= SPATE_CELL_SOLID && there >= SPATE_CELL_SOLID;
        bool narrow = f->cut && !(f->w[d][c] > NARROW);
        closed = closed || narrow;
        bool source = (inflow && !narrow) || (wet && !closed), fixed = beside && !closed && !source;
        float u = f->u[d][c];
        if ((source || fixed) && !(f->weight[d][c] > 0.0f))
            f->u_old[d][c] = u;
        bool cloud = !wet && !inflow && !beside && is_in_cloud(f, cell, c, d);
        f->known[d][c] = (uint8_t)(source || cloud ? FACE_SOURCE
                                   : fixed         ? FACE_FIXED
                                                   : FACE_UNKNOWN);
        uint32_t bits;
        memcpy(&bits, &u, sizeof bits);
        bits &= 0x7fffffff;
        most = source && bits > most ? bits : most;
    }
    GPU_RAISE32(&a->counters->fastest, most);
}

GPU_FN void extend_face(const X(fields) *f, int d, size_t face, int layer)
{
    float sum = 0.0f, sum_old = 0.0f, count = 0.0f;
    FOR_DIM(axis) {
        size_t near[2] = {face - f->grid.stride[axis], face + f->grid.stride[axis]};
        for (int side = 0; side < 2; side++) {
            uint8_t known = f->known[d][near[side]];
            if (known == FACE_UNKNOWN || known == FACE_FIXED)
                continue;
            sum += f->u[d][near[side]];
            sum_old += f->u_old[d][near[side]];
            count += 1.0f;
        }
    }
    if (count == 0.0f)
        return;
    float own = 0.0f, now = sum / count, before = sum_old / count;
    if (f->weight[d][face] > 0.0f && is_open(f, face, d))
        own = X(own_part)(f->weight[d][face], f->u_old[d][face], before, f->rest);
    if (f->has_solids && f->cut && !(f->w[d][face] > NARROW)) /* for X(slide_closed_faces) */
        f->weight[d][face] = f->u_old[d][face];
    f->u[d][face] = now + own;
    f->u_old[d][face] = before + own;
    f->known_next[d][face] = (uint8_t)layer;
}

/* Reads `known` and writes `known_next`, so that a layer never builds on itself. */
MAP(extend_faces, extrapolate_args)
{
    const X(fields) *f = &a->f;
    int cell[DIM], tile = f->tiles.faces[i / TILE_CELLS], k = (int)(i % TILE_CELLS);
    if (!X(place_has_faces)(&f->grid, tile, k))
        return;
    size_t c = X(tile_place)(&f->grid, tile, k, cell);
    FOR_DIM(d) {
        uint8_t known = f->known[d][c];
        f->known_next[d][c] = known;
        if (known == FACE_UNKNOWN)
            extend_face(f, d, c, a->layer);
    }
}

double DEV(gpu_extrapolate)(X(gpu) *g, double dt, float *reach)
{
    size_t faces = (size_t)g->f.tiles.face_count * TILE_CELLS;
    extrapolate_args args = {g->f, g->counters, 0};
    uint32_t bits = 0;
    float fastest;
    DEV(gpu_set)(g, &g->counters->fastest, 0, sizeof bits);
    mark_faces(g, args, faces);
    DEV(gpu_download)(g, &bits, &g->counters->fastest, sizeof bits);
    memcpy(&fastest, &bits, sizeof fastest);
    int layers = X(layers_to_extend)(&g->f.grid, (double)fastest, dt);
    const bool *periodic = g->f.grid.periodic;
    for (int layer = 2; layer <= layers + 1; layer++) {
        for (int d = 0; d < DIM && (periodic[0] || periodic[1] || periodic[2]); d++) {
            DEV(gpu_fill_border_bytes)(g, g->f.known[d]);
            DEV(gpu_fill_border)(g, g->f.u[d], d);
            DEV(gpu_fill_border)(g, g->f.u_old[d], d);
        }
        args.f = g->f;
        args.layer = layer;
        extend_faces(g, args, faces);
        FOR_DIM(d) {
            uint8_t *swap = g->f.known[d];
            g->f.known[d] = g->f.known_next[d];
            g->f.known_next[d] = swap;
        }
    }
    *reach = (float)(layers - 1);
    DEV(extrapolate_solids)(g, dt);
    return (double)fastest;
}
