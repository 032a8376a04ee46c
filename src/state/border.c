/* border.c -- the cells around the domain on the host: loops over the layers of kernels/border.h.
 */
#include "state.h"

#include "kernels/border.h"

int X(image_place)(const X(sim) *s, int axis, int i, bool across)
{
    bool outside = i < 0 || (across ? i > s->grid.n[axis] : i >= s->grid.n[axis]);
    return outside ? X(image_of)(&s->grid, s->sides, axis, i, across).place : i;
}

typedef struct border_args {
    const X(domain) *domain;
    X(border) border;
    float *field, *weight;
    uint8_t *bytes;
    double *wide;
} border_args;

/* A layer of a tile's places outside, and their images: TILE x TILE (2D: TILE) places from `index`
 * and `source` on, with the strides of the two axes along the side. */
typedef struct layer {
    X(layer) is;
    size_t index, source, along, across;
} layer;

#define FOR_LAYER(l, i, o)                                                                         \
    for (size_t b_ = 0; b_ < LAST(TILE); b_++)                                                     \
        for (size_t a_ = 0, i = (l)->index + b_ * (l)->across, o = (l)->source + b_ * (l)->across; \
             a_ < TILE; a_++, i += (l)->along, o += (l)->along)

/* Along x, a row at a time. */
static void fill_rows(const layer *l, float *field)
{
    float sign = l->is.sign;
    for (size_t b = 0; b < LAST(TILE); b++)
        for (size_t i = b * l->across; i < b * l->across + TILE; i++)
            field[l->index + i] = sign * field[l->source + i];
}

static void do_layer(const border_args *args, const layer *l)
{
    float *field = args->field, *weight = args->weight;
    switch (args->border.what) {
    case BORDER_FILL:
        if (l->along == 1)
            fill_rows(l, field);
        else
            FOR_LAYER(l, i, o)
                field[i] = l->is.sign * field[o];
        break;
    case BORDER_FOLD:
        FOR_LAYER(l, i, o)
            field[o] += l->is.sign * field[i];
        if (weight)
            FOR_LAYER(l, i, o)
                weight[o] += weight[i];
        break;
    case BORDER_TYPE:
        FOR_LAYER(l, i, o)
            args->bytes[i] = X(type_outside)(l->is.side, args->bytes[o]);
        break;
    case BORDER_BYTES:
        FOR_LAYER(l, i, o)
            args->bytes[i] = args->bytes[o];
        break;
    case BORDER_WIDE:
        FOR_LAYER(l, i, o)
            args->wide[i] = args->wide[o];
        break;
    case BORDER_CLOSE:
        FOR_LAYER(l, i, o)
            field[i] = 0.0f;
        break;
    }
}

/* All layers along x, a row at a time. */
static void fill_ends(const border_args *args, const layer *l, size_t corner, bool high)
{
    const X(domain) *domain = args->domain;
    X(layer) m[BORDER_LAYERS];
    for (int k = 0; k < BORDER_LAYERS; k++)
        if (!X(border_layer)(domain->grid, domain->sides, &args->border, high, k, &m[k]))
            return;
    for (size_t b = 0; b < LAST(TILE); b++)
        for (size_t a = 0; a < TILE; a++) {
            float *row = args->field + corner + a * l->along + b * l->across;
            for (int k = 0; k < BORDER_LAYERS; k++)
                row[m[k].place] = m[k].sign * row[m[k].source];
        }
}

/* The layers of a tile on one side of the domain. `corner` is the index of the tile's first line at
 * place 0. */
static void do_side(const border_args *args, size_t corner, bool high)
{
    const X(domain) *domain = args->domain;
    int axis = args->border.axis;
    ptrdiff_t stride = (ptrdiff_t)domain->grid->stride[axis];
    layer l = {.along = domain->grid->stride[axis == 0 ? 1 : 0],
               .across = domain->grid->stride[axis == 2 ? 1 : 2]};
    if (axis == 0 && args->border.what == BORDER_FILL) {
        fill_ends(args, &l, corner, high);
        return;
    }
    for (int k = 0; k < BORDER_LAYERS; k++) {
        if (!X(border_layer)(domain->grid, domain->sides, &args->border, high, k, &l.is))
            return;
        l.index = (size_t)((ptrdiff_t)corner + l.is.place * stride);
        l.source = (size_t)((ptrdiff_t)corner + l.is.source * stride);
        do_layer(args, &l);
    }
}

