/* smoother_rows.h -- tiles in rows: how the kernels over the pressure solver's blocks work.
 *
 * A CUDA block works on GROUP tiles, with one thread for each row of a tile. A thread holds the
 * TILE values of its row in registers, red ones and black ones apart; what it needs of the rows
 * above, below, before and behind it finds in shared memory, where the rows of a tile and those
 * around it lie by colour. There the values of one colour that it needs for its own values of the
 * other one stand side by side, so that they are read as whole vectors. The two values beyond the
 * ends of its row it keeps in registers.
 *
 * Tiles of a group follow each other along x where the liquid is wide, so that the values that they
 * read of each other, or of the same neighbour, come from the first-level cache.
 *
 * Off-diagonals of general tiles are read where they are used. */
#ifndef SPATE_CUDA_PRESSURE_SMOOTHER_ROWS_H
#define SPATE_CUDA_PRESSURE_SMOOTHER_ROWS_H

#include "bfloat16.h"
#include "solver.h"

#ifdef __CUDACC__
#define KEEP_LOOP _Pragma("unroll 1")
#else
#define KEEP_LOOP
#endif

#define GROUP 2
#define AT_ONCE (16 / GROUP)           /* blocks that a multiprocessor is to hold */
#define GROUP_ROWS (GROUP * TILE_ROWS) /* threads */
#define HALF (TILE / 2)
#define PIECE (2 * (DIM - 1))                    /* values of the rows around a tile, per thread */
#define PIECES (TILE / PIECE)                    /* of a row */
#define FACE_ROWS LAST(TILE)                     /* rows of a face across y or z */
#define ROW_PLACES (LAST(TILE + 2) * (TILE + 2)) /* rows of a tile and around it */

typedef struct rows {
    float v[2][ROW_PLACES][HALF]; /* red, black */
} rows;

/* A row of values by colour. */
typedef struct row {
    float v[2][HALF];
} row;

/* A thread's row: which one, whether its red cells are those with odd x. */
typedef struct row_place {
    int number, at; /* in the tile; in `rows` */
    bool odd;
} row_place;

GPU_FN int rows_place(int j, int k)
{
    return (DIM == 3 ? (k + 1) * (TILE + 2) : 0) + j + 1;
}

GPU_FN row_place row_place_of(int number)
{
    row_place p;
    int j = number % TILE, k = number / TILE;
    p.number = number;
    p.at = rows_place(j, k);
    p.odd = (j + k) & 1;
    return p;
}

/* n floats from an aligned place, n a multiple of 4, or 2, or 1. */
GPU_FN void load_floats(const float *from, float *v, int n)
{
#ifdef __CUDACC__
    SP_UNROLL_ALL
    for (int k = 0; k + 4 <= n; k += 4) {
        float4 four = *(const float4 *)(from + k);
        v[k] = four.x, v[k + 1] = four.y, v[k + 2] = four.z, v[k + 3] = four.w;
    }
    if (n == 2) {
        float2 two = *(const float2 *)from;
        v[0] = two.x, v[1] = two.y;
    }
    if (n == 1)
        v[0] = from[0];
#else
    memcpy(v, from, (size_t)n * sizeof(float));
#endif
}

GPU_FN void store_floats(float *to, const float *v, int n)
{
#ifdef __CUDACC__
    SP_UNROLL_ALL
    for (int k = 0; k + 4 <= n; k += 4)
        *(float4 *)(to + k) = make_float4(v[k], v[k + 1], v[k + 2], v[k + 3]);
    if (n == 2)
        *(float2 *)to = make_float2(v[0], v[1]);
    if (n == 1)
        to[0] = v[0];
#else
    memcpy(to, v, (size_t)n * sizeof(float));
#endif
}

/* A row of a block, in the order of x, and by colour. */
GPU_FN row by_colour(const float raw[TILE], bool odd)
{
    row r;
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++) {
        r.v[0][n] = odd ? raw[2 * n + 1] : raw[2 * n];
        r.v[1][n] = odd ? raw[2 * n] : raw[2 * n + 1];
    }
    return r;
}

