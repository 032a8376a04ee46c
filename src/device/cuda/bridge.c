/* bridge.c -- a simulation whose arrays live in two memories.
 *
 * For each stage this file says what it reads and writes, brings that to where the stage runs, and
 * notes what has become stale in the other memory. A stage that the device has no code for, or not
 * for this scene, runs on the host. Outside of the steps everything (stats, files, checkpoints,
 * changes by the user) works on the host's arrays, which X(bring) makes current and X(changed)
 * declares newer. */
#include "device/cuda/stages.h"

#include <math.h>
#include <string.h>

#define MAX_MIRRORS (8 * DIM + 16)

/* An array in both memories. */
typedef struct mirror {
    void **host, **device;
    size_t bytes;
    unsigned group;
} mirror;

/* All arrays but the columns of the particles. Those of solids and inflows only where there are. */
static int list_mirrors(X(sim) *s, mirror list[MAX_MIRRORS])
{
    X(fields) *f = &s->gpu->f;
    size_t cells = s->grid.size, tiles = (size_t)s->grid.tile_count;
    int n = 0;
#define MIRROR(host, device, count, group) \
    (list[n++] = (mirror){(void **)&(host), (void **)&(device), (count) * sizeof *(host), group})
    FOR_DIM(d) {
        MIRROR(s->u[d], f->u[d], cells, GPU_U);
        MIRROR(s->u_old[d], f->u_old[d], cells, GPU_U_OLD);
        MIRROR(s->weight[d], f->weight[d], cells, GPU_WEIGHT);
        MIRROR(s->known[d], f->known[d], cells, GPU_KNOWN);
        MIRROR(s->known_next[d], f->known_next[d], cells, GPU_KNOWN);
    }
    MIRROR(s->phi, f->phi, cells, GPU_SURFACE);
    MIRROR(s->type, f->type, cells, GPU_SURFACE);
    if (s->density)
        MIRROR(s->density, f->density, cells, GPU_SURFACE);
    MIRROR(s->p, f->p, cells, GPU_PRESSURE);
    MIRROR(s->first, f->first, cells, GPU_TILES);
    MIRROR(s->count, f->count, cells, GPU_TILES);
    MIRROR(s->tiles.active, f->active, tiles, GPU_TILES);
    MIRROR(s->tiles.liquid, f->liquid, tiles, GPU_TILES);
    MIRROR(s->tiles.faces, f->faces, tiles, GPU_TILES);
    MIRROR(s->tiles.border, f->border, tiles, GPU_TILES);
    MIRROR(s->tiles.state, f->tile_state, tiles, GPU_TILES);
    MIRROR(s->tiles.near, f->tile_near, tiles, GPU_TILES);
    MIRROR(s->tiles.start, f->tile_start, tiles + 1, GPU_TILES);
    if (s->solids.live > 0 || f->phi_solid) {
        MIRROR(s->phi_solid, f->phi_solid, cells, GPU_SOLIDS);
        MIRROR(s->room, f->room, cells, GPU_SOLIDS);
        FOR_DIM(d)
            MIRROR(s->w[d], f->w[d], cells, GPU_SOLIDS);
    }
    if (s->marks)
        MIRROR(s->marks, f->marks, cells, GPU_SOLIDS);
#undef MIRROR
    return n;
}

/* The device's columns in the order of X(particle_columns). */
static int list_columns(X(gpu) *g, void **columns[MAX_COLUMNS])
{
    X(fields) *f = &g->f;
    int n = 0;
    FOR_DIM(d)
        columns[n++] = (void **)&f->x[d];
    FOR_DIM(d)
        columns[n++] = (void **)&f->v[d];
    columns[n++] = (void **)&f->id;
    for (int e = 0; e < DIM * DIM && f->apic; e++)
        columns[n++] = (void **)&f->c[e];
    for (int e = 0; e < f->channel_columns; e++)
        columns[n++] = (void **)&f->channel[e];
    return n;
}

static spate_status failure(const X(sim) *s, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_DEVICE, "device", "%s", s->gpu->failure);
}

