/* state.c -- making and unmaking a simulation: the grid, its arrays, the particles at the start. */
#include "state.h"

#include "arrays.h"
#include "cg_policy.h"
#include "device.h"

#include <math.h>
#include <string.h>

void X(grid_layout)(X(grid) *g)
{
    size_t row = (size_t)g->tiles[0] * TILE;
    g->stride[0] = 1;
    g->stride[1] = (row + 15) / 16 * 16;
    size_t plane = g->stride[1] * (size_t)g->tiles[1] * TILE;
    g->stride[2] = DIM == 3 ? plane : 0;
    g->size = DIM == 3 ? plane * (size_t)g->tiles[2] * TILE : plane;
    g->tile_count = g->tiles[0] * g->tiles[1] * g->tiles[2];
    g->origin = 0;
    FOR_DIM(d)
        g->origin += TILE * g->stride[d];
}

X(grid) X(grid_make)(const spate_scene *scene)
{
    X(grid) g;
    memset(&g, 0, sizeof g);
    double longest = 0;
    for (int d = 0; d < DIM; d++)
        longest = scene->domain.size[d] > longest ? scene->domain.size[d] : longest;
    double dx =
        scene->domain.cell_size > 0 ? scene->domain.cell_size : longest / scene->domain.cells;
    g.dx = dx;
    g.n[2] = g.tiles[2] = 1;
    for (int d = 0; d < DIM; d++) {
        int n = (int)floor(scene->domain.size[d] / dx + 0.5);
        g.n[d] = n < 1 ? 1 : n;
        g.tiles[d] = (g.n[d] + TILE - 1) / TILE + 2;
        g.periodic[d] = scene->domain.sides[d][0] == SPATE_SIDE_PERIODIC;
    }
    X(grid_layout)(&g);
    return g;
}

static bool has_pic_channel(const spate_scene *scene)
{
    for (int k = 0; k < scene->channel_count; k++)
        if (scene->channels[k].pic)
            return true;
    return false;
}

int X(arrays)(X(sim) *s, const spate_scene *scene, X(array) arrays[MAX_ARRAYS])
{
    int n = 0;
#define ARRAY(pointer, moves) \
    (arrays[n++] = (X(array)){(void **)&(pointer), sizeof *(pointer), moves})
    bool pcg = scene->pressure.solver == SPATE_SOLVER_PCG,
         multigrid = scene->pressure.solver == SPATE_SOLVER_MULTIGRID;
    FOR_DIM(d) {
        ARRAY(s->u[d], true);
        ARRAY(s->u_old[d], true);
        ARRAY(s->weight[d], true);
        ARRAY(s->w[d], false);
        ARRAY(s->known[d], true);
        ARRAY(s->system.a[d], true);
    }
    ARRAY(s->p, true);
    ARRAY(s->type, true);
    ARRAY(s->first, true);
    ARRAY(s->count, true);
    ARRAY(s->phi, true);
    ARRAY(s->room, false);
    ARRAY(s->phi_solid, false);
    ARRAY(s->phi_static, false);
    ARRAY(s->system.diagonal, true);
    ARRAY(s->system.b, true);
    ARRAY(s->system.pocket, true);
    ARRAY(s->system.component, false);
    ARRAY(s->system.pockets, false);
    if (!multigrid)
        ARRAY(s->system.r, true);
    if (pcg || multigrid)
        ARRAY(s->system.q_sum, true);
    if (pcg) {
        ARRAY(s->system.s, true);
        ARRAY(s->system.z, true);
        ARRAY(s->system.mic, true);
    }
    if (scene->inflows.count + scene->outflows.count > 0) {
        ARRAY(s->marks, false);
        ARRAY(s->mark_of, false);
    }
    if (scene->volume.method == SPATE_VOLUME_DENSITY || scene->volume.method == SPATE_VOLUME_BOTH) {
        ARRAY(s->density, true);
        ARRAY(s->system.q_density, true);
    }
    if (has_pic_channel(scene)) {
        ARRAY(s->channel_sum, true);
        ARRAY(s->channel_weight, true);
    }
#undef ARRAY
    return n;
}

