/* fine.h -- numbers finer than a float: a float, and 16 bits of what it leaves over, in units of
 * its last place. A particle that goes less in a step than its position can tell gets on all the
 * same, and a velocity that grows by small amounts does not lose the same part of each.
 *
 * Two such rests, of a position and of a velocity, share a word. */
#ifndef SPATE_KERNELS_FINE_H
#define SPATE_KERNELS_FINE_H

#include "kernel.h"

#include <stdint.h>
#include <string.h>

/* Powers of two: 2^exponent. */
SP_KERNEL double sp_power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The exponent of the last place of a float; of small ones, and of 0, that of 2^-60. */
SP_KERNEL int sp_last_place(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 23 & 0xff) - 127;
    return (exponent > -60 ? exponent : -60) - 23;
}

#define SP_FINE_BITS 16 /* units of a rest in a last place, as a power of two */

SP_KERNEL double sp_fine_value(float value, uint32_t rest)
{
    double unit = sp_power_of_two(sp_last_place(value) - SP_FINE_BITS);
    return (double)value + (double)(int16_t)(uint16_t)rest * unit;
}

/* The float is (float)value. */
SP_KERNEL uint32_t sp_fine_rest(double value)
{
    float high = (float)value;
    double rest = (value - (double)high) * sp_power_of_two(SP_FINE_BITS - sp_last_place(high));
    rest = rest < -32767 ? -32767 : rest > 32767 ? 32767 : rest;
    return (uint32_t)(uint16_t)(int16_t)(int)(rest + (rest < 0 ? -0.5 : 0.5));
}

SP_KERNEL uint32_t sp_fine_pack(double position, double velocity)
{
    return sp_fine_rest(position) | sp_fine_rest(velocity) << 16;
}

SP_KERNEL double sp_fine_position(float x, uint32_t rests)
{
    return sp_fine_value(x, rests & 0xffff);
}

SP_KERNEL double sp_fine_velocity(float v, uint32_t rests)
{
    return sp_fine_value(v, rests >> 16);
}

#endif
