/* grains.c -- see grains.h.
 *
 * Grains are much smaller than pixels and there are many in each, so what is drawn is how much of a
 * pixel they cover: 1 - exp(-sum of their areas). Foam makes a lace of it on the surface, a grain
 * standing for a patch of about the spacing; spray is a fine dot, drawn out along its way while the
 * shutter is open; bubbles are seen through the water before them, which takes their light. What is
 * about to age away is fainter, so that nothing goes out at once. How a class looks stands in its
 * row in the .def file of the set. */
#include "grains.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#define SHUTTER 0.4f /* of the time between two frames */
#define MOST_STREAK 24
#define FADE 0.25f /* share of its life at the end in which a grain fades */

/* The particles of a set. */
typedef struct grains {
    const sp_set_kind *kind;
    const spate_particles_view *view;
    const uint32_t *classes; /* NULL: all are of class 0 */
    const float *ages, *lives;
    float spacing, shutter; /* m, s */
} grains;

static bool take(const sp_preview *preview, int set, grains *g)
{
    const sp_particles *p = preview->sets ? &preview->sets->of[set] : NULL;
    if (!p || !p->kind || p->view.count == 0)
        return false;
    const char *name = sp_set_class_column(p->kind);
    g->kind = p->kind;
    g->view = &p->view;
    g->classes = name ? sp_particles_column(p, name).values[0] : NULL;
    g->ages = sp_particles_column(p, "age").values[0];
    g->lives = sp_particles_column(p, "life").values[0];
    g->spacing = (float)(p->kind->spacing ? p->kind->spacing(preview->scene, preview->dx)
                                          : 0.5 * preview->dx);
    g->shutter = (float)(SHUTTER / preview->scene->fps);
    return g->classes || !name;
}

/* A file may hold any number. */
static int class_of(const grains *g, size_t k)
{
    bool known = g->classes && g->classes[k] < (uint32_t)g->kind->class_count;
    return known ? (int)g->classes[k] : 0;
}

static sp_color color_of(const sp_set_look *look)
{
    return (sp_color){look->color[0], look->color[1], look->color[2]};
}

/* 1, and less towards the end of its life. */
static float strength(const grains *g, size_t k)
{
    if (!g->ages || !g->lives || !(g->lives[k] > 0))
        return 1;
    float left = (1 - g->ages[k] / g->lives[k]) / FADE;
    return left < 0 ? 0 : left < 1 ? left : 1;
}

/* ------------------------------------------------------------------ in perspective */

typedef struct layer {
    float *sum; /* per pixel, of areas */
    int width, height;
} layer;

/* A grain in hand. */
typedef struct grain {
    float x, y, z, radius, amount; /* pixels; m, depth; pixels; share of its disc */
    sp_set_drawing how;
} grain;

/* Whether a grain at depth z is seen in a pixel, and how much of it. */
static float seen(const grain *g, float solid, float water, float unit, float dx)
{
    if (solid > 0 && solid < g->z)
        return 0;
    if (g->how == LOOK_THROUGH) {
        float deep = water > 0 ? g->z - water : 0;
        return expf(-1.5f * fmaxf(deep, 0) / unit);
    }
    float margin = g->how == LOOK_OVER ? 1.5f * dx : 0.25f * dx;
    float behind = water > 0 ? g->z - water - margin : 0;
    return behind > 0 ? 0.6f * expf(-3 * behind / unit) : 1; /* through a crest */
}

static void splat(const layer *l, const grain *g, const float *solid, const float *depth,
                  float unit, float dx)
{
    float radius = fmaxf(g->radius, 0.5f), reach = radius + 0.5f;
    float amount = g->amount * (g->radius * g->radius) / (radius * radius);
    int x0 = (int)fmaxf(g->x - reach, 0), y0 = (int)fmaxf(g->y - reach, 0);
    int x1 = (int)fminf(g->x + reach, (float)l->width - 1);
    int y1 = (int)fminf(g->y + reach, (float)l->height - 1);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            size_t k = (size_t)y * (size_t)l->width + (size_t)x;
            float a = (float)x + 0.5f - g->x, b = (float)y + 0.5f - g->y;
            float cover = reach - sqrtf(a * a + b * b);
            if (cover <= 0)
                continue;
            cover = cover < 1 ? cover : 1;
            l->sum[k] += cover * amount * seen(g, solid[k], depth[k], unit, dx);
        }
}

typedef struct scene3d {
    const sp_water *water;
    const sp_camera *camera;
    const float *solid, *depth;
    sp_image *image;
} scene3d;

