/* bytes.h -- numbers as little-endian bytes, whatever the machine. */
#ifndef SPATE_IO_BYTES_H
#define SPATE_IO_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void sp_store32(unsigned char *bytes, uint32_t bits)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
}

static inline void sp_store64(unsigned char *bytes, uint64_t bits)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
}

static inline uint64_t sp_load_bits(const unsigned char *bytes, int count)
{
    uint64_t bits = 0;
    for (int i = 0; i < count; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

#endif
