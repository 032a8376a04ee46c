/* drops.c -- see drops.h.
 *
 * A drop has the volume of a particle. It mirrors the sky at its rim and shows, upside down, what
 * is behind it: what a ball of water does, without following rays. */
#include "drops.h"

#include <math.h>

typedef struct drop {
    float x, y, z, radius; /* pixels; z: depth, m */
} drop;

static sp_color shade(const sp_water *w, const sp_camera *camera, const sp_image *image,
                      const drop *d, float a, float b)
{
    /* a, b: place on the disc, -1 .. 1, to the right and up */
    float square = a * a + b * b, c = sqrtf(fmaxf(1 - square, 0));
    sp_vec normal = sp_vec_scale(camera->right, a);
    normal = sp_vec_madd(sp_vec_madd(normal, b, camera->up), -c, camera->forward);
    float slant = 1 - c;
    float share = 0.04f + 0.96f * slant * slant * slant * slant * slant;
    sp_vec mirror = sp_vec_madd(camera->forward, 2 * c, normal);
    float up = sp_vec_dot(mirror, w->studio->stand.above);
    const sp_color ground = {0.30f, 0.34f, 0.38f};
    sp_color sky = up > 0 ? sp_studio_sky(w->studio, mirror) : ground;
    float far = 4 * d->radius;
    sp_color through = sp_image_sample(image, d->x - a * far, d->y + b * far);
    sp_color color = sp_color_mix(sp_color_scale(through, 0.9f), sky, share);
    float lamp = fmaxf(sp_vec_dot(normal, w->studio->light), 0);
    float white = 0.12f + 0.35f * lamp * lamp;
    return sp_color_mix(color, (sp_color){0.9f, 0.95f, 1}, white);
}

static void draw(const sp_water *w, const sp_camera *camera, const float *solid, const float *depth,
                 sp_image *image, const drop *d)
{
    float reach = d->radius + 0.5f, full = 1, radius = d->radius;
    if (radius < 0.6f) { /* smaller than a pixel: fainter, not smaller */
        full = radius * radius / 0.36f;
        radius = 0.6f;
        reach = 1.1f;
    }
    int x0 = (int)fmaxf(d->x - reach, 0), y0 = (int)fmaxf(d->y - reach, 0);
    int x1 = (int)fminf(d->x + reach, (float)image->width - 1);
    int y1 = (int)fminf(d->y + reach, (float)image->height - 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            size_t k = (size_t)y * (size_t)image->width + (size_t)x;
            if ((solid[k] > 0 && solid[k] < d->z) || (depth[k] > 0 && depth[k] < d->z))
                continue;
            float dx = (float)x + 0.5f - d->x, dy = (float)y + 0.5f - d->y;
            float cover = radius + 0.5f - sqrtf(dx * dx + dy * dy);
            if (cover <= 0)
                continue;
            cover = (cover < 1 ? cover : 1) * full;
            sp_image_blend(image, x, y, shade(w, camera, image, d, dx / radius, -dy / radius),
                           cover);
        }
    }
}

void sp_drops_draw(const sp_water *w, const sp_camera *camera, const float *solid,
                   const float *depth, sp_image *image)
{
    const spate_particles_view *p = &w->preview->particles->view;
    const float *half = w->studio->half;
    float dx = (float)w->preview->dx, scale = dx / w->field->h;
    /* (3/(4 pi))^(1/3) of the distance of particles */
    float radius = 0.6204f * dx / (float)w->preview->per_axis;
    for (size_t k = 0; k < p->count; k++) {
        sp_vec cells = {p->x[0][k], p->x[1][k], p->x[2][k]};
        sp_vec g = sp_vec_sub(sp_vec_scale(cells, scale), (sp_vec){0.5f, 0.5f, 0.5f});
        if (sp_field_at(w->field, g) > 0.9f * SP_FIELD_LEVEL)
            continue;
        sp_vec at = {cells.x * dx - half[0], cells.y * dx - half[1], cells.z * dx - half[2]};
        sp_vec q = sp_camera_project(camera, at);
        drop d = {q.x, q.y, q.z, camera->focal * radius / q.z};
        if (q.z > 0.5f * camera->near && q.x > -d.radius && q.y > -d.radius &&
            q.x < (float)image->width + d.radius && q.y < (float)image->height + d.radius)
            draw(w, camera, solid, depth, image, &d);
    }
}
