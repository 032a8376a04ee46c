/* water.c -- from particles to a surface and a thickness, in the space of the screen.
 *
 * 1. Every particle is a ball; the nearest ball of each sample of the picture gives a depth. Stored
 *    is its inverse, w = 1/z: 0 is "nothing", nearer is larger, and a plane in space is linear in w
 *    over the screen.
 * 2. What bulges through the panes of the tank is pushed back to them.
 * 3. w is smoothed (smooth.c).
 * 4. The volume of the particles, spread over about a cell, adds up to the thickness of the liquid
 *    behind each place.
 *
 * A ball has the size of the particle distance, so that the liquid has no holes. Particles that fly
 * alone are drawn afterwards, at their own volume. */
#include "water.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "loners.h"

#define ALONE 0.5f /* of sp_loners_at; above, a particle is a drop */

typedef struct splat {
    sp_water *water;
    const sp_studio *studio;
    const sp_camera *camera;
    const sp_preview *preview;
} splat;

/* A paraboloid stands for the front of a ball: w + (1 - r^2/radius^2) bulge. */
typedef struct ball {
    float x, y, radius; /* samples */
    float w, bulge;     /* 1/m */
    float alone;        /* 0 .. 1, as sp_loners_at */
} ball;

/* First and last row that a ball reaches; false if it is outside the picture. */
static bool ball_bounds(const sp_water *water, const ball *b, int rows[2])
{
    if (!(b->x + b->radius > 0 && b->y + b->radius > 0 && b->x - b->radius < water->width &&
          b->y - b->radius < water->height))
        return false;
    rows[0] = b->y - b->radius > 0 ? (int)(b->y - b->radius + 0.5f) : 0;
    rows[1] = b->y + b->radius < water->height ? (int)(b->y + b->radius - 0.5f) : water->height - 1;
    return true;
}

static bool ball_columns(const sp_water *water, const ball *b, float dy, int columns[2])
{
    float half = b->radius * b->radius - dy * dy;
    if (half < 0)
        return false;
    half = sqrtf(half);
    columns[0] = b->x - half > 0 ? (int)(b->x - half + 0.5f) : 0;
    columns[1] = b->x + half < water->width ? (int)(b->x + half - 0.5f) : water->width - 1;
    return true;
}

/* Row j of a ball, `top` being its nearness above its middle column; the nearest ball wins. */
static void ball_row(sp_water *water, const ball *b, int j, const int columns[2], float top,
                     float curve)
{
    float *row = water->nearness + (size_t)j * water->width;
    for (int i = columns[0]; i <= columns[1]; i++) {
        float dx = i + 0.5f - b->x, here = top - curve * dx * dx;
        row[i] = here > row[i] ? here : row[i];
    }
}

/* The same for a drop, which marks the samples that it wins. */
static void drop_row(sp_water *water, const ball *b, int j, const int columns[2], float top,
                     float curve)
{
    size_t row = (size_t)j * water->width;
    for (int i = columns[0]; i <= columns[1]; i++) {
        float dx = i + 0.5f - b->x, here = top - curve * dx * dx;
        if (here <= water->nearness[row + i])
            continue;
        water->nearness[row + i] = here;
        water->spray[row + i] = (uint8_t)(255 * b->alone);
    }
}

static void draw_ball(sp_water *water, const ball *b)
{
    int rows[2], columns[2];
    if (!ball_bounds(water, b, rows))
        return;
    float curve = b->bulge / (b->radius * b->radius);
    for (int j = rows[0]; j <= rows[1]; j++) {
        float dy = j + 0.5f - b->y, top = b->w + b->bulge - curve * dy * dy;
        if (!ball_columns(water, b, dy, columns))
            continue;
        if (b->alone < ALONE)
            ball_row(water, b, j, columns, top, curve);
        else
            drop_row(water, b, j, columns, top, curve);
    }
}

static void add_bulk(sp_water *water, float x, float y, float radius, float amount, float speed)
{
    if (!(x + radius > 0 && y + radius > 0 && x - radius < water->bulk_width &&
          y - radius < water->bulk_height))
        return;
    int x0 = x - radius > 0 ? (int)(x - radius) : 0, y0 = y - radius > 0 ? (int)(y - radius) : 0;
    int x1 = x + radius < water->bulk_width ? (int)(x + radius) : water->bulk_width - 1;
    int y1 = y + radius < water->bulk_height ? (int)(y + radius) : water->bulk_height - 1;
    float inverse = 1 / (radius * radius);
    for (int j = y0; j <= y1; j++) {
        sp_bulk *row = water->bulk + (size_t)j * water->bulk_width;
        float dy = j + 0.5f - y, rest = 1 - dy * dy * inverse;
        for (int i = x0; i <= x1; i++) {
            float dx = i + 0.5f - x, share = (rest - dx * dx * inverse) * amount;
            share = share > 0 ? share : 0;
            row[i].thickness += share;
            row[i].speed += share * speed;
        }
    }
}

static ball ball_at(const splat *s, const sp_loners *loners, size_t k)
{
    const spate_particles_view_data *v = &s->preview->particles;
    const float *half = s->studio->half;
    float dx = (float)s->preview->dx, samples = s->water->samples;
    sp_vec p = {v->x[0][k] * dx - half[0], v->x[1][k] * dx - half[1], v->x[2][k] * dx - half[2]};
    p = sp_camera_project(s->camera, p);
    float w = 1 / p.z, alone = sp_loners_at(loners, v, k);
    /* a drop has the volume of a particle: (3/(4 pi))^(1/3) of the distance */
    float radius = s->water->spacing * (alone < ALONE ? 1 : 0.6204f);
    /* and a ball smaller than a sample would fall between two of them */
    float drawn = fmaxf(s->camera->focal * radius * w * samples, 0.75f);
    return (ball){p.x * samples, p.y * samples, drawn, w, radius * w * w, alone};
}

