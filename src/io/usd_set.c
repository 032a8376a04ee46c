/* usd_set.c -- see usd_set.h. */
#include "usd_set.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "usd.h"

/* The particles of one class, and room for one of their columns. */
typedef struct cloud {
    const sp_particle_table *table;
    size_t *which, count;
    float *widths;
    uint32_t *values; /* 4 each */
    int64_t *ids;
} cloud;

static void clear(cloud *c)
{
    sp_free(c->which);
    sp_free(c->widths);
    sp_free(c->values);
    sp_free(c->ids);
}

static bool make(cloud *c, const sp_particle_table *table)
{
    size_t most = table->particles->view.count + 1;
    *c = (cloud){.table = table};
    c->which = sp_alloc(most, sizeof *c->which);
    c->widths = sp_alloc(most, sizeof *c->widths);
    c->values = sp_alloc(most, 4 * sizeof *c->values);
    c->ids = sp_alloc(most, sizeof *c->ids);
    return c->which && c->widths && c->values && c->ids;
}

/* Those of class n; without a column of classes, all. */
static void choose(cloud *c, uint32_t n)
{
    const sp_particles *p = c->table->particles;
    const char *name = sp_set_class_column(p->kind);
    const uint32_t *classes = name ? sp_particles_column(p, name).values[0] : NULL;
    c->count = 0;
    for (size_t k = 0; k < p->view.count; k++)
        if ((classes ? classes[k] : 0) == n)
            c->which[c->count++] = k;
}

static void put(sp_usd *usd, int prim, const char *name, sp_usd_type type,
                const char *interpolation, double time, const void *values, size_t count)
{
    int attribute = sp_usd_attribute(usd, prim, name, type, interpolation);
    sp_usd_sample_begin(usd, attribute, time, count);
    sp_usd_sample_put(usd, values, count);
}

/* Into `values`, the components of a particle together. */
static void gather(cloud *c, const sp_column *column)
{
    size_t n = (size_t)column->components;
    for (size_t k = 0; k < c->count; k++)
        sp_column_read(column, column->components, c->which[k], 1, c->values + n * k);
}

/* Diameters: of the particles if they have a radius, else as large as those of the fluid. */
static void find_widths(cloud *c)
{
    sp_column radius = sp_particles_column(c->table->particles, "radius");
    for (size_t k = 0; k < c->count; k++) {
        float r = (float)c->table->radius;
        if (radius.components > 0)
            sp_column_read(&radius, 1, c->which[k], 1, &r);
        c->widths[k] = 2 * r;
    }
}

static void find_box(const cloud *c, const float *points, float box[2][3])
{
    for (size_t k = 0; k < c->count; k++)
        for (size_t d = 0; d < 3; d++) {
            float x = points[3 * k + d], half = 0.5f * c->widths[k];
            box[0][d] = k == 0 || x - half < box[0][d] ? x - half : box[0][d];
            box[1][d] = k == 0 || x + half > box[1][d] ? x + half : box[1][d];
        }
}

static void put_primvar(sp_usd *usd, int prim, double time, cloud *c, const sp_column *column)
{
    static const sp_usd_type types[4] = {SP_USD_FLOAT, SP_USD_FLOAT2, SP_USD_FLOAT3, SP_USD_FLOAT4};
    char name[64];
    assert(!column->integer || column->components == 1);
    snprintf(name, sizeof name, "primvars:%s", column->name);
    gather(c, column);
    put(usd, prim, name, column->integer ? SP_USD_INT : types[column->components - 1], "vertex",
        time, c->values, c->count);
}

static void put_cloud(sp_usd *usd, int parent, const char *name, double time, cloud *c)
{
    const sp_particles *p = c->table->particles;
    const char *class_column = sp_set_class_column(p->kind);
    float box[2][3] = {{0}}, *points = (float *)c->values;
    int prim = sp_usd_prim(usd, parent, "Points", name);
    sp_column velocity = sp_particles_column(p, "velocity");
    find_widths(c);
    for (size_t k = 0; k < c->count; k++) {
        sp_particles_positions(p, c->which[k], 1, points + 3 * k);
        c->ids[k] = p->view.id ? p->view.id[c->which[k]] : 0;
    }
    find_box(c, points, box);
    put(usd, prim, "points", SP_USD_POINT3F, NULL, time, points, c->count);
    gather(c, &velocity);
    put(usd, prim, "velocities", SP_USD_VECTOR3F, NULL, time, c->values, c->count);
    put(usd, prim, "ids", SP_USD_INT64, NULL, time, c->ids, c->count);
    put(usd, prim, "widths", SP_USD_FLOAT, "vertex", time, c->widths, c->count);
    for (int k = 0; k < p->column_count; k++) {
        const sp_column *column = &p->columns[k];
        if ((!class_column || strcmp(column->name, class_column) != 0) &&
            strcmp(column->name, "radius") != 0)
            put_primvar(usd, prim, time, c, column);
    }
    put(usd, prim, "extent", SP_USD_FLOAT3, NULL, time, box, 2);
}

spate_status sp_usd_write_set(const sp_particle_table *table, const char *path, spate_error *error)
{
    const sp_particles *p = table->particles;
    cloud c;
    sp_usd *usd = sp_usd_create(path, table->fps, error);
    if (!usd)
        return error->status;
    if (!make(&c, table)) {
        clear(&c);
        sp_usd_abandon(usd);
        return sp_fail_memory(error, path, 0);
    }
    int above = sp_usd_prim(usd, sp_usd_prim(usd, -1, "Xform", "spate"), "Xform", p->kind->name);
    for (int n = 0; n < p->kind->class_count; n++) {
        choose(&c, (uint32_t)n);
        put_cloud(usd, above, p->kind->classes[n], p->frame, &c);
    }
    clear(&c);
    return sp_usd_close(usd, error);
}
