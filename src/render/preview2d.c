/* preview2d.c -- a 2D simulation, seen flat.
 *
 * The liquid is drawn in two layers. Underneath its body: with the kernel W(r) = 3/(pi R^2) (1 -
 * r^2/R^2)^2, R about two particle distances, the sum of a W over the particles (a = dx^2/n^2, the
 * area that one stands for) is 1 inside the liquid, 1/2 at its surface and small for a lone drop;
 * where it passes a threshold the liquid is drawn, in the colour of the W-weighted mean speed. On
 * top each particle is a disc of the area a, which shows drops and gives the body its grain. */
#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "preview.h"

#define SURFACE 0.42f /* of the summed kernel */

typedef struct page {
    const sp_preview *preview;
    sp_image *image;
    float scale;        /* pixels per m */
    float left, bottom; /* pixels, of the low corner of the domain */
    float (*body)[2];   /* per pixel: sum of a W, and the same times speed */
} page;

/* Slow to fast. */
static sp_color speed_color(float t)
{
    static const unsigned stops[] = {0x123f8c, 0x1763bd, 0x2391de, 0x62c8f0, 0xc4effb, 0xffffff};
    const int last = sizeof stops / sizeof *stops - 1;
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    int k = (int)(t * last);
    k = k < last ? k : last - 1;
    return sp_color_mix(sp_color_hex(stops[k]), sp_color_hex(stops[k + 1]), t * last - k);
}

#define RAMP 256
typedef struct ramp {
    sp_color colors[RAMP];
} ramp;

static void ramp_init(ramp *r)
{
    for (int k = 0; k < RAMP; k++)
        r->colors[k] = speed_color(k / (RAMP - 1.0f));
}

static sp_color ramp_at(const ramp *r, float t)
{
    return r->colors[t > 0 ? (t < 1 ? (int)(t * (RAMP - 1)) : RAMP - 1) : 0];
}

/* Steeper at the slow end, where most of a liquid is. */
static float place_on_ramp(const sp_preview *preview, size_t k)
{
    float s = sp_preview_speed(preview, k) / (float)preview->speed;
    return 1.5f * s / (1 + 0.5f * s);
}

static void draw_ground(const page *p)
{
    sp_color outside = sp_color_hex(0x10141b), top = sp_color_hex(0x1b222d),
             low = sp_color_hex(0x232c3a);
    const double *size = p->preview->size;
    for (int y = 0; y < p->image->height; y++) {
        float up = (p->bottom - (y + 0.5f)) / (p->scale * (float)size[1]);
        for (int x = 0; x < p->image->width; x++) {
            float right = (x + 0.5f - p->left) / (p->scale * (float)size[0]);
            bool inside = up >= 0 && up <= 1 && right >= 0 && right <= 1;
            p->image->pixels[(size_t)y * p->image->width + x] =
                inside ? sp_color_mix(low, top, up) : outside;
        }
    }
}

static float solid_distance(const page *p, float x, float y)
{
    double point[3] = {p->preview->low[0] + (x - p->left) / p->scale,
                       p->preview->low[1] + (p->bottom - y) / p->scale, 0};
    double pixels = spate_sim_solid_distance(p->preview->sim, point, NULL) * p->scale;
    return pixels < 1e9 ? (float)pixels : 1e9f;
}

/* Solids in squares of pixels: the distance at the centre of a square says at once when none of it
 * is near an edge. */
static void draw_solids(const page *p)
{
    enum { SQUARE = 16 };
    const sp_color fill = sp_color_hex(0x59616d), rim = sp_color_hex(0xa7b0bd);
    float right = p->left + p->scale * (float)p->preview->size[0];
    float top = p->bottom - p->scale * (float)p->preview->size[1];
    for (int y0 = 0; y0 < p->image->height; y0 += SQUARE) {
        for (int x0 = 0; x0 < p->image->width; x0 += SQUARE) {
            float middle = solid_distance(p, x0 + SQUARE / 2, y0 + SQUARE / 2);
            if (middle > SQUARE)
                continue;
            for (int y = y0; y < y0 + SQUARE && y < p->image->height; y++) {
                for (int x = x0; x < x0 + SQUARE && x < p->image->width; x++) {
                    float px = x + 0.5f, py = y + 0.5f;
                    if (px < p->left || px > right || py < top || py > p->bottom)
                        continue;
                    float d = middle < -SQUARE ? middle : solid_distance(p, px, py);
                    float cover = 0.5f - d;
                    if (cover <= 0)
                        continue;
                    float edge = sp_smoothstep(-3, -1.5f, d);
                    sp_image_blend(p->image, x, y, sp_color_mix(fill, rim, edge),
                                   cover < 1 ? cover : 1);
                }
            }
        }
    }
}