/* ---- memory */

static void *again(X(gpu) *g, void *block, size_t old_bytes, size_t bytes, const char *what)
{
    X(gpu_free)(g, block, old_bytes);
    return X(gpu_alloc)(g, bytes, what);
}

/* Room for as many particles as on the host; what the columns held is lost. */
static void reserve(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    size_t old = g->capacity, now = s->particles.capacity, tiles = (size_t)s->grid.tile_count;
    void **columns[MAX_COLUMNS];
    if (now <= old && g->spare)
        return;
    int count = list_columns(g, columns);
    for (int k = 0; k < count; k++)
        *columns[k] = again(g, *columns[k], old * 4, now * 4, "the particles");
    g->spare = again(g, g->spare, old * 4, now * 4, "the particles");
    uint32_t **scratch[] = {&g->order, &g->order_other, &g->key, &g->key_other};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        *scratch[k] = again(g, *scratch[k], old * 4, now * 4, "the particles");
    size_t partials = now / 1024 + 1 > tiles ? now / 1024 + 1 : tiles;
    g->partials =
        again(g, g->partials, g->partial_count * sizeof(double), partials * sizeof(double), "sums");
    g->partial_count = partials;
    /* flags of particles; those of tiles for all lists, or three in all levels of the solver */
    size_t flags = GPU_LISTS * (tiles + 1) + 3 * MAX_LEVELS * 27;
    size_t bytes = X(gpu_temporary_bytes)(now > flags ? now : flags);
    g->temporary = again(g, g->temporary, g->temporary_bytes, bytes, "scans");
    g->temporary_bytes = bytes;
    g->capacity = (uint32_t)now;
}

/* Arrays that are not there yet. The host's are zero at the start, and so are these. */
static void make_arrays(X(sim) *s)
{
    mirror list[MAX_MIRRORS];
    int count = list_mirrors(s, list);
    for (int k = 0; k < count; k++) {
        if (*list[k].device)
            continue;
        *list[k].device = X(gpu_alloc)(s->gpu, list[k].bytes, "the grid");
        if (*list[k].device)
            X(gpu_set)(s->gpu, *list[k].device, 0, list[k].bytes);
    }
}

static void make_solver(X(sim) *s)
{
    const X(grid) *grids[MAX_LEVELS];
    int count = s->system.level_count > 1 ? s->system.level_count : 1;
    for (int k = 0; k < count; k++)
        grids[k] = &s->system.levels[k].grid;
    X(gpu_solver_create)(s->gpu, count, grids, s->density != NULL);
}

uint64_t X(device_forecast)(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    uint64_t capacity = particles + 16, columns = 5;  /* spare, keys and order twice */
    uint64_t cells = 4 * (3 * DIM + 4) + 2 * DIM + 1; /* u .. count; known; type */
    bool density = scene->volume.method == SPATE_VOLUME_DENSITY ||
                   scene->volume.method == SPATE_VOLUME_BOTH,
         apic = scene->liquid.transfer == SPATE_TRANSFER_APIC;
#define FIELD(name, components, type, when) columns += (when) ? (components) : 0;
#include "sim/fields.def"
#undef FIELD
    for (int k = 0; k < scene->channel_count; k++)
        columns += (uint64_t)scene->channels[k].components;
    cells += density ? 8 : 0;
    cells += scene->solids.count > 0 ? 4 * (DIM + 2) : 0;
    cells += scene->inflows.count + scene->outflows.count > 0 ? 1 : 0;
    /* the solver's blocks: of full cells and a fifth more for tiles at the surface, with an eighth
     * to spare; a seventh of it for the coarser levels */
    double unknowns = (double)particles / pow(scene->liquid.particles_per_axis, DIM);
    bool faces = scene->solids.count > 0 || g->periodic[0] || g->periodic[1] || g->periodic[2];
    double blocks = 1.2 * 1.125 * unknowns * (41 + (faces ? 4 * DIM : 0) + 4);
    return (uint64_t)blocks + 4 * columns * capacity + X(gpu_temporary_bytes)(capacity) +
           cells * g->size +
           (uint64_t)g->tile_count * (4 * 4 + 2 + 4 + 4 * (2 * GPU_LISTS + 1) + 8 + 80);
}

