/* border.cu -- the cells around the domain on the device, as cpu/border.c has them.
 *
 * One thread does TILE lines of places across a side: all their layers, in order. */
#include "kernels/sides.h"
#include "launch.h"

#define LAYERS 3

typedef enum task { TASK_FILL, TASK_FOLD, TASK_TYPE, TASK_CLOSE, TASK_BYTES } task;

typedef struct border_args {
    X(fields) f;
    task what;
    float *field[DIM], *weight[DIM]; /* as many as are done at a time */
    uint8_t *bytes;
    int component; /* of the first field, a face field; -1 for cell values */
    bool periodic_only;
    int axis;
    size_t lines; /* of each field */
} border_args;

/* What is read for a place: i outside or on the side, o its image inside. */
typedef struct place_values {
    float outer, inner, outer_weight, inner_weight;
    uint8_t byte;
} place_values;

GPU_FN place_values read_place(const border_args *a, int which, size_t i, size_t o)
{
    const float *field = a->field[which], *weight = a->weight[which];
    bool fold = a->what == TASK_FOLD, bytes = a->what == TASK_TYPE || a->what == TASK_BYTES;
    place_values v;
    v.inner = bytes || a->what == TASK_CLOSE ? 0.0f : field[o];
    v.outer = fold ? field[i] : 0.0f;
    v.inner_weight = fold && weight ? weight[o] : 0.0f;
    v.outer_weight = fold && weight ? weight[i] : 0.0f;
    v.byte = bytes ? a->bytes[o] : 0;
    return v;
}

GPU_FN void write_place(const border_args *a, int which, size_t i, size_t o, float sign,
                        spate_side side, const place_values *v)
{
    float *field = a->field[which], *weight = a->weight[which];
    bool wall = side == SPATE_SIDE_WALL, open = side == SPATE_SIDE_OPEN;
    switch (a->what) {
    case TASK_FILL: field[i] = sign * v->inner; break;
    case TASK_FOLD:
        if (open)
            break;
        field[o] = v->inner + sign * v->outer;
        if (weight)
            weight[o] = v->inner_weight + v->outer_weight;
        break;
    case TASK_TYPE:
        a->bytes[i] = (uint8_t)(wall ? SPATE_CELL_SOLID : open ? SPATE_CELL_AIR : v->byte);
        break;
    case TASK_BYTES: a->bytes[i] = v->byte; break;
    case TASK_CLOSE:
        if (wall)
            field[i] = 0.0f;
        break;
    }
}

/* One layer of TILE lines beside each other: they are apart, so all are read, then all written. */
GPU_FN void do_layer(const border_args *a, int which, size_t i, size_t o, size_t step, float sign,
                     spate_side side)
{
    place_values v[TILE];
    SP_UNROLL_ALL
    for (int k = 0; k < TILE; k++)
        v[k] = read_place(a, which, i + (size_t)k * step, o + (size_t)k * step);
    SP_UNROLL_ALL
    for (int k = 0; k < TILE; k++)
        write_place(a, which, i + (size_t)k * step, o + (size_t)k * step, sign, side, &v[k]);
}

/* The layers of TILE lines on one side; `line` is the index of the first one at place 0, the next
 * one `step` after it. */
GPU_FN void do_side(const border_args *a, int which, size_t line, size_t step, bool high)
{
    const X(grid) *g = &a->f.grid;
    int n = g->n[a->axis];
    ptrdiff_t stride = (ptrdiff_t)g->stride[a->axis];
    bool across = a->component + which == a->axis;
    spate_side side = a->f.sides[a->axis][high];
    if (a->what == TASK_CLOSE) {
        size_t i = (size_t)((ptrdiff_t)line + (high ? n : 0) * stride);
        do_layer(a, which, i, i, step, 1.0f, side);
        return;
    }
    if (a->periodic_only && side != SPATE_SIDE_PERIODIC)
        return;
    int first = across && side != SPATE_SIDE_PERIODIC ? n + 1 : n;
    for (int k = 0; k < LAYERS; k++) {
        int i = high ? first + k : -1 - k;
        X(image) m = X(image_of)(g, a->f.sides, a->axis, i, across);
        do_layer(a, which, (size_t)((ptrdiff_t)line + i * stride),
                 (size_t)((ptrdiff_t)line + m.place * stride), step, m.sign, side);
    }
}

