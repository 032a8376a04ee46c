/* push.h -- what the parts of push-apart share: push_apart.c (the passes, who goes where),
 * push_store.c (the places of a tile), push_find.c (who is near whom), push_meet.c (what pairs ask
 * for) and push_crowd.c (where there are too many for all that). */
#ifndef SPATE_CPU_PUSH_PUSH_H
#define SPATE_CPU_PUSH_PUSH_H

#include "cpu/cpu.h"

#include "cpu/simd.h"
#include "kernels/push.h"

#define BYTES 32 /* candidates that are looked at together */

#define AROUND (DIM == 3 ? 27 : 9) /* cells */

/* ---- rows: at which rows a row looks (push_find.c)
 *
 * A particle is in one of the quarters of its row, seen along x: low or high along y (bit 0) and z
 * (bit 1); in 2D in a half. Ways are cells from a cell to that in the other row. */
#define QUARTERS (DIM == 3 ? 4 : 2)
#define ROW_KINDS (DIM == 3 ? 16 : 4) /* first or last of the tile along y, along z: a bit each */

typedef struct row_ways {
    int count;
    ptrdiff_t way[AROUND / 3];
} row_ways;

typedef struct row_looks {
    row_ways whole[QUARTERS]; /* rows that come after, and those beyond the tile */
    row_ways ends[QUARTERS];  /* rows of which all but the cells beyond the tile has looked */
} row_looks;

typedef struct push_args {
    X(sim) *s;
    X(mover) mover;
    X(push_distances) m;
    const float *from[DIM]; /* places before the pass */
    float *to[DIM];         /* after it; the last pass writes those of the particles */
    bool last;
    uint8_t *rounded[DIM]; /* places before the first pass, in steps, modulo 256 */
    uint8_t *touches;      /* 1: the particle touches a solid; NULL without solids */
    uint32_t *listed;      /* per tile: pairs in its part of the list, or NOT_LISTED */
    double *work;          /* per tile: sum of gravity times way, m^2/s^2 */
    double gravity[DIM];   /* m^2/s^2 per cell of way */
    X(push_sides) sides;
    row_looks looks[ROW_KINDS];
    char *scratch;     /* the stores, one per worker */
    uint32_t capacity; /* entries of a store */
} push_args;

#define NOT_LISTED UINT32_MAX

/* ---- the store: a tile and one cell around it on every side */

#define SIDE (TILE + 2)
#define STORE_ROWS (SIDE * LAST(SIDE))
#define STORE_CELLS (STORE_ROWS * SIDE)

/* Places in order of cells, x fastest, each as one vector (x, y, z, held; in 2D x, y, held), where
 * `held` is 1 if the particle touches something; the same places rounded to bytes, PUSH_STEPS per
 * cell; and what the pairs ask of each: the sum of ways, and in [3] how many pairs slow it. A byte
 * repeats every 4 cells, which is wider than the cells around a particle. Entries 0 and 1 are
 * nobody, far from each other; vectors are written and read beyond the last. */
#define HELD DIM
#define NOBODY 0
#define FIRST_ENTRY 2
typedef struct tile_store {
    f4 *place, *sum;
    uint8_t *rounded[DIM];
    uint32_t start[STORE_CELLS + 1]; /* first entry of each cell */
    uint32_t number[STORE_CELLS];    /* its first particle */
} tile_store;

/* ---- the list of pairs of a tile
 *
 * A pair in 32 bits: the entry of its first, and how many entries farther the second is. Both of
 * them are in the tile, or the first is. */
#define PAIR_BITS 15
#define PAIR_MIDDLE (1u << (PAIR_BITS - 1))
#define MOST_ENTRIES (1u << (32 - PAIR_BITS))

/* Candidates of a particle come in chunks of BYTES: 9 runs of three cells, each with not more
 * particles than MOST_OF_CELL. A list must have room for what they may be. */
#define MOST_OF_CELL 256
#define CHUNKS (AROUND / 3 * (3 * MOST_OF_CELL / BYTES))
#define LIST_LEAST (CHUNKS * BYTES + 2)

typedef struct pair_list {
    uint32_t *pair;
    uint32_t count, room; /* LANES more fit */
    bool whole;           /* all pairs that were found are there: none have met yet */
} pair_list;

typedef struct around {
    push_args *args;
    tile_store store;
    pair_list list;
    uint32_t few[LIST_LEAST + LANES];
    int corner[DIM];  /* first cell of the tile */
    int own[DIM];     /* how many cells of it lie in the domain, along each axis */
    bool ends[2];     /* there is something before and behind its rows */
    bool walls;       /* particles may touch one */
    bool solids;      /* may be near */
    bool crossed;     /* particles may cross a periodic side */
    uint32_t crowded; /* push_crowd.c: the first particle of the candidates */
    double work;
    /* push_find.c */
    uint8_t reach[TILE * MOST_OF_CELL + BYTES]; /* of a row's particles: the first cell */
    uint32_t *to, *full;                        /* where the next pair goes; the last such place */
} around;

/* Bytes of a store, and a store in them. */
size_t DEV(push_store_bytes)(uint32_t capacity);
void DEV(push_store_init)(tile_store *s, void *memory, uint32_t capacity);

/* The particles of a tile and around it into the store; false: there are too many. bytes: their
 * rounded places too. */
