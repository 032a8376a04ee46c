/* emit.c -- EMIT on the device, the host's part: the order of what comes and goes, as cpu/emit.c
 * has it, room for it, and the ledger. */
#include "residency.h"
#include "stages.h"

#include <math.h>
#include <string.h>

/* ---- the shapes, which never change */

static spate_status copy_shapes(X(gpu) *g, const sp_shape *shapes, int count, sp_shape **there,
                                spate_error *error)
{
    size_t bytes = (size_t)count * sizeof *shapes;
    sp_shape *copies = sp_alloc((size_t)count + 1, sizeof *copies);
    if (!copies)
        return sp_fail_memory(error, "inflows and outflows", bytes);
    for (int k = 0; k < count; k++) {
        copies[k] = shapes[k];
        copies[k].mesh = DEV(gpu_mesh_there)(g, shapes[k].mesh);
    }
    *there = count > 0 ? DEV(gpu_alloc)(g, bytes, "inflows and outflows") : NULL;
    if (*there)
        DEV(gpu_upload)(g, *there, copies, bytes);
    sp_free(copies);
    return SPATE_OK;
}

/* A hair wider than the shapes: places are floats. */
static spate_status copy_bounds(X(sim) *s, spate_error *error)
{
    X(gpu) *g = s->gpu;
    size_t bytes = (size_t)s->drain_count * 2 * DIM * sizeof(float);
    float *bounds = sp_alloc((size_t)s->drain_count, 2 * DIM * sizeof *bounds);
    if (!bounds)
        return sp_fail_memory(error, "inflows and outflows", bytes);
    for (int k = 0; k < s->drain_count; k++) {
        double low[3], high[3];
        sp_shape_bounds_at(&s->drains[k], &s->drains[k].rest, low, high);
        FOR_DIM(d) {
            bounds[k * 2 * DIM + d] = (float)fmax(low[d] / s->grid.dx - 0.01, -1e9);
            bounds[k * 2 * DIM + DIM + d] = (float)fmin(high[d] / s->grid.dx + 0.01, 1e9);
        }
    }
    g->drain_bounds = DEV(gpu_alloc)(g, bytes, "inflows and outflows");
    if (g->drain_bounds)
        DEV(gpu_upload)(g, g->drain_bounds, bounds, bytes);
    sp_free(bounds);
    return SPATE_OK;
}

spate_status DEV(gpu_copy_flows)(X(sim) *s, spate_error *error)
{
    X(gpu) *g = s->gpu;
    size_t bytes = (size_t)s->emitter_count * DIM * sizeof(float);
    sp_shape *forms = sp_alloc((size_t)s->emitter_count + 1, sizeof *forms);
    if (!forms)
        return sp_fail_memory(error, "inflows and outflows", 0);
    for (int k = 0; k < s->emitter_count; k++)
        forms[k] = s->emitters[k].form;
    spate_status status = copy_shapes(g, forms, s->emitter_count, &g->inflow_forms, error);
    sp_free(forms);
    TRY(status);
    TRY(copy_shapes(g, s->drains, s->drain_count, &g->drains, error));
    g->flow_count = s->emitter_count;
    g->drain_count = s->drain_count;
    if (s->drain_count > 0)
        TRY(copy_bounds(s, error));
    if (s->emitter_count == 0)
        return SPATE_OK;
    g->f.inflow_velocity = DEV(gpu_alloc)(g, bytes, "the inflows");
    if (g->f.inflow_velocity)
        DEV(gpu_upload)(g, g->f.inflow_velocity, s->inflow_velocity, bytes);
    return SPATE_OK;
}

static void free_places(X(gpu) *g)
{
    size_t room = g->places.room;
    DEV(gpu_free)(g, g->places.flags, room * sizeof(uint32_t));
    DEV(gpu_free)(g, g->places.before, room * sizeof(uint32_t));
}

void DEV(gpu_free_flows)(X(gpu) *g)
{
    DEV(gpu_free)(g, g->inflow_forms, (size_t)g->flow_count * sizeof *g->inflow_forms);
    DEV(gpu_free)(g, g->drains, (size_t)g->drain_count * sizeof *g->drains);
    DEV(gpu_free)(g, g->drain_bounds, (size_t)g->drain_count * 2 * DIM * sizeof(float));
    DEV(gpu_free)(g, g->f.inflow_velocity, (size_t)g->flow_count * DIM * sizeof(float));
    free_places(g);
}

