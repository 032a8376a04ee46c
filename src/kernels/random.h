/* random.h -- random numbers without state: a hash of what they are for. */
#ifndef SPATE_KERNELS_RANDOM_H
#define SPATE_KERNELS_RANDOM_H

#include "kernel.h"

#include <stdint.h>

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits that mixes well. */
SP_KERNEL uint64_t sp_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

SP_KERNEL uint64_t sp_hash2(uint64_t a, uint64_t b)
{
    return sp_mix(sp_mix(a) ^ b);
}

/* Uniform in [0, 1), 24 bits. */
SP_KERNEL float sp_uniform(uint64_t hash)
{
    return (float)(hash >> 40) * 0x1p-24f;
}

#endif
