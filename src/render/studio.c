/* studio.c -- see studio.h. */
#include "studio.h"

#include "base/memory.h"
#include "shadow.h"

void sp_studio_init(sp_studio *studio, const sp_preview *preview)
{
    sp_studio s = {.stand = sp_stand_choose(preview->size, preview->scene->gravity)};
    sp_vec light = sp_vec_madd(sp_vec_scale(s.stand.side, -0.50f), 0.80f, s.stand.above);
    s.light = sp_vec_unit(sp_vec_madd(light, 0.32f, s.stand.front));
    double center[3];
    for (int d = 0; d < 3; d++) {
        center[d] = preview->low[d] + preview->size[d] / 2;
        s.half[d] = (float)preview->size[d] / 2;
    }
    s.center = sp_vec_from(center);
    s.reach = sqrtf(s.half[0] * s.half[0] + s.half[1] * s.half[1] + s.half[2] * s.half[2]);
    s.tile = s.stand.half[0] / 6;
    *studio = s;
}

void sp_studio_destroy(sp_studio *studio)
{
    sp_free(studio->lit);
    studio->lit = NULL;
}

sp_color sp_studio_sky(const sp_studio *s, sp_vec direction)
{
    const sp_color horizon = {0.80f, 0.86f, 0.92f}, zenith = {0.22f, 0.38f, 0.62f};
    float up = sp_vec_dot(direction, s->stand.above);
    sp_color sky = sp_color_mix(horizon, zenith, sqrtf(up > 0 ? up : 0));
    float toward = sp_vec_dot(direction, s->light);
    float lamp =
        sp_smoothstep(0.93f, 0.985f, toward) * 2.2f + 0.35f * sp_smoothstep(0.5f, 1, toward);
    return sp_color_add(sky, (sp_color){lamp, lamp * 0.97f, lamp * 0.9f});
}

/* Share of white in a checker board of unit squares under a box of size w about p, along one axis:
 * -1 .. 1. */
static float checker_mean(float p, float w)
{
    float a = (p - w / 2) / 2, b = (p + w / 2) / 2;
    a = fabsf(a - floorf(a) - 0.5f);
    b = fabsf(b - floorf(b) - 0.5f);
    return 2 * (a - b) / w;
}

static sp_color floor_color(const sp_studio *s, sp_vec point, float width, float depth)
{
    float side = sp_vec_dot(point, s->stand.side), front = sp_vec_dot(point, s->stand.front);
    float a = checker_mean((side + s->stand.half[0]) / s->tile, width / s->tile);
    float b = checker_mean((front - s->stand.half[2]) / s->tile, depth / s->tile);
    float away = sqrtf(side * side + front * front) / s->reach;
    float bright = 0.40f + 0.045f * a * b;
    bright *= 0.35f + 0.65f * sp_shadow_lit(s, side, front);
    bright *= 1 - 0.35f * sp_smoothstep(0.5f, 3.5f, away);
    return (sp_color){bright * 0.93f, bright, bright * 1.08f};
}

/* What is behind everything, by the height of a direction; the floor fades into it. */
static sp_color wall_color(float height)
{
    const sp_color low = {0.34f, 0.40f, 0.47f}, high = {0.10f, 0.14f, 0.20f};
    return sp_color_mix(low, high, sp_smoothstep(-0.50f, 0.05f, height));
}

sp_color sp_studio_seen(const sp_studio *s, sp_vec from, sp_vec direction, float spread,
                        float widening)
{
    float fall = -sp_vec_dot(direction, s->stand.above);
    float height = sp_vec_dot(from, s->stand.above) + s->stand.half[1];
    sp_color wall = wall_color(-fall);
    if (!(fall > 1e-4f) || height < 0)
        return wall;
    float t = height / fall;
    sp_vec point = sp_vec_madd(from, t, direction);
    float away = sp_vec_length(point) / s->reach;
    if (!(away < 4.5f))
        return wall;
    float width = spread + t * widening;
    sp_color ground = floor_color(s, point, width, width / fall);
    return sp_color_mix(ground, wall, sp_smoothstep(1.5f, 4.5f, away));
}

/* Whether the face of the domain at the `end` (0 low, 1 high) of a world axis looks towards the
 * eye. */
