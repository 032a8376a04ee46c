/* usd_course.c -- see usd_course.h. */
#include "usd_course.h"

#include "base/memory.h"
#include "base/status.h"
#include "usd.h"

#define UNITS 10.0 /* per metre */
enum { BLOCK = 1024 };

struct sp_usd_course {
    sp_usd *usd;
    int points, velocities, widths, ids;
};

sp_usd_course *sp_usd_course_create(const char *path, double fps, spate_error *error)
{
    sp_usd_course *file = sp_alloc(1, sizeof *file);
    if (!file) {
        sp_fail_memory(error, path, sizeof *file);
        return NULL;
    }
    file->usd = sp_usd_create(path, fps, error);
    if (!file->usd) {
        sp_free(file);
        return NULL;
    }
    int world = sp_usd_prim(file->usd, -1, "Xform", "World");
    int prim = sp_usd_prim(file->usd, world, "Points", "Particles");
    file->points = sp_usd_attribute(file->usd, prim, "points", SP_USD_POINT3F, NULL);
    file->velocities = sp_usd_attribute(file->usd, prim, "velocities", SP_USD_VECTOR3F, NULL);
    file->widths = sp_usd_attribute(file->usd, prim, "widths", SP_USD_FLOAT, "vertex");
    file->ids = sp_usd_attribute(file->usd, prim, "ids", SP_USD_INT64, NULL);
    return file;
}

/* Vectors of all particles, component d of particle k being origin[d] + scale x[d][k]. */
static void put_vectors(sp_usd *usd, const float *const x[3], const double origin[3], double scale,
                        size_t count)
{
    float values[BLOCK][3];
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        size_t many = count - begin < BLOCK ? count - begin : BLOCK;
        for (size_t k = 0; k < many; k++)
            for (int d = 0; d < 3; d++)
                values[k][d] =
                    x[d] ? (float)(UNITS * (origin[d] + scale * (double)x[d][begin + k])) : 0.0f;
        sp_usd_sample_put(usd, values, many);
    }
}

void sp_usd_course_particles(sp_usd_course *file, const sp_particles *now, double radius,
                             double time)
{
    static const double zero[3] = {0, 0, 0};
    const spate_particles_view *view = &now->view;
    sp_usd_sample_begin(file->usd, file->points, time, view->count);
    put_vectors(file->usd, view->x, view->origin, view->scale, view->count);
    sp_usd_sample_begin(file->usd, file->velocities, time, view->count);
    put_vectors(file->usd, view->v, zero, 1, view->count);
    sp_usd_sample_begin(file->usd, file->widths, time, view->count);
    for (size_t k = 0; k < view->count; k++)
        sp_usd_sample_put(file->usd, &(float){(float)(2 * UNITS * radius)}, 1);
    sp_usd_sample_begin(file->usd, file->ids, time, view->count);
    for (size_t k = 0; k < view->count; k++)
        sp_usd_sample_put(file->usd, &(int64_t){view->id ? view->id[k] : 0}, 1);
}

spate_status sp_usd_course_close(sp_usd_course *file, spate_error *error)
{
    spate_status status = sp_usd_close(file->usd, error);
    sp_free(file);
    return status;
}

void sp_usd_course_abandon(sp_usd_course *file)
{
    if (file)
        sp_usd_abandon(file->usd);
    sp_free(file);
}
