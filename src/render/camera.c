/* camera.c -- see camera.h.
 *
 * The direction of sight is fixed against the stand of the domain. For a distance D the corners of
 * the domain project to a rectangle, which shrinks as D grows; D is found by bisection so that it
 * just fits, and the picture is shifted (not turned), so that the rectangle is in its middle. Works
 * for domains and pictures of any proportion. A look that names eye or target is taken as it is. */
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

/* Right and up from `forward`, with `above` upwards in the picture. */
static void turn(sp_camera *camera, const sp_stand *stand)
{
    sp_vec right = sp_vec_cross(camera->forward, stand->above);
    if (sp_vec_length(right) < 1e-3f) /* straight down or up */
        right = stand->side;
    camera->right = sp_vec_unit(right);
    camera->up = sp_vec_unit(sp_vec_cross(camera->right, camera->forward));
}

static sp_camera fit(const sp_stand *stand, float focal, int width, int height)
{
    sp_camera camera = {.focal = focal};
    /* 27 degrees to the side, 20 degrees down */
    sp_vec level = sp_vec_madd(sp_vec_scale(stand->front, -0.891f), -0.454f, stand->side);
    camera.forward = sp_vec_unit(sp_vec_madd(sp_vec_scale(level, 0.940f), -0.342f, stand->above));
    turn(&camera, stand);

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

static float default_focal(int width, int height)
{
    return 1.9f * (float)(width > height ? width : height);
}

sp_camera sp_camera_fit(const sp_stand *stand, int width, int height)
{
    return fit(stand, default_focal(width, height), width, height);
}

/* Depths between which the domain lies, seen from where the camera is. */
static void set_range(sp_camera *camera, const sp_stand *stand)
{
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (int k = 0; k < 8; k++) {
        float z = sp_vec_dot(sp_vec_sub(corner(stand, k), camera->eye), camera->forward);
        low = fminf(low, z);
        high = fmaxf(high, z);
    }
    float least = 1e-3f * (stand->half[0] + stand->half[1] + stand->half[2]);
    camera->near = fmaxf(low, least);
    camera->far = fmaxf(high, 2 * least);
}

sp_camera sp_camera_choose(const sp_stand *stand, const sp_look *look, const double center[3],
                           int width, int height)
{
    float focal = default_focal(width, height);
    int longer = width > height ? width : height;
    if (look->fov > 0)
        focal = (float)(0.5 * longer / tan(look->fov * M_PI / 360));
    sp_camera camera = fit(stand, focal, width, height);
    if (!look->eye_given && !look->target_given)
        return camera;
    double eye[3], target[3];
    for (int d = 0; d < 3; d++) {
        eye[d] = look->eye[d] - center[d];
        target[d] = look->target_given ? look->target[d] - center[d] : 0;
    }
    sp_vec aim = sp_vec_from(target);
    if (look->eye_given) {
        camera.eye = sp_vec_from(eye);
        camera.forward = sp_vec_unit(sp_vec_sub(aim, camera.eye));
        turn(&camera, stand);
    } else {
        camera.eye = sp_vec_madd(aim, -sp_vec_length(camera.eye), camera.forward);
    }
    camera.x = 0.5f * (float)width;
    camera.y = 0.5f * (float)height;
    set_range(&camera, stand);
    return camera;
}

bool sp_ray_box(sp_vec from, sp_vec ray, const float half[3], float *in, float *out)
{
    float eye[3] = {from.x, from.y, from.z}, d[3] = {ray.x, ray.y, ray.z};
    float first = 0, last = HUGE_VALF;
    for (int k = 0; k < 3; k++) {
        if (fabsf(d[k]) < 1e-12f) {
            if (fabsf(eye[k]) > half[k])
                return false;
            continue;
        }
        float a = (-half[k] - eye[k]) / d[k], b = (half[k] - eye[k]) / d[k];
        float low = a < b ? a : b, high = a < b ? b : a;
        first = low > first ? low : first;
        last = high < last ? high : last;
    }
    *in = first;
    *out = last;
    return first < last;
}
