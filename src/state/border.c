/* border.c -- the cells around the domain: what they mean, written once.
 *
 * A place i outside along an axis of n cells is the image of a place inside:
 *
 *   periodic   i mod n
 *   wall       its mirror image: cell-like places -1, -2 are 0, 1 and keep their sign (free slip);
 * faces across the wall -1, -2 are 1, 2 with the other sign open       the nearest place inside
 *
 * Filling goes axis by axis; a later axis also fills over the border of the earlier ones, so that
 * corners come out right. Folding (P2G: what particles gave to places outside is added to the
 * image) goes the same way and leaves the later axes to do. Only borders next to active tiles are
 * touched. */
#include "state.h"

#include <string.h>

#define LAYERS 3 /* the widest kernel reaches this far out */

int X(image_place)(const X(sim) *s, int axis, int i, bool across)
{
    bool outside = i < 0 || (across ? i > s->grid.n[axis] : i >= s->grid.n[axis]);
    return outside ? X(image_of)(&s->grid, s->common->scene->domain.sides, axis, i, across).place
                   : i;
}

typedef enum task { TASK_FILL, TASK_FOLD, TASK_TYPE, TASK_CLOSE, TASK_BYTES, TASK_WIDE } task;

typedef struct border_args {
    X(sim) *s;
    task what;
    float *field, *weight;
    uint8_t *bytes;
    double *wide;
    int component; /* of a face field; -1 for cell values */
    bool periodic_only;
    int axis; /* the one being done */
} border_args;

/* A layer of a tile's places outside, and their images: TILE x TILE (2D: TILE) places from `index`
 * and `source` on, with the strides of the two axes along the side. */
typedef struct layer {
    size_t index, source, along, across;
    float sign;
    spate_side side;
} layer;

#define FOR_LAYER(l, i, o)                                                                         \
    for (size_t b_ = 0; b_ < LAST(TILE); b_++)                                                     \
        for (size_t a_ = 0, i = (l)->index + b_ * (l)->across, o = (l)->source + b_ * (l)->across; \
             a_ < TILE; a_++, i += (l)->along, o += (l)->along)

/* Along x, a row at a time. */
static void fill_rows(const layer *l, float *field)
{
    float sign = l->sign;
    for (size_t b = 0; b < LAST(TILE); b++)
        for (size_t i = b * l->across; i < b * l->across + TILE; i++)
            field[l->index + i] = sign * field[l->source + i];
}

static void do_layer(const border_args *args, const layer *l)
{
    bool wall = l->side == SPATE_SIDE_WALL, open = l->side == SPATE_SIDE_OPEN;
    float *field = args->field, *weight = args->weight;
    switch (args->what) {
    case TASK_FILL:
        if (l->along == 1)
            fill_rows(l, field);
        else
            FOR_LAYER(l, i, o)
                field[i] = l->sign * field[o];
        break;
    case TASK_FOLD:
        if (open)
            break;
        FOR_LAYER(l, i, o)
            field[o] += l->sign * field[i];
        if (weight)
            FOR_LAYER(l, i, o)
                weight[o] += weight[i];
        break;
    case TASK_TYPE:
        FOR_LAYER(l, i, o)
            args->bytes[i] = wall ? SPATE_CELL_SOLID : open ? SPATE_CELL_AIR : args->bytes[o];
        break;
    case TASK_BYTES:
        FOR_LAYER(l, i, o)
            args->bytes[i] = args->bytes[o];
        break;
    case TASK_WIDE:
        FOR_LAYER(l, i, o)
            args->wide[i] = args->wide[o];
        break;
    case TASK_CLOSE:
        if (wall)
            FOR_LAYER(l, i, o)
                field[i] = 0.0f;
        break;
    }
}

/* All layers along x, a row at a time: `first` and so on, in steps of `step`. */
static void fill_ends(const border_args *args, const layer *l, size_t corner, int first, int step)
{
    const X(sim) *s = args->s;
    X(image) m[LAYERS];
    for (int k = 0; k < LAYERS; k++)
        m[k] = X(image_of)(&s->grid, s->common->scene->domain.sides, 0, first + k * step,
                           args->component == 0);
    for (size_t b = 0; b < LAST(TILE); b++)
        for (size_t a = 0; a < TILE; a++) {
            float *row = args->field + corner + a * l->along + b * l->across;
            for (int k = 0; k < LAYERS; k++)
                row[first + k * step] = m[k].sign * row[m[k].place];
        }
}

/* The layers of a tile on one side of the domain. `corner` is the index of the tile's first line at
 * place 0. */
static void do_side(const border_args *args, size_t corner, bool high)
{
    const X(grid) *g = &args->s->grid;
    int axis = args->axis, n = g->n[axis];
    ptrdiff_t stride = (ptrdiff_t)g->stride[axis];
    bool across = args->component == axis;
    layer l = {.side = args->s->common->scene->domain.sides[axis][high], .sign = 1.0f};
    l.along = g->stride[axis == 0 ? 1 : 0];
    l.across = g->stride[axis == 2 ? 1 : 2];
    if (args->what == TASK_CLOSE) {
        l.index = l.source = (size_t)((ptrdiff_t)corner + (high ? n : 0) * stride);
        do_layer(args, &l);
        return;
    }
    if (args->periodic_only && l.side != SPATE_SIDE_PERIODIC)
        return;
    /* the face at n belongs to the domain unless it is the image of face 0 */
    int first = across && l.side != SPATE_SIDE_PERIODIC ? n + 1 : n;
    if (axis == 0 && args->what == TASK_FILL) {
        fill_ends(args, &l, corner, high ? first : -1, high ? 1 : -1);
        return;
    }
    for (int k = 0; k < LAYERS; k++) {
        int i = high ? first + k : -1 - k;
        X(image) m = X(image_of)(g, args->s->common->scene->domain.sides, axis, i, across);
        l.index = (size_t)((ptrdiff_t)corner + i * stride);
        l.source = (size_t)((ptrdiff_t)corner + m.place * stride);
        l.sign = m.sign;
        do_layer(args, &l);
    }
}

