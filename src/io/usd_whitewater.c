/* usd_whitewater.c -- see usd_whitewater.h. */
#include "usd_whitewater.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "usd.h"

/* The particles of one class. */
typedef struct cloud {
    size_t count;
    float *points, *velocities; /* 3 each */
    int64_t *ids;
    float *widths, *ages, *lives;
    float box[2][3];
} cloud;

static void clear(cloud *c)
{
    sp_free(c->points);
    sp_free(c->velocities);
    sp_free(c->ids);
    sp_free(c->widths);
    sp_free(c->ages);
    sp_free(c->lives);
}

static bool make(cloud *c, size_t count)
{
    c->points = sp_alloc(3 * count + 1, sizeof *c->points);
    c->velocities = sp_alloc(3 * count + 1, sizeof *c->velocities);
    c->ids = sp_alloc(count + 1, sizeof *c->ids);
    c->widths = sp_alloc(count + 1, sizeof *c->widths);
    c->ages = sp_alloc(count + 1, sizeof *c->ages);
    c->lives = sp_alloc(count + 1, sizeof *c->lives);
    return c->points && c->velocities && c->ids && c->widths && c->ages && c->lives;
}

static float value_of(const sp_column *column, size_t k)
{
    const float *values = column->values[0];
    return values ? values[k] : 0.0f;
}

static void add(cloud *c, const sp_particles *p, size_t k)
{
    size_t n = c->count++;
    sp_column age = sp_particles_column(p, "age"), life = sp_particles_column(p, "life"),
              radius = sp_particles_column(p, "radius");
    sp_particles_positions(p, k, 1, c->points + 3 * n);
    sp_particles_velocities(p, k, 1, c->velocities + 3 * n);
    c->ids[n] = p->view.id ? p->view.id[k] : 0;
    c->widths[n] = 2 * value_of(&radius, k);
    c->ages[n] = value_of(&age, k);
    c->lives[n] = value_of(&life, k);
    for (int d = 0; d < 3; d++) {
        float x = c->points[3 * n + (size_t)d], half = 0.5f * c->widths[n];
        c->box[0][d] = n == 0 || x - half < c->box[0][d] ? x - half : c->box[0][d];
        c->box[1][d] = n == 0 || x + half > c->box[1][d] ? x + half : c->box[1][d];
    }
}

static void put(sp_usd *usd, int prim, const char *name, sp_usd_type type,
                const char *interpolation, double time, const void *values, size_t count)
{
    int attribute = sp_usd_attribute(usd, prim, name, type, interpolation);
    sp_usd_sample_begin(usd, attribute, time, count);
    sp_usd_sample_put(usd, values, count);
}

static void put_cloud(sp_usd *usd, int parent, const char *name, double time, const cloud *c)
{
    int prim = sp_usd_prim(usd, parent, "Points", name);
    put(usd, prim, "points", SP_USD_POINT3F, NULL, time, c->points, c->count);
    put(usd, prim, "velocities", SP_USD_VECTOR3F, NULL, time, c->velocities, c->count);
    put(usd, prim, "ids", SP_USD_INT64, NULL, time, c->ids, c->count);
    put(usd, prim, "widths", SP_USD_FLOAT, "vertex", time, c->widths, c->count);
    put(usd, prim, "primvars:age", SP_USD_FLOAT, "vertex", time, c->ages, c->count);
    put(usd, prim, "primvars:life", SP_USD_FLOAT, "vertex", time, c->lives, c->count);
    put(usd, prim, "extent", SP_USD_FLOAT3, NULL, time, c->box, 2);
}

spate_status sp_usd_write_whitewater(const sp_particle_table *table, const char *path,
                                     spate_error *error)
{
    static const char *const names[SPATE_WHITEWATER_CLASSES] = {"spray", "foam", "bubbles", "dust"};
    const sp_particles *p = table->particles;
    const uint32_t *kinds = sp_particles_column(p, "type").values[0];
    sp_usd *usd = sp_usd_create(path, table->fps, error);
    if (!usd)
        return error->status;
    int above = sp_usd_prim(usd, sp_usd_prim(usd, -1, "Xform", "spate"), "Xform", "whitewater");
    for (uint32_t kind = 0; kind < SPATE_WHITEWATER_CLASSES; kind++) {
        cloud c = {.count = 0};
        if (!make(&c, p->view.count)) {
            clear(&c);
            sp_usd_abandon(usd);
            return sp_fail_memory(error, path, 0);
        }
        for (size_t k = 0; k < p->view.count && kinds; k++)
            if (kinds[k] == kind)
                add(&c, p, k);
        put_cloud(usd, above, names[kind], p->frame, &c);
        clear(&c);
    }
    return sp_usd_close(usd, error);
}
