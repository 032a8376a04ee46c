/* border.c -- the cells around the domain: what they mean, written once.
 *
 * A place i outside along an axis of n cells is the image of a place inside:
 *
 *   periodic   i mod n
 *   wall       its mirror image: cell-like places -1, -2 are 0, 1 and keep their sign (free slip); faces across the wall
 *              -1, -2 are 1, 2 with the other sign
 *   open       the nearest place inside
 *
 * Filling goes axis by axis; a later axis also fills over the border of the earlier ones, so that corners come out
 * right. Folding (P2G: what particles gave to places outside is added to the image) goes the same way and leaves the
 * later axes to do. Only borders next to active tiles are touched. */
#include "state.h"

#define LAYERS 3 /* the widest kernel reaches this far out */

typedef struct image {
    int place;  /* inside */
    float sign; /* 0: there is none */
} image;

static image image_of(const X(sim) *s, int axis, int i, bool across)
{
    int n = s->grid.n[axis];
    spate_side side = s->common->scene->domain.sides[axis][i < 0 ? 0 : 1];
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

/* One place outside, at `index`, whose image is at `source`. */
static void do_place(const border_args *args, size_t index, size_t source, float sign, spate_side side)
{
    switch (args->what) {
    case TASK_FILL:
        args->field[index] = sign * args->field[source];
        break;
    case TASK_FOLD:
        if (side == SPATE_SIDE_OPEN)
            break;
        args->field[source] += sign * args->field[index];
        args->weight[source] += args->weight[index];
        break;
    case TASK_TYPE:
        args->bytes[index] = side == SPATE_SIDE_WALL   ? SPATE_CELL_SOLID
                             : side == SPATE_SIDE_OPEN ? SPATE_CELL_AIR
                                                       : args->bytes[source];
        break;
    case TASK_BYTES:
        args->bytes[index] = args->bytes[source];
        break;
    case TASK_WIDE:
        args->wide[index] = args->wide[source];
        break;
    case TASK_CLOSE:
        break;
    }
}

/* The border places along one line of cells on one side of the domain. `line` is the index of place 0 of the line. */
static void do_line(const border_args *args, size_t line, bool high)
{
    X(sim) *s = args->s;
    int axis = args->axis, n = s->grid.n[axis];
    ptrdiff_t stride = (ptrdiff_t)s->grid.stride[axis];
    spate_side side = s->common->scene->domain.sides[axis][high];
    bool across = args->component == axis;
    if (args->what == TASK_CLOSE) {
        if (side == SPATE_SIDE_WALL)
            args->field[(ptrdiff_t)line + (high ? n : 0) * stride] = 0.0f;
        return;
    }
    if (args->periodic_only && side != SPATE_SIDE_PERIODIC)
        return;
    /* the face at n belongs to the domain unless it is the image of face 0 */
    int first = across && side != SPATE_SIDE_PERIODIC ? n + 1 : n;
    for (int layer = 0; layer < LAYERS; layer++) {
        int i = high ? first + layer : -1 - layer;
        image m = image_of(s, axis, i, across);
        do_place(args, (size_t)((ptrdiff_t)line + i * stride), (size_t)((ptrdiff_t)line + m.place * stride), m.sign, side);
    }
}

/* Lines of one tile next to a side. Tiles that are border along an axis whose turn has not come are passed over. */
static void do_tile(const border_args *args, int tile)
{
    const X(grid) *g = &args->s->grid;
    int axis = args->axis, t[DIM];
    X(tile_coordinates)(g, tile, t);
    bool fold = args->what == TASK_FOLD;
    FOR_DIM(d) {
        /* the faces that end the domain may lie in a border tile: they are not outside */
        bool last_faces = d == args->component && d != axis && t[d] == g->tiles[d] - 1;
        bool outside = (t[d] < 1 || t[d] > g->tiles[d] - 2) && !last_faces;
        if (outside && (d == axis || (fold ? d < axis : d > axis)))
            return;
    }
    bool low = t[axis] == 1, high = t[axis] == g->tiles[axis] - 2;
    if (!low && !high)
        return;
    int first[DIM];
    X(tile_cell)(g, tile, first);
    first[axis] = 0;
    size_t corner = X(index)(g, first);
    int e = axis == 0 ? 1 : 0, f = axis == 2 ? 1 : 2;
    for (int b = 0; b < LAST(TILE); b++)
        for (int a = 0; a < TILE; a++) {
            size_t line = corner + (size_t)a * g->stride[e] + (size_t)b * g->stride[f];
            if (low)
                do_line(args, line, false);
            if (high)
                do_line(args, line, true);
        }
}

static void border_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const border_args *args = user;
    const X(tiles) *t = &args->s->tiles;
    for (size_t k = begin; k < end; k++)
        do_tile(args, k < (size_t)t->active_count ? t->active[k] : t->border[k - (size_t)t->active_count]);
}

static void run(border_args args)
{
    const X(tiles) *t = &args.s->tiles;
    for (args.axis = 0; args.axis < DIM; args.axis++) {
        if (args.periodic_only && !args.s->grid.periodic[args.axis])
            continue;
        sp_parallel_for(args.s->common->pool, (size_t)(t->active_count + t->border_count), 16, border_range, &args);
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

void X(fill_border_periodic)(X(sim) *s, float *field)
{
    run((border_args){.s = s, .what = TASK_FILL, .field = field, .component = -1, .periodic_only = true});
}

void X(fill_border_wide)(X(sim) *s, double *field)
{
    run((border_args){.s = s, .what = TASK_WIDE, .wide = field, .component = -1, .periodic_only = true});
}

void X(fill_border_bytes)(X(sim) *s, uint8_t *field)
{
    run((border_args){.s = s, .what = TASK_BYTES, .bytes = field, .component = -1, .periodic_only = true});
}

void X(fill_border_type)(X(sim) *s)
{
    run((border_args){.s = s, .what = TASK_TYPE, .bytes = s->type, .component = -1});
}

void X(close_walls)(X(sim) *s)
{
    FOR_DIM(d) {
        border_args args = {.s = s, .what = TASK_CLOSE, .field = s->u[d], .component = d, .axis = d};
        sp_parallel_for(s->common->pool, (size_t)(s->tiles.active_count + s->tiles.border_count), 16, border_range, &args);
    }
}
