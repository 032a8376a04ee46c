/* camera.c -- see camera.h.
 *
 * The direction of sight is fixed against the stand of the domain. For a distance D the corners of
 * the domain project to a rectangle, which shrinks as D grows; D is found by bisection so that it
 * just fits, and the picture is shifted (not turned), so that the rectangle is in its middle. Works
 * for domains and pictures of any proportion. */
#include "camera.h"

#define MARGIN 0.07f /* of the picture, on each side */

sp_stand sp_stand_choose(const double size[3], const double gravity[3])
{
    int up = 1;
    for (int d = 0; d < 3; d++)
        if (fabs(gravity[d]) > fabs(gravity[up]))
            up = d;
    int first = up == 0 ? 1 : 0, second = up == 2 ? 1 : 2;
    int side = size[second] > size[first] * 1.001 ? second : first;
    int front = side == first ? second : first;
    double axes[3][3] = {{0}};
    axes[1][up] = gravity[up] > 0 ? -1 : 1;
    axes[2][front] = 1;
    /* side = above x front */
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        axes[0][d] = axes[1][e] * axes[2][f] - axes[1][f] * axes[2][e];
    }
    return (sp_stand){
        .side = sp_vec_from(axes[0]),
        .above = sp_vec_from(axes[1]),
        .front = sp_vec_from(axes[2]),
        .half = {(float)size[side] / 2, (float)size[up] / 2, (float)size[front] / 2},
    };
}

static sp_vec corner(const sp_stand *stand, int k)
{
    sp_vec c = sp_vec_scale(stand->side, k & 1 ? stand->half[0] : -stand->half[0]);
    c = sp_vec_madd(c, k & 2 ? stand->half[1] : -stand->half[1], stand->above);
    return sp_vec_madd(c, k & 4 ? stand->half[2] : -stand->half[2], stand->front);
}

/* Sets the distance and centres the picture; the result is how much of the room there is the domain
 * takes. */
static float place(sp_camera *camera, const sp_stand *stand, float distance, int width, int height)
{
    camera->eye = sp_vec_scale(camera->forward, -distance);
    camera->x = camera->y = 0;
    float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF},
          high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (int k = 0; k < 8; k++) {
        sp_vec p = sp_camera_project(camera, corner(stand, k));
        float v[3] = {p.x, p.y, p.z};
        for (int d = 0; d < 3; d++) {
            low[d] = fminf(low[d], v[d]);
            high[d] = fmaxf(high[d], v[d]);
        }
    }
    camera->x = (width - low[0] - high[0]) / 2;
    camera->y = (height - low[1] - high[1]) / 2;
    camera->near = low[2];
    camera->far = high[2];
    return fmaxf((high[0] - low[0]) / (width * (1 - 2 * MARGIN)),
                 (high[1] - low[1]) / (height * (1 - 2 * MARGIN)));
}

sp_camera sp_camera_fit(const sp_stand *stand, int width, int height)
{
    sp_camera camera = {.focal = 1.9f * (width > height ? width : height)};
    /* 27 degrees to the side, 20 degrees down */
    sp_vec level = sp_vec_madd(sp_vec_scale(stand->front, -0.891f), -0.454f, stand->side);
    camera.right = sp_vec_madd(sp_vec_scale(stand->side, 0.891f), -0.454f, stand->front);
    camera.forward = sp_vec_unit(sp_vec_madd(sp_vec_scale(level, 0.940f), -0.342f, stand->above));
    camera.right = sp_vec_unit(camera.right);
    camera.up = sp_vec_madd(sp_vec_scale(stand->above, 0.940f), 0.342f, level);
    camera.up = sp_vec_unit(camera.up);

    const float *h = stand->half;
    float radius = sqrtf(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    float close = 1.2f * radius, distant = 2 * close;
    while (place(&camera, stand, distant, width, height) > 1 && distant < 1e6f * radius)
        distant *= 2;
    for (int k = 0; k < 40; k++) {
        float middle = (close + distant) / 2;
        if (place(&camera, stand, middle, width, height) > 1)
            close = middle;
        else
            distant = middle;
    }
    place(&camera, stand, distant, width, height);
    return camera;
}

bool sp_camera_box(const sp_camera *camera, sp_vec ray, const float half[3], float *in, float *out)
{
    float eye[3] = {camera->eye.x, camera->eye.y, camera->eye.z}, d[3] = {ray.x, ray.y, ray.z};
    float first = 0, last = HUGE_VALF;
    for (int k = 0; k < 3; k++) {
        if (fabsf(d[k]) < 1e-12f) {
            if (fabsf(eye[k]) > half[k])
                return false;
            continue;
        }
        float a = (-half[k] - eye[k]) / d[k], b = (half[k] - eye[k]) / d[k];
        first = fmaxf(first, fminf(a, b));
        last = fminf(last, fmaxf(a, b));
    }
    *in = first;
    *out = last;
    return first < last;
}
