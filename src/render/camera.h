/* camera.h -- where the perspective picture is taken from. */
#ifndef SPATE_RENDER_CAMERA_H
#define SPATE_RENDER_CAMERA_H

#include <stdbool.h>

#include "preview.h"
#include "vec.h"

/* Depth is measured along `forward`, so the point at pixel (x, y) and depth z is eye + z *
 * sp_camera_ray(x, y). */
typedef struct sp_camera {
    sp_vec eye;                /* m from the centre of the domain, as all points of the picture */
    sp_vec right, up, forward; /* unit, orthogonal */
    float focal;               /* pixels */
    float x, y;                /* pixel that `forward` goes through; may be outside the picture */
    float near, far;           /* m, depths between which the domain lies */
} sp_camera;

/* The axes of the world as the picture shows them: `above` against gravity, `side` along the longer
 * of the other two, `front` towards the viewer. Signed unit vectors; side x above = front. */
typedef struct sp_stand {
    sp_vec side, above, front;
    float half[3]; /* m, half sizes of the domain along side, above, front */
} sp_stand;

sp_stand sp_stand_choose(const double size[3], const double gravity[3]);

/* From the front, a little to the side and above, as near as the whole domain allows. */
sp_camera sp_camera_fit(const sp_stand *stand, int width, int height);
/* The same, or as `look` asks for it; `center` is that of the domain, in the scene's coordinates.
 */
sp_camera sp_camera_choose(const sp_stand *stand, const sp_look *look, const double center[3],
                           int width, int height);

static inline sp_vec sp_camera_ray(const sp_camera *camera, float x, float y)
{
    sp_vec ray = sp_vec_madd(camera->forward, (x - camera->x) / camera->focal, camera->right);
    return sp_vec_madd(ray, (camera->y - y) / camera->focal, camera->up);
}

/* Pixel and depth of a point. */
static inline sp_vec sp_camera_project(const sp_camera *camera, sp_vec point)
{
    sp_vec p = sp_vec_sub(point, camera->eye);
    float z = sp_vec_dot(p, camera->forward), scale = camera->focal / z;
    return (sp_vec){camera->x + scale * sp_vec_dot(p, camera->right),
                    camera->y - scale * sp_vec_dot(p, camera->up), z};
}

/* Where a ray (from + t ray, t >= 0) is inside the box of half sizes `half` about 0: *in to *out;
 * false if nowhere. */
bool sp_ray_box(sp_vec from, sp_vec ray, const float half[3], float *in, float *out);
static inline bool sp_camera_box(const sp_camera *camera, sp_vec ray, const float half[3],
                                 float *in, float *out)
{
    return sp_ray_box(camera->eye, ray, half, in, out);
}

#endif
