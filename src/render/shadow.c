/* shadow.c -- the light that reaches the floor.
 *
 * A map over the floor. From each of its cells some parcels of light are taken back to the lamp and
 * sent again, this time through the liquid: they are bent at its surface, lose what the liquid
 * takes and what is mirrored, and are added up where they land. Where the surface is a lens they
 * gather (caustics), in between they are missed (shadows). Solids are found by
 * rays from the floor to places on the lamp, which is a disc: so their shadows are soft. */
#include "shadow.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"

#define CELLS 208   /* along the longer side of the map, of a picture that is wide enough */
#define PIXELS 5    /* of the picture's width, for each of them */
#define PARCELS 2   /* per cell and axis */
#define BRIGHTEST 4 /* of gathered light */

typedef struct landing {
    float place[2]; /* cells of the map */
    float light;    /* 0: lost */
} landing;

typedef struct sender {
    sp_studio *studio;
    const sp_water *water;
    landing *landings;
} sender;

static sp_vec floor_point(const sp_studio *s, float a, float b)
{
    sp_vec p = sp_vec_scale(s->stand.above, -s->stand.half[1]);
    p = sp_vec_madd(p, s->lit_low[0] + a * s->lit_cell, s->stand.side);
    return sp_vec_madd(p, s->lit_low[1] + b * s->lit_cell, s->stand.front);
}

/* The direction of light below a level surface. Light that comes through a pane takes it too: bent
 * as a pane bends it, it would leave a strip of the floor dark, which in a tank whose sides are no
 * subject of the picture looks like a fault. */
static sp_vec lamp_below(const sp_studio *s)
{
    sp_ray ray = {{0, 0, 0}, sp_vec_scale(s->light, -1), true}, behind;
    float share;
    sp_water_refract(&ray, ray.from, s->stand.above, &behind, &share);
    return behind.along;
}

/* The way of a parcel from where it enters the domain down to the floor. */
static landing send(const sp_water *w, sp_vec entry)
{
    const sp_studio *s = w->studio;
    const landing lost = {{0, 0}, 0};
    const sp_vec below = lamp_below(s);
    sp_ray ray = {sp_vec_madd(entry, 0.01f * w->unit, s->light), sp_vec_scale(s->light, -1), true};
    float light = 1;
    for (int k = 0; k < 6; k++) {
        float t = 0, share;
        sp_vec normal;
        sp_event event = sp_water_follow(w, &ray, &t, &normal);
        if (!ray.air)
            light *= expf(-0.35f * t / w->unit);
        if (event != SP_EVENT_SURFACE && event != SP_EVENT_SIDE)
            break;
        sp_vec point = sp_vec_madd(ray.from, t, ray.along);
        sp_ray behind;
        if (event == SP_EVENT_SIDE) { /* see lamp_below */
            sp_vec along = ray.air ? below : sp_vec_scale(s->light, -1);
            ray = (sp_ray){sp_vec_madd(point, 1e-4f * w->unit, along), along, !ray.air};
            continue;
        }
        if (!sp_water_refract(&ray, point, normal, &behind, &share))
            return lost; /* it goes up again, or to a side */
        behind.from = sp_vec_madd(point, -0.1f * w->field->h, normal);
        light *= 1 - share;
        ray = behind;
    }
    float fall = -sp_vec_dot(ray.along, s->stand.above);
    if (fall < 0.05f)
        return lost;
    float height = sp_vec_dot(ray.from, s->stand.above) + s->stand.half[1];
    sp_vec p = sp_vec_madd(ray.from, height / fall, ray.along);
    return (landing){{(sp_vec_dot(p, s->stand.side) - s->lit_low[0]) / s->lit_cell,
                      (sp_vec_dot(p, s->stand.front) - s->lit_low[1]) / s->lit_cell},
                     light};
}

static void send_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sender *sent = args;
    const sp_studio *s = sent->studio;
    size_t across = (size_t)s->lit_count[0] * PARCELS;
    for (size_t j = begin; j < end; j++) {
        for (size_t i = 0; i < across; i++) {
            float a = ((float)i + 0.5f) / PARCELS, b = ((float)j + 0.5f) / PARCELS, in, out;
            landing *l = &sent->landings[j * across + i];
            sp_vec p = floor_point(s, a, b);
            /* just above the floor: on it, a ray along it would be inside and outside */
            sp_vec start = sp_vec_madd(p, 1e-3f * s->reach, s->light);
            if (sp_ray_box(start, s->light, s->half, &in, &out))
                *l = send(sent->water, sp_vec_madd(start, out, s->light));
            else
                *l = (landing){{a, b}, 1};
        }
    }
}

/* Shares each parcel among the four cells around its place, in order. */
static void add_up(const sender *sent, size_t count)
{
    const sp_studio *s = sent->studio;
    for (size_t k = 0; k < count; k++) {
        const landing *l = &sent->landings[k];
        float a = l->place[0] - 0.5f, b = l->place[1] - 0.5f;
        if (!(l->light > 0 && a > -1 && b > -1 && a < (float)s->lit_count[0] &&
              b < (float)s->lit_count[1]))
            continue;
        int i = (int)(a + 1) - 1, j = (int)(b + 1) - 1;
        float ta = a - (float)i, tb = b - (float)j, light = l->light / (PARCELS * PARCELS);
        for (int c = 0; c < 4; c++) {
            int x = i + (c & 1), y = j + (c >> 1);
            if (x < 0 || y < 0 || x >= s->lit_count[0] || y >= s->lit_count[1])
                continue;
            s->lit[(size_t)y * (size_t)s->lit_count[0] + (size_t)x] +=
                light * (c & 1 ? ta : 1 - ta) * (c & 2 ? tb : 1 - tb);
        }
    }
}

