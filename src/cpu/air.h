/* air.h -- which cells of a tile are beside air (is_beside_air of kernels/gradient.h), for eight
 * particles at a time. It is found once for a tile, eight cells of a row in a word. */
#ifndef SPATE_CPU_AIR_H
#define SPATE_CPU_AIR_H

#include "cpu/simd.h"
#include "kernels/gradient.h"

#define AIR_WORDS (TILE / 8) /* of a row of cells */
#define EACH_BYTE UINT64_C(0x0101010101010101)

typedef struct X(air) {
    bool any;                   /* some cells are beside air */
    int corner[DIM], last[DIM]; /* the tile's first cell; its last one in the domain, from there */
    uint8_t clear[TILE_CELLS];  /* 1: not beside air, else 0 */
} X(air);

/* 1 for each of eight cells that is not air, else 0. */
static inline uint64_t X(no_air)(const uint8_t *type)
{
    uint64_t word;
    memcpy(&word, type, sizeof word);
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return word & EACH_BYTE;
}

static inline void X(air_find)(X(air) *air, const X(fields) *f, const int corner[DIM])
{
    const X(grid) *g = &f->grid;
    const uint8_t *type = f->type + X(index)(g, corner);
    uint64_t row[LAST(TILE + 2)][TILE + 2][AIR_WORDS], all = EACH_BYTE; /* with those along x */
    for (int m = 0; m < LAST(TILE + 2); m++)
        for (int j = 0; j < TILE + 2; j++)
            for (int w = 0; w < AIR_WORDS; w++) {
                const uint8_t *at = type + 8 * w + (j - 1) * (ptrdiff_t)g->stride[1];
                at += DIM == 3 ? (m - 1) * (ptrdiff_t)g->stride[2] : 0;
                row[m][j][w] = X(no_air)(at - 1) & X(no_air)(at) & X(no_air)(at + 1);
            }
    for (int r = 0; r < TILE_ROWS; r++)
        for (int w = 0; w < AIR_WORDS; w++) {
            const uint8_t *at = type + X(row_offset)(g, r) + 8 * w;
            uint64_t word = EACH_BYTE;
            for (int k = 0; k < (DIM == 3 ? 9 : 3); k++)
                word &= row[r / TILE + k / 3][r % TILE + k % 3][w];
            FOR_DIM(d)
                word &= X(no_air)(at - 2 * g->stride[d]) & X(no_air)(at + 2 * g->stride[d]);
            memcpy(air->clear + r * TILE + 8 * w, &word, sizeof word);
            all &= word;
        }
    air->any = all != EACH_BYTE;
    FOR_DIM(d) {
        int last = g->n[d] - 1 - corner[d];
        air->corner[d] = corner[d];
        air->last[d] = last < TILE - 1 ? last : TILE - 1;
    }
}

/* The share of the gradient that n particles at x get, as gradient_share has it; without `air` they
 * may be anywhere. */
SIMD_FN f8 X(gradient_shares)(const X(air) *air, const X(fields) *f, const f8 x[DIM], float kept)
{
    if (air && !air->any)
        return f8_of(X(share_of_gradient)(f, kept));
    f8 share = {0};
    if (!air) {
        for (int k = 0; k < LANES; k++) {
            float place[DIM];
            FOR_DIM(d)
                place[d] = x[d][k];
            share[k] = X(gradient_share)(f, place, kept);
        }
        return share;
    }
    i8 cell = {0};
    for (int d = DIM - 1; d >= 0; d--) {
        i8 i = convert(x[d], i8) - air->corner[d];
        i &= i > 0;
        i += (air->last[d] - i) & (i > air->last[d]);
        cell = cell * TILE + i;
    }
    int32_t at[LANES];
    uint64_t clear = 0;
    uint8_t bytes[LANES];
    memcpy(at, &cell, sizeof at);
    for (int k = 0; k < LANES; k++)
        clear |= (uint64_t)air->clear[at[k]] << 8 * k;
    memcpy(bytes, &clear, sizeof bytes);
    return where(-load_bytes(bytes), f8_of(X(share_of_gradient)(f, kept)));
}

#endif
