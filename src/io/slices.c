/* slices.c -- see slices.h. */
#include "slices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"
#include "scene/schema.h"
#include "vtk.h"

typedef struct slice {
    int count[3]; /* points along the axes, x fastest */
    double origin[3], step[3];
    size_t points;
    double *at, *velocity, *pressure, *surface; /* m, m/s, Pa, m */
} slice;

static void clear(slice *s)
{
    sp_free(s->at);
    sp_free(s->velocity);
    sp_free(s->pressure);
    sp_free(s->surface);
}

static spate_status make(slice *s, const spate_scene *scene, const spate_gauge *gauge, double dx,
                         spate_error *error)
{
    *s = (slice){.points = 1};
    for (int d = 0; d < 3; d++) {
        double length = d < scene->dim ? gauge->max[d] - gauge->min[d] : 0;
        s->count[d] = 1 + (int)ceil(length / dx - 1e-6);
        s->origin[d] = d < scene->dim ? gauge->min[d] : 0;
        s->step[d] = s->count[d] > 1 ? length / (s->count[d] - 1) : dx;
        s->points *= (size_t)s->count[d];
    }
    s->at = sp_alloc(3 * s->points, sizeof *s->at);
    s->velocity = sp_alloc(3 * s->points, sizeof *s->velocity);
    s->pressure = sp_alloc(s->points, sizeof *s->pressure);
    s->surface = sp_alloc(s->points, sizeof *s->surface);
    if (!s->at || !s->velocity || !s->pressure || !s->surface) {
        clear(s);
        return sp_fail_memory(error, "a slice", 8 * s->points * sizeof *s->at);
    }
    for (size_t k = 0; k < s->points; k++) {
        size_t number = k;
        for (int d = 0; d < 3; d++) {
            size_t n = (size_t)s->count[d];
            s->at[3 * k + (size_t)d] = s->origin[d] + s->step[d] * (double)(number % n);
            number /= n;
        }
    }
    return SPATE_OK;
}

static spate_status write_table(const slice *s, int dim, const char *path, spate_error *error)
{
    static const char axes[] = "xyz";
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error->status;
    for (int d = 0; d < dim; d++)
        sp_file_print(file, "%c [m],", axes[d]);
    for (int d = 0; d < dim; d++)
        sp_file_print(file, "velocity_%c [m/s],", axes[d]);
    sp_file_print(file, "pressure [Pa],surface [m]\n");
    for (size_t k = 0; k < s->points; k++) {
        const double *columns[2] = {s->at, s->velocity};
        for (int c = 0; c < 2; c++)
            for (int d = 0; d < dim; d++) {
                sp_file_number(file, (double)(float)columns[c][3 * k + (size_t)d], false);
                sp_file_print(file, ",");
            }
        sp_file_number(file, (double)(float)s->pressure[k], false);
        sp_file_print(file, ",");
        sp_file_number(file, (double)(float)s->surface[k], false);
        sp_file_print(file, "\n");
    }
    return sp_file_close(file, error);
}

static spate_status write_image(const slice *s, double time, const char *path, spate_error *error)
{
    sp_vtk_image image = {.time = time, .array_count = 3};
    memcpy(image.count, s->count, sizeof image.count);
    memcpy(image.origin, s->origin, sizeof image.origin);
    memcpy(image.spacing, s->step, sizeof image.spacing);
    image.arrays[0] = (sp_vtk_array){"velocity", 3, s->velocity};
    image.arrays[1] = (sp_vtk_array){"pressure", 1, s->pressure};
    image.arrays[2] = (sp_vtk_array){"surface", 1, s->surface};
    return sp_vtk_write_image(&image, path, error);
}

static spate_status write_slice(const sp_run_folder *folder, spate_sim *sim, int index,
                                spate_error *error)
{
    const spate_scene *scene = spate_sim_scene(sim);
    const spate_gauge *gauge = &scene->gauges[index];
    char label[72], name[128], path[SP_PATH_SIZE];
    slice s;
    TRY(make(&s, scene, gauge, sp_scene_cell_size(scene), error));
    bool plane = (s.count[0] > 1) + (s.count[1] > 1) + (s.count[2] > 1) > 1;
    if (gauge->name[0])
        snprintf(label, sizeof label, "%s", gauge->name);
    else
        snprintf(label, sizeof label, "gauges%d", index);
    snprintf(name, sizeof name, "slice.%s.%04d.%s", label, spate_sim_frame(sim),
             plane ? "vti" : "csv");
    sp_run_folder_path(folder, name, path);
    spate_status status =
        spate_sim_sample(sim, s.at, s.points, s.velocity, s.pressure, s.surface, error);
    if (status == SPATE_OK)
        status = plane ? write_image(&s, spate_sim_time(sim), path, error)
                       : write_table(&s, scene->dim, path, error);
    clear(&s);
    return status;
}

spate_status sp_slices_write(const sp_run_folder *folder, spate_sim *sim, spate_error *error)
{
    const spate_scene *scene = spate_sim_scene(sim);
    for (int k = 0; k < scene->gauge_count; k++)
        if (scene->gauges[k].kind == SPATE_GAUGE_SLICE)
            TRY(write_slice(folder, sim, k, error));
    return SPATE_OK;
}
