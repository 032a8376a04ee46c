/* slices.c -- see slices.h. */
#include "slices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "field_set.h"
#include "file.h"
#include "scene/medium.h"
#include "scene/schema.h"
#include "vtk.h"

typedef struct slice {
    int count[3]; /* points along the axes, x fastest */
    double origin[3], step[3];
    size_t points;
    double *at, *velocity, *pressure, *surface; /* m, m/s, Pa, m; no surface of a gas */
    struct {
        char name[32];
        const char *unit;
        int components;
        double *values;          /* components of a point together */
    } channels[SP_GRID_COLUMNS]; /* that the grid holds */
    int channel_count;
} slice;

static void clear(slice *s)
{
    sp_free(s->at);
    sp_free(s->velocity);
    sp_free(s->pressure);
    sp_free(s->surface);
    for (int k = 0; k < s->channel_count; k++)
        sp_free(s->channels[k].values);
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
    bool has_surface = sp_medium_of(scene)->has_surface;
    s->surface = has_surface ? sp_alloc(s->points, sizeof *s->surface) : NULL;
    if (!s->at || !s->velocity || !s->pressure || (has_surface && !s->surface)) {
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

/* Each channel that the grid holds, at all points. Temperatures in K. */
static spate_status add_channel(slice *s, spate_sim *sim, const spate_channel *channel,
                                spate_error *error)
{
    bool heat = sp_is_temperature(channel);
    double origin = heat ? spate_sim_scene(sim)->fluid.temperature : 0;
    size_t n = (size_t)channel->components;
    double *values = sp_alloc(n * s->points, sizeof *values);
    if (!values)
        return sp_fail_memory(error, "a slice", n * s->points * sizeof *values);
    int c = s->channel_count++;
    s->channels[c].values = values;
    s->channels[c].components = channel->components;
    s->channels[c].unit = heat ? " [K]" : sp_is_smoke(channel) ? " [kg/m^3]" : "";
    snprintf(s->channels[c].name, sizeof s->channels[c].name, "%s", channel->name);
    for (size_t e = 0; e < n; e++) {
        char name[SP_CHANNEL_LABEL];
        spate_field_view view;
        snprintf(name, sizeof name, e > 0 ? "%s[%zu]" : "%s", channel->name, e);
        if (!spate_sim_field_view(sim, name, &view))
            continue;
        for (size_t k = 0; k < s->points; k++)
            values[n * k + e] = origin + sp_field_view_at(&view, s->at + 3 * k);
    }
    return SPATE_OK;
}

static spate_status sample(slice *s, spate_sim *sim, spate_error *error)
{
    const spate_scene *scene = spate_sim_scene(sim);
    TRY(spate_sim_sample(sim, s->at, s->points, s->velocity, s->pressure, s->surface, error));
    for (int k = 0; k < scene->channel_count && s->channel_count < SP_GRID_COLUMNS; k++)
        if (scene->channels[k].transfer != SPATE_CHANNEL_NONE)
            TRY(add_channel(s, sim, &scene->channels[k], error));
    return SPATE_OK;
}

static void name_channels(const slice *s, sp_file *file)
{
    for (int c = 0; c < s->channel_count; c++)
        for (int e = 0; e < s->channels[c].components; e++) {
            sp_file_print(file, ",%s", s->channels[c].name);
            if (s->channels[c].components > 1)
                sp_file_print(file, "_%d", e);
            sp_file_print(file, "%s", s->channels[c].unit);
        }
}

static void put_channels(const slice *s, size_t point, sp_file *file)
{
    for (int c = 0; c < s->channel_count; c++) {
        size_t n = (size_t)s->channels[c].components;
        for (size_t e = 0; e < n; e++) {
            sp_file_print(file, ",");
            sp_file_number(file, (double)(float)s->channels[c].values[n * point + e], false);
        }
    }
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
    sp_file_print(file, "pressure [Pa]%s", s->surface ? ",surface [m]" : "");
    name_channels(s, file);
    sp_file_print(file, "\n");
    for (size_t k = 0; k < s->points; k++) {
        const double *columns[2] = {s->at, s->velocity};
        for (int c = 0; c < 2; c++)
            for (int d = 0; d < dim; d++) {
                sp_file_number(file, (double)(float)columns[c][3 * k + (size_t)d], false);
                sp_file_print(file, ",");
            }
        sp_file_number(file, (double)(float)s->pressure[k], false);
        if (s->surface) {
            sp_file_print(file, ",");
            sp_file_number(file, (double)(float)s->surface[k], false);
        }
        put_channels(s, k, file);
        sp_file_print(file, "\n");
    }
    return sp_file_close(file, error);
}

static spate_status write_image(const slice *s, double time, const char *path, spate_error *error)
{
    sp_vtk_image image = {.time = time, .array_count = 2};
    memcpy(image.count, s->count, sizeof image.count);
    memcpy(image.origin, s->origin, sizeof image.origin);
    memcpy(image.spacing, s->step, sizeof image.spacing);
    image.arrays[0] = (sp_vtk_array){"velocity", 3, s->velocity};
    image.arrays[1] = (sp_vtk_array){"pressure", 1, s->pressure};
    if (s->surface)
        image.arrays[image.array_count++] = (sp_vtk_array){"surface", 1, s->surface};
    for (int c = 0; c < s->channel_count; c++)
        image.arrays[image.array_count++] =
            (sp_vtk_array){s->channels[c].name, s->channels[c].components, s->channels[c].values};
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
    spate_status status = sample(&s, sim, error);
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