/* (1, 2, 1)/4 over `count` values that lie `step` apart. */
static void blur_line(float *line, int count, size_t step)
{
    float before = line[0];
    for (int k = 0; k < count; k++) {
        float here = line[(size_t)k * step];
        float after = k + 1 < count ? line[(size_t)(k + 1) * step] : here;
        line[(size_t)k * step] = 0.25f * (before + after) + 0.5f * here;
        before = here;
    }
}

static void blur(sp_studio *s)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < s->lit_count[1]; j++)
            blur_line(s->lit + (size_t)j * (size_t)s->lit_count[0], s->lit_count[0], 1);
        for (int i = 0; i < s->lit_count[0]; i++)
            blur_line(s->lit + i, s->lit_count[1], (size_t)s->lit_count[0]);
    }
}

/* Whether a ray from the floor leaves the domain without meeting a solid. Only what stands in the
 * domain is drawn, so only that may cast a shadow; vessels are drawn as if cut open. */
static bool is_free(const sp_studio *s, const sp_preview *preview, sp_vec floor, sp_vec along)
{
    float in, out;
    sp_solid_hit hit;
    double from[3], way[3] = {along.x, along.y, along.z};
    if (!sp_ray_box(floor, along, s->half, &in, &out))
        return true;
    sp_studio_world(s, floor, from);
    return !sp_solid_rays_meet(preview->rays, from, way, fmaxf(in, 0.01f * s->tile), out, false,
                               &hit);
}

/* Share of the lamp, a disc, that a point of the floor sees past the solids: four rays to its rim,
 * and where they do not agree eight more. */
static float see_lamp(const sp_studio *s, const sp_preview *preview, sp_vec floor)
{
    static const float spots[12][2] = {
        {0.94f, 0.25f}, {-0.25f, 0.94f}, {-0.94f, -0.25f}, {0.25f, -0.94f},
        {0.30f, 0.10f}, {-0.10f, 0.30f}, {-0.30f, -0.10f}, {0.10f, -0.30f},
        {0.42f, 0.52f}, {-0.52f, 0.42f}, {-0.42f, -0.52f}, {0.52f, -0.42f},
    };
    const float wide = 0.07f; /* tangent of half the angle that the lamp takes */
    int free = 0, rays = 0;
    while (rays < 12 && (rays < 4 || (free > 0 && free < rays))) {
        sp_vec along = sp_vec_madd(s->light, wide * spots[rays][0], s->stand.side);
        along = sp_vec_madd(along, wide * spots[rays][1], s->stand.front);
        free += is_free(s, preview, floor, along);
        rays++;
    }
    return (float)free / (float)rays;
}

static void solids_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sender *sent = args;
    const sp_studio *s = sent->studio;
    for (size_t j = begin; j < end; j++)
        for (int i = 0; i < s->lit_count[0]; i++)
            s->lit[j * (size_t)s->lit_count[0] + (size_t)i] *=
                0.15f + 0.85f * see_lamp(s, sent->water->preview,
                                         floor_point(s, (float)i + 0.5f, (float)j + 0.5f));
}

/* The part of the floor that the shadow of the domain may fall on. */
static void lay_map(sp_studio *s, int width)
{
    int cells = width / PIXELS < CELLS ? (width / PIXELS > 64 ? width / PIXELS : 64) : CELLS;
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
    s->lit_cell = (fmaxf(length[0], length[1]) + 2 * margin) / (float)cells;
    for (int d = 0; d < 2; d++) {
        s->lit_low[d] -= margin;
        s->lit_count[d] = (int)ceilf((length[d] + 2 * margin) / s->lit_cell);
    }
}

spate_status sp_shadow_create(sp_studio *s, const sp_water *water, int width, spate_error *error)
{
    lay_map(s, width);
    size_t count = (size_t)s->lit_count[0] * (size_t)s->lit_count[1];
    sp_pool *pool = water->preview->pool;
    sender sent = {s, water, sp_alloc(count * PARCELS * PARCELS, sizeof *sent.landings)};
    s->lit = sp_alloc(count, sizeof *s->lit);
    if (!s->lit || !sent.landings) {
        sp_free(sent.landings);
        return sp_fail_memory(error, "the shadows of a picture", count * sizeof *sent.landings);
    }
    sp_parallel_for(pool, (size_t)s->lit_count[1] * PARCELS, 4, send_range, &sent);
    add_up(&sent, count * PARCELS * PARCELS);
    sp_free(sent.landings);
    blur(s);
    for (size_t k = 0; k < count; k++)
        s->lit[k] = s->lit[k] < BRIGHTEST ? s->lit[k] : BRIGHTEST;
    if (water->preview->rays)
        sp_parallel_for(pool, (size_t)s->lit_count[1], 4, solids_range, &sent);
    return SPATE_OK;
}

float sp_shadow_lit(const sp_studio *s, float side, float front)
{
    float a = (side - s->lit_low[0]) / s->lit_cell - 0.5f,
          b = (front - s->lit_low[1]) / s->lit_cell - 0.5f;
    float fa = floorf(a), fb = floorf(b);
    if (!(fa >= 0 && fb >= 0 && fa < (float)s->lit_count[0] - 1 && fb < (float)s->lit_count[1] - 1))
        return 1;
    const float *cell = s->lit + (size_t)fb * (size_t)s->lit_count[0] + (size_t)fa;
    const float *next = cell + s->lit_count[0];
    float ta = a - fa, tb = b - fb;
    float low = cell[0] + ta * (cell[1] - cell[0]), high = next[0] + ta * (next[1] - next[0]);
    return low + tb * (high - low);
}