static spate_status make_arrays(X(sim) *s, spate_error *error)
{
    X(array) arrays[MAX_ARRAYS];
    int count = X(arrays)(s, s->common->scene, arrays);
    for (int k = 0; k < count; k++) {
        *arrays[k].block = sp_alloc(s->grid.size, arrays[k].item);
        if (!*arrays[k].block)
            return sp_fail_memory(error, "the grid", (uint64_t)s->grid.size * arrays[k].item);
    }
    s->system.q = s->p;
    FOR_DIM(d)
        s->carried[d] = s->weight[d];
    FOR_DIM(d)
        s->away[d] = s->u_old[d];
    s->fastest = -1.0f;
    s->system.sweeps = SWEEPS;
    s->system.least_theta = 0.01f;
    s->system.levels[0].grid = s->grid;
    s->system.levels[0].tiles = sp_alloc((size_t)s->grid.tile_count, sizeof(int));
    if (!s->system.levels[0].tiles)
        return sp_fail_memory(error, "the tiles", 0);
    size_t tiles = (size_t)s->grid.tile_count;
    X(tiles) *t = &s->tiles;
    t->active = sp_alloc(tiles, sizeof *t->active);
    t->liquid = sp_alloc(tiles, sizeof *t->liquid);
    t->faces = sp_alloc(tiles, sizeof *t->faces);
    t->border = sp_alloc(tiles, sizeof *t->border);
    t->state = sp_alloc(tiles, sizeof *t->state);
    t->near = sp_alloc(tiles, sizeof *t->near);
    t->cut = sp_alloc(tiles, sizeof *t->cut);
    t->marked = sp_alloc(tiles, sizeof *t->marked);
    t->fronts = sp_alloc(tiles, sizeof *t->fronts);
    t->start = sp_alloc(tiles + 1, sizeof *t->start);
    s->solid_tiles = sp_alloc(tiles, sizeof *s->solid_tiles);
    s->system.unknown = sp_alloc(tiles, sizeof *s->system.unknown);
    s->system.rows = sp_alloc(tiles, sizeof *s->system.rows);
    s->system.pocketed = sp_alloc(tiles, sizeof *s->system.pocketed);
    s->system.node = sp_alloc(tiles, sizeof *s->system.node);
    s->system.wave = sp_alloc(tiles, sizeof *s->system.wave);
    s->system.wave_start =
        sp_alloc((size_t)(s->grid.tiles[0] + s->grid.tiles[1] + s->grid.tiles[2] + 2),
                 sizeof *s->system.wave_start);
    if (!t->active || !t->liquid || !t->faces || !t->border || !t->state || !t->near || !t->cut ||
        !t->marked || !t->fronts || !t->start || !s->solid_tiles || !s->system.unknown ||
        !s->system.rows || !s->system.pocketed || !s->system.node || !s->system.wave ||
        !s->system.wave_start)
        return sp_fail_memory(error, "the tiles", 0);
    return SPATE_OK;
}

static spate_status make_solids(X(sim) *s, spate_error *error)
{
    const spate_shape_list *list = &s->common->scene->solids;
    s->solids.dim = DIM;
    for (int k = 0; k < list->count; k++)
        TRY(sp_solids_add(&s->solids, &list->items[k], 0, NULL, error));
    s->solids_changed = true;
    for (size_t k = 0; k < s->grid.size; k++)
        s->phi_solid[k] = 1e30f;
    return SPATE_OK;
}

static spate_status make_particles(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    for (int k = 0; k < scene->channel_count; k++)
        s->particles.channel_columns += scene->channels[k].components;
    uint64_t count;
    TRY(X(seed_count)(scene, &s->grid, &s->solids, &count, error));
    TRY(X(particles_reserve)(s, count, error));
    return X(seed)(s, &s->common->seeded, error);
}

static spate_status make(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    s->grid = X(grid_make)(scene);
    s->degree = scene->fluid.kernel == SPATE_KERNEL_LINEAR      ? KERNEL_LINEAR
                : scene->fluid.kernel == SPATE_KERNEL_QUADRATIC ? KERNEL_QUADRATIC
                                                                : KERNEL_CUBIC;
    s->apic = scene->fluid.transfer == SPATE_TRANSFER_APIC;
    TRY(make_arrays(s, error));
    TRY(make_solids(s, error));
    TRY(X(emitters_create)(s, error));
    TRY(make_particles(s, error));
    TRY(s->host->plan(s, false)->stage[SP_STAGE_SOLIDS](s, 0, error));
    return s->device->attach(s, error);
}

X(sim) *X(create)(sp_common *common, const X(device) *device, const X(device) *host,
                  spate_error *error)
{
    X(sim) *s = sp_alloc(1, sizeof *s);
    if (!s) {
        sp_fail_memory(error, "a simulation", 0);
        return NULL;
    }
    s->common = common;
    s->device = device;
    s->host = host;
    if (make(s, error) != SPATE_OK) {
        X(destroy)(s);
        return NULL;
    }
    return s;
}

void X(destroy)(X(sim) *s)
{
    if (!s)
        return;
    s->device->detach(s);
    X(array) arrays[MAX_ARRAYS];
    int count = X(arrays)(s, s->common->scene, arrays);
    for (int k = 0; k < count; k++)
        sp_free(*arrays[k].block);
    sp_free(s->tiles.active);
    sp_free(s->tiles.liquid);
    sp_free(s->tiles.faces);
    sp_free(s->tiles.border);
    sp_free(s->tiles.state);
    sp_free(s->tiles.near);
    sp_free(s->tiles.cut);
    sp_free(s->tiles.marked);
    sp_free(s->tiles.fronts);
    sp_free(s->tiles.start);
    sp_free(s->solid_tiles);
    sp_free(s->system.levels[0].tiles);
    sp_free(s->system.unknown);
    sp_free(s->system.rows);
    sp_free(s->system.pocketed);
    sp_free(s->system.node);
    sp_free(s->system.wave);
    sp_free(s->system.wave_start);
    void **columns[MAX_COLUMNS + 3];
    int column_count = X(particle_columns)(&s->particles, columns);
    for (int k = 0; k < column_count; k++)
        sp_free(*columns[k]);
    sp_free(s->particles.spare);
    sp_free(s->particles.order);
    sp_free(s->particles.rounded);
    sp_free(s->particles.between);
    sp_free(s->particles.pairs);
    X(emitters_destroy)(s);
    sp_solids_clear(&s->solids);
    sp_free(s->scratch);
    sp_free(s);
}

sp_arena X(arena)(X(sim) *s)
{
    return (sp_arena){s->scratch, (char *)s->scratch + s->scratch_size};
}
