/* push_store.c -- the particles of a tile and of one cell around it, close together.
 *
 * Rows of cells lie in one piece, with the cells beyond the tile and beyond periodic sides where
 * they are met, so the cells x - 1 .. x + 1 of a row are one run of entries. Only the rows next to
 * one that has particles of the tile are copied. The store is gone through in order, row by row and
 * layer by layer: what is in use at a time, two or three layers, stays in the near caches. */
#include "push.h"

static size_t room_for(uint32_t capacity)
{
    return ((size_t)capacity + BYTES + 63) / 64 * 64;
}

size_t DEV(push_store_bytes)(uint32_t capacity)
{
    return room_for(capacity) * (2 * sizeof(f4) + DIM);
}

void DEV(push_store_init)(tile_store *s, void *memory, uint32_t capacity)
{
    size_t entries = room_for(capacity);
    s->place = memory;
    s->sum = s->place + entries;
    FOR_DIM(d)
        s->rounded[d] = (uint8_t *)(s->sum + entries) + (size_t)d * entries;
    s->place[NOBODY] = (f4){1e9f, 1e9f, DIM == 3 ? 1e9f : 0.0f, 0.0f};
    s->place[NOBODY + 1] = (f4){0};
}

SIMD_FN b8 round_places(f8 x, float per_cell)
{
    enum { LOW = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 3 }; /* byte of an int */
    typedef uint8_t b32 __attribute__((vector_size(4 * LANES)));
    b32 steps = (b32)convert(x * per_cell, i8);
    return shuffle(steps, steps, LOW, LOW + 4, LOW + 8, LOW + 12, LOW + 16, LOW + 20, LOW + 24,
                   LOW + 28);
}

/* 1 in the lanes whose particles touch something. */
SIMD_FN f8 find_held(const around *a, const f8 x[DIM], uint32_t number)
{
    const push_args *args = a->args;
    i8 held = {0};
    FOR_DIM(d)
        held |= is_less(x[d], f8_of(args->sides.touch_low[d])) |
                is_less(f8_of(args->sides.touch_high[d]), x[d]);
    if (a->solids) {
        b8 touches;
        memcpy(&touches, args->touches + number, sizeof touches);
        held |= -convert(touches, i8);
    }
    return where(held, f8_of(1.0f));
}

SIMD_FN void copy_bytes(const push_args *args, int d, uint32_t number, f8 x, float shift,
                        uint8_t *to)
{
    b8 rounded;
    if (args->last)
        memcpy(&rounded, args->rounded[d] + number, sizeof rounded);
    else
        rounded = round_places(x, args->m.steps);
    rounded += (uint8_t)(int)(shift * args->m.steps);
    memcpy(to, &rounded, sizeof rounded);
}

void DEV(push_copy)(around *a, uint32_t number, uint32_t count, const float shift[DIM], uint32_t at,
                    bool with_bytes)
{
    const push_args *args = a->args;
    for (uint32_t k = 0; k < count; k += LANES) {
        uint32_t first = number + k;
        f8 x[DIM], held = {0}, none = {0};
        FOR_DIM(d) {
            x[d] = load(args->from[d] + first);
            if (with_bytes)
                copy_bytes(args, d, first, x[d], shift[d], a->store.rounded[d] + at + k);
            x[d] += shift[d];
        }
        if (a->walls || a->solids)
            held = find_held(a, x, first);
        f8 third = DIM == 3 ? x[DIM - 1] : held, fourth = DIM == 3 ? held : none;
        f8 rows[4] = {x[0], x[1], third, fourth};
        transpose4(rows);
        for (int m = 0; m < LANES; m++)
            a->store.place[at + k + (uint32_t)m] = f4_of(rows, m);
    }
}

void DEV(push_turn_round)(const push_args *args, int d, int *c, float *shift)
{
    int n = args->s->grid.n[d], turn = !args->sides.wrap[d] ? 0 : *c < 0 ? n : *c >= n ? -n : 0;
    *c += turn;
    *shift = (float)-turn;
}

