/* draw_surface.c -- draws the surface of the liquid from a particle file, for docs/surfaces.md:
 *
 *     draw_surface particles.0024.ply DX WIDTH HEIGHT DEPTH RESOLUTION picture.png
 *
 * (lengths in m). A depth buffer and one lamp, so that the shape is seen and nothing else;
 * scripts/make-images.sh compiles it against libspate.a and runs it. */
#include <spate/spate_io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "render/png.h"
#include "render/vec.h"
#include "scene/points.h"

#define PIXELS_X 1200
#define PIXELS_Y 640

typedef struct canvas {
    sp_image image;
    float *nearness;
    sp_vec middle; /* m, of the picture */
    float scale;   /* pixels per m */
} canvas;

/* Seen from the front right, a little from above, without perspective. */
static sp_vec turn(sp_vec v)
{
    const float c = 0.88f, s = 0.475f, up = 0.94f, down = 0.341f;
    sp_vec side = {c * v.x - s * v.z, v.y, s * v.x + c * v.z};
    return (sp_vec){side.x, up * side.y - down * side.z, down * side.y + up * side.z};
}

static sp_vec read_vec(const float *values, uint32_t index)
{
    const float *v = values + 3 * (size_t)index;
    return (sp_vec){v[0], v[1], v[2]};
}

static sp_color shade(sp_vec normal)
{
    sp_vec n = sp_vec_unit(normal);
    float lamp = fmaxf(0.4f * n.x + 0.7f * n.y + 0.59f * n.z, 0), glint = powf(lamp, 40);
    float light = 0.03f + 0.5f * lamp * lamp;
    return (sp_color){0.35f * light + 0.2f * glint, 0.65f * light + 0.2f * glint,
                      light + 0.2f * glint};
}

static void draw_triangle(canvas *c, const sp_vec p[3], const sp_vec n[3])
{
    float area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
    if (area >= 0)
        return; /* seen from inside, y going down */
    int x0 = (int)fmaxf(fminf(fminf(p[0].x, p[1].x), p[2].x), 0);
    int y0 = (int)fmaxf(fminf(fminf(p[0].y, p[1].y), p[2].y), 0);
    int x1 = (int)fminf(fmaxf(fmaxf(p[0].x, p[1].x), p[2].x), PIXELS_X - 1);
    int y1 = (int)fminf(fmaxf(fmaxf(p[0].y, p[1].y), p[2].y), PIXELS_Y - 1);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float px = (float)x + 0.5f, py = (float)y + 0.5f;
            float a = ((p[1].x - px) * (p[2].y - py) - (p[2].x - px) * (p[1].y - py)) / area;
            float b = ((p[2].x - px) * (p[0].y - py) - (p[0].x - px) * (p[2].y - py)) / area;
            float z = a * p[0].z + b * p[1].z + (1 - a - b) * p[2].z;
            float *nearest = &c->nearness[(size_t)y * PIXELS_X + (size_t)x];
            if (a < 0 || b < 0 || a + b > 1 || z <= *nearest)
                continue;
            *nearest = z;
            sp_vec normal = sp_vec_madd(sp_vec_scale(n[0], a), b, n[1]);
            c->image.pixels[(size_t)y * PIXELS_X + (size_t)x] =
                shade(sp_vec_madd(normal, 1 - a - b, n[2]));
        }
}

static void draw(canvas *c, const spate_surface *mesh)
{
    for (size_t k = 0; k < (size_t)PIXELS_X * PIXELS_Y; k++) {
        c->image.pixels[k] = (sp_color){0.82f, 0.84f, 0.86f};
        c->nearness[k] = -INFINITY;
    }
    for (size_t k = 0; k < mesh->triangles; k++) {
        sp_vec p[3], n[3];
        for (int i = 0; i < 3; i++) {
            uint32_t index = mesh->indices[3 * k + (size_t)i];
            sp_vec at = turn(sp_vec_sub(read_vec(mesh->positions, index), c->middle));
            p[i] = (sp_vec){0.5f * PIXELS_X + c->scale * at.x, 0.5f * PIXELS_Y - c->scale * at.y,
                            at.z};
            n[i] = turn(read_vec(mesh->normals, index));
        }
        draw_triangle(c, p, n);
    }
}

int main(int argc, char **argv)
{
    if (argc != 8)
        return 2;
    spate_error error = {0};
    spate_surface_options options;
    spate_surface_options_default(&options, NULL);
    options.cell_size = strtod(argv[2], NULL);
    for (int d = 0; d < 3; d++)
        options.domain[d] = strtod(argv[3 + d], NULL);
    options.resolution = atoi(argv[6]);
    spate_points *points = spate_points_read(argv[1], &error);
    spate_surface *mesh = points ? spate_surface_create(sp_points_positions(points), NULL,
                                                        sp_points_count(points), &options, &error)
                                 : NULL;
    double middle[3] = {options.domain[0] / 2, options.domain[1] / 2, options.domain[2] / 2};
    canvas c = {.middle = sp_vec_from(middle),
                .scale = PIXELS_X / (1.3f * (float)options.domain[0])};
    c.nearness = sp_alloc((size_t)PIXELS_X * PIXELS_Y, sizeof *c.nearness);
    spate_status status = mesh && c.nearness ? sp_image_create(&c.image, PIXELS_X, PIXELS_Y, &error)
                                             : SPATE_ERROR_FILE;
    if (status == SPATE_OK) {
        draw(&c, mesh);
        status = sp_png_write(&c.image, argv[7], &error);
    }
    if (status != SPATE_OK)
        fprintf(stderr, "draw_surface: %s: %s\n", error.where, error.message);
    sp_image_destroy(&c.image);
    sp_free(c.nearness);
    spate_surface_destroy(mesh);
    spate_points_destroy(points);
    return status != SPATE_OK;
}