/* The border next to one tile. */
static void do_tile(const border_args *args, const int t[DIM])
{
    const X(grid) *g = args->domain->grid;
    int first[DIM], sides = X(border_sides)(g, &args->border, t);
    if (sides == 0)
        return;
    FOR_DIM(d)
        first[d] = (t[d] - 1) * TILE;
    first[args->border.axis] = 0;
    size_t corner = X(index)(g, first);
    if (sides & 1)
        do_side(args, corner, false);
    if (sides & 2)
        do_side(args, corner, true);
}

static void border_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const border_args *args = user;
    const X(tiles) *tiles = args->domain->tiles;
    size_t active = (size_t)tiles->active_count;
    for (size_t k = begin; k < end; k++) {
        int tile = k < active ? tiles->active[k] : tiles->border[k - active], t[DIM];
        X(tile_coordinates)(args->domain->grid, tile, t);
        do_tile(args, t);
    }
}

/* Several face fields, component after component of each. */
typedef struct faces_args {
    const X(domain) *domain;
    float *const *const *fields;
    int count, axis;
} faces_args;

static void faces_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const faces_args *args = user;
    const X(tiles) *tiles = args->domain->tiles;
    size_t active = (size_t)tiles->active_count;
    for (size_t k = begin; k < end; k++) {
        int tile = k < active ? tiles->active[k] : tiles->border[k - active], t[DIM];
        X(tile_coordinates)(args->domain->grid, tile, t);
        if (t[args->axis] != 1 && t[args->axis] != args->domain->grid->tiles[args->axis] - 2)
            continue;
        for (int n = 0; n < args->count * DIM; n++) {
            border_args one = {.domain = args->domain,
                               .border = {BORDER_FILL, n % DIM, false, args->axis},
                               .field = args->fields[n / DIM][n % DIM]};
            do_tile(&one, t);
        }
    }
}

void X(fill_border_faces)(X(sim) *s, float *const *const *fields, int count)
{
    const X(tiles) *t = &s->tiles;
    for (int axis = 0; axis < DIM; axis++) {
        faces_args args = {&s->domain, fields, count, axis};
        sp_parallel_for(s->common->pool, (size_t)(t->active_count + t->border_count), 16,
                        faces_range, &args);
    }
}

static void run(border_args args)
{
    const X(domain) *domain = args.domain;
    const X(tiles) *t = domain->tiles;
    for (int axis = 0; axis < DIM; axis++) {
        if (args.border.periodic_only && !domain->grid->periodic[axis])
            continue;
        args.border.axis = axis;
        sp_parallel_for(domain->pool, (size_t)(t->active_count + t->border_count), 16, border_range,
                        &args);
    }
}

void X(fold_border)(X(sim) *s, float *sum, float *weight, int d)
{
    run((border_args){.domain = &s->domain,
                      .border = {BORDER_FOLD, d, false, 0},
                      .field = sum,
                      .weight = weight});
}

void X(fill_border)(X(sim) *s, float *field, int d)
{
    run((border_args){.domain = &s->domain, .border = {BORDER_FILL, d, false, 0}, .field = field});
}

void X(fill_border_periodic)(const X(domain) *domain, float *field, int d)
{
    run((border_args){.domain = domain, .border = {BORDER_FILL, d, true, 0}, .field = field});
}

void X(fill_border_wide)(const X(domain) *domain, double *field)
{
    run((border_args){.domain = domain, .border = {BORDER_WIDE, -1, true, 0}, .wide = field});
}

void X(fill_border_bytes)(X(sim) *s, uint8_t *field)
{
    run((border_args){.domain = &s->domain, .border = {BORDER_BYTES, -1, true, 0}, .bytes = field});
}

void X(fill_border_type)(X(sim) *s)
{
    run((border_args){
        .domain = &s->domain, .border = {BORDER_TYPE, -1, false, 0}, .bytes = s->type});
}

void X(close_walls)(X(sim) *s)
{
    FOR_DIM(d) {
        border_args args = {
            .domain = &s->domain, .border = {BORDER_CLOSE, d, false, d}, .field = s->u[d]};
        sp_parallel_for(s->common->pool, (size_t)(s->tiles.active_count + s->tiles.border_count),
                        16, border_range, &args);
    }
}