/* The cells c, c + 1, ... along x into the row whose first cell of the store is `cell`. */
static bool load_row(around *a, int cell, const int c[DIM], bool with_bytes)
{
    const push_args *args = a->args;
    const X(sim) *s = args->s;
    int first[DIM], far = c[0] + SIDE, i = 0;
    float shift[DIM];
    for (int d = 1; d < DIM; d++) {
        first[d] = c[d];
        DEV(push_turn_round)(args, d, &first[d], &shift[d]);
    }
    bool single = args->sides.wrap[0] && (c[0] < 0 || far > s->grid.n[0]), few = true;
    uint32_t *start = a->store.start + cell, *number = a->store.number + cell;
    for (int cells; i < SIDE; i += cells) {
        cells = single || i == 0 || i == SIDE - 1 ? 1 : TILE;
        first[0] = c[0] + i;
        DEV(push_turn_round)(args, 0, &first[0], &shift[0]);
        size_t index = X(index)(&s->grid, first);
        const uint32_t *begin = s->first + index;
        uint32_t at = start[i], count = begin[cells - 1] + s->count[index + (size_t)cells - 1];
        count -= begin[0];
        if (at + count + LANES > args->capacity)
            return false;
        for (int k = 0; k < cells; k++) {
            start[i + k] = at + begin[k] - begin[0];
            number[i + k] = begin[k];
            few = few && s->count[index + (size_t)k] <= MOST_OF_CELL;
        }
        start[i + cells] = at + count;
        DEV(push_copy)(a, begin[0], count, shift, at, with_bytes);
    }
    return few;
}

/* Bit y of near[z]: row (y, z) of the store, z = 0 in 2D, is next to one with particles of the
 * tile, or such a row itself. */
static void mark_rows(const around *a, uint32_t near[LAST(SIDE)])
{
    const X(sim) *s = a->args->s;
    size_t base = X(index)(&s->grid, a->corner);
    memset(near, 0, LAST(SIDE) * sizeof *near);
    for (int z = 0; z < (DIM == 3 ? a->own[DIM - 1] : 1); z++)
        for (int y = 0; y < a->own[1]; y++) {
            size_t row = base + (size_t)y * s->grid.stride[1] + (size_t)z * s->grid.stride[2];
            uint32_t end = s->first[row + TILE - 1] + s->count[row + TILE - 1];
            uint32_t bits = (uint32_t)(s->first[row] < end ? 7 : 0) << y;
            for (int k = 0; k < LAST(3); k++)
                near[z + k] |= bits;
        }
}

bool DEV(push_load)(around *a, bool with_bytes)
{
    tile_store *s = &a->store;
    uint32_t near[LAST(SIDE)], before = FIRST_ENTRY, layer = FIRST_ENTRY;
    mark_rows(a, near);
    s->start[0] = FIRST_ENTRY;
    for (int row = 0; row < STORE_ROWS; row++) {
        int y = row % SIDE, z = row / SIDE, cell = row * SIDE, c[DIM];
        c[0] = a->corner[0] - 1;
        c[1] = a->corner[1] - 1 + y;
        if (DIM == 3)
            c[DIM - 1] = a->corner[DIM - 1] - 1 + z;
        if (!(near[z] >> y & 1)) {
            for (int i = 0; i < SIDE; i++)
                s->start[cell + i + 1] = s->start[cell];
        } else if (!load_row(a, cell, c, with_bytes)) {
            return false;
        }
        /* the two of a pair are in one layer, or in two that follow each other */
        if (DIM == 2 || y == SIDE - 1) {
            uint32_t end = s->start[cell + SIDE];
            if (end - before >= PAIR_MIDDLE)
                return false;
            before = layer;
            layer = end;
        }
    }
    return true;
}