/* The border next to one tile. Tiles that are border along an axis whose turn has not come are
 * passed over. */
static void do_tile(const border_args *args, const int t[DIM])
{
    const X(grid) *g = &args->s->grid;
    int axis = args->axis;
    bool low = t[axis] == 1, high = t[axis] == g->tiles[axis] - 2;
    bool fold = args->what == TASK_FOLD;
    if (!low && !high)
        return;
    FOR_DIM(d) {
        /* the faces that end the domain may lie in a border tile: they are not outside */
        bool last_faces = d == args->component && d != axis && t[d] == g->tiles[d] - 1;
        bool outside = (t[d] < 1 || t[d] > g->tiles[d] - 2) && !last_faces;
        if (outside && (d == axis || (fold ? d < axis : d > axis)))
            return;
    }
    int first[DIM];
    FOR_DIM(d)
        first[d] = (t[d] - 1) * TILE;
    first[axis] = 0;
    size_t corner = X(index)(g, first);
    if (low)
        do_side(args, corner, false);
    if (high)
        do_side(args, corner, true);
}

static void border_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const border_args *args = user;
    const X(tiles) *tiles = &args->s->tiles;
    size_t active = (size_t)tiles->active_count;
    for (size_t k = begin; k < end; k++) {
        int tile = k < active ? tiles->active[k] : tiles->border[k - active], t[DIM];
        X(tile_coordinates)(&args->s->grid, tile, t);
        do_tile(args, t);
    }
}

/* Several face fields, component after component of each. */
typedef struct faces_args {
    X(sim) *s;
    float *const *const *fields;
    int count, axis;
} faces_args;

static void faces_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const faces_args *args = user;
    const X(tiles) *tiles = &args->s->tiles;
    size_t active = (size_t)tiles->active_count;
    for (size_t k = begin; k < end; k++) {
        int tile = k < active ? tiles->active[k] : tiles->border[k - active], t[DIM];
        X(tile_coordinates)(&args->s->grid, tile, t);
        if (t[args->axis] != 1 && t[args->axis] != args->s->grid.tiles[args->axis] - 2)
            continue;
        for (int n = 0; n < args->count * DIM; n++) {
            border_args one = {.s = args->s,
                               .what = TASK_FILL,
                               .field = args->fields[n / DIM][n % DIM],
                               .component = n % DIM,
                               .axis = args->axis};
            do_tile(&one, t);
        }
    }
}

void X(fill_border_faces)(X(sim) *s, float *const *const *fields, int count)
{
    const X(tiles) *t = &s->tiles;
    for (int axis = 0; axis < DIM; axis++) {
        faces_args args = {s, fields, count, axis};
        sp_parallel_for(s->common->pool, (size_t)(t->active_count + t->border_count), 16,
                        faces_range, &args);
    }
}

static void run(border_args args)
{
    const X(tiles) *t = &args.s->tiles;
    for (args.axis = 0; args.axis < DIM; args.axis++) {
        if (args.periodic_only && !args.s->grid.periodic[args.axis])
            continue;
        sp_parallel_for(args.s->common->pool, (size_t)(t->active_count + t->border_count), 16,
                        border_range, &args);
    }
}

void X(fold_border)(X(sim) *s, float *sum, float *weight, int d)
{
    run((border_args){.s = s, .what = TASK_FOLD, .field = sum, .weight = weight, .component = d});
}

void X(fill_border)(X(sim) *s, float *field, int d)
{
    run((border_args){.s = s, .what = TASK_FILL, .field = field, .component = d});
}

void X(fill_border_periodic)(X(sim) *s, float *field, int d)
{
    run((border_args){
        .s = s, .what = TASK_FILL, .field = field, .component = d, .periodic_only = true});
}

void X(fill_border_wide)(X(sim) *s, double *field)
{
    run((border_args){
        .s = s, .what = TASK_WIDE, .wide = field, .component = -1, .periodic_only = true});
}

void X(fill_border_bytes)(X(sim) *s, uint8_t *field)
{
    run((border_args){
        .s = s, .what = TASK_BYTES, .bytes = field, .component = -1, .periodic_only = true});
}

void X(fill_border_type)(X(sim) *s)
{
    run((border_args){.s = s, .what = TASK_TYPE, .bytes = s->type, .component = -1});
}

void X(close_walls)(X(sim) *s)
{
    FOR_DIM(d) {
        border_args args = {
            .s = s, .what = TASK_CLOSE, .field = s->u[d], .component = d, .axis = d};
        sp_parallel_for(s->common->pool, (size_t)(s->tiles.active_count + s->tiles.border_count),
                        16, border_range, &args);
    }
}
