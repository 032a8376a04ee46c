/* emit.c -- EMIT on the device, the host's part: the shapes of inflows and outflows there, and room
 * for what comes. The order of it all is in state/emitters.c. */
#include "residency.h"
#include "stages.h"

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
}

void DEV(gpu_free_flows)(X(gpu) *g)
{
    size_t inflows = (size_t)g->flow_count, outflows = (size_t)g->outflows.count;
    DEV(gpu_free)(g, g->inflow_forms, inflows * sizeof *g->inflow_forms);
    DEV(gpu_free)(g, g->f.inflow_velocity, inflows * DIM * sizeof(float));
    DEV(gpu_free)(g, (void *)g->outflows.shapes, outflows * sizeof(sp_shape));
    DEV(gpu_free)(g, (void *)g->outflows.bounds, outflows * 2 * DIM * sizeof(float));
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

/* Room for new particles, and what they are to be. */
static spate_status expect_newcomers(X(sim) *s, uint32_t count, int source,
                                     DEV(gpu_newcomers) * what, spate_error *error)
{
    TRY(X(make_room)(s, (uint64_t)s->particles.count + count, error));
    DEV(gpu_reserve)(s, true);
    what->count = count;
    what->next_id = s->particles.next_id;
    X(initial_channels)(s->common->scene, source, what->initial);
    s->particles.count += count;
    s->particles.next_id += count;
    s->particles.sorted = false;
    return SPATE_OK;
}

static uint64_t drain(X(sim) *s)
{
    return DEV(gpu_drain)(s->gpu);
}

static void remove_dead(X(sim) *s)
{
    DEV(gpu_remove_dead)(s->gpu, (uint32_t)s->particles.dead);
    s->gpu->speed_known = false;
    s->particles.count = s->gpu->f.particles.count;
    s->particles.dead = 0;
}

static spate_status emit(X(sim) *s, int k, const X(lattice) *lattice, size_t places, uint32_t most,
                         spate_error *error)
{
    X(gpu) *g = s->gpu;
    X(lattice) there = *lattice;
    there.form = g->inflow_forms + k;
    make_places(g, places);
    uint32_t count = DEV(gpu_find_newcomers)(g, &there);
    count = count < most ? count : most;
    if (count == 0 || g->failure[0])
        return SPATE_OK;
    DEV(gpu_newcomers) what;
    TRY(expect_newcomers(s, count, s->emitters[k].source, &what, error));
    DEV(gpu_append)(g, &there, &what);
    return SPATE_OK;
}

static spate_status fill(X(sim) *s, const X(reseeding) *how, spate_error *error)
{
    X(gpu) *g = s->gpu;
    make_places(g, (size_t)g->f.tiles.liquid_count * TILE_CELLS);
    uint32_t count = DEV(gpu_count_reseeded)(g, how);
    if (count == 0 || g->failure[0])
        return SPATE_OK;
    DEV(gpu_newcomers) what;
    TRY(expect_newcomers(s, count, -1, &what, error));
    DEV(gpu_put_reseeded)(g, how, &what);
    return SPATE_OK;
}

static uint64_t thin(X(sim) *s, const X(reseeding) *how)
{
    return DEV(gpu_thin)(s->gpu, how);
}

spate_status DEV(gpu_emit_and_drain)(X(sim) *s, double dt, spate_error *error)
{
    static const X(emission) parts = {
        .drain = drain, .remove_dead = remove_dead, .emit = emit, .fill = fill, .thin = thin};
    return X(emit_in_order)(s, dt, &parts, error);
}
