/* preview3d.c -- a 3D simulation in perspective: water in a tank.
 *
 * Studio and solids are drawn first. Then every sample of the liquid's surface is shaded: the
 * normal n comes from the slopes of the inverse depth w (for a plane n.P = d, w = n.P/(z d) is
 * linear over the screen); what is behind is seen through the refracted ray and dimmed by
 * exp(-sigma T) along the thickness T; the water's own colour grows with T; the sky is mirrored
 * after Schlick's formula; spray is white. */
#include "preview.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "solids3d.h"
#include "studio.h"
#include "water.h"

typedef struct shot {
    const sp_preview *preview;
    sp_studio studio;
    sp_camera camera;
    sp_water water;
    sp_image back;        /* everything but the liquid */
    float *depth, *cover; /* of the solids, per pixel */
    float unit;           /* m, way through the middle of the tank: scale of the colours */
} shot;

/* Change of w per sample along one axis of the screen, from the neighbours on the same surface. */
static float slope(float before, float here, float after, float limit)
{
    bool left = fabsf(before - here) < limit, right = fabsf(after - here) < limit;
    if (left && right)
        return (after - before) / 2;
    return left ? here - before : right ? after - here : 0;
}

static sp_vec surface_normal(const shot *s, int x, int y, float w)
{
    const sp_water *water = &s->water;
    const float *here = water->nearness + (size_t)y * water->width + x;
    float limit = water->range * w * w;
    float before = x > 0 ? here[-1] : 0, after = x + 1 < water->width ? here[1] : 0;
    float above = y > 0 ? here[-water->width] : 0;
    float below = y + 1 < water->height ? here[water->width] : 0;
    float wx = slope(before, w, after, limit) * water->samples;
    float wy = slope(above, w, below, limit) * water->samples;
    float px = (x + 0.5f) / water->samples - s->camera.x;
    float py = (y + 0.5f) / water->samples - s->camera.y;
    sp_vec n = sp_vec_scale(s->camera.right, -s->camera.focal * wx);
    n = sp_vec_madd(n, s->camera.focal * wy, s->camera.up);
    return sp_vec_unit(sp_vec_madd(n, -(w - wx * px - wy * py), s->camera.forward));
}

/* Unit direction of a ray that enters water. */
static sp_vec refract(sp_vec view, sp_vec normal, float cosine)
{
    const float eta = 1 / 1.33f;
    float inside = sqrtf(1 - eta * eta * (1 - cosine * cosine));
    return sp_vec_madd(sp_vec_scale(view, eta), eta * cosine - inside, normal);
}

/* What the refracted ray shows, after `way` metres. Solids before the water are not behind it. */
static sp_color seen_through(const shot *s, sp_vec point, sp_vec ray, float way, float z, int x,
                             int y)
{
    sp_vec p = sp_camera_project(&s->camera, sp_vec_madd(point, way, ray));
    int i = (int)fminf(fmaxf(p.x, 0), s->back.width - 1);
    int j = (int)fminf(fmaxf(p.y, 0), s->back.height - 1);
    float solid = s->depth[(size_t)j * s->back.width + i];
    if (solid > 0 && solid < z)
        return s->back.pixels[(size_t)y * s->back.width + x];
    return sp_image_sample(&s->back, p.x, p.y);
}

static sp_color mirrored(const shot *s, sp_vec direction)
{
    const sp_color ground = {0.30f, 0.34f, 0.38f};
    float up = sp_vec_dot(direction, s->studio.stand.above);
    if (up > 0.1f)
        return sp_studio_sky(&s->studio, direction);
    return sp_color_mix(ground, sp_studio_sky(&s->studio, direction),
                        sp_smoothstep(-0.1f, 0.1f, up));
}

