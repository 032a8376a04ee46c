/* shadow.c -- the light that reaches the floor.
 *
 * A map over the floor: every particle is moved along the light down to the floor and leaves its
 * volume there; volume per area, blurred, is the way of the light through the liquid, T, and 1 - s
 * (1 - exp(-T/l)) of the light arrives. Solids are traced from the floor towards the lamp; the
 * narrowest pass on the way makes the edge soft. */
#include "shadow.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"

#define CELLS 224 /* along the longer side of the map */

static void add_particles(sp_studio *s, const sp_preview *preview)
{
    const spate_particles_view_data *v = &preview->particles;
    float volume = (float)(preview->dx * preview->dx * preview->dx) /
                   (float)(preview->per_axis * preview->per_axis * preview->per_axis);
    float amount = volume / (s->lit_cell * s->lit_cell), dx = (float)preview->dx;
    float rise = sp_vec_dot(s->light, s->stand.above);
    for (size_t k = 0; k < v->count; k++) {
        sp_vec p = {v->x[0][k] * dx - s->half[0], v->x[1][k] * dx - s->half[1],
                    v->x[2][k] * dx - s->half[2]};
        float height = sp_vec_dot(p, s->stand.above) + s->stand.half[1];
        p = sp_vec_madd(p, -height / rise, s->light);
        float a = (sp_vec_dot(p, s->stand.side) - s->lit_low[0]) / s->lit_cell;
        float b = (sp_vec_dot(p, s->stand.front) - s->lit_low[1]) / s->lit_cell;
        if (a >= 0 && b >= 0 && a < s->lit_count[0] && b < s->lit_count[1])
            s->lit[(size_t)b * s->lit_count[0] + (size_t)a] += amount;
    }
}

/* Mean over 2 * radius + 1 of `count` values that lie `step` apart; zero beyond their ends. */
static void blur_line(float *line, int count, size_t step, int radius, float *copy)
{
    for (int k = 0; k < count; k++)
        copy[k] = line[k * step];
    float sum = 0, share = 1.0f / (2 * radius + 1);
    for (int k = 0; k < radius && k < count; k++)
        sum += copy[k];
    for (int k = 0; k < count; k++) {
        if (k + radius < count)
            sum += copy[k + radius];
        if (k - radius - 1 >= 0)
            sum -= copy[k - radius - 1];
        line[k * step] = fmaxf(sum, 0) * share;
    }
}

static void blur(sp_studio *s, float *copy)
{
    for (int pass = 0; pass < 3; pass++) {
        for (int j = 0; j < s->lit_count[1]; j++)
            blur_line(s->lit + (size_t)j * s->lit_count[0], s->lit_count[0], 1, 2, copy);
        for (int i = 0; i < s->lit_count[0]; i++)
            blur_line(s->lit + i, s->lit_count[1], (size_t)s->lit_count[0], 2, copy);
    }
}

/* Share of the lamp that a point of the floor sees past the solids. */
static float see_lamp(const sp_studio *s, const sp_preview *preview, sp_vec floor)
{
    /* the light crosses the domain between its floor and its top, and leaves it by a side at the
     * latest */
    float top = 2 * s->stand.half[1] / sp_vec_dot(s->light, s->stand.above);
    float clear = 1, start = 0.01f * s->tile;
    int steps = 0;
    for (float t = start; t < top && steps < 64; steps++) {
        sp_vec p = sp_vec_madd(floor, t, s->light);
        float outside =
            fmaxf(fabsf(p.x) - s->half[0], fmaxf(fabsf(p.y) - s->half[1], fabsf(p.z) - s->half[2]));
        if (outside >
            0) { /* only what stands in the domain is drawn, so only that may cast a shadow */
            t += fmaxf(outside, start);
            continue;
        }
        int solid;
        float d = sp_studio_distance(s, preview, p, &solid);
        if (sp_preview_is_vessel(preview, solid)) /* drawn as if cut open */
            return clear;
        clear = fminf(clear, 0.5f + 8 * d / (t + s->tile));
        if (clear <= 0)
            return 0;
        t += fmaxf(fabsf(d), start);
    }
    return clear * clear * (3 - 2 * clear);
}

static void add_solids(sp_studio *s, const sp_preview *preview)
{
    for (int j = 0; j < s->lit_count[1]; j++) {
        for (int i = 0; i < s->lit_count[0]; i++) {
            sp_vec p = sp_vec_scale(s->stand.above, -s->stand.half[1]);
            p = sp_vec_madd(p, s->lit_low[0] + (i + 0.5f) * s->lit_cell, s->stand.side);
            p = sp_vec_madd(p, s->lit_low[1] + (j + 0.5f) * s->lit_cell, s->stand.front);
            s->lit[(size_t)j * s->lit_count[0] + i] *= 0.25f + 0.75f * see_lamp(s, preview, p);
        }
    }
}

spate_status sp_shadow_create(sp_studio *s, const sp_preview *preview, spate_error *error)
{
    const float *half = s->stand.half;
    float rise = sp_vec_dot(s->light, s->stand.above), length[2];
    const sp_vec axes[2] = {s->stand.side, s->stand.front};
    float extent[2] = {half[0], half[2]};
    for (int d = 0; d < 2; d++) {
        float shift = -2 * half[1] * sp_vec_dot(s->light, axes[d]) / rise;
        s->lit_low[d] = -extent[d] + fminf(shift, 0);
        length[d] = 2 * extent[d] + fabsf(shift);
    }
    float margin = 0.06f * fmaxf(length[0], length[1]);
    s->lit_cell = (fmaxf(length[0], length[1]) + 2 * margin) / CELLS;
    for (int d = 0; d < 2; d++) {
        s->lit_low[d] -= margin;
        s->lit_count[d] = (int)ceilf((length[d] + 2 * margin) / s->lit_cell);
    }
    size_t count = (size_t)s->lit_count[0] * s->lit_count[1];
    float copy[CELLS + 2];
    s->lit = sp_alloc(count, sizeof *s->lit);
    if (!s->lit)
        return sp_fail_memory(error, "the shadows of a picture", count * sizeof *s->lit);
    add_particles(s, preview);
    blur(s, copy);
    float scale = 2.5f / fminf(half[1], fminf(half[0], half[2]));
    for (size_t k = 0; k < count; k++)
        s->lit[k] = 1 - 0.6f * (1 - expf(-s->lit[k] * scale));
    if (preview->solids)
        add_solids(s, preview);
    return SPATE_OK;
}

float sp_shadow_lit(const sp_studio *s, float side, float front)
{
    float a = (side - s->lit_low[0]) / s->lit_cell - 0.5f,
          b = (front - s->lit_low[1]) / s->lit_cell - 0.5f;
    if (!(a >= 0 && b >= 0 && a < s->lit_count[0] - 1 && b < s->lit_count[1] - 1))
        return 1;
    int i = (int)a, j = (int)b;
    const float *low = s->lit + (size_t)j * s->lit_count[0] + i, *high = low + s->lit_count[0];
    float ta = a - i, tb = b - j;
    return (low[0] * (1 - ta) + low[1] * ta) * (1 - tb) + (high[0] * (1 - ta) + high[1] * ta) * tb;
}
