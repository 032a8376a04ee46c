/* smooth.c -- the smoothing of the liquid's surface on the screen.
 *
 * The inverse depth w is averaged along rows and columns in turn. Samples are taken in pairs, one
 * on each side, and a pair counts only if both lie on the same surface (closer than `range` in
 * depth): slopes stay, edges stay, bumps go (after the narrow-range filter of Truong and Yuksel
 * 2018). */
#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "water.h"

typedef struct smoother {
    const sp_water *water;
    const float *from;
    float *to;
    float *sum, *weight; /* one row each */
    float reach;         /* samples times m: the radius of the filter is reach * w samples */
    int stride, taps;
} smoother;

/* Adds the pairs `step` before and behind the samples begin .. end of row c; on the screen they lie
 * `offset` samples away. */
static void add_pairs(const smoother *s, const float *c, int begin, int end, ptrdiff_t step,
                      float offset)
{
    float range = s->water->range, inverse = offset * offset / (s->reach * s->reach);
    float *restrict sum = s->sum, *restrict weight = s->weight;
    for (int x = begin; x < end; x++) {
        float w = c[x], a = c[x - step], b = c[x + step], limit = range * w * w;
        float share = 1 - inverse / (w * w + 1e-30f);
        bool counts = (share > 0) & (fabsf(a - w) < limit) & (fabsf(b - w) < limit);
        share = counts ? share : 0;
        sum[x] += share * (a + b - 2 * w);
        weight[x] += 2 * share;
    }
}

static void smooth_row(const smoother *s, int y, bool along_rows)
{
    int width = s->water->width, height = s->water->height;
    const float *c = s->from + (size_t)y * width;
    float *to = s->to + (size_t)y * width;
    int begin = 0, end = width;
    while (begin < end && !c[begin])
        begin++;
    while (end > begin && !c[end - 1])
        end--;
    for (int x = begin; x < end; x++)
        s->sum[x] = s->weight[x] = 0;
    for (int k = 1; k <= s->taps && begin < end; k++) {
        int offset = k * s->stride;
        if (along_rows) {
            int first = begin > offset ? begin : offset;
            int last = end < width - offset ? end : width - offset;
            add_pairs(s, c, first, last, offset, offset);
        } else {
            if (y - offset < 0 || y + offset >= height)
                break;
            add_pairs(s, c, begin, end, (ptrdiff_t)offset * width, offset);
        }
    }
    for (int x = begin; x < end; x++)
        to[x] = c[x] ? c[x] + s->sum[x] / (1 + s->weight[x]) : 0;
}

spate_status sp_water_smooth(sp_water *water, const sp_camera *camera, spate_error *error)
{
    enum { PASSES = 3, TAPS = 10 };
    int stride = 0;
    size_t count = (size_t)water->width * water->height;
    float *spare = sp_alloc(count, sizeof *spare);
    float *rows = sp_alloc((size_t)water->width, 2 * sizeof *rows);
    if (!spare || !rows) {
        sp_free(spare);
        sp_free(rows);
        return sp_fail_memory(error, "the surface of a picture", count * sizeof *spare);
    }
    float radius = 3.2f * water->spacing;
    /* wide filters skip samples; each pass is narrower and evens out what the one before skipped,
     * down to every sample */
    for (int pass = 0; pass < PASSES || stride > 1; pass++, radius *= 0.55f) {
        smoother s = {.water = water, .sum = rows, .weight = rows + water->width};
        s.reach = camera->focal * water->samples * radius;
        float widest = fminf(s.reach / camera->near, (float)water->width); /* samples */
        s.stride = stride = (int)fmaxf(widest / TAPS, 1);
        s.taps = (int)(widest / s.stride);
        for (int direction = 0; direction < 2; direction++) {
            s.from = direction ? spare : water->nearness;
            s.to = direction ? water->nearness : spare;
            for (int y = 0; y < water->height; y++)
                smooth_row(&s, y, !direction);
        }
    }
    sp_free(spare);
    sp_free(rows);
    return SPATE_OK;
}