spate_status X(gpu_attach)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    X(gpu) *g = s->gpu = sp_alloc(1, sizeof *g);
    if (!g)
        return sp_fail_memory(error, "a device", 0);
    if (scene->pressure.solver == SPATE_SOLVER_PCG)
        return sp_fail(error, SPATE_ERROR_DEVICE, "pressure.solver",
                       "pcg works on the cpu only; use multigrid, which is faster everywhere");
    if (!X(gpu_open)(g, s->common->pool))
        return failure(s, error);
    uint64_t available, total, needed = X(device_forecast)(scene, &s->grid, s->particles.capacity);
    X(gpu_memory)(g, &available, &total);
    if (needed > available)
        return sp_fail_device_memory(error, needed, available);
    X(fields) *f = &g->f;
    size_t tiles = (size_t)s->grid.tile_count;
    f->grid = s->grid;
    memcpy(f->sides, scene->domain.sides, sizeof f->sides);
    f->degree = s->degree;
    f->apic = s->apic;
    f->ghost = X(has_level_set)(s);
    f->channel_columns = s->particles.channel_columns;
    f->rest = 1.0f;
    FOR_DIM(d)
        f->rest *= (float)scene->liquid.particles_per_axis;
    make_arrays(s);
    reserve(s);
    g->counters = X(gpu_alloc)(g, sizeof *g->counters, "counters");
    g->tile_flags = X(gpu_alloc)(g, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t), "the tiles");
    g->list_totals = X(gpu_alloc)(g, GPU_LISTS * sizeof(uint32_t), "the tiles");
    g->left = X(gpu_alloc)(g, tiles * sizeof(int), "the tiles");
    make_solver(s);
    g->on_host = GPU_ALL;
    g->on_device = GPU_ALL & ~(unsigned)(GPU_PARTICLES | GPU_SOLIDS);
    return X(gpu_wait)(g) ? SPATE_OK : failure(s, error);
}

void X(gpu_detach)(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    mirror list[MAX_MIRRORS];
    void **columns[MAX_COLUMNS];
    if (!g)
        return;
    size_t tiles = (size_t)s->grid.tile_count;
    X(gpu_solver_destroy)(g);
    int count = list_mirrors(s, list);
    for (int k = 0; k < count; k++)
        X(gpu_free)(g, *list[k].device, list[k].bytes);
    count = list_columns(g, columns);
    for (int k = 0; k < count; k++)
        X(gpu_free)(g, *columns[k], (size_t)g->capacity * 4);
    uint32_t *scratch[] = {(uint32_t *)g->spare, g->order, g->order_other, g->key, g->key_other};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        X(gpu_free)(g, scratch[k], (size_t)g->capacity * 4);
    X(gpu_free)(g, g->partials, g->partial_count * sizeof(double));
    X(gpu_free)(g, g->temporary, g->temporary_bytes);
    X(gpu_free)(g, g->counters, sizeof *g->counters);
    X(gpu_free)(g, g->tile_flags, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t));
    X(gpu_free)(g, g->list_totals, GPU_LISTS * sizeof(uint32_t));
    X(gpu_free)(g, g->left, tiles * sizeof(int));
    X(gpu_close)(g);
    sp_free(g);
    s->gpu = NULL;
}

/* ---- copies */