/* ---- the stage */

/* Room for the places of a lattice, and one more. */
static void make_places(X(gpu) *g, size_t count)
{
    g->places.count = count;
    if (count + 1 <= g->places.room)
        return;
    free_places(g);
    size_t room = g->places.room = count + count / 2 + 1;
    g->places.flags = DEV(gpu_alloc)(g, room * sizeof(uint32_t), "an inflow");
    g->places.before = DEV(gpu_alloc)(g, room * sizeof(uint32_t), "an inflow");
    DEV(gpu_reserve_scan)(g, room);
}

static DEV(gpu_newcomers) newcomers_of(const X(sim) *s, int source, uint32_t count)
{
    const spate_scene *scene = s->common->scene;
    DEV(gpu_newcomers) what = {.count = count, .next_id = s->particles.next_id};
    int column = 0;
    for (int c = 0; c < scene->channel_count; c++)
        for (int e = 0; e < scene->channels[c].components; e++)
            what.initial[column++] = strcmp(scene->channels[c].name, "source") == 0
                                         ? (float)source
                                         : (float)scene->channels[c].initial[e];
    return what;
}

static spate_status emit(X(sim) *s, int k, double dt, spate_error *error)
{
    X(gpu) *g = s->gpu;
    X(lattice) lattice;
    make_places(g, X(emitter_advance)(s, &s->emitters[k], dt, &lattice));
    uint32_t count = DEV(gpu_find_newcomers)(g, &lattice, g->inflow_forms + k);
    if (count == 0 || g->failure[0])
        return SPATE_OK;
    TRY(X(particles_reserve)(s, (uint64_t)s->particles.count + count, error));
    DEV(gpu_reserve)(s, true);
    DEV(gpu_newcomers) what = newcomers_of(s, s->emitters[k].source, count);
    DEV(gpu_append)(g, &lattice, &what);
    s->particles.count += count;
    s->particles.next_id += count;
    s->common->added += count;
    s->sorted = false;
    return SPATE_OK;
}

static void remove_dead(X(sim) *s, uint64_t dead)
{
    X(gpu) *g = s->gpu;
    DEV(gpu_remove_dead)(g, (uint32_t)dead);
    g->speed_known = g->speed_known && dead == 0;
    s->particles.count = g->f.particles.count;
}

static spate_status reseed(X(sim) *s, spate_error *error)
{
    X(gpu) *g = s->gpu;
    DEV(gpu_sort)(s); /* where ADVECT has left them; the grid keeps its fields */
    X(reseeding) how = X(reseeding_of)(s);
    make_places(g, (size_t)g->f.tiles.liquid_count * TILE_CELLS);
    uint32_t added = DEV(gpu_count_reseeded)(g, &how);
    if (added > 0 && !g->failure[0]) {
        TRY(X(particles_reserve)(s, (uint64_t)s->particles.count + added, error));
        DEV(gpu_reserve)(s, true);
        DEV(gpu_newcomers) what = newcomers_of(s, -1, added);
        DEV(gpu_put_reseeded)(g, &how, &what);
    }
    uint32_t removed = DEV(gpu_thin)(g, &how);
    s->particles.next_id += added;
    s->common->added += added;
    s->common->added_reseed += added;
    s->common->removed_reseed += removed;
    remove_dead(s, removed);
    return SPATE_OK;
}

spate_status DEV(gpu_emit_and_drain)(X(sim) *s, double dt, spate_error *error)
{
    X(gpu) *g = s->gpu;
    uint32_t drained = g->drain_count > 0 ? DEV(gpu_drain)(g) : 0;
    s->common->removed_outflow += drained;
    remove_dead(s, s->dead + drained);
    s->dead = 0;
    for (int k = 0; k < s->emitter_count && !g->failure[0]; k++)
        if (!s->emitters[k].off)
            TRY(emit(s, k, dt, error));
    return s->common->scene->fluid.reseed ? reseed(s, error) : SPATE_OK;
}