GPU_FN row load_row(const float *from, bool odd)
{
    float raw[TILE];
    load_floats(from, raw, TILE);
    return by_colour(raw, odd);
}

GPU_FN void by_place(const row *r, bool odd, float raw[TILE])
{
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++) {
        raw[2 * n] = odd ? r->v[1][n] : r->v[0][n];
        raw[2 * n + 1] = odd ? r->v[0][n] : r->v[1][n];
    }
}

GPU_FN void store_row(float *to, const row *r, bool odd)
{
    float raw[TILE];
    by_place(r, odd, raw);
    store_floats(to, raw, TILE);
}

GPU_FN row row_of(float value)
{
    row r;
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        r.v[0][n] = r.v[1][n] = value;
    return r;
}

/* The diagonal of a row. */
GPU_FN row diagonal_of(const DEV(gpu_level) * l, int slot, int kind, const row_place *p)
{
    if (kind == UNIFORM)
        return row_of(2 * DIM * l->even);
    return load_row(l->d + (size_t)slot * TILE_CELLS + (size_t)(p->number * TILE), p->odd);
}

/* Its inverse, 0 where there is no unknown. */
GPU_FN row inverse_of(const DEV(gpu_level) * l, int slot, int kind, const row_place *p)
{
    row d = diagonal_of(l, slot, kind, p);
    if (kind == UNIFORM)
        return row_of(1.0f / (2 * DIM * l->even));
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        for (int c = 0; c < 2; c++)
            d.v[c][n] = d.v[c][n] > 0.0f ? 1.0f / d.v[c][n] : 0.0f;
    return d;
}

GPU_FN double row_product(const row *one, const row *two)
{
    double sum = 0;
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        for (int c = 0; c < 2; c++)
            sum += (double)one->v[c][n] * (double)two->v[c][n];
    return sum;
}

/* A row in shared memory: one colour, or both. */
GPU_FN void put_half(rows *s, const row_place *p, const row *r, int colour)
{
    store_floats(s->v[colour][p->at], r->v[colour], HALF);
}

GPU_FN void put_row(rows *s, const row_place *p, const row *r)
{
    put_half(s, p, r, 0);
    put_half(s, p, r, 1);
}

/* ---- the dense arrays of the grid, CHUNK cells of a row per thread */

#define CHUNK 4
#define TILE_CHUNKS (TILE_CELLS / CHUNK)

/* Where chunk e of a tile begins. */
GPU_FN size_t chunk_place(const X(grid) *g, int tile, int e)
{
    return X(tile_index)(g, tile) + X(row_offset)(g, e / (TILE / CHUNK)) +
           (size_t)(e % (TILE / CHUNK) * CHUNK);
}

/* ---- around a tile */

/* Piece number t of the rows around a tile: across which face; where the values lie in the block
 * there; where their red and their black ones go. */
typedef struct piece {
    int face, from, at, first;
    bool odd;
} piece;

GPU_FN piece piece_of(int t)
{
    piece p;
    int line = t / PIECES, q = line % FACE_ROWS, begin = t % PIECES * PIECE;
    p.face = 2 + line / FACE_ROWS;
    bool high = p.face & 1, across_y = p.face < 4;
    int there = high ? 0 : TILE - 1, here = high ? TILE : -1;
    int j = across_y ? there : q, k = across_y ? q : there;
    p.from = (k * TILE + j) * TILE + begin;
    j = across_y ? here : q;
    k = across_y ? q : here;
    p.at = rows_place(j, k);
    p.first = begin / 2;
    p.odd = (j + k) & 1;
    return p;
}

