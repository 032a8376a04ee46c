/* field_rays.c -- looking into a field: normals, crossings of rays, smooth values.
 *
 * A ray goes from block to block (SP_FIELD_BLOCK nodes along a side). Where all blocks around are
 * air, for a ray outside the liquid, or liquid, for one inside, it leaves them in one step; in a
 * block that may have the surface it is sampled, and the crossing is found between two samples by
 * the secant rule. */
#include <math.h>

#include "field.h"

#define STEP 1.4f /* nodes between samples; the bell of field.c is wider */

sp_vec sp_field_normal(const sp_field *f, sp_vec g)
{
    const float e = 1.5f; /* nodes: what is finer is noise of the particles */
    sp_vec n;
    n.x = sp_field_at(f, (sp_vec){g.x - e, g.y, g.z}) - sp_field_at(f, (sp_vec){g.x + e, g.y, g.z});
    n.y = sp_field_at(f, (sp_vec){g.x, g.y - e, g.z}) - sp_field_at(f, (sp_vec){g.x, g.y + e, g.z});
    n.z = sp_field_at(f, (sp_vec){g.x, g.y, g.z - e}) - sp_field_at(f, (sp_vec){g.x, g.y, g.z + e});
    return sp_vec_unit(n);
}

/* Where between t0 and t1, with the values v0 and v1 on either side of the level, it is passed. */
static float refine(const sp_field *f, sp_vec g, sp_vec d, float t0, float v0, float t1, float v1)
{
    float t = t1;
    for (int k = 0; k < 3; k++) {
        t = t0 + (t1 - t0) * (SP_FIELD_LEVEL - v0) / (v1 - v0);
        float v = sp_field_at(f, sp_vec_madd(g, t, d));
        if ((v > SP_FIELD_LEVEL) == (v1 > SP_FIELD_LEVEL)) {
            t1 = t;
            v1 = v;
        } else {
            t0 = t;
            v0 = v;
        }
        if (v1 == v0)
            break;
    }
    return t;
}

/* The crossing inside one block, from t to `end`; above `end` if there is none. */
static float cross_block(const sp_field *f, sp_vec g, sp_vec d, float t, float end, float step,
                         bool inside)
{
    float before = sp_field_at(f, sp_vec_madd(g, t, d));
    if ((before > SP_FIELD_LEVEL) != inside)
        return t;
    while (t < end) {
        float next = t + step < end ? t + step : end;
        float value = sp_field_at(f, sp_vec_madd(g, next, d));
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
    float step = STEP / length, past = 1e-3f / length;
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
            float found = cross_block(f, g, d, t, leave, step, inside);
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
