/* slip.h -- whether a stored velocity is the motion: the slip of a particle is what its velocity
 * differs from the way that ADVECT takes it along, over dt (m/s). Of all slips a histogram is kept,
 * whole numbers by size, the same in any order. */
#ifndef SPATE_KERNELS_SLIP_H
#define SPATE_KERNELS_SLIP_H

#include "dim.h"
#include "kernel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Eight to an octave by the bits of a float, from 2^-16 to 2^16 m/s; the ends have what is beyond
 * them. */
#define SLIP_BINS 256
#define SLIP_FIRST ((127 - 16) << 3)

SP_KERNEL int X(slip_bin)(uint32_t bits)
{
    int bin = (int)(bits >> 20) - SLIP_FIRST;
    return bin < 0 ? 0 : bin < SLIP_BINS ? bin : SLIP_BINS - 1;
}

/* The bits of |v - move / h|; floats that are not negative order as these do. h: dt / dx, of a way
 * in cells. */
SP_KERNEL uint32_t X(slip_bits)(const float v[DIM], const float move[DIM], float h)
{
    float square = 0.0f;
    uint32_t bits;
    FOR_DIM(d) {
        float slip = v[d] - move[d] / h;
        square += slip * slip;
    }
    square = sqrtf(square);
    memcpy(&bits, &square, sizeof bits);
    return bits & 0x7fffffff;
}

#endif