static void copy_tile_counts(X(sim) *s, bool to_host)
{
    X(fields) *f = &s->gpu->f;
    X(tiles) *t = &s->tiles;
    int *pairs[][2] = {{&t->active_count, &f->active_count},
                       {&t->liquid_count, &f->liquid_count},
                       {&t->face_count, &f->face_count},
                       {&t->border_count, &f->border_count}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        *pairs[k][!to_host] = *pairs[k][to_host];
    if (to_host)
        memcpy(t->colour_start, f->colour_start, sizeof f->colour_start);
    else
        memcpy(f->colour_start, t->colour_start, sizeof f->colour_start);
}

static void copy_particles(X(sim) *s, bool to_host)
{
    X(gpu) *g = s->gpu;
    void **here[MAX_COLUMNS], **there[MAX_COLUMNS];
    if (!to_host) {
        reserve(s);
        g->f.particle_count = s->particles.count;
        g->speed_known = false;
    }
    int count = X(particle_columns)(&s->particles, here);
    list_columns(g, there);
    for (int k = 0; k < count && !g->failure[0]; k++) {
        size_t bytes = (size_t)s->particles.count * 4;
        if (to_host)
            X(gpu_download)(g, *here[k], *there[k], bytes);
        else
            X(gpu_upload)(g, *there[k], *here[k], bytes);
    }
}

static void copy_groups(X(sim) *s, unsigned groups, bool to_host)
{
    X(gpu) *g = s->gpu;
    mirror list[MAX_MIRRORS];
    if (groups & GPU_SOLIDS && !to_host) {
        g->f.solids = s->solids.live > 0;
        g->f.cut = X(has_cut_cells)(s);
        make_arrays(s);
    }
    int count = list_mirrors(s, list);
    for (int k = 0; k < count && !g->failure[0]; k++) {
        if (!(list[k].group & groups))
            continue;
        if (to_host)
            X(gpu_download)(g, *list[k].host, *list[k].device, list[k].bytes);
        else
            X(gpu_upload)(g, *list[k].device, *list[k].host, list[k].bytes);
    }
    if (groups & GPU_PARTICLES)
        copy_particles(s, to_host);
    if (groups & GPU_TILES)
        copy_tile_counts(s, to_host);
}

/* What a memory has lost is NaN there, on devices that poison. */
static void poison(X(sim) *s, unsigned groups, bool host)
{
    X(gpu) *g = s->gpu;
    mirror list[MAX_MIRRORS];
    void **columns[MAX_COLUMNS];
    if (!X(gpu_poisons)())
        return;
    int count = list_mirrors(s, list);
    for (int k = 0; k < count; k++)
        if (list[k].group & groups)
            memset(host ? *list[k].host : *list[k].device, 0xff, list[k].bytes);
    if (!(groups & GPU_PARTICLES))
        return;
    count = host ? X(particle_columns)(&s->particles, columns) : list_columns(g, columns);
    for (int k = 0; k < count; k++)
        memset(*columns[k], 0xff, (size_t)(host ? s->particles.capacity : g->capacity) * 4);
}

void X(bring)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    unsigned stale = groups & ~g->on_host & ~(unsigned)GPU_SYSTEM;
    if (!stale)
        return;
    copy_groups(s, stale, true);
    g->on_host |= stale;
}

void X(changed)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    poison(s, groups & g->on_device, false);
    g->on_host |= groups;
    g->on_device &= ~groups;
}

void X(forget)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    unsigned kept = groups & g->on_device;
    poison(s, kept, true);
    g->on_host &= ~kept;
}

/* Before a stage on the device. */
static void use_device(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    unsigned stale = groups & ~g->on_device & ~(unsigned)GPU_SYSTEM;
    if (!stale)
        return;
    copy_groups(s, stale, false);
    g->on_device |= stale;
}

/* After it. */
static void device_wrote(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    poison(s, groups & g->on_host, true);
    g->on_device |= groups;
    g->on_host &= ~groups;
}

/* ---- the stages */

/* What each stage reads and writes; it reads what it writes, for outside of the tiles with work
 * values stay. */
