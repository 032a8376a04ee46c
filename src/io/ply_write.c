/* ply_write.c -- particles as binary little-endian PLY. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"

enum { ROWS = 1024, FIXED = 7 }; /* rows built at a time; columns before the channels */

typedef struct columns {
    const float **values; /* [count] */
    int count;
} columns;

static void store(unsigned char *bytes, uint32_t bits)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
}

static void store_float(unsigned char *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    store(bytes, bits);
}

static void put_text(sp_file *file, const char *text)
{
    sp_file_write(file, text, strlen(text));
}

static void put_header(sp_file *file, const spate_scene *scene, size_t count)
{
    char line[160];
    put_text(file,
             "ply\nformat binary_little_endian 1.0\ncomment spate " SPATE_VERSION ", m and m/s\n");
    snprintf(line, sizeof line, "element vertex %zu\n", count);
    put_text(file, line);
    put_text(file, "property float x\nproperty float y\nproperty float z\n"
                   "property float vx\nproperty float vy\nproperty float vz\nproperty uint id\n");
    for (int i = 0; i < scene->channel_count; i++) {
        const spate_channel *channel = &scene->channels[i];
        for (int c = 0; c < channel->components; c++) {
            if (channel->components == 1)
                snprintf(line, sizeof line, "property float %s\n", channel->name);
            else
                snprintf(line, sizeof line, "property float %s_%d\n", channel->name, c);
            put_text(file, line);
        }
    }
    put_text(file, "end_header\n");
}

static void put_rows(sp_file *file, const spate_particles_view_data *view, const columns *extra,
                     unsigned char *rows)
{
    size_t stride = 4 * (size_t)(FIXED + extra->count);
    for (size_t begin = 0; begin < view->count; begin += ROWS) {
        size_t end = begin + ROWS < view->count ? begin + ROWS : view->count;
        for (size_t i = begin; i < end; i++) {
            unsigned char *row = rows + (i - begin) * stride;
            for (int d = 0; d < 3; d++) {
                const float *x = view->x[d], *v = view->v[d]; /* NULL for z in 2D */
                store_float(row + 4 * d, x ? (float)(view->origin[d] + view->scale * x[i]) : 0);
                store_float(row + 12 + 4 * d, v ? v[i] : 0);
            }
            store(row + 24, view->id[i]);
            for (int k = 0; k < extra->count; k++)
                store_float(row + 4 * (FIXED + k), extra->values[k][i]);
        }
        if (sp_file_write(file, rows, (end - begin) * stride) != SPATE_OK)
            return; /* sp_file_close says why */
    }
}

/* One pointer per component of each channel of the scene. */
static spate_status collect_channels(spate_sim *sim, columns *extra, spate_error *error)
{
    const spate_scene *scene = spate_sim_scene(sim);
    extra->values = sp_alloc(4 * (size_t)scene->channel_count, sizeof *extra->values);
    if (!extra->values)
        return sp_fail_memory(error, "particle output", 0);
    for (int i = 0; i < scene->channel_count; i++) {
        float *found[4];
        int components = spate_channel_view(sim, scene->channels[i].name, found);
        if (components != scene->channels[i].components)
            return sp_fail(error, SPATE_ERROR_USAGE, scene->channels[i].name,
                           "the simulation has no such channel");
        for (int c = 0; c < components; c++)
            extra->values[extra->count++] = found[c];
    }
    return SPATE_OK;
}

spate_status spate_particles_write_ply(spate_sim *sim, const char *path, spate_error *error)
{
    columns extra = {NULL, 0};
    spate_error local;
    error = error ? error : &local;
    spate_status status = collect_channels(sim, &extra, error);
    unsigned char *rows = NULL;
    sp_file *file = NULL;
    if (status == SPATE_OK) {
        rows = sp_alloc(ROWS, 4 * (size_t)(FIXED + extra.count));
        if (!rows)
            status = sp_fail_memory(error, "particle output", 0);
    }
    if (status == SPATE_OK) {
        file = sp_file_create(path, error);
        status = file ? SPATE_OK : error->status;
    }
    if (status == SPATE_OK) {
        spate_particles_view_data view = spate_particles_view(sim);
        put_header(file, spate_sim_scene(sim), view.count);
        put_rows(file, &view, &extra, rows);
        status = sp_file_close(file, error);
    }
    sp_free(rows);
    sp_free(extra.values);
    return status;
}