static void add_to_body(const page *p, float x, float y, float radius, float weight, float speed)
{
    int width = p->image->width, height = p->image->height;
    if (!(x + radius > 0 && y + radius > 0 && x - radius < width && y - radius < height))
        return;
    int x0 = x - radius > 0 ? (int)(x - radius) : 0, y0 = y - radius > 0 ? (int)(y - radius) : 0;
    int x1 = x + radius < width - 1 ? (int)(x + radius) : width - 1;
    int y1 = y + radius < height - 1 ? (int)(y + radius) : height - 1;
    float inverse = 1 / (radius * radius);
    for (int j = y0; j <= y1; j++) {
        for (int i = x0; i <= x1; i++) {
            float dx = i + 0.5f - x, dy = j + 0.5f - y;
            float q = 1 - (dx * dx + dy * dy) * inverse;
            if (q <= 0)
                continue;
            float *sum = p->body[(size_t)j * width + i];
            sum[0] += weight * q * q;
            sum[1] += weight * q * q * speed;
        }
    }
}

static void draw_body(const page *p, const ramp *colors, float radius)
{
    /* the sum falls from 1 to 0 over about 1.4 R: this makes the edge of the body about one pixel
     * wide */
    float edge = fmaxf(1.4f * radius, 1);
    size_t count = (size_t)p->image->width * p->image->height;
    for (size_t k = 0; k < count; k++) {
        float sum = p->body[k][0];
        float cover = (sum - SURFACE) * edge + 0.5f;
        if (!(cover > 0))
            continue;
        sp_color color = sp_color_scale(ramp_at(colors, p->body[k][1] / sum), 0.8f);
        p->image->pixels[k] = sp_color_mix(p->image->pixels[k], color, cover < 1 ? cover : 1);
    }
}

static void draw_liquid(const page *p)
{
    const sp_preview *preview = p->preview;
    const spate_particles_view_data *v = &preview->particles;
    ramp colors;
    ramp_init(&colors);
    float cell = (float)preview->dx * p->scale; /* pixels */
    float spacing = cell / preview->per_axis;
    float radius = fmaxf(2.2f * spacing, 1.5f);
    float weight = spacing * spacing * 3 / ((float)M_PI * radius * radius);
    float disc = spacing * sqrtf(1 / (float)M_PI);
    for (size_t k = 0; k < v->count; k++)
        add_to_body(p, p->left + v->x[0][k] * cell, p->bottom - v->x[1][k] * cell, radius, weight,
                    place_on_ramp(preview, k));
    draw_body(p, &colors, radius);
    for (size_t k = 0; k < v->count; k++)
        sp_image_disc(p->image, p->left + v->x[0][k] * cell, p->bottom - v->x[1][k] * cell, disc,
                      ramp_at(&colors, place_on_ramp(preview, k)), 0.85f);
}

/* Walls are bars along the outside of the domain, open sides faint dashes, periodic ones faint
 * dots. */
static void draw_sides(const page *p)
{
    float smaller = p->image->width < p->image->height ? p->image->width : p->image->height;
    float width = fmaxf(smaller * 0.006f, 1);
    float low[2] = {p->left, p->bottom}, high[2];
    high[0] = p->left + p->scale * (float)p->preview->size[0];
    high[1] = p->bottom - p->scale * (float)p->preview->size[1];
    const sp_color wall = sp_color_hex(0xa7b0bd), gap = sp_color_hex(0x6f7a8a);
    for (int axis = 0; axis < 2; axis++) {
        for (int end = 0; end < 2; end++) {
            spate_side side = p->preview->scene->domain.sides[axis][end];
            float away = (end ? 1 : -1) * (axis ? -1 : 1) * width / 2;
            float from[2], to[2];
            from[axis] = to[axis] = (end ? high : low)[axis] + away;
            int other = 1 - axis;
            float over = side == SPATE_SIDE_WALL ? (other ? -1 : 1) * width : 0;
            from[other] = low[other] - over;
            to[other] = high[other] + over;
            if (side == SPATE_SIDE_WALL)
                sp_image_line(p->image, from, to, width, 0, wall, 1);
            else
                sp_image_line(p->image, from, to, width / 2,
                              side == SPATE_SIDE_OPEN ? 4 * width : width, gap, 1);
        }
    }
}

spate_status sp_preview_draw_2d(const sp_preview *preview, sp_image *image, spate_error *error)
{
    page p = {.preview = preview, .image = image};
    float width = image->width, height = image->height;
    float margin = 0.05f * (width < height ? width : height);
    p.scale = fminf((width - 2 * margin) / (float)preview->size[0],
                    (height - 2 * margin) / (float)preview->size[1]);
    p.left = (width - p.scale * (float)preview->size[0]) / 2;
    p.bottom = (height + p.scale * (float)preview->size[1]) / 2;
    size_t count = (size_t)image->width * image->height;
    p.body = sp_alloc(count, sizeof *p.body);
    if (!p.body)
        return sp_fail_memory(error, "a picture", count * sizeof *p.body);
    draw_ground(&p);
    draw_liquid(&p);
    if (preview->solids)
        draw_solids(&p);
    draw_sides(&p);
    sp_free(p.body);
    return SPATE_OK;
}
