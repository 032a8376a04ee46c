/* solids3d.c -- the solids of a 3D simulation in the picture: one ray per pixel (solid_rays.c).
 *
 * Pixels in which the depth breaks or bends (1/z of a plane is linear over the screen) are edges
 * and get nine rays.
 *
 * Solids are drawn inside the domain only, and one that reaches out of it shows its cut face. */
#include "solids3d.h"

#include <math.h>

#include "base/status.h"

typedef struct tracer {
    const sp_studio *studio;
    const sp_camera *camera;
    const sp_preview *preview;
    sp_image *image;
    sp_image front; /* the solids alone: what is behind an edge stays in `image` */
    float *depth, *edge, *cover;
} tracer;

/* Unit normal of the domain's face that a point lies on. */
static sp_vec face_normal(const sp_studio *s, sp_vec p)
{
    const float *half = s->half;
    float v[3] = {p.x, p.y, p.z}, n[3] = {0, 0, 0};
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (fabsf(v[d]) - half[d] > fabsf(v[axis]) - half[axis])
            axis = d;
    n[axis] = v[axis] > 0 ? 1 : -1;
    return (sp_vec){n[0], n[1], n[2]};
}

static sp_color shade(const sp_studio *s, const sp_preview *preview, sp_vec p, sp_vec normal,
                      bool cut)
{
    const sp_color stone = {0.60f, 0.52f, 0.43f};
    float lamp = sp_vec_dot(normal, s->light), up = sp_vec_dot(normal, s->stand.above);
    /* how free the point is: distances along the normal that are shorter than the way there mean
     * something is near */
    float reach = 0.08f * s->reach, open = 1;
    for (int k = 1; k <= 3 && !cut; k++) {
        float way = reach * (float)k / 3;
        float d = sp_studio_distance(s, preview, sp_vec_madd(p, way, normal));
        float height = sp_vec_dot(p, s->stand.above) + s->stand.half[1] + way * up;
        open -= 0.25f * fmaxf(0, 1 - fminf(d, height) / way);
    }
    float light = 0.85f * fmaxf(lamp, 0) + (0.32f + 0.12f * up) * fmaxf(open, 0.5f);
    return sp_color_scale(stone, cut ? 0.75f * light : light);
}

bool sp_solids_meet(const sp_studio *studio, const sp_preview *preview, sp_vec from, sp_vec along,
                    float begin, float end, sp_solid_hit *hit)
{
    if (!preview->rays)
        return false;
    double world[3], way[3] = {along.x, along.y, along.z};
    sp_studio_world(studio, from, world);
    return sp_solid_rays_meet(preview->rays, world, way, begin, end, true, hit);
}

sp_color sp_solids_color(const sp_studio *studio, const sp_preview *preview, sp_vec from,
                         sp_vec along, const sp_solid_hit *hit)
{
    double world[3], way[3] = {along.x, along.y, along.z};
    sp_studio_world(studio, from, world);
    sp_vec point = sp_vec_madd(from, (float)hit->t, along);
    float in, out; /* a cut face: the ray came into the domain inside the solid */
    bool cut = hit->inside && sp_ray_box(from, along, studio->half, &in, &out) && in > 0 &&
               (float)hit->t <= in;
    double normal[3];
    sp_solid_rays_normal(preview->rays, world, way, hit, normal);
    return shade(studio, preview, point, cut ? face_normal(studio, point) : sp_vec_from(normal),
                 cut);
}

/* What the ray through a place of the screen hits, in depths; false: nothing. */
static bool trace_ray(const tracer *t, float x, float y, sp_solid_hit *hit)
{
    sp_vec ray = sp_camera_ray(t->camera, x, y);
    float in, out;
    return sp_camera_box(t->camera, ray, t->studio->half, &in, &out) &&
           sp_solids_meet(t->studio, t->preview, t->camera->eye, ray, in, out, hit);
}