static const struct {
    unsigned reads, writes;
} plan[SPATE_STAGE_COUNT] = {
    [SPATE_STAGE_SORT] = {0, GPU_PARTICLES | GPU_TILES | GPU_U | GPU_U_OLD | GPU_WEIGHT |
                                 GPU_SURFACE | GPU_PRESSURE | GPU_KNOWN},
    [SPATE_STAGE_SOLIDS] = {0, GPU_SOLIDS},
    [SPATE_STAGE_P2G] = {GPU_PARTICLES | GPU_TILES, GPU_U | GPU_U_OLD | GPU_WEIGHT},
    [SPATE_STAGE_SURFACE] = {GPU_PARTICLES | GPU_TILES | GPU_SOLIDS, GPU_SURFACE},
    [SPATE_STAGE_FORCES] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS | GPU_WEIGHT, GPU_U | GPU_U_OLD},
    [SPATE_STAGE_PRESSURE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS,
                              GPU_U | GPU_PRESSURE | GPU_SYSTEM},
    [SPATE_STAGE_EXTRAPOLATE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS,
                                 GPU_U | GPU_U_OLD | GPU_KNOWN | GPU_WEIGHT},
    [SPATE_STAGE_G2P] = {GPU_TILES | GPU_U | GPU_U_OLD | GPU_KNOWN, GPU_PARTICLES | GPU_WEIGHT},
    [SPATE_STAGE_SEPARATE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS | GPU_KNOWN | GPU_SYSTEM,
                              GPU_PARTICLES | GPU_WEIGHT},
    [SPATE_STAGE_ADVECT] = {GPU_TILES | GPU_U | GPU_SOLIDS, GPU_PARTICLES},
    [SPATE_STAGE_EMIT] = {GPU_TILES | GPU_U, GPU_PARTICLES},
};

/* EMIT without anything that gives or takes particles but open sides and closing solids. */
static bool only_removes(const X(sim) *s)
{
    return s->emitter_count == 0 && s->drain_count == 0 && !s->common->scene->liquid.reseed;
}

/* Whether the device has code for a stage of this scene. */
static bool is_for_device(const X(sim) *s, spate_stage stage)
{
    bool movers = s->solids.any_moving, inflows = s->emitter_count > 0;
    switch (stage) {
    case SPATE_STAGE_SORT:
    case SPATE_STAGE_P2G:
    case SPATE_STAGE_SURFACE:
    case SPATE_STAGE_G2P:
    case SPATE_STAGE_ADVECT: return true;
    case SPATE_STAGE_FORCES:
        return !movers && !inflows && !s->solids.any_friction &&
               !(s->common->scene->domain.friction > 0);
    case SPATE_STAGE_PRESSURE: return !movers;
    case SPATE_STAGE_EXTRAPOLATE: return !movers && !inflows;
    case SPATE_STAGE_SEPARATE:
        return s->common->scene->volume.method == SPATE_VOLUME_DENSITY && s->density;
    case SPATE_STAGE_EMIT: return only_removes(s);
    default: return false;
    }
}

static void add_forces(X(sim) *s, double dt)
{
    float dv[DIM];
    FOR_DIM(d)
        dv[d] = (float)(s->common->gravity[d] * dt);
    X(gpu_add_forces)(s->gpu, dv);
}

/* What the host has to do after G2P on the device. */
static void average_channels(X(sim) *s, double dt)
{
    if (!X(gpu_has_averages)(s))
        return;
    X(bring)(s, GPU_PARTICLES | GPU_TILES);
    X(channels_step)(s, dt);
    X(changed)(s, GPU_PARTICLES);
}

bool X(device_displaces)(const X(sim) *s)
{
    return s->gpu->on_device & GPU_SYSTEM;
}

static spate_status project(X(sim) *s, double dt, spate_error *error)
{
    s->gpu->solves = true;
    spate_status status = X(project)(s, dt, error);
    s->gpu->solves = false;
    return status;
}

/* The displacement of the density projection, where the pressure system is. */
static void find_displacement(X(sim) *s)
{
    unsigned reads = GPU_TILES | GPU_SURFACE | GPU_SOLIDS | GPU_KNOWN | GPU_WEIGHT;
    if (!X(device_displaces)(s)) {
        X(bring)(s, reads);
        X(find_displacement)(s);
        X(changed)(s, GPU_WEIGHT);
        return;
    }
    use_device(s, reads);
    s->gpu->solves = true;
    X(find_displacement)(s);
    s->gpu->solves = false;
    device_wrote(s, GPU_WEIGHT);
}