/* Fields one after the other, TILE_ROWS lines per tile, TILE of them by each thread: most tiles are
 * not at the side, and threads that find nothing to do cost time too. */
MAP(do_lines, border_args)
{
    const X(grid) *g = &a->f.grid;
    size_t bundles = a->lines / TILE;
    int which = (int)(i / bundles), number = (int)(i % bundles / (TILE_ROWS / TILE));
    int bundle = (int)(i % (TILE_ROWS / TILE)), axis = a->axis, component = a->component + which;
    int tile = number < a->f.tiles.active_count
                   ? a->f.tiles.active[number]
                   : a->f.tiles.border[number - a->f.tiles.active_count];
    int t[DIM], first[DIM];
    X(tile_coordinates)(g, tile, t);
    bool fold = a->what == TASK_FOLD;
    FOR_DIM(d) {
        bool last_faces = d == component && d != axis && t[d] == g->tiles[d] - 1;
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
    if (DIM == 3)
        first[axis == 2 ? 1 : DIM - 1] += bundle;
    size_t index = X(index)(g, first);
    if (low)
        do_side(a, which, index, g->stride[along], false);
    if (high)
        do_side(a, which, index, g->stride[along], true);
}

static void run(X(gpu) *g, border_args args, int fields)
{
    args.lines = (size_t)(g->f.tiles.active_count + g->f.tiles.border_count) * TILE_ROWS;
    args.f = g->f;
    if (args.what == TASK_CLOSE) {
        do_lines(g, args, args.lines / TILE);
        return;
    }
    for (args.axis = 0; args.axis < DIM; args.axis++)
        if (!args.periodic_only || g->f.grid.periodic[args.axis])
            do_lines(g, args, args.lines / TILE * (size_t)fields);
}

static border_args task_of(task what, int component)
{
    border_args args;
    memset(&args, 0, sizeof args);
    args.what = what;
    args.component = component;
    return args;
}

void DEV(gpu_fold_border)(X(gpu) *g, float *sum, float *weight, int d)
{
    border_args args = task_of(TASK_FOLD, d);
    args.field[0] = sum;
    args.weight[0] = weight;
    run(g, args, 1);
}

void DEV(gpu_fill_border)(X(gpu) *g, float *field, int d)
{
    border_args args = task_of(TASK_FILL, d);
    args.field[0] = field;
    run(g, args, 1);
}

void DEV(gpu_fold_faces)(X(gpu) *g, float *const sum[DIM], float *const weight[DIM])
{
    border_args args = task_of(TASK_FOLD, 0);
    FOR_DIM(d) {
        args.field[d] = sum[d];
        args.weight[d] = weight[d];
    }
    run(g, args, DIM);
}

void DEV(gpu_fill_faces)(X(gpu) *g, float *const field[DIM])
{
    border_args args = task_of(TASK_FILL, 0);
    FOR_DIM(d)
        args.field[d] = field[d];
    run(g, args, DIM);
}

void DEV(gpu_fill_border_periodic)(X(gpu) *g, float *field)
{
    border_args args = task_of(TASK_FILL, -1);
    args.field[0] = field;
    args.periodic_only = true;
    run(g, args, 1);
}

void DEV(gpu_fill_border_bytes)(X(gpu) *g, uint8_t *field)
{
    border_args args = task_of(TASK_BYTES, -1);
    args.bytes = field;
    args.periodic_only = true;
    run(g, args, 1);
}

void DEV(gpu_fill_border_type)(X(gpu) *g)
{
    border_args args = task_of(TASK_TYPE, -1);
    args.bytes = g->f.type;
    run(g, args, 1);
}

void DEV(gpu_close_walls)(X(gpu) *g)
{
    FOR_DIM(d) {
        border_args args = task_of(TASK_CLOSE, d);
        args.field[0] = g->f.u[d];
        args.axis = d;
        run(g, args, 1);
    }
}
