/* flows.c -- EMIT on the device, the host's part: copies of the shapes of inflows and outflows, and
 * room for new particles. The stage is in stages/emit.c and reseed.c, its order in
 * state/emitters.c. */
#include "residency.h"
#include "stages.h"
#include "stages/stages.h"

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

static float *copy_floats(X(gpu) *g, const float *values, int count)
{
    size_t bytes = (size_t)count * sizeof *values;
    float *there = count > 0 ? DEV(gpu_alloc)(g, bytes, "inflows and outflows") : NULL;
    if (there)
        DEV(gpu_upload)(g, there, values, bytes);
    return there;
}

spate_status DEV(gpu_copy_flows)(X(sim) *s, spate_error *error)
{
    X(gpu) *g = s->gpu;
    sp_shape *drains = NULL;
    sp_shape *forms = sp_alloc((size_t)s->emitter_count + 1, sizeof *forms);
    if (!forms)
        return sp_fail_memory(error, "inflows and outflows", 0);
    for (int k = 0; k < s->emitter_count; k++)
        forms[k] = s->emitters[k].form;
    spate_status status = copy_shapes(g, forms, s->emitter_count, &g->inflow_forms, error);
    sp_free(forms);
    TRY(status);
    TRY(copy_shapes(g, s->drains, s->drain_count, &drains, error));
    g->outflows.shapes = drains;
    g->outflows.bounds = copy_floats(g, s->drain_bounds, s->drain_count * 2 * DIM);
    g->outflows.count = s->drain_count;
    g->f.inflow_velocity = copy_floats(g, s->inflow_velocity, s->emitter_count * DIM);
    g->flow_count = s->emitter_count;
    TRY(copy_shapes(g, s->source_forms, s->source_count, &g->source_forms, error));
    g->source_count = s->source_count;
    s->forms_there = g->source_forms;
    return SPATE_OK;
}

void DEV(gpu_flows_changed)(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    size_t flows = (size_t)s->emitter_count, drains = (size_t)s->drain_count;
    float *bounds = (float *)g->outflows.bounds;
    if (flows > 0)
        DEV(gpu_upload)(g, g->f.inflow_velocity, s->inflow_velocity, flows * DIM * sizeof(float));
    if (drains > 0)
        DEV(gpu_upload)(g, bounds, s->drain_bounds, drains * 2 * DIM * sizeof(float));
}

static void free_places(X(gpu) *g)
{
    size_t room = g->places.room;
    DEV(gpu_free)(g, g->places.flags, room * sizeof(uint32_t));
    DEV(gpu_free)(g, g->places.before, room * sizeof(uint32_t));
    DEV(gpu_free)(g, g->places.marks, room);
}

void DEV(gpu_free_flows)(X(gpu) *g)
{
    size_t inflows = (size_t)g->flow_count, outflows = (size_t)g->outflows.count;
    DEV(gpu_free)(g, g->inflow_forms, inflows * sizeof *g->inflow_forms);
    DEV(gpu_free)(g, g->f.inflow_velocity, inflows * DIM * sizeof(float));
    DEV(gpu_free)(g, (void *)g->outflows.shapes, outflows * sizeof(sp_shape));
    DEV(gpu_free)(g, (void *)g->outflows.bounds, outflows * 2 * DIM * sizeof(float));
    DEV(gpu_free)(g, g->source_forms, (size_t)g->source_count * sizeof(sp_shape));
    free_places(g);
}

/* ---- the stage */

void DEV(gpu_make_places)(X(gpu) *g, size_t count)
{
    g->places.count = count;
    if (count + 1 <= g->places.room)
        return;
    free_places(g);
    size_t room = g->places.room = count + count / 2 + 1;
    g->places.flags = DEV(gpu_alloc)(g, room * sizeof(uint32_t), "new particles");
    g->places.before = DEV(gpu_alloc)(g, room * sizeof(uint32_t), "new particles");
    g->places.marks = DEV(gpu_alloc)(g, room, "new particles");
    DEV(gpu_reserve_scan)(g, room);
}

static uint32_t drain(X(sim) *s)
{
    return ONCE(drain)(s->gpu, &s->gpu->outflows);
}

static void remove_dead(X(sim) *s)
{
    DEV(gpu_remove_dead)(s->gpu, &s->gpu->f.particles, (uint32_t)s->particles.dead);
    s->gpu->speed_known = false;
    s->particles.count = s->gpu->f.particles.count;
    s->particles.dead = 0;
}

static double sum_channel(X(sim) *s, int column, uint32_t first, bool dead)
{
    return DEV(sum_channel)(s->gpu, column, first, s->particles.count - first, dead);
}

static uint32_t find(X(sim) *s, int k, X(inflow) *inflow, size_t places)
{
    X(gpu) *g = s->gpu;
    DEV(gpu_make_places)(g, places);
    inflow->lattice.form = g->inflow_forms + k;
    inflow->marks = g->places.marks;
    uint32_t count = ONCE(find_newcomers)(g, inflow, places);
    return g->failure[0] ? 0 : count;
}

/* The particles that have been put are the device's, too. */
static void count_newcomers(X(gpu) *g, const X(newcomers) *what)
{
    g->f.particles.count += what->count;
    g->speed_known = false;
}

static void put(X(sim) *s, const X(inflow) *inflow, size_t places)
{
    ONCE(put_newcomers)(s->gpu, inflow, places);
    count_newcomers(s->gpu, &inflow->what);
}

static uint32_t count_reseeded(X(sim) *s, const X(reseeding) *how)
{
    uint32_t count = ONCE(count_reseeded)(s->gpu, how);
    return s->gpu->failure[0] ? 0 : count;
}

static void put_reseeded(X(sim) *s, const X(reseeding) *how, const X(newcomers) *what)
{
    ONCE(put_reseeded)(s->gpu, how, what);
    count_newcomers(s->gpu, what);
}

static uint32_t prune(X(sim) *s, const X(pruning) *how)
{
    return ONCE(prune_cells)(s->gpu, how);
}

static uint32_t most_in_cell(X(sim) *s)
{
    return ONCE(count_cells)(s->gpu).most;
}

static uint32_t thin(X(sim) *s, const X(reseeding) *how)
{
    return ONCE(thin_cells)(s->gpu, how);
}

static void make_room(X(sim) *s)
{
    DEV(gpu_reserve)(s, true);
}

spate_status DEV(gpu_emit_and_drain)(X(sim) *s, double dt, spate_error *error)
{
    static const X(emission) parts = {.drain = drain,
                                      .remove_dead = remove_dead,
                                      .sum_channel = sum_channel,
                                      .find = find,
                                      .put = put,
                                      .count_reseeded = count_reseeded,
                                      .put_reseeded = put_reseeded,
                                      .prune = prune,
                                      .most_in_cell = most_in_cell,
                                      .thin = thin,
                                      .make_room = make_room};
    return X(emit_in_order)(s, dt, &parts, error);
}