/* SEPARATE by density. */
static void displace(X(sim) *s)
{
    find_displacement(s);
    use_device(s, GPU_PARTICLES | GPU_SOLIDS | GPU_WEIGHT);
    X(book_separation)(s, X(gpu_displace)(s));
    device_wrote(s, GPU_PARTICLES);
}

static void remove_dead(X(sim) *s)
{
    X(gpu_remove_dead)(s->gpu, (uint32_t)s->dead);
    s->particles.count = s->gpu->f.particle_count;
    s->dead = 0;
}

/* Runs a stage on the device; not done: it has none for this scene. */
static spate_status run(X(sim) *s, spate_stage stage, double dt, bool *done, spate_error *error)
{
    X(gpu) *g = s->gpu;
    spate_status status = SPATE_OK;
    *done = is_for_device(s, stage);
    if (!*done) {
        if (stage == SPATE_STAGE_SEPARATE && s->density && dt > 0 && X(device_displaces)(s))
            find_displacement(s); /* then the host moves the particles */
        return SPATE_OK;
    }
    if (stage == SPATE_STAGE_SEPARATE) {
        if (dt > 0)
            displace(s);
        return SPATE_OK;
    }
    use_device(s, plan[stage].reads | plan[stage].writes);
    switch (stage) {
    case SPATE_STAGE_SORT: X(gpu_sort_particles)(g); break;
    case SPATE_STAGE_P2G: X(gpu_particles_to_grid)(g); break;
    case SPATE_STAGE_SURFACE: X(gpu_build_surface)(g); break;
    case SPATE_STAGE_FORCES: add_forces(s, dt); break;
    case SPATE_STAGE_PRESSURE: status = project(s, dt, error); break;
    case SPATE_STAGE_EXTRAPOLATE: X(gpu_extrapolate)(g, dt, &s->reach); break;
    case SPATE_STAGE_G2P: X(gpu_hand_back)(s, dt); break;
    case SPATE_STAGE_ADVECT: status = X(gpu_advect)(s, dt, error); break;
    case SPATE_STAGE_EMIT: remove_dead(s); break;
    default: break;
    }
    device_wrote(s, plan[stage].writes);
    if (stage == SPATE_STAGE_G2P)
        average_channels(s, dt);
    return status;
}

/* Stages of the host that have nothing to do need nothing. */
static bool is_idle(const X(sim) *s, spate_stage stage)
{
    const spate_scene *scene = s->common->scene;
    if (stage == SPATE_STAGE_EMIT)
        return s->dead == 0 && only_removes(s);
    if (stage == SPATE_STAGE_SEPARATE)
        return scene->volume.method == SPATE_VOLUME_NONE;
    return false;
}

spate_status X(device_stage)(X(sim) *s, spate_stage stage, double dt, bool *done,
                             spate_error *error)
{
    X(gpu) *g = s->gpu;
    X(gpu_mark)(g, (int)stage);
    *done = is_idle(s, stage);
    if (*done)
        return SPATE_OK;
    if (stage == SPATE_STAGE_SOLIDS) {
        if (s->solids_changed || s->movers)
            X(changed)(s, GPU_SOLIDS);
        return SPATE_OK;
    }
    TRY(run(s, stage, dt, done, error));
    if (!*done) {
        X(bring)(s, plan[stage].reads | plan[stage].writes);
        X(changed)(s, plan[stage].writes);
    }
    return g->failure[0] ? failure(s, error) : SPATE_OK;
}

uint64_t X(device_bytes)(const X(sim) *s)
{
    return s->gpu->allocated;
}

void X(device_times)(X(sim) *s, double seconds[SPATE_STAGE_COUNT])
{
    X(gpu_mark)(s->gpu, SPATE_STAGE_COUNT);
    X(gpu_times)(s->gpu, seconds);
}

bool X(device_max_speed)(X(sim) *s, double *speed)
{
    if (s->gpu->on_host & GPU_PARTICLES)
        return false;
    *speed = X(gpu_max_speed)(s->gpu);
    return true;
}