static sp_color hit_color(const tracer *t, float x, float y, const sp_solid_hit *hit)
{
    return sp_solids_color(t->studio, t->preview, t->camera->eye, sp_camera_ray(t->camera, x, y),
                           hit);
}

/* Nearest depth in the 3 x 3 pixels about (x, y), 0 if there is none; *edge: whether they are not
 * one smooth surface. */
static float look_around(const tracer *t, int x, int y, bool *edge)
{
    float w[3][3], nearest = 0;
    int width = t->image->width, height = t->image->height;
    for (int k = 0; k < 9; k++) {
        int i = x + k % 3 - 1, j = y + k / 3 - 1;
        i = i < 0 ? 0 : i < width ? i : width - 1;
        j = j < 0 ? 0 : j < height ? j : height - 1;
        float z = t->depth[(size_t)j * width + i];
        w[k / 3][k % 3] = z > 0 ? 1 / z : 0;
        if (z > 0 && (nearest <= 0 || z < nearest))
            nearest = z;
    }
    float here = w[1][1], bend = 0;
    for (int k = 0; k < 4; k++) /* the four lines through the middle */
        bend = fmaxf(bend, fabsf(w[k / 3][k % 3] + w[2 - k / 3][2 - k % 3] - 2 * here));
    *edge = here <= 0 || bend > 0.3f * here / t->camera->focal;
    return nearest;
}

/* Nine rays; `near`: depth of the nearest thing that the pixels around see. */
static void draw_edge(const tracer *t, int x, int y, float near)
{
    sp_color sum = {0, 0, 0};
    int hits = 0;
    for (int k = 0; k < 9; k++) {
        float px = (float)x + ((float)(k % 3) + 0.5f) / 3,
              py = (float)y + ((float)(k / 3) + 0.5f) / 3;
        sp_solid_hit hit;
        if (!trace_ray(t, px, py, &hit))
            continue;
        sum = sp_color_add(sum, hit_color(t, px, py, &hit));
        hits++;
    }
    if (!hits)
        return;
    size_t pixel = (size_t)y * (size_t)t->image->width + (size_t)x;
    t->cover[pixel] = (float)hits / 9;
    t->edge[pixel] = near;
    sp_image_blend(t->image, x, y, sp_color_scale(sum, 1 / (float)hits), (float)hits / 9);
}

static void trace_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const tracer *t = args;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < t->image->width; x++) {
            sp_solid_hit hit;
            float px = (float)x + 0.5f, py = (float)y + 0.5f;
            size_t pixel = y * (size_t)t->image->width + (size_t)x;
            if (!trace_ray(t, px, py, &hit))
                continue;
            /* 0 says that there is none */
            t->depth[pixel] = fmaxf((float)hit.t, 1e-6f);
            t->front.pixels[pixel] = hit_color(t, px, py, &hit);
        }
}

static void draw_pixel(const tracer *t, int x, int y)
{
    bool edge;
    size_t k = (size_t)y * (size_t)t->image->width + (size_t)x;
    float nearest = look_around(t, x, y, &edge);
    if (nearest <= 0)
        return;
    if (edge) {
        draw_edge(t, x, y, nearest);
        return;
    }
    t->cover[k] = 1;
    t->image->pixels[k] = t->front.pixels[k];
}

static void draw_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const tracer *t = args;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < t->image->width; x++)
            draw_pixel(t, x, (int)y);
}

spate_status sp_solids_draw(const sp_studio *studio, const sp_camera *camera,
                            const sp_preview *preview, sp_image *image, float *depth, float *edge,
                            float *cover, spate_error *error)
{
    tracer t = {studio, camera, preview, image, {0}, depth, edge, cover};
    size_t height = (size_t)image->height;
    TRY(sp_image_create(&t.front, image->width, image->height, error));
    sp_parallel_for(preview->pool, height, 8, trace_range, &t);
    sp_parallel_for(preview->pool, height, 8, draw_range, &t);
    sp_image_destroy(&t.front);
    return SPATE_OK;
}
