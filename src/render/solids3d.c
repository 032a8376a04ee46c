/* solids3d.c -- the solids of a 3D simulation, by sphere tracing (Hart 1996).
 *
 * A ray may go on by the distance to the nearest solid without passing anything. Whole squares of
 * pixels go together first: at depth z the rays of a square lie within r z of its middle ray, so
 * they may all go on until the distance falls below that; then the square is cut in four. Most
 * squares leave the domain in a few steps, and single rays start close to what they hit. Pixels in
 * which the depth breaks or bends (1/z of a plane is linear over the screen) are edges and get nine
 * rays.
 *
 * Solids are drawn inside the domain only, and one that reaches out of it shows its cut face. Where
 * the outside of a vessel (an inverted solid) would hide everything, rays go through it to its
 * inside. */
#include "solids3d.h"

#include <math.h>

#define STEPS 160
#define SQUARE 64 /* pixels, of the first squares */

typedef struct tracer {
    const sp_studio *studio;
    const sp_camera *camera;
    const sp_preview *preview;
    sp_image *image;
    float *depth, *edge, *cover;
} tracer;

static sp_vec outward(const tracer *t, sp_vec p, float step)
{
    /* four points of a tetrahedron give the gradient with the fewest distances */
    static const float c[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    sp_vec normal = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        sp_vec e = {c[k][0], c[k][1], c[k][2]};
        normal = sp_vec_madd(
            normal, sp_studio_distance(t->studio, t->preview, sp_vec_madd(p, step, e), NULL), e);
    }
    return sp_vec_unit(normal);
}

/* Unit normal of the domain's face that a point lies on. */
static sp_vec face_normal(const tracer *t, sp_vec p)
{
    const float *half = t->studio->half;
    float v[3] = {p.x, p.y, p.z}, n[3] = {0, 0, 0};
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (fabsf(v[d]) - half[d] > fabsf(v[axis]) - half[axis])
            axis = d;
    n[axis] = v[axis] > 0 ? 1 : -1;
    return (sp_vec){n[0], n[1], n[2]};
}

static sp_color shade(const tracer *t, sp_vec p, sp_vec normal, bool cut)
{
    const sp_studio *s = t->studio;
    const sp_color stone = {0.60f, 0.52f, 0.43f};
    float lamp = sp_vec_dot(normal, s->light), up = sp_vec_dot(normal, s->stand.above);
    /* how free the point is: distances along the normal that are shorter than the way there mean
     * something is near */
    float reach = 0.08f * s->reach, open = 1;
    for (int k = 1; k <= 3 && !cut; k++) {
        float way = reach * k / 3;
        float d = sp_studio_distance(s, t->preview, sp_vec_madd(p, way, normal), NULL);
        float height = sp_vec_dot(p, s->stand.above) + s->stand.half[1] + way * up;
        open -= 0.25f * fmaxf(0, 1 - fminf(d, height) / way);
    }
    float light = 0.85f * fmaxf(lamp, 0) + (0.32f + 0.12f * up) * fmaxf(open, 0.5f);
    return sp_color_scale(stone, cut ? 0.75f * light : light);
}

/* Depth of what the ray through a place of the screen hits, from depth z on; 0: nothing. */
static float trace_ray(const tracer *t, float x, float y, float z)
{
    sp_vec ray = sp_camera_ray(t->camera, x, y);
    float in, out, length = sp_vec_length(ray), pixel = 1 / t->camera->focal;
    if (!sp_camera_box(t->camera, ray, t->studio->half, &in, &out))
        return 0;
    bool entering = z <= in, through = false; /* the outside of a vessel */
    z = fmaxf(z, in);
    for (int k = 0; k < STEPS && z < out; k++) {
        int solid;
        float d =
            sp_studio_distance(t->studio, t->preview, sp_vec_madd(t->camera->eye, z, ray), &solid);
        float enough = 0.1f * pixel * z;
        if (entering && d < 0)
            through = sp_preview_is_vessel(t->preview, solid);
        entering = false;
        if (!through && d < enough)
            return z;
        through = through && d < enough;
        z += fmaxf(fabsf(d), enough) / length;
    }
    return 0;
}

