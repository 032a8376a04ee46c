/* field_rays.c -- looking into a field: normals, crossings of rays, smooth values.
 *
 * A ray goes from block to block (SP_FIELD_BLOCK nodes along a side). Where all blocks around are
 * air, for a ray outside the liquid, or liquid, for one inside, it leaves them in one step; in a
 * block that may have the surface it is sampled, and the crossing is found between two samples by
 * the secant rule. */
#include <math.h>

#include "field.h"

/* Between samples, in parts of the reach of a normal, and the change of the value over one. In a
 * bell of the height 0.65 and the width of field.c's narrow one, that of a sheet, a step ends
 * inside before it could have passed. */
#define NEAR_STEP 0.35f
#define FAR_STEP 1.2f
#define STEEP 0.45f

/* sp_field_at for a place that has nodes all around. */
static inline float inner_at(const sp_field *f, sp_vec g)
{
    int i = (int)g.x, j = (int)g.y, k = (int)g.z;
    size_t row = (size_t)f->n[0], layer = row * (size_t)f->n[1];
    const float *v = f->value + (size_t)k * layer + (size_t)j * row + (size_t)i;
    float x = g.x - (float)i, y = g.y - (float)j, z = g.z - (float)k;
    float v00 = v[0] + x * (v[1] - v[0]), v10 = v[row] + x * (v[row + 1] - v[row]);
    const float *w = v + layer;
    float v01 = w[0] + x * (w[1] - w[0]), v11 = w[row] + x * (w[row + 1] - w[row]);
    float v0 = v00 + y * (v10 - v00), v1 = v01 + y * (v11 - v01);
    return v0 + z * (v1 - v0);
}

/* Central differences over e nodes to either side. */
static sp_vec slope(const sp_field *f, sp_vec g, float e)
{
    sp_vec n;
    const int *top = f->n;
    if (g.x >= e && g.y >= e && g.z >= e && g.x + e + 1 < (float)top[0] &&
        g.y + e + 1 < (float)top[1] && g.z + e + 1 < (float)top[2]) {
        n.x = inner_at(f, (sp_vec){g.x - e, g.y, g.z}) - inner_at(f, (sp_vec){g.x + e, g.y, g.z});
        n.y = inner_at(f, (sp_vec){g.x, g.y - e, g.z}) - inner_at(f, (sp_vec){g.x, g.y + e, g.z});
        n.z = inner_at(f, (sp_vec){g.x, g.y, g.z - e}) - inner_at(f, (sp_vec){g.x, g.y, g.z + e});
        return n;
    }
    n.x = sp_field_at(f, (sp_vec){g.x - e, g.y, g.z}) - sp_field_at(f, (sp_vec){g.x + e, g.y, g.z});
    n.y = sp_field_at(f, (sp_vec){g.x, g.y - e, g.z}) - sp_field_at(f, (sp_vec){g.x, g.y + e, g.z});
    n.z = sp_field_at(f, (sp_vec){g.x, g.y, g.z - e}) - sp_field_at(f, (sp_vec){g.x, g.y, g.z + e});
    return n;
}

/* A wide difference is smooth where the liquid is thick, what is finer being noise of the
 * particles; across a sheet it is nothing, and the narrow one decides. */
sp_vec sp_field_normal(const sp_field *f, sp_vec g)
{
    return sp_vec_unit(sp_vec_madd(slope(f, g, f->reach), 0.7f, slope(f, g, 1)));
}

/* Where between t0 and t1, with the values v0 and v1 on either side of the level, it is passed. */
static float refine(const sp_field *f, sp_vec g, sp_vec d, float t0, float v0, float t1, float v1)
{
    float t = t1;
    v0 -= SP_FIELD_LEVEL;
    v1 -= SP_FIELD_LEVEL;
    for (int k = 0; k < 5; k++) {
        t = t0 + (t1 - t0) * v0 / (v0 - v1);
        float v = sp_field_at(f, sp_vec_madd(g, t, d)) - SP_FIELD_LEVEL;
        if (fabsf(v) < 1e-3f)
            break;
        /* the end that stays counts half: else it may stay for ever (the Illinois rule) */
        if ((v > 0) == (v1 > 0)) {
            t1 = t;
            v1 = v;
            v0 *= 0.5f;
        } else {
            t0 = t;
            v0 = v;
            v1 *= 0.5f;
        }
    }
    return t;
}

/* The crossing inside one block, from t to `end`; above `end` if there is none. `inner`: the block
 * has nodes all around. */
