/* drops.c -- see drops.h.
 *
 * A particle that touches no other is spray: one to four drops that share its volume, the same ones
 * in every picture. A drop mirrors the sky at its rim and shows, upside down, what is behind it:
 * what a ball of water does, without following rays. While the shutter is open, a quarter of
 * the time of a frame, it moves and leaves a streak, as much fainter as it is longer. Where the
 * liquid begins to hold together (field.c) a particle's drops run together and give way to the
 * surface. */
#include "drops.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

#define FULL 1.1f /* levels, from which the surface stands for a particle */

typedef struct drop {
    float from[2], to[2]; /* pixels: the streak */
    float z, radius;      /* depth, m; pixels */
    float cover;
    uint32_t name; /* the order of drops of the same depth */
} drop;

/* ------------------------------------------------------------------ from particles to drops */

/* Well mixed bits of a number. */
static uint32_t mixed(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

/* 0 .. 1 */
static float chance(uint32_t id, uint32_t which)
{
    return (float)(mixed(id * 16 + which) >> 8) * (1 / 16777216.0f);
}

int sp_drops_split(uint32_t id, sp_droplet droplets[SP_DROPS_MOST])
{
    int count = 1 + (int)(chance(id, 0) * chance(id, 1) * 1.6f * SP_DROPS_MOST);
    count = count < SP_DROPS_MOST ? count : SP_DROPS_MOST;
    float sum = 0;
    for (int k = 0; k < count; k++) {
        float part = chance(id, 2 + (uint32_t)k);
        droplets[k].share = 0.1f + part * part;
        sum += droplets[k].share;
        for (uint32_t d = 0; d < 3; d++)
            droplets[k].place[d] =
                count > 1 ? 0.9f * (chance(id + 0x51ed27U * (1 + (uint32_t)k), 8 + d) - 0.5f) : 0;
    }
    for (int k = 0; k < count; k++)
        droplets[k].share /= sum;
    return count;
}

typedef struct collector {
    const sp_water *water;
    const sp_camera *camera;
    const sp_image *image;
    drop *drops;
    size_t count, capacity;
} collector;

static bool reserve(collector *c, size_t more)
{
    if (c->count + more <= c->capacity)
        return true;
    size_t capacity = 2 * c->capacity + 1024;
    drop *drops = sp_alloc(capacity, sizeof *drops);
    if (!drops)
        return false;
    for (size_t k = 0; k < c->count; k++)
        drops[k] = c->drops[k];
    sp_free(c->drops);
    c->drops = drops;
    c->capacity = capacity;
    return true;
}

/* `velocity`: m/s; radius in m. */
static void add_drop(collector *c, sp_vec at, sp_vec velocity, float radius, float cover,
                     uint32_t name)
{
    const sp_camera *camera = c->camera;
    float shutter = 0.25f / (float)c->water->preview->scene->fps;
    sp_vec a = sp_camera_project(camera, sp_vec_madd(at, -0.5f * shutter, velocity));
    sp_vec b = sp_camera_project(camera, sp_vec_madd(at, 0.5f * shutter, velocity));
    sp_vec q = sp_camera_project(camera, at);
    if (!(fminf(q.z, fminf(a.z, b.z)) > 0.5f * camera->near))
        return;
    drop d = {{a.x, a.y}, {b.x, b.y}, q.z, camera->focal * radius / q.z, cover, name};
    float length = hypotf(b.x - a.x, b.y - a.y);
    if (!(length < 8 * d.radius + 40)) { /* past the lens */
        float part = 0.5f - 0.5f * (8 * d.radius + 40) / length;
        sp_vec cut = sp_vec_madd(a, part, sp_vec_sub(b, a));
        b = sp_vec_madd(b, part, sp_vec_sub(a, b));
        d.from[0] = cut.x, d.from[1] = cut.y, d.to[0] = b.x, d.to[1] = b.y;
        length = 8 * d.radius + 40;
    }
    /* a place on the streak is covered for a part of the time */
    d.cover *= fminf(1, 3 * d.radius / (2 * d.radius + length));
    float width = (float)c->image->width, height = (float)c->image->height;
    if (fmaxf(a.x, b.x) > -d.radius && fminf(a.x, b.x) < width + d.radius &&
        fmaxf(a.y, b.y) > -d.radius && fminf(a.y, b.y) < height + d.radius)
        c->drops[c->count++] = d;
}

/* What a single particle at a place gives the field there: the weights that it leaves at the nodes
 * before and after, one pass of the filter over them, and linear between them again. */
static float own_value(const sp_water *w, sp_vec g)
{
    float at[3] = {g.x, g.y, g.z}, value = SP_FIELD_MOST;
    float size = (float)w->preview->dx / (float)w->preview->per_axis / w->field->h;
    bool passed = w->field->h < 0.75f * (float)w->preview->dx;
    for (int d = 0; d < 3; d++) {
        float t = at[d] - floorf(at[d]), between = t * (1 - t);
        value *= size * (passed ? 0.5f - 0.5f * between : 1 - 2 * between);
    }
    return value;
}

static spate_status collect(collector *c, spate_error *error)
{
    const sp_water *w = c->water;
    const spate_particles_view *p = &w->preview->particles->view;
    const float *half = w->studio->half;
    float dx = (float)w->preview->dx, scale = dx / w->field->h;
    /* (3/(4 pi))^(1/3) of the distance of particles */
    float radius = 0.6204f * dx / (float)w->preview->per_axis;
    for (size_t k = 0; k < p->count; k++) {
        sp_vec cells = {p->x[0][k], p->x[1][k], p->x[2][k]};
        sp_vec g = sp_vec_sub(sp_vec_scale(cells, scale), (sp_vec){0.5f, 0.5f, 0.5f});
        /* a surface that only just appears is smaller than the drop, which goes as it grows */
        float value = sp_field_at(w->field, g) / SP_FIELD_LEVEL;
        if (!(value < FULL))
            continue;
        if (!reserve(c, SP_DROPS_MOST))
            return sp_fail_memory(error, "the drops of a picture", c->count * sizeof(drop));
        sp_vec at = {cells.x * dx - half[0], cells.y * dx - half[1], cells.z * dx - half[2]};
        sp_vec v = {0, 0, 0};
        if (p->v[0])
            v = (sp_vec){p->v[0][k], p->v[1][k], p->v[2][k]};
        sp_droplet droplets[SP_DROPS_MOST] = {{1, {0, 0, 0}}};
        int count = p->id ? sp_drops_split(p->id[k], droplets) : 1;
        float others = value - own_value(w, g) / SP_FIELD_LEVEL;
        float apart = dx * (1 - sp_smoothstep(0, 0.4f, others));
        float cover = 1 - sp_smoothstep(1, FULL, value);
        for (int n = 0; n < count; n++) {
            const float *place = droplets[n].place;
            sp_vec there = sp_vec_madd(at, apart, (sp_vec){place[0], place[1], place[2]});
            add_drop(c, there, v, radius * cbrtf(droplets[n].share), cover,
                     p->id ? p->id[k] : (uint32_t)k);
        }
    }
    return SPATE_OK;
}

/* The farthest first. */
static int compare(const void *a, const void *b)
{
    const drop *p = a, *q = b;
    if (p->z != q->z)
        return p->z < q->z ? 1 : -1;
    return p->name < q->name ? -1 : p->name > q->name;
}

/* ------------------------------------------------------------------ drawing */

/* At a, b of a disc of radius 1, to the right and up; (x, y): the pixel of its middle. */
static sp_color shade(const sp_water *w, const sp_camera *camera, const sp_image *image, float x,
                      float y, float radius, float a, float b)
{
    float c = sqrtf(fmaxf(1 - a * a - b * b, 0));
    sp_vec normal = sp_vec_scale(camera->right, a);
    normal = sp_vec_madd(sp_vec_madd(normal, b, camera->up), -c, camera->forward);
    float slant = 1 - c;
    float share = 0.02f + 0.98f * slant * slant * slant * slant * slant;
    sp_vec mirror = sp_vec_madd(camera->forward, 2 * c, normal);
    float up = sp_vec_dot(mirror, w->studio->stand.above);
    const sp_color ground = {0.26f, 0.29f, 0.33f};
    sp_color sky = up > 0 ? sp_studio_sky(w->studio, mirror) : ground;
    /* through it: what is behind, turned about, from farther away towards the rim */
    float far = radius * (1 + 3 * (a * a + b * b));
    sp_color through = sp_image_sample(image, x - a * far, y + b * far);
    sp_color tint = {0.80f, 0.86f, 0.90f};
    sp_color color = sp_color_mix(sp_color_times(through, tint), sky, 0.8f * share);
    float lamp = sp_vec_dot(normal, w->studio->light);
    float glint = 0.5f * sp_smoothstep(0.86f, 0.99f, lamp);
    return sp_color_add(color, (sp_color){glint, glint, glint});
}

static void draw(const sp_water *w, const sp_camera *camera, const float *solid, const float *depth,
                 sp_image *image, const drop *d)
{
    float full = d->cover, radius = d->radius;
    if (radius < 0.6f) { /* smaller than a pixel: fainter, not smaller */
        full *= radius * radius / 0.36f;
        radius = 0.6f;
    }
    float reach = radius + 0.5f;
    float along[2] = {d->to[0] - d->from[0], d->to[1] - d->from[1]};
    float square = along[0] * along[0] + along[1] * along[1];
    int x0 = (int)fmaxf(fminf(d->from[0], d->to[0]) - reach, 0);
    int y0 = (int)fmaxf(fminf(d->from[1], d->to[1]) - reach, 0);
    int x1 = (int)fminf(fmaxf(d->from[0], d->to[0]) + reach, (float)image->width - 1);
    int y1 = (int)fminf(fmaxf(d->from[1], d->to[1]) + reach, (float)image->height - 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            size_t k = (size_t)y * (size_t)image->width + (size_t)x;
            if ((solid[k] > 0 && solid[k] < d->z) || (depth[k] > 0 && depth[k] < d->z))
                continue;
            float dx = (float)x + 0.5f - d->from[0], dy = (float)y + 0.5f - d->from[1];
            float t = square > 0 ? (dx * along[0] + dy * along[1]) / square : 0;
            t = t > 0 ? (t < 1 ? t : 1) : 0;
            float mx = d->from[0] + t * along[0], my = d->from[1] + t * along[1];
            dx = (float)x + 0.5f - mx;
            dy = (float)y + 0.5f - my;
            float cover = radius + 0.5f - sqrtf(dx * dx + dy * dy);
            if (cover <= 0)
                continue;
            cover = (cover < 1 ? cover : 1) * full;
            sp_image_blend(image, x, y,
                           shade(w, camera, image, mx, my, radius, dx / radius, -dy / radius),
                           cover);
        }
    }
}

spate_status sp_drops_draw(const sp_water *w, const sp_camera *camera, const float *solid,
                           const float *depth, sp_image *image, spate_error *error)
{
    collector c = {.water = w, .camera = camera, .image = image};
    spate_status status = collect(&c, error);
    if (status == SPATE_OK && c.count > 0) {
        qsort(c.drops, c.count, sizeof *c.drops, compare);
        for (size_t k = 0; k < c.count; k++)
            draw(w, camera, solid, depth, image, &c.drops[k]);
    }
    sp_free(c.drops);
    return status;
}