GPU_FN void put_piece(rows *s, const piece *p, const float v[PIECE])
{
    float red[PIECE / 2], black[PIECE / 2];
    SP_UNROLL_ALL
    for (int n = 0; n < PIECE / 2; n++) {
        red[n] = p->odd ? v[2 * n + 1] : v[2 * n];
        black[n] = p->odd ? v[2 * n] : v[2 * n + 1];
    }
    store_floats(s->v[0][p->at] + p->first, red, PIECE / 2);
    store_floats(s->v[1][p->at] + p->first, black, PIECE / 2);
}

/* The block across a face. */
GPU_FN size_t block_across(const DEV(gpu_level) * l, int slot, int face)
{
    return (size_t)l->near[2 * DIM * slot + face] * TILE_CELLS;
}

/* ---- sums over neighbours */

/* Of value n of a colour: the neighbour along x that does not have the same n. */
GPU_FN float beside(const row *x, const float end[2], int colour, int n, bool late)
{
    const float *other = x->v[1 - colour];
    float before = n > 0 ? other[n > 0 ? n - 1 : 0] : end[0];
    float behind = n < HALF - 1 ? other[n < HALF - 1 ? n + 1 : n] : end[1];
    return late ? behind : before;
}

/* Off-diagonals of a row: low and high ones along each axis. */
typedef struct faces_row {
    row f[2 * DIM];
} faces_row;

GPU_FN faces_row load_faces(const DEV(gpu_level) * l, int slot, int kind, const row_place *p)
{
    faces_row r;
    if (kind != GENERAL) { /* towards no unknown x is 0 */
        SP_UNROLL_ALL
        for (int k = 0; k < 2 * DIM; k++)
            r.f[k] = row_of(l->even);
        return r;
    }
    size_t own = (size_t)slot * TILE_CELLS + (size_t)(p->number * TILE);
    float raw[TILE], behind[TILE];
    load_floats(l->a[0] + own, raw, TILE);
    SP_UNROLL_ALL
    for (int i = 0; i + 1 < TILE; i++)
        behind[i] = raw[i + 1];
    behind[TILE - 1] = l->a[0][block_across(l, slot, 1) + (size_t)(p->number * TILE)];
    r.f[0] = by_colour(raw, p->odd);
    r.f[1] = by_colour(behind, p->odd);
    SP_UNROLL_ALL
    for (int d = 1; d < DIM; d++) {
        int step = block_step(d), last = p->number * TILE / step % TILE == TILE - 1;
        size_t next =
            last ? block_across(l, slot, 2 * d + 1) + (size_t)(p->number * TILE - (TILE - 1) * step)
                 : own + (size_t)step;
        r.f[2 * d] = load_row(l->a[d] + own, p->odd);
        r.f[2 * d + 1] = load_row(l->a[d] + next, p->odd);
    }
    return r;
}

/* sum[n]: over the neighbours of value n of a colour; face: NULL, or the off-diagonals that each is
 * multiplied by. */
GPU_FN void sum_near(const rows *s, const row_place *p, const row *x, const float end[2],
                     int colour, const faces_row *face, float sum[HALF])
{
    bool late = p->odd != (colour == 1);
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++) {
        float same = x->v[1 - colour][n], other = beside(x, end, colour, n, late);
        sum[n] = !face ? same + other
                       : face->f[0].v[colour][n] * (late ? same : other) +
                             face->f[1].v[colour][n] * (late ? other : same);
    }
    SP_UNROLL_ALL
    for (int d = 1; d < DIM; d++) {
        int step = d == 1 ? 1 : TILE + 2;
        float low[HALF], high[HALF];
        load_floats(s->v[1 - colour][p->at - step], low, HALF);
        load_floats(s->v[1 - colour][p->at + step], high, HALF);
        SP_UNROLL_ALL
        for (int n = 0; n < HALF; n++)
            sum[n] += !face ? low[n] + high[n]
                            : face->f[2 * d].v[colour][n] * low[n] +
                                  face->f[2 * d + 1].v[colour][n] * high[n];
    }
}

/* In a general tile, everything from memory: value n of a colour, its place in the block, and the
 * sum over its neighbours, each times the off-diagonal between. Loops over it stay loops: they are
 * for few tiles, and would take the registers of the others. */