bool DEV(push_load)(around *a, bool with_bytes);
/* Copies `count` particles from `number` on to the entries from `at` on, moved by `shift`. Writes
 * up to LANES - 1 entries more. */
void DEV(push_copy)(around *a, uint32_t number, uint32_t count, const float shift[DIM], uint32_t at,
                    bool with_bytes);
/* A cell beyond a periodic side is one on the other side; `shift` brings its particles back. */
void DEV(push_turn_round)(const push_args *args, int d, int *c, float *shift);

void DEV(push_looks)(row_looks looks[ROW_KINDS], bool halves);
void DEV(push_find)(around *a); /* all pairs of the tile into the list */
/* Puts the pairs in the order in which they meet, eight at a time; adds up to LANES - 1 of nobody.
 */
void DEV(push_weave)(pair_list *l);
void DEV(push_meet)(around *a); /* what the pairs of the list ask for, into the sums; empties it */
/* Particles a and b are at one place: adds the way of a, its share of D in a direction that is the
 * opposite of that of b, to `sum`. */
void DEV(push_part)(const push_args *args, uint32_t a, uint32_t b, float share, f4 *sum);

/* Moves `count` particles from `first` on by what their pairs ask. */
#define BLOCK 128
void DEV(push_move)(around *a, uint32_t first, const f4 *sum, uint32_t count);
void DEV(push_crowd)(around *a); /* a tile that the store does not hold */

/* ---- pairs, eight at a time */

/* Eight f4 by components. */
SIMD_FN void turn(const f4 *from, f8 to[4])
{
    for (int k = 0; k < 4; k++)
        to[k] = f8_join(from[k], from[k + 4]);
    transpose4(to);
}

/* Number k of eight f4 that lie as `transpose4` leaves them. */
SIMD_FN f4 f4_of(const f8 rows[4], int k)
{
    return k < 4 ? f8_low(rows[k]) : f8_high(rows[k - 4]);
}

/* Eight pairs by components of the way from the second to the first, [HELD] with that of `held`:
 * `push` times `way` parts them, half of it each; slow is 1 for those that are closer than settled.
 * Returns the bits of those that are at one place, which push_part is to part. */
SIMD_FN uint32_t meet(const X(push_distances) *m, const f8 way[4], f8 *push, f8 *slow)
{
    f8 square = {0}, one = f8_of(1.0f);
    FOR_DIM(d)
        square += way[d] * way[d];
    f8 ratio = m->D / f8_sqrt(square) - 1.0f;
    i8 twins = is_less(square, f8_of(m->least));
    *push = where(is_less((f8){0}, ratio) & ~twins, ratio);
    *slow = where(is_less(square, f8_of(m->settled)), one);
    return bits_of(twins);
}

/* How much of a way the first of each pair takes. */
SIMD_FN f8 share_of_first(const f8 way[4])
{
    return 0.5f - PUSH_HELD * way[HELD];
}

/* What is asked of one of each pair, as eight f4 (f4_of). */
SIMD_FN void ask(const f8 way[4], f8 push, f8 slow, f8 rows[4])
{
    rows[2] = (f8){0};
    FOR_DIM(d)
        rows[d] = push * way[d];
    rows[3] = slow;
    transpose4(rows);
}

/* ---- bytes: who is near */

/* What is near a particle (kernels/push.h); both limits are one more here. Bytes of the particle in
 * all lanes. */
typedef struct box {
    byte_lanes centre[DIM];
    char_lanes width, limit;
} box;

SIMD_FN void box_move(box *b, const uint8_t *const rounded[DIM], uint32_t entry)
{
    FOR_DIM(d)
        b->centre[d] = (byte_lanes){0} + rounded[d][entry];
}

SIMD_FN box box_around(const uint8_t *const rounded[DIM], const X(push_distances) *m,
                       uint32_t entry)
{
    box b = {.width = (char_lanes){0} + (int8_t)(m->width + 1),
             .limit = (char_lanes){0} + (int8_t)(m->limit + 1)};
    box_move(&b, rounded, entry);
    return b;
}

/* Which of the BYTE_WIDTH entries from `first` on are near. Entries that count are less than two
 * cells away along each axis, so no difference overflows; where the sum does, the width tells. */
SIMD_FN uint32_t near_lanes(const uint8_t *const rounded[DIM], const box *b, uint32_t first)
{
    byte_lanes place;
    memcpy(&place, rounded[0] + first, sizeof place);
    char_lanes most = chars_abs((char_lanes)(b->centre[0] - place)), sum = most;
    for (int d = 1; d < DIM; d++) {
        memcpy(&place, rounded[d] + first, sizeof place);
        char_lanes way = chars_abs((char_lanes)(b->centre[d] - place));
        most = chars_max(most, way);
        sum = (char_lanes)((byte_lanes)sum + (byte_lanes)way);
    }
    sum = (char_lanes)((byte_lanes)sum + (byte_lanes)most);
    return chars_bits((most < b->width) & (sum < b->limit));
}

/* The same for BYTES entries. */
SIMD_FN uint32_t near_bits(const uint8_t *const rounded[DIM], const box *b, uint32_t first)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < BYTES; k += BYTE_WIDTH)
        bits |= near_lanes(rounded, b, first + k) << k;
    return bits;
}

#endif