/* Balls of the connected liquid, and the thickness of everything. */
static void draw_liquid(const splat *s, const sp_loners *loners)
{
    sp_water *water = s->water;
    float spacing = water->spacing, volume = spacing * spacing * spacing;
    float focal = s->camera->focal, bulk = 1.0f / (water->samples * SP_BULK_PIXELS);
    for (size_t k = 0; k < s->preview->particles.count; k++) {
        ball b = ball_at(s, loners, k);
        if (b.alone < ALONE)
            draw_ball(water, &b);
        float reach = fmaxf(focal * 1.8f * spacing * b.w / SP_BULK_PIXELS, 1);
        float radius = reach * SP_BULK_PIXELS / (b.w * focal); /* m */
        float amount = 2 * volume / ((float)M_PI * radius * radius);
        float speed = sp_preview_speed(s->preview, k) / (float)s->preview->speed;
        add_bulk(water, b.x * bulk, b.y * bulk, reach, amount, speed);
    }
}

/* After the smoothing, so that drops stay round and leave the surface behind them alone. */
static void draw_drops(const splat *s, const sp_loners *loners)
{
    for (size_t k = 0; k < s->preview->particles.count; k++) {
        if (sp_loners_at(loners, &s->preview->particles, k) < ALONE)
            continue;
        ball b = ball_at(s, loners, k);
        draw_ball(s->water, &b);
    }
}

static void push_behind_panes(const splat *s)
{
    sp_water *water = s->water;
    for (int y = 0; y < water->height; y++) {
        float *row = water->nearness + (size_t)y * water->width;
        for (int x = 0; x < water->width; x++) {
            if (!row[x])
                continue;
            float in, out;
            sp_vec ray =
                sp_camera_ray(s->camera, (x + 0.5f) / water->samples, (y + 0.5f) / water->samples);
            if (!sp_camera_box(s->camera, ray, s->studio->half, &in, &out))
                row[x] = 0;
            else
                row[x] = fminf(row[x], 1 / in);
        }
    }
}

spate_status sp_water_create(sp_water *water, const sp_studio *studio, const sp_camera *camera,
                             const sp_preview *preview, int width, int height, spate_error *error)
{
    /* pictures that are very large already need no finer samples, but memory */
    int samples = (size_t)width * height <= 4 << 20 ? 2 : 1;
    *water = (sp_water){.samples = samples, .width = width * samples, .height = height * samples};
    water->bulk_width = (width + SP_BULK_PIXELS - 1) / SP_BULK_PIXELS;
    water->bulk_height = (height + SP_BULK_PIXELS - 1) / SP_BULK_PIXELS;
    size_t count = (size_t)water->width * water->height;
    water->nearness = sp_alloc(count, sizeof *water->nearness);
    water->spray = sp_alloc(count, sizeof *water->spray);
    water->bulk = sp_alloc((size_t)water->bulk_width * water->bulk_height, sizeof *water->bulk);
    if (!water->nearness || !water->spray || !water->bulk)
        return sp_fail_memory(error, "the surface of a picture", count * sizeof *water->nearness);
    water->spacing = (float)preview->dx / preview->per_axis;
    water->range = 10 * water->spacing;
    splat s = {water, studio, camera, preview};
    sp_loners loners;
    TRY(sp_loners_create(&loners, preview, error));
    draw_liquid(&s, &loners);
    push_behind_panes(&s);
    spate_status status =
        preview->particles.count ? sp_water_smooth(water, camera, error) : SPATE_OK;
    draw_drops(&s, &loners);
    sp_loners_destroy(&loners);
    return status;
}

void sp_water_destroy(sp_water *water)
{
    sp_free(water->nearness);
    sp_free(water->spray);
    sp_free(water->bulk);
    *water = (sp_water){0};
}

sp_bulk sp_water_bulk(const sp_water *water, float x, float y)
{
    float a = x / SP_BULK_PIXELS - 0.5f, b = y / SP_BULK_PIXELS - 0.5f;
    a = fminf(fmaxf(a, 0), water->bulk_width - 1);
    b = fminf(fmaxf(b, 0), water->bulk_height - 1);
    int i = (int)a, j = (int)b;
    const sp_bulk *row = water->bulk + (size_t)j * water->bulk_width;
    const sp_bulk *next = j + 1 < water->bulk_height ? row + water->bulk_width : row;
    int right = i + 1 < water->bulk_width ? i + 1 : i;
    float ta = a - i, tb = b - j;
    const sp_bulk *corner[4] = {row + i, row + right, next + i, next + right};
    float share[4] = {(1 - ta) * (1 - tb), ta * (1 - tb), (1 - ta) * tb, ta * tb};
    sp_bulk bulk = {0, 0};
    for (int k = 0; k < 4; k++) {
        bulk.thickness += share[k] * corner[k]->thickness;
        bulk.speed += share[k] * corner[k]->speed;
    }
    if (bulk.thickness > 0)
        bulk.speed /= bulk.thickness;
    return bulk;
}