GPU_FN int place_in_row(const row_place *p, int colour, int n)
{
    return p->number * TILE + 2 * n + (p->odd != (colour == 1));
}

GPU_FN float sum_faces(const DEV(gpu_level) * l, int slot, const rows *s, const row_place *p,
                       const float end[2], int colour, int n)
{
    const float *other = s->v[1 - colour][p->at];
    bool late = p->odd != (colour == 1);
    float f[2 * DIM], before = n > 0 ? other[n - 1] : end[0];
    float behind = n < HALF - 1 ? other[n + 1] : end[1];
    faces_of(l, slot, place_in_row(p, colour, n), f);
    float sum = f[0] * (late ? other[n] : before) + f[1] * (late ? behind : other[n]);
    SP_UNROLL_ALL
    for (int d = 1; d < DIM; d++) {
        int step = d == 1 ? 1 : TILE + 2;
        sum += f[2 * d] * s->v[1 - colour][p->at - step][n] +
               f[2 * d + 1] * s->v[1 - colour][p->at + step][n];
    }
    return sum;
}

/* ---- results of tiles */

/* values[g * TILE_ROWS] becomes the sum, or the largest, of the TILE_ROWS values from there, always
 * in the same order; all threads of the block call. */
GPU_FN void sum_groups(double values[GROUP_ROWS])
{
    BARRIER();
#ifdef __CUDACC__
    const int lanes = TILE_ROWS < 32 ? TILE_ROWS : 32;
    double v = values[threadIdx.x];
    for (int half = lanes / 2; half > 0; half /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, half);
    if (TILE_ROWS <= 32) {
        values[threadIdx.x] = v; /* all have the sum */
        BARRIER();
        return;
    }
    if (threadIdx.x % 32 == 0)
        values[threadIdx.x] = v;
    BARRIER();
    if (threadIdx.x % TILE_ROWS == 0)
        values[threadIdx.x] += values[threadIdx.x + 32];
    BARRIER();
#else
    for (int g = 0; g < GROUP; g++)
        for (int half = TILE_ROWS / 2; half > 0; half /= 2)
            for (int t = 0; t < half; t++)
                values[g * TILE_ROWS + t] += values[g * TILE_ROWS + t + half];
#endif
}

GPU_FN void largest_of_groups(uint32_t values[GROUP_ROWS])
{
    BARRIER();
#ifdef __CUDACC__
    const int lanes = TILE_ROWS < 32 ? TILE_ROWS : 32;
    uint32_t v = values[threadIdx.x];
    for (int half = lanes / 2; half > 0; half /= 2) {
        uint32_t other = __shfl_xor_sync(0xffffffffu, v, half);
        v = other > v ? other : v;
    }
    if (threadIdx.x % lanes == 0)
        values[threadIdx.x] = v;
    BARRIER();
    if (TILE_ROWS > 32 && threadIdx.x % TILE_ROWS == 0)
        values[threadIdx.x] = values[threadIdx.x + lanes] > v ? values[threadIdx.x + lanes] : v;
    BARRIER();
#else
    for (int g = 0; g < GROUP; g++)
        for (int t = 1; t < TILE_ROWS; t++)
            if (values[g * TILE_ROWS + t] > values[g * TILE_ROWS])
                values[g * TILE_ROWS] = values[g * TILE_ROWS + t];
#endif
}

/* Number m of a level's blocks in an order in which neighbours along x follow each other where the
 * liquid is wide: even and odd ones by turns. */
GPU_FN int slot_in_order(const DEV(gpu_level) * l, int m)
{
    int even = l->even_count, odd = l->tile_count - even, both = even < odd ? even : odd;
    if (m < 2 * both)
        return 1 + m / 2 + (m & 1 ? even : 0);
    return 1 + (even > odd ? m - both : m);
}

static inline size_t groups_of(int tiles)
{
    return ((size_t)tiles + GROUP - 1) / GROUP;
}

#endif
