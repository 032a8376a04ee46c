/* border.cu -- the cells around the domain on the device, as sim/border.c has them.
 *
 * One thread does one line of places across a side: all its layers, in order. */
#include "device/cuda/launch.h"

#define LAYERS 3

typedef enum task { TASK_FILL, TASK_FOLD, TASK_TYPE, TASK_CLOSE, TASK_BYTES } task;

typedef struct border_args {
    X(fields) f;
    task what;
    float *field, *weight;
    uint8_t *bytes;
    int component; /* of a face field; -1 for cell values */
    bool periodic_only;
    int axis;
} border_args;

typedef struct image {
    int place;
    float sign;
} image;

GPU_FN image image_of(const X(fields) *f, int axis, int i, bool across)
{
    int n = f->grid.n[axis];
    spate_side side = f->sides[axis][i < 0 ? 0 : 1];
    image m = {i, 1.0f};
    if (side == SPATE_SIDE_PERIODIC) {
        m.place = ((i % n) + n) % n;
    } else if (side == SPATE_SIDE_OPEN) {
        m.place = i < 0 ? 0 : across ? n : n - 1;
    } else if (across) {
        for (; m.place < 0 || m.place > n; m.sign = -m.sign)
            m.place = m.place < 0 ? -m.place : 2 * n - m.place;
    } else {
        while (m.place < 0 || m.place >= n)
            m.place = m.place < 0 ? -1 - m.place : 2 * n - 1 - m.place;
    }
    return m;
}

GPU_FN void do_place(const border_args *a, size_t i, size_t o, float sign, spate_side side)
{
    bool wall = side == SPATE_SIDE_WALL, open = side == SPATE_SIDE_OPEN;
    switch (a->what) {
    case TASK_FILL: a->field[i] = sign * a->field[o]; break;
    case TASK_FOLD:
        if (open)
            break;
        a->field[o] += sign * a->field[i];
        if (a->weight)
            a->weight[o] += a->weight[i];
        break;
    case TASK_TYPE:
        a->bytes[i] = (uint8_t)(wall ? SPATE_CELL_SOLID : open ? SPATE_CELL_AIR : a->bytes[o]);
        break;
    case TASK_BYTES: a->bytes[i] = a->bytes[o]; break;
    case TASK_CLOSE:
        if (wall)
            a->field[i] = 0.0f;
        break;
    }
}

/* The layers of one line on one side; `line` is its index at place 0. */
GPU_FN void do_line(const border_args *a, size_t line, bool high)
{
    const X(grid) *g = &a->f.grid;
    int n = g->n[a->axis];
    ptrdiff_t stride = (ptrdiff_t)g->stride[a->axis];
    bool across = a->component == a->axis;
    spate_side side = a->f.sides[a->axis][high];
    if (a->what == TASK_CLOSE) {
        size_t i = (size_t)((ptrdiff_t)line + (high ? n : 0) * stride);
        do_place(a, i, i, 1.0f, side);
        return;
    }
    if (a->periodic_only && side != SPATE_SIDE_PERIODIC)
        return;
    int first = across && side != SPATE_SIDE_PERIODIC ? n + 1 : n;
    for (int k = 0; k < LAYERS; k++) {
        int i = high ? first + k : -1 - k;
        image m = image_of(&a->f, a->axis, i, across);
        do_place(a, (size_t)((ptrdiff_t)line + i * stride),
                 (size_t)((ptrdiff_t)line + m.place * stride), m.sign, side);
    }
}

/* Line i % (TILE_CELLS / TILE) of the tile i / (TILE_CELLS / TILE). */
MAP(do_lines, border_args)
{
    const X(grid) *g = &a->f.grid;
    int number = (int)(i / TILE_ROWS), line = (int)(i % TILE_ROWS), axis = a->axis;
    int tile =
        number < a->f.active_count ? a->f.active[number] : a->f.border[number - a->f.active_count];
    int t[DIM], first[DIM];
    X(tile_coordinates)(g, tile, t);
    bool fold = a->what == TASK_FOLD;
    FOR_DIM(d) {
        bool last_faces = d == a->component && d != axis && t[d] == g->tiles[d] - 1;
        bool outside = (t[d] < 1 || t[d] > g->tiles[d] - 2) && !last_faces;
        if (outside && (d == axis || (fold ? d < axis : d > axis)))
            return;
    }
    bool low = t[axis] == 1, high = t[axis] == g->tiles[axis] - 2;
    if (!low && !high)
        return;
    X(tile_cell)(g, tile, first);
    first[axis] = 0;
    int along = axis == 0 ? 1 : 0;
    first[along] += line & (TILE - 1);
    if (DIM == 3)
        first[axis == 2 ? 1 : DIM - 1] += line >> TILE_SHIFT;
    size_t index = X(index)(g, first);
    if (low)
        do_line(a, index, false);
    if (high)
        do_line(a, index, true);
}

static void run(X(gpu) *g, border_args args)
{
    size_t lines = (size_t)(g->f.active_count + g->f.border_count) * TILE_ROWS;
    args.f = g->f;
    if (args.what == TASK_CLOSE) {
        do_lines(g, args, lines);
        return;
    }
    for (args.axis = 0; args.axis < DIM; args.axis++)
        if (!args.periodic_only || g->f.grid.periodic[args.axis])
            do_lines(g, args, lines);
}

static border_args task_of(task what, int component)
{
    border_args args;
    memset(&args, 0, sizeof args);
    args.what = what;
    args.component = component;
    return args;
}

void X(gpu_fold_border)(X(gpu) *g, float *sum, float *weight, int d)
{
    border_args args = task_of(TASK_FOLD, d);
    args.field = sum;
    args.weight = weight;
    run(g, args);
}

void X(gpu_fill_border)(X(gpu) *g, float *field, int d)
{
    border_args args = task_of(TASK_FILL, d);
    args.field = field;
    run(g, args);
}

void X(gpu_fill_border_periodic)(X(gpu) *g, float *field)
{
    border_args args = task_of(TASK_FILL, -1);
    args.field = field;
    args.periodic_only = true;
    run(g, args);
}

void X(gpu_fill_border_bytes)(X(gpu) *g, uint8_t *field)
{
    border_args args = task_of(TASK_BYTES, -1);
    args.bytes = field;
    args.periodic_only = true;
    run(g, args);
}

void X(gpu_fill_border_type)(X(gpu) *g)
{
    border_args args = task_of(TASK_TYPE, -1);
    args.bytes = g->f.type;
    run(g, args);
}

void X(gpu_close_walls)(X(gpu) *g)
{
    FOR_DIM(d) {
        border_args args = task_of(TASK_CLOSE, d);
        args.field = g->f.u[d];
        args.axis = d;
        run(g, args);
    }
}
