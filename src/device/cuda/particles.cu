/* particles.cu -- measures of the particles on the device. */
#include "device/cuda/launch.h"

typedef struct speed_args {
    X(fields) f;
    X(gpu_counters) *counters;
} speed_args;

/* Squares of speeds are not negative, so their bits order as they do; a NaN is above all. */
MAP(find_fastest, speed_args)
{
    float square = 0.0f;
    FOR_DIM(d)
        square += a->f.v[d][i] * a->f.v[d][i];
    uint32_t bits;
    memcpy(&bits, &square, sizeof bits);
    bits &= 0x7fffffff; /* the sign of a NaN */
    if (bits > a->counters->fastest)
        GPU_MAX32(&a->counters->fastest, bits);
}

double X(gpu_max_speed)(X(gpu) *g)
{
    speed_args args = {g->f, g->counters};
    uint32_t bits = 0;
    float square;
    X(gpu_set)(g, &g->counters->fastest, 0, sizeof bits);
    find_fastest(g, args, g->f.particle_count);
    X(gpu_download)(g, &bits, &g->counters->fastest, sizeof bits);
    memcpy(&square, &bits, sizeof square);
    return __builtin_sqrt((double)square);
}
