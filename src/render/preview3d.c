/* preview3d.c -- a 3D simulation in perspective: water in a tank.
 *
 * In order: the field of the liquid (field.c), the light that it lets through to the floor
 * (shadow.c), studio and solids (studio.c, solids3d.c), then one ray per pixel to the liquid
 * (water.c), and on top the drops that fly alone (drops.c). Pixels at the rims of the liquid, where
 * the one ray and those of the pixels around do not agree on where it is, get five rays. */
#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "drops.h"
#include "grains.h"
#include "shadow.h"
#include "solids3d.h"

typedef struct shot {
    const sp_preview *preview;
    sp_studio studio;
    sp_camera camera;
    sp_field field;
    sp_water water;
    sp_image back;               /* everything but the liquid */
    sp_image *image;             /* the result */
    float *solid, *edge, *cover; /* per pixel, as sp_solids_draw */
    float *depth;                /* of the liquid, 0: none */
} shot;

/* Depth of the liquid on the ray through a place of the picture, 0 if there is none before
 * `limit`. A camera inside the liquid has it at the least depth there is. */
static float find_water(const shot *s, float x, float y, float limit, sp_ray *ray, sp_vec *normal)
{
    sp_vec along = sp_camera_ray(&s->camera, x, y);
    float length = sp_vec_length(along), t;
    *ray = (sp_ray){s->camera.eye, sp_vec_scale(along, 1 / length), true};
    sp_event event = sp_water_follow(&s->water, ray, &t, normal);
    if (event != SP_EVENT_SURFACE && event != SP_EVENT_SIDE)
        return 0;
    float depth = fmaxf(t / length, 1e-6f);
    return limit > 0 && depth >= limit ? 0 : depth;
}

static sp_color water_color(const shot *s, const sp_ray *ray, float depth, sp_vec normal)
{
    float pixel = 1 / s->camera.focal, away = depth / sp_vec_dot(ray->along, s->camera.forward);
    if (depth <= 1e-6f) {
        sp_ray inside = {ray->from, ray->along, false};
        return sp_water_inside(&s->water, inside, 0, pixel);
    }
    sp_vec point = sp_vec_madd(ray->from, away, ray->along);
    return sp_water_color(&s->water, ray, point, normal, depth * pixel, pixel);
}

/* What a place in pixel (i, j) shows. */
static sp_color look(const shot *s, float x, float y, size_t pixel, float *depth)
{
    sp_ray ray;
    sp_vec normal;
    float cover = s->cover[pixel], solid = s->solid[pixel] > 0 ? s->solid[pixel] : s->edge[pixel];
    sp_color back = s->back.pixels[pixel];
    *depth = find_water(s, x, y, cover >= 1 ? solid : 0, &ray, &normal);
    if (*depth <= 0)
        return back;
    sp_color color = water_color(s, &ray, *depth, normal);
    return cover > 0 && *depth > solid ? sp_color_mix(color, back, cover) : color;
}

static void first_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const shot *s = args;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < s->image->width; x++) {
            size_t k = y * (size_t)s->image->width + (size_t)x;
            s->image->pixels[k] = look(s, (float)x + 0.5f, (float)y + 0.5f, k, &s->depth[k]);
        }
}

/* Whether the liquid has a rim in a pixel: depths around it (1/depth of a plane is linear over the
 * picture) break. */
static bool is_rim(const shot *s, int x, int y)
{
    int width = s->image->width, height = s->image->height;
    const float *here = s->depth + (size_t)y * (size_t)width + (size_t)x;
    float w = *here > 0 ? 1 / *here : 0, limit = 3 * s->field.h * w * w;
    for (int axis = 0; axis < 2; axis++) {
        int at = axis ? y : x, count = axis ? height : width;
        ptrdiff_t step = axis ? width : 1;
        float before = at > 0 ? here[-step] : *here, after = at + 1 < count ? here[step] : *here;
        if ((before > 0) != (*here > 0) || (after > 0) != (*here > 0))
            return true;
        if (*here > 0 && fabsf(1 / before + 1 / after - 2 * w) > limit)
            return true;
    }
    return false;
}

static void rims_range(void *args, size_t begin, size_t end, int worker)
{
    /* with the middle: five places, no two in a row or column */
    static const float places[4][2] = {{0.3f, 0.1f}, {0.9f, 0.3f}, {0.1f, 0.7f}, {0.7f, 0.9f}};
    (void)worker;
    const shot *s = args;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < s->image->width; x++) {
            if (!is_rim(s, x, (int)y))
                continue;
            size_t pixel = y * (size_t)s->image->width + (size_t)x;
            sp_color sum = s->image->pixels[pixel]; /* the middle one is known */
            for (int k = 0; k < 4; k++) {
                float depth, px = (float)x + places[k][0], py = (float)y + places[k][1];
                sum = sp_color_add(sum, look(s, px, py, pixel, &depth));
            }
            s->image->pixels[pixel] = sp_color_scale(sum, 0.2f);
        }
}

static spate_status prepare(shot *s, spate_error *error)
{
    size_t count = (size_t)s->image->width * (size_t)s->image->height;
    s->solid = sp_alloc(count, sizeof *s->solid);
    s->edge = sp_alloc(count, sizeof *s->edge);
    s->cover = sp_alloc(count, sizeof *s->cover);
    s->depth = sp_alloc(count, sizeof *s->depth);
    if (!s->solid || !s->edge || !s->cover || !s->depth)
        return sp_fail_memory(error, "a picture", 4 * count * sizeof *s->depth);
    TRY(sp_image_create(&s->back, s->image->width, s->image->height, error));
    sp_studio_init(&s->studio, s->preview);
    double center[3];
    for (int d = 0; d < 3; d++)
        center[d] = s->preview->low[d] + s->preview->size[d] / 2;
    s->camera = sp_camera_choose(&s->studio.stand, &s->preview->look, center, s->image->width,
                                 s->image->height);
    TRY(sp_field_create(&s->field, s->preview, error));
    const float *half = s->studio.stand.half;
    s->water =
        (sp_water){s->preview, &s->studio, &s->field, 1.2f * cbrtf(half[0] * half[1] * half[2])};
    return sp_shadow_create(&s->studio, &s->water, s->image->width, error);
}

static spate_status draw(shot *s, spate_error *error)
{
    TRY(prepare(s, error));
    size_t height = (size_t)s->image->height;
    sp_pool *pool = s->preview->pool;
    sp_studio_draw_back(&s->studio, &s->camera, s->preview, &s->back);
    if (s->preview->rays)
        TRY(sp_solids_draw(&s->studio, &s->camera, s->preview, &s->back, s->solid, s->edge,
                           s->cover, error));
    sp_parallel_for(pool, height, 4, first_range, s);
    sp_parallel_for(pool, height, 4, rims_range, s);
    TRY(sp_drops_draw(&s->water, &s->camera, s->solid, s->depth, s->image, error));
    TRY(sp_grains_draw(&s->water, &s->camera, s->solid, s->depth, s->image, error));
    sp_studio_draw_front(&s->studio, &s->camera, s->preview, s->image);
    return SPATE_OK;
}

spate_status sp_preview_draw_3d(const sp_preview *preview, sp_image *image, spate_error *error)
{
    shot s = {.preview = preview, .image = image};
    spate_status status = draw(&s, error);
    sp_studio_destroy(&s.studio);
    sp_field_destroy(&s.field);
    sp_image_destroy(&s.back);
    sp_free(s.solid);
    sp_free(s.edge);
    sp_free(s.cover);
    sp_free(s.depth);
    return status;
}
