/* vec.h -- three floats, for the perspective picture. */
#ifndef SPATE_RENDER_VEC_H
#define SPATE_RENDER_VEC_H

#include <math.h>

typedef struct sp_vec {
    float x, y, z;
} sp_vec;

static inline sp_vec sp_vec_from(const double v[3])
{
    return (sp_vec){(float)v[0], (float)v[1], (float)v[2]};
}
/* a + s b */
static inline sp_vec sp_vec_madd(sp_vec a, float s, sp_vec b)
{
    return (sp_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline sp_vec sp_vec_sub(sp_vec a, sp_vec b)
{
    return (sp_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline sp_vec sp_vec_scale(sp_vec a, float s)
{
    return (sp_vec){a.x * s, a.y * s, a.z * s};
}
static inline float sp_vec_dot(sp_vec a, sp_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline sp_vec sp_vec_cross(sp_vec a, sp_vec b)
{
    return (sp_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float sp_vec_length(sp_vec a)
{
    return sqrtf(sp_vec_dot(a, a));
}
/* The zero vector stays as it is. */
static inline sp_vec sp_vec_unit(sp_vec a)
{
    float length = sp_vec_length(a);
    return length > 0 ? sp_vec_scale(a, 1 / length) : a;
}

#endif