static bool faces_eye(const sp_studio *s, const sp_camera *camera, int axis, int end)
{
    float eye[3] = {camera->eye.x, camera->eye.y, camera->eye.z};
    return end ? eye[axis] > s->half[axis] : eye[axis] < -s->half[axis];
}

/* Cuts off what is not before the camera; false if nothing is left. */
static bool clip(const sp_camera *camera, sp_vec ends[2])
{
    float depth[2], least = 0.5f * camera->near;
    for (int k = 0; k < 2; k++)
        depth[k] = sp_vec_dot(sp_vec_sub(ends[k], camera->eye), camera->forward) - least;
    if (depth[0] <= 0 && depth[1] <= 0)
        return false;
    for (int k = 0; k < 2; k++)
        if (depth[k] < 0)
            ends[k] = sp_vec_madd(ends[k], depth[k] / (depth[k] - depth[1 - k]),
                                  sp_vec_sub(ends[1 - k], ends[k]));
    return true;
}

/* An edge runs along `axis`; the two faces that meet in it stand on the ends e0, e1 of the two
 * other axes. */
static void draw_edge(const sp_studio *s, const sp_camera *camera, const sp_preview *preview,
                      int axis, int e0, int e1, bool front, sp_image *image)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    float p[3];
    p[a] = e0 ? s->half[a] : -s->half[a];
    p[b] = e1 ? s->half[b] : -s->half[b];
    p[axis] = -s->half[axis];
    sp_vec ends[2] = {{p[0], p[1], p[2]}, {0, 0, 0}};
    p[axis] = s->half[axis];
    ends[1] = (sp_vec){p[0], p[1], p[2]};
    if (!clip(camera, ends))
        return;
    sp_vec from = sp_camera_project(camera, ends[0]), to = sp_camera_project(camera, ends[1]);
    const spate_side(*sides)[2] = preview->scene->domain.sides;
    bool wall = sides[a][e0] == SPATE_SIDE_WALL || sides[b][e1] == SPATE_SIDE_WALL;
    float smaller = image->width < image->height ? image->width : image->height;
    float width = fmaxf(0.0022f * smaller, 0.5f);
    sp_image_line(image, (float[2]){from.x, from.y}, (float[2]){to.x, to.y}, width,
                  wall ? 0 : 5 * width, (sp_color){0.88f, 0.94f, 0.98f}, front ? 0.6f : 0.4f);
}

static void draw_edges(const sp_studio *s, const sp_camera *camera, const sp_preview *preview,
                       bool front, sp_image *image)
{
    for (int k = 0; k < 12; k++) {
        int axis = k / 4, e0 = k & 1, e1 = k >> 1 & 1;
        bool seen =
            faces_eye(s, camera, (axis + 1) % 3, e0) || faces_eye(s, camera, (axis + 2) % 3, e1);
        if (seen == front)
            draw_edge(s, camera, preview, axis, e0, e1, front, image);
    }
}

typedef struct backdrop {
    const sp_studio *studio;
    const sp_camera *camera;
    sp_image *image;
} backdrop;

static void draw_rows_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const backdrop *b = args;
    for (size_t y = begin; y < end; y++) {
        for (int x = 0; x < b->image->width; x++) {
            sp_vec ray = sp_camera_ray(b->camera, (float)x + 0.5f, (float)y + 0.5f);
            float in, out, pixel = 1 / b->camera->focal;
            sp_color color = sp_studio_seen(b->studio, b->camera->eye, sp_vec_unit(ray), 0, pixel);
            if (sp_camera_box(b->camera, ray, b->studio->half, &in, &out)) /* the panes */
                color = sp_color_mix(color, (sp_color){0.75f, 0.85f, 0.9f}, 0.05f);
            b->image->pixels[y * (size_t)b->image->width + (size_t)x] = color;
        }
    }
}

void sp_studio_draw_back(const sp_studio *s, const sp_camera *camera, const sp_preview *preview,
                         sp_image *image)
{
    backdrop b = {s, camera, image};
    sp_parallel_for(preview->pool, (size_t)image->height, 8, draw_rows_range, &b);
    draw_edges(s, camera, preview, false, image);
}

void sp_studio_draw_front(const sp_studio *s, const sp_camera *camera, const sp_preview *preview,
                          sp_image *image)
{
    draw_edges(s, camera, preview, true, image);
}
