/* cpu.c -- the choice of the instruction set at run time.
 *
 * The simulation is compiled for the processor family's base, and on x86-64 also for its levels v3
 * (AVX2) and v4 (AVX-512). All give the same bits: no multiplication is fused with an addition, and
 * sums have a fixed order. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"base", "x86-64-v3", "x86-64-v4"};

const char *sp_cpu_name(sp_cpu cpu)
{
    return names[cpu];
}

static sp_cpu best(void)
{
#ifdef SPATE_LEVELS
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
        return SP_CPU_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return SP_CPU_V3;
    return SP_CPU_V4;
#else
    return SP_CPU_BASE;
#endif
}

sp_cpu sp_cpu_level(void)
{
    const char *wish = getenv("SPATE_CPU");
    sp_cpu cpu = best();
    if (wish && strcmp(wish, "base") == 0)
        return SP_CPU_BASE;
    if (wish && strcmp(wish, "v3") == 0 && cpu > SP_CPU_V3)
        return SP_CPU_V3;
    return cpu;
}
