/* border.cu -- the cells around the domain on the device: loops over the layers of
 * kernels/border.h.
 *
 * One thread does TILE lines of places across a side: all their layers, in order. */
#include "kernels/border.h"
#include "launch.h"

typedef struct border_args {
    X(fields) f;
    X(border) border;                /* of the first field */
    float *field[DIM], *weight[DIM]; /* as many as are done at a time: components of faces */
    uint8_t *bytes;
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
    sp_border_task what = a->border.what;
    bool fold = what == BORDER_FOLD, bytes = what == BORDER_TYPE || what == BORDER_BYTES;
    place_values v;
    v.inner = bytes || what == BORDER_CLOSE ? 0.0f : field[o];
    v.outer = fold ? field[i] : 0.0f;
    v.inner_weight = fold && weight ? weight[o] : 0.0f;
    v.outer_weight = fold && weight ? weight[i] : 0.0f;
    v.byte = bytes ? a->bytes[o] : 0;
    return v;
}

GPU_FN void write_place(const border_args *a, int which, size_t i, size_t o, const X(layer) *l,
                        const place_values *v)
{
    float *field = a->field[which], *weight = a->weight[which];
    switch (a->border.what) {
    case BORDER_FILL: field[i] = l->sign * v->inner; break;
    case BORDER_FOLD:
        field[o] = v->inner + l->sign * v->outer;
        if (weight)
            weight[o] = v->inner_weight + v->outer_weight;
        break;
    case BORDER_TYPE: a->bytes[i] = X(type_outside)(l->side, v->byte); break;
    case BORDER_BYTES: a->bytes[i] = v->byte; break;
    case BORDER_CLOSE: field[i] = 0.0f; break;
    case BORDER_WIDE: break;
    }
}

/* One layer of TILE lines beside each other: they are apart, so all are read, then all written. */
GPU_FN void do_layer(const border_args *a, int which, size_t i, size_t o, size_t step,
                     const X(layer) *l)
{
    place_values v[TILE];
    SP_UNROLL_ALL
    for (int k = 0; k < TILE; k++)
        v[k] = read_place(a, which, i + (size_t)k * step, o + (size_t)k * step);
    SP_UNROLL_ALL
    for (int k = 0; k < TILE; k++)
        write_place(a, which, i + (size_t)k * step, o + (size_t)k * step, l, &v[k]);
}

/* The layers of TILE lines on one side; `line` is the index of the first one at place 0, the next
 * one `step` after it. */
GPU_FN void do_side(const border_args *a, const X(border) *border, int which, size_t line,
                    size_t step, bool high)
{
    const X(grid) *g = &a->f.grid;
    ptrdiff_t stride = (ptrdiff_t)g->stride[border->axis];
    X(layer) l;
    for (int k = 0; k < BORDER_LAYERS && X(border_layer)(g, a->f.sides, border, high, k, &l); k++)
        do_layer(a, which, (size_t)((ptrdiff_t)line + l.place * stride),
                 (size_t)((ptrdiff_t)line + l.source * stride), step, &l);
}

/* Fields one after the other, TILE_ROWS lines per tile, TILE of them by each thread: most tiles are
 * not at the side, and threads that find nothing to do cost time too. */
MAP(do_lines, border_args)
{
    const X(grid) *g = &a->f.grid;
    const X(tiles) *tiles = &a->f.tiles;
    size_t bundles = a->lines / TILE;
    int which = (int)(i / bundles), number = (int)(i % bundles / (TILE_ROWS / TILE));
    int bundle = (int)(i % (TILE_ROWS / TILE)), axis = a->border.axis, t[DIM], first[DIM];
    int tile = number < tiles->active_count ? tiles->active[number]
                                            : tiles->border[number - tiles->active_count];
    X(border) border = a->border;
    border.component += which;
    X(tile_coordinates)(g, tile, t);
    int sides = X(border_sides)(g, &border, t);
    if (sides == 0)
        return;
    X(tile_cell)(g, tile, first);
    first[axis] = 0;
    if (DIM == 3)
        first[axis == 2 ? 1 : DIM - 1] += bundle;
    size_t index = X(index)(g, first), step = g->stride[axis == 0 ? 1 : 0];
    if (sides & 1)
        do_side(a, &border, which, index, step, false);
    if (sides & 2)
        do_side(a, &border, which, index, step, true);
}

static void run(X(gpu) *g, border_args args, int fields)
{
    args.lines = (size_t)(g->f.tiles.active_count + g->f.tiles.border_count) * TILE_ROWS;
    args.f = g->f;
    if (args.border.what == BORDER_CLOSE) {
        do_lines(g, args, args.lines / TILE);
        return;
    }
    for (int axis = 0; axis < DIM; axis++)
        if (!args.border.periodic_only || g->f.grid.periodic[axis]) {
            args.border.axis = axis;
            do_lines(g, args, args.lines / TILE * (size_t)fields);
        }
}

static border_args task_of(sp_border_task what, int component)
{
    border_args args;
    memset(&args, 0, sizeof args);
    args.border.what = what;
    args.border.component = component;
    return args;
}

void DEV(gpu_fold_border)(X(gpu) *g, float *sum, float *weight, int d)
{
    border_args args = task_of(BORDER_FOLD, d);
    args.field[0] = sum;
    args.weight[0] = weight;
    run(g, args, 1);
}

void DEV(gpu_fill_border)(X(gpu) *g, float *field, int d)
{
    border_args args = task_of(BORDER_FILL, d);
    args.field[0] = field;
    run(g, args, 1);
}

void DEV(gpu_fold_faces)(X(gpu) *g, float *const sum[DIM], float *const weight[DIM])
{
    border_args args = task_of(BORDER_FOLD, 0);
    FOR_DIM(d) {
        args.field[d] = sum[d];
        args.weight[d] = weight[d];
    }
    run(g, args, DIM);
}

void DEV(gpu_fill_faces)(X(gpu) *g, float *const field[DIM])
{
    border_args args = task_of(BORDER_FILL, 0);
    FOR_DIM(d)
        args.field[d] = field[d];
    run(g, args, DIM);
}

void DEV(gpu_fill_border_periodic)(X(gpu) *g, float *field, int d)
{
    border_args args = task_of(BORDER_FILL, d);
    args.field[0] = field;
    args.border.periodic_only = true;
    run(g, args, 1);
}

void DEV(gpu_fill_border_bytes)(X(gpu) *g, uint8_t *field)
{
    border_args args = task_of(BORDER_BYTES, -1);
    args.bytes = field;
    args.border.periodic_only = true;
    run(g, args, 1);
}

void DEV(gpu_fill_border_type)(X(gpu) *g)
{
    border_args args = task_of(BORDER_TYPE, -1);
    args.bytes = g->f.type;
    run(g, args, 1);
}

void DEV(gpu_close_walls)(X(gpu) *g)
{
    FOR_DIM(d) {
        border_args args = task_of(BORDER_CLOSE, d);
        args.field[0] = g->f.u[d];
        args.border.axis = d;
        run(g, args, 1);
    }
}