/* The colour of the solid that a ray hits at depth z. */
static sp_color hit_color(const tracer *t, float x, float y, float z)
{
    sp_vec ray = sp_camera_ray(t->camera, x, y), p = sp_vec_madd(t->camera->eye, z, ray);
    float in, out, pixel = z / t->camera->focal;
    bool cut = sp_camera_box(t->camera, ray, t->studio->half, &in, &out) && z <= in;
    return shade(t, p, cut ? face_normal(t, p) : outward(t, p, 0.5f * pixel), cut);
}

static void trace_square(const tracer *t, int x, int y, int size, float z)
{
    if (x >= t->image->width || y >= t->image->height)
        return;
    if (size == 1) {
        t->depth[(size_t)y * t->image->width + x] = trace_ray(t, x + 0.5f, y + 0.5f, z);
        return;
    }
    /* half the diagonal */
    float spread = 0.7072f * size / t->camera->focal;
    sp_vec ray = sp_camera_ray(t->camera, x + size / 2.0f, y + size / 2.0f);
    float length = sp_vec_length(ray);
    for (int k = 0; k < STEPS; k++) {
        float d =
            sp_studio_distance(t->studio, t->preview, sp_vec_madd(t->camera->eye, z, ray), NULL);
        float step = (d - spread * z) / (length + spread);
        if (step < 0.25f * spread * z)
            break;
        z += step;
        if (z > t->camera->far)
            return;
    }
    int half = size / 2;
    for (int k = 0; k < 4; k++)
        trace_square(t, x + (k & 1) * half, y + (k >> 1) * half, half, z);
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

/* Nine rays, from a little before the nearest thing that the pixels around see. */
static void draw_edge(const tracer *t, int x, int y, float start)
{
    sp_color sum = {0, 0, 0};
    int hits = 0;
    for (int k = 0; k < 9; k++) {
        float px = x + (k % 3 + 0.5f) / 3, py = y + (k / 3 + 0.5f) / 3,
              z = trace_ray(t, px, py, 0.97f * start);
        if (z <= 0)
            continue;
        sum = sp_color_add(sum, hit_color(t, px, py, z));
        hits++;
    }
    if (!hits)
        return;
    size_t pixel = (size_t)y * t->image->width + x;
    t->cover[pixel] = hits / 9.0f;
    t->edge[pixel] = start;
    sp_image_blend(t->image, x, y, sp_color_scale(sum, 1.0f / hits), hits / 9.0f);
}

static void draw_pixel(const tracer *t, int x, int y)
{
    bool edge;
    size_t k = (size_t)y * t->image->width + x;
    float nearest = look_around(t, x, y, &edge);
    if (nearest <= 0)
        return;
    if (edge) {
        draw_edge(t, x, y, nearest);
        return;
    }
    t->cover[k] = 1;
    t->image->pixels[k] = hit_color(t, x + 0.5f, y + 0.5f, t->depth[k]);
}

/* Rows of squares, then rows of pixels, whose edges look at the rows around. */
static void trace_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const tracer *t = args;
    for (size_t row = begin; row < end; row++)
        for (int x = 0; x < t->image->width; x += SQUARE)
            trace_square(t, x, (int)row * SQUARE, SQUARE, t->camera->near);
}

static void draw_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const tracer *t = args;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < t->image->width; x++)
            draw_pixel(t, x, (int)y);
}

void sp_solids_draw(const sp_studio *studio, const sp_camera *camera, const sp_preview *preview,
                    sp_image *image, float *depth, float *edge, float *cover)
{
    tracer t = {studio, camera, preview, image, depth, edge, cover};
    size_t height = (size_t)image->height;
    sp_parallel_for(preview->pool, (height + SQUARE - 1) / SQUARE, 1, trace_range, &t);
    sp_parallel_for(preview->pool, height, 8, draw_range, &t);
}

sp_color sp_solids_color(const sp_studio *studio, const sp_preview *preview, sp_vec point,
                         float spread)
{
    tracer t = {.studio = studio, .preview = preview};
    return shade(&t, point, outward(&t, point, 0.5f * spread), false);
}