static sp_vec point_of(const scene3d *s, const grains *g, size_t k, float later)
{
    const spate_particles_view *v = g->view;
    const float *half = s->water->studio->half;
    float scale = (float)v->scale, at[3];
    for (int d = 0; d < 3; d++)
        at[d] = v->x[d][k] * scale - half[d] + (v->v[d] ? later * v->v[d][k] : 0);
    return (sp_vec){at[0], at[1], at[2]};
}

/* Into the layer of a class. */
static void draw_grain(const scene3d *s, const grains *g, const layer *l, size_t k)
{
    const sp_set_look *look = &g->kind->looks[class_of(g, k)];
    sp_vec end = sp_camera_project(s->camera, point_of(s, g, k, 0)), begin = end;
    if (!(end.z > 0.5f * s->camera->near))
        return;
    grain one = {
        .how = look->how, .z = end.z, .radius = s->camera->focal * look->size * g->spacing / end.z};
    int parts = 1;
    if (look->how == LOOK_STREAK) {
        begin = sp_camera_project(s->camera, point_of(s, g, k, -g->shutter));
        float length = hypotf(end.x - begin.x, end.y - begin.y);
        parts = 1 + (int)fminf(length / fmaxf(one.radius, 0.5f), MOST_STREAK - 1);
    }
    /* drawn out it is fainter, but not as much as its way is longer: the eye sees streaks */
    one.amount = look->cover * strength(g, k) / sqrtf((float)parts);
    for (int n = 0; n < parts; n++) {
        float t = parts > 1 ? (float)n / (float)(parts - 1) : 1;
        one.x = begin.x + t * (end.x - begin.x);
        one.y = begin.y + t * (end.y - begin.y);
        splat(l, &one, s->solid, s->depth, s->water->unit, (float)s->water->preview->dx);
    }
}

static void lay(const layer *l, sp_color color, sp_image *image)
{
    for (int y = 0; y < l->height; y++)
        for (int x = 0; x < l->width; x++) {
            float sum = l->sum[(size_t)y * (size_t)l->width + (size_t)x];
            if (sum > 0)
                sp_image_blend(image, x, y, color, 1 - expf(-1.3f * sum));
        }
}

static void draw_set(const scene3d *s, const grains *g, const layer *l)
{
    for (int n = g->kind->class_count - 1; n >= 0; n--) {
        memset(l->sum, 0, (size_t)l->width * (size_t)l->height * sizeof *l->sum);
        for (size_t k = 0; k < g->view->count; k++)
            if (class_of(g, k) == n)
                draw_grain(s, g, l, k);
        lay(l, color_of(&g->kind->looks[n]), s->image);
    }
}

spate_status sp_grains_draw(const sp_water *water, const sp_camera *camera, const float *solid,
                            const float *depth, sp_image *image, spate_error *error)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    layer l = {.width = image->width, .height = image->height};
    scene3d s = {water, camera, solid, depth, image};
    for (int set = SET_FLUID + 1; set < SET_COUNT; set++) {
        grains g;
        if (!take(water->preview, set, &g))
            continue;
        if (!l.sum)
            l.sum = sp_alloc(pixels, sizeof *l.sum);
        if (!l.sum)
            return sp_fail_memory(error, "the grains of a picture", pixels * sizeof *l.sum);
        draw_set(&s, &g, &l);
    }
    sp_free(l.sum);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ flat */

static void draw_set_flat(const sp_canvas *page, const grains *g)
{
    float scale = (float)g->view->scale * page->scale;
    for (size_t k = 0; k < g->view->count; k++) {
        const sp_set_look *look = &g->kind->looks[class_of(g, k)];
        float to[2] = {page->left + g->view->x[0][k] * scale,
                       page->bottom - g->view->x[1][k] * scale};
        float radius = fmaxf(look->flat_size * g->spacing * page->scale, 0.6f);
        float cover = look->flat_cover * strength(g, k);
        if (look->how == LOOK_STREAK && g->view->v[0]) {
            float way = g->shutter * page->scale;
            float from[2] = {to[0] - way * g->view->v[0][k], to[1] + way * g->view->v[1][k]};
            sp_image_line(page->image, from, to, 1.2f * radius, 0, color_of(look), 0.4f * cover);
        }
        sp_image_disc(page->image, to[0], to[1], radius, color_of(look), cover);
    }
}

void sp_grains_draw_flat(const sp_canvas *page)
{
    for (int set = SET_FLUID + 1; set < SET_COUNT; set++) {
        grains g;
        if (take(page->preview, set, &g))
            draw_set_flat(page, &g);
    }
}