static float cross_block(const sp_field *f, sp_vec g, sp_vec d, float t, float end, float node,
                         bool inside, bool inner)
{
    sp_vec p = sp_vec_madd(g, t, d);
    float before = inner ? inner_at(f, p) : sp_field_at(f, p);
    if ((before > SP_FIELD_LEVEL) != inside)
        return t;
    /* as far as the value lets the surface be away: what is thin is not passed over */
    float unit = f->reach * node, rate = unit / STEEP;
    while (t < end) {
        float safe = fabsf(before - SP_FIELD_LEVEL) * rate;
        safe = safe < FAR_STEP * unit ? safe : FAR_STEP * unit;
        safe = safe > NEAR_STEP * unit ? safe : NEAR_STEP * unit;
        float next = t + safe < end ? t + safe : end;
        p = sp_vec_madd(g, next, d);
        float value = inner ? inner_at(f, p) : sp_field_at(f, p);
        if ((value > SP_FIELD_LEVEL) != inside)
            return refine(f, g, d, t, before, next, value);
        before = value;
        t = next;
    }
    return HUGE_VALF;
}

float sp_field_cross(const sp_field *f, sp_vec g, sp_vec d, float t, float end, bool inside)
{
    const float start[3] = {g.x, g.y, g.z}, along[3] = {d.x, d.y, d.z};
    const uint8_t *leaps = f->leap[inside];
    float inverse[3], length = sp_vec_length(d);
    if (!(length > 0))
        return HUGE_VALF;
    float node = 1 / length, past = 1e-3f / length;
    for (int k = 0; k < 3; k++)
        inverse[k] = fabsf(along[k]) > 1e-12f ? 1 / along[k] : 0;
    while (t < end) {
        int block[3];
        for (int k = 0; k < 3; k++) {
            float x = start[k] + t * along[k];
            int b = x > 0 ? (int)x / SP_FIELD_BLOCK : 0;
            block[k] = b < f->blocks[k] ? b : f->blocks[k] - 1;
        }
        int leap = leaps[(block[2] * f->blocks[1] + block[1]) * f->blocks[0] + block[0]];
        int layers = leap > 0 ? leap - 1 : 0;
        float leave = end;
        for (int k = 0; k < 3; k++) {
            int edge = along[k] > 0 ? block[k] + 1 + layers : block[k] - layers;
            if (edge <= 0 || edge >= f->blocks[k]) /* the domain ends before: so does the ray */
                continue;
            float there = ((float)(edge * SP_FIELD_BLOCK) - start[k]) * inverse[k];
            leave = inverse[k] != 0 && there < leave ? there : leave;
        }
        leave += past; /* into the next block, whatever the rounding */
        leave = leave < end ? leave : end;
        if (leap == 0) {
            bool inner = true; /* by a little less than the rounding of `past` reaches */
            for (int k = 0; k < 3; k++)
                inner = inner && block[k] > 0 && (block[k] + 1) * SP_FIELD_BLOCK + 1 < f->n[k];
            float found = cross_block(f, g, d, t, leave, node, inside, inner);
            if (found <= leave)
                return found;
        }
        t = leave > t + past ? leave : t + past;
    }
    return HUGE_VALF;
}

/* Weights of the quadratic B-spline about the nearest node. */
static int spline(float x, int n, float weight[3])
{
    x = x > 0 ? (x < (float)(n - 1) ? x : (float)(n - 1)) : 0;
    int middle = (int)(x + 0.5f);
    float t = x - (float)middle;
    weight[0] = 0.5f * (0.5f - t) * (0.5f - t);
    weight[1] = 0.75f - t * t;
    weight[2] = 0.5f * (0.5f + t) * (0.5f + t);
    return middle;
}

void sp_field_look(const sp_field *f, float x, float y, float result[2])
{
    float wx[3], wy[3];
    int i = spline(x, f->n[0], wx), j = spline(y, f->n[1], wy);
    result[0] = result[1] = 0;
    for (int b = -1; b <= 1; b++) {
        int row = j + b < 0 ? 0 : j + b < f->n[1] ? j + b : f->n[1] - 1;
        for (int a = -1; a <= 1; a++) {
            int column = i + a < 0 ? 0 : i + a < f->n[0] ? i + a : f->n[0] - 1;
            size_t node = (size_t)row * (size_t)f->n[0] + (size_t)column;
            float w = wx[a + 1] * wy[b + 1];
            result[0] += w * f->value[node];
            if (f->speed)
                result[1] += w * f->speed[node];
        }
    }
}