/* The colour of the liquid at a sample (x, y), which lies in pixel (i, j). */
static sp_color shade(const shot *s, int x, int y, int i, int j, float w)
{
    float px = (x + 0.5f) / s->water.samples, py = (y + 0.5f) / s->water.samples, z = 1 / w;
    sp_vec ray = sp_camera_ray(&s->camera, px, py), point = sp_vec_madd(s->camera.eye, z, ray);
    float length = sp_vec_length(ray);
    sp_vec view = sp_vec_scale(ray, 1 / length), normal = surface_normal(s, x, y, w);
    float cosine = fminf(fmaxf(-sp_vec_dot(view, normal), 0), 1);
    float lamp = fmaxf(sp_vec_dot(normal, s->studio.light), 0);

    sp_bulk bulk = sp_water_bulk(&s->water, px, py);
    float way = bulk.thickness, solid = s->depth[(size_t)j * s->back.width + i];
    if (solid > z)
        way = fminf(way, (solid - z) * length);
    sp_color behind =
        seen_through(s, point, refract(view, normal, cosine), fminf(way, 0.4f * s->unit), z, i, j);
    float t = way / s->unit;
    sp_color pass = {expf(-5.0f * t), expf(-1.7f * t), expf(-1.0f * t)};
    float top = sp_vec_dot(normal, s->studio.stand.above);
    float own = (1 - expf(-3.2f * (t + 0.09f))) * (0.62f + 0.28f * lamp + 0.25f * fmaxf(top, 0));
    sp_color color = sp_color_add(sp_color_times(behind, pass),
                                  sp_color_scale((sp_color){0.004f, 0.085f, 0.185f}, own));

    float fresnel = 1 - cosine;
    fresnel = 0.03f + 0.97f * fresnel * fresnel * fresnel * fresnel;
    /* the rim of the liquid is made of single balls, not of steep water */
    fresnel *= t / (t + 0.015f);
    sp_vec mirror = sp_vec_madd(view, 2 * cosine, normal);
    color = sp_color_mix(color, mirrored(s, mirror), fresnel);
    float glint = fmaxf(sp_vec_dot(mirror, s->studio.light), 0);
    glint = powf(glint, 80) * 0.55f;
    color = sp_color_add(color, (sp_color){glint, glint, glint});

    float spray = s->water.spray[(size_t)y * s->water.width + x] / 255.0f;
    float white = 0.55f * spray + 0.30f * sp_smoothstep(0.5f, 1.3f, bulk.speed);
    white = fminf(white, 0.9f);
    float bright = 0.55f + 0.4f * lamp;
    color = sp_color_mix(color, (sp_color){bright * 0.94f, bright * 0.98f, bright}, white);
    float film = sp_smoothstep(0.03f, 0.4f, bulk.thickness / s->water.spacing);
    return sp_color_mix(s->back.pixels[(size_t)j * s->back.width + i], color, fmaxf(film, spray));
}

static sp_color compose_pixel(const shot *s, int i, int j)
{
    size_t pixel = (size_t)j * s->back.width + i;
    int n = s->water.samples;
    sp_color back = s->back.pixels[pixel], sum = {0, 0, 0};
    float solid = fabsf(s->depth[pixel]), cover = s->cover[pixel];
    for (int k = 0; k < n * n; k++) {
        int x = i * n + k % n, y = j * n + k / n;
        float w = s->water.nearness[(size_t)y * s->water.width + x];
        sp_color color = back;
        bool before = cover > 0 && solid * w < 1;
        if (w > 0 && !(before && cover == 1))
            color = sp_color_mix(shade(s, x, y, i, j, w), back, before ? cover : 0);
        sum = sp_color_add(sum, color);
    }
    return sp_color_scale(sum, 1.0f / (n * n));
}

static spate_status draw(shot *s, sp_image *image, spate_error *error)
{
    size_t count = (size_t)image->width * image->height;
    s->depth = sp_alloc(count, sizeof *s->depth);
    s->cover = sp_alloc(count, sizeof *s->cover);
    if (!s->depth || !s->cover)
        return sp_fail_memory(error, "a picture", 2 * count * sizeof *s->depth);
    TRY(sp_image_create(&s->back, image->width, image->height, error));
    TRY(sp_studio_create(&s->studio, s->preview, error));
    s->camera = sp_camera_fit(&s->studio.stand, image->width, image->height);
    float in, out;
    s->unit = sp_camera_box(&s->camera, s->camera.forward, s->studio.half, &in, &out)
                  ? out - in
                  : s->studio.reach;

    sp_studio_draw_back(&s->studio, &s->camera, s->preview, &s->back);
    if (s->preview->solids)
        sp_solids_draw(&s->studio, &s->camera, s->preview, &s->back, s->depth, s->cover);
    TRY(sp_water_create(&s->water, &s->studio, &s->camera, s->preview, image->width, image->height,
                        error));
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            image->pixels[(size_t)y * image->width + x] = compose_pixel(s, x, y);
    sp_studio_draw_front(&s->studio, &s->camera, s->preview, image);
    return SPATE_OK;
}

spate_status sp_preview_draw_3d(const sp_preview *preview, sp_image *image, spate_error *error)
{
    shot s = {.preview = preview};
    spate_status status = draw(&s, image, error);
    sp_water_destroy(&s.water);
    sp_studio_destroy(&s.studio);
    sp_image_destroy(&s.back);
    sp_free(s.depth);
    sp_free(s.cover);
    return status;
}
