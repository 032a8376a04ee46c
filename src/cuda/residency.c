/* residency.c -- the arrays of a simulation in two memories: which there are, room for them on the
 * device, and which of the two is current. */
#include "residency.h"

#include <string.h>

/* All arrays but the columns of the particles. Those of solids and inflows only where there are. */
int DEV(gpu_mirrors)(X(sim) *s, X(mirror) list[MAX_MIRRORS])
{
    X(fields) *f = &s->gpu->f;
    size_t cells = s->grid.size, tiles = (size_t)s->grid.tile_count;
    int n = 0;
#define MIRROR(host, device, count, group) \
    (list[n++] = (X(mirror)){(void **)&(host), (void **)&(device), (count) * sizeof *(host), group})
    FOR_DIM(d) {
        MIRROR(s->u[d], f->u[d], cells, GPU_U);
        MIRROR(s->u_old[d], f->u_old[d], cells, GPU_U_OLD);
        MIRROR(s->weight[d], f->weight[d], cells, GPU_WEIGHT);
        MIRROR(s->known[d], f->known[d], cells, GPU_KNOWN);
    }
    MIRROR(s->phi, f->phi, cells, GPU_SURFACE);
    MIRROR(s->type, f->type, cells, GPU_SURFACE);
    if (s->density)
        MIRROR(s->density, f->density, cells, GPU_SURFACE);
    MIRROR(s->p, f->p, cells, GPU_PRESSURE);
    MIRROR(s->first, f->first, cells, GPU_CELLS);
    MIRROR(s->count, f->count, cells, GPU_CELLS);
    MIRROR(s->tiles.active, f->active, tiles, GPU_LISTED);
    MIRROR(s->tiles.liquid, f->liquid, tiles, GPU_LISTED);
    MIRROR(s->tiles.faces, f->faces, tiles, GPU_LISTED);
    MIRROR(s->tiles.border, f->border, tiles, GPU_LISTED);
    MIRROR(s->tiles.state, f->tile_state, tiles, GPU_LISTED);
    MIRROR(s->tiles.near, f->tile_near, tiles, GPU_LISTED);
    MIRROR(s->tiles.start, f->tile_start, tiles + 1, GPU_LISTED);
    if (s->solids.live > 0 || f->phi_solid) {
        MIRROR(s->phi_solid, f->phi_solid, cells, GPU_SOLIDS);
        MIRROR(s->room, f->room, cells, GPU_SOLIDS);
        FOR_DIM(d)
            MIRROR(s->w[d], f->w[d], cells, GPU_SOLIDS);
        MIRROR(s->tiles.cut, f->tile_cut, tiles, GPU_SOLIDS);
    }
    if (s->movers || f->phi_static)
        MIRROR(s->phi_static, f->phi_static, cells, GPU_SOLIDS);
    if (s->marks) {
        MIRROR(s->marks, f->marks, cells, GPU_SOLIDS);
        MIRROR(s->mark_of, f->mark_of, cells, GPU_SOLIDS);
    }
#undef MIRROR
    return n;
}

/* The device's columns in the order of X(particle_columns). */
int DEV(gpu_columns)(X(gpu) *g, void **columns[MAX_COLUMNS])
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
/* ---- memory */

static void *again(X(gpu) *g, void *block, size_t old_bytes, size_t bytes, const char *what)
{
    DEV(gpu_free)(g, block, old_bytes);
    return DEV(gpu_alloc)(g, bytes, what);
}

/* With what it held. */
static void *longer(X(gpu) *g, void *block, size_t old_bytes, size_t bytes, const char *what)
{
    void *new = DEV(gpu_alloc)(g, bytes, what);
    if (new)
        DEV(gpu_copy)(g, new, block, old_bytes);
    DEV(gpu_free)(g, block, old_bytes);
    return new;
}

void DEV(gpu_reserve_scan)(X(gpu) *g, size_t count)
{
    size_t bytes = DEV(gpu_temporary_bytes)(count);
    if (g->temporary && bytes <= g->temporary_bytes)
        return;
    g->temporary = again(g, g->temporary, g->temporary_bytes, bytes, "scans");
    g->temporary_bytes = bytes;
}

void DEV(gpu_reserve)(X(sim) *s, bool keep)
{
    X(gpu) *g = s->gpu;
    size_t old = g->capacity, now = s->particles.capacity, tiles = (size_t)s->grid.tile_count;
    void **columns[MAX_COLUMNS];
    if (now <= old && g->spare)
        return;
    int count = DEV(gpu_columns)(g, columns);
    for (int k = 0; k < count; k++)
        *columns[k] = (keep ? longer : again)(g, *columns[k], old * 4, now * 4, "the particles");
    g->spare = again(g, g->spare, old * 4, now * 4, "the particles");
    uint32_t **scratch[] = {&g->order, &g->order_other, &g->key, &g->key_other};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        *scratch[k] = again(g, *scratch[k], old * 4, now * 4, "the particles");
    size_t partials = now / 1024 + 1 > tiles ? now / 1024 + 1 : tiles;
    g->partials =
        again(g, g->partials, g->partial_count * sizeof(double), partials * sizeof(double), "sums");
    g->partial_count = partials;
    /* SORT scans particles and lists of tiles; the solver three flags of the tiles of all levels */
    size_t scanned = 6 * tiles + 3 * MAX_LEVELS * 27, lists = GPU_LISTS * (tiles + 1);
    scanned = scanned > lists ? scanned : lists;
    DEV(gpu_reserve_scan)(g, now > scanned ? now : scanned);
    g->capacity = (uint32_t)now;
}

/* Arrays that are not there yet. The host's are zero at the start, and so are these. */
void DEV(gpu_make_arrays)(X(sim) *s)
{
    X(mirror) list[MAX_MIRRORS];
    int count = DEV(gpu_mirrors)(s, list);
    for (int k = 0; k < count; k++) {
        if (*list[k].device)
            continue;
        *list[k].device = DEV(gpu_alloc)(s->gpu, list[k].bytes, "the grid");
        if (*list[k].device)
            DEV(gpu_set)(s->gpu, *list[k].device, 0, list[k].bytes);
    }
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
        DEV(gpu_reserve)(s, false);
        g->f.particle_count = s->particles.count;
        g->speed_known = false;
    }
    int count = X(particle_columns)(&s->particles, here);
    DEV(gpu_columns)(g, there);
    for (int k = 0; k < count && !g->failure[0]; k++) {
        size_t bytes = (size_t)s->particles.count * 4;
        if (to_host)
            DEV(gpu_download)(g, *here[k], *there[k], bytes);
        else
            DEV(gpu_upload)(g, *there[k], *here[k], bytes);
    }
}

/* Which tiles hold solids that may move, from the list that the host has laid them by. */
static void copy_near_movers(X(sim) *s)
{
    sp_arena arena = X(arena)(s);
    size_t tiles = (size_t)s->grid.tile_count;
    uint8_t *near = sp_arena_take(&arena, tiles, 1);
    memset(near, 0, tiles);
    for (int k = 0; k < s->solid_tile_count; k++)
        near[s->solid_tiles[k]] = 1;
    DEV(gpu_upload)(s->gpu, s->gpu->near_movers, near, tiles);
}

static void copy_groups(X(sim) *s, unsigned groups, bool to_host)
{
    X(gpu) *g = s->gpu;
    X(mirror) list[MAX_MIRRORS];
    if (groups & GPU_SOLIDS && !to_host) {
        g->f.solids = s->solids.live > 0;
        g->f.cut = X(has_cut_cells)(s);
        DEV(gpu_make_arrays)(s);
    }
    int count = DEV(gpu_mirrors)(s, list);
    if (groups & GPU_SOLIDS && !to_host && s->movers)
        copy_near_movers(s);
    for (int k = 0; k < count && !g->failure[0]; k++) {
        if (!(list[k].group & groups))
            continue;
        if (to_host)
            DEV(gpu_download)(g, *list[k].host, *list[k].device, list[k].bytes);
        else
            DEV(gpu_upload)(g, *list[k].device, *list[k].host, list[k].bytes);
    }
    if (groups & GPU_PARTICLES)
        copy_particles(s, to_host);
    if (groups & GPU_LISTED)
        copy_tile_counts(s, to_host);
}

/* What a memory has lost is NaN there, on devices that poison. */
static void poison(X(sim) *s, unsigned groups, bool host)
{
    X(gpu) *g = s->gpu;
    X(mirror) list[MAX_MIRRORS];
    void **columns[MAX_COLUMNS];
    if (!DEV(gpu_poisons)())
        return;
    int count = DEV(gpu_mirrors)(s, list);
    for (int k = 0; k < count; k++)
        if ((list[k].group & groups) && *list[k].device) /* solids may come later */
            memset(host ? *list[k].host : *list[k].device, 0xff, list[k].bytes);
    if (!(groups & GPU_PARTICLES))
        return;
    count = host ? X(particle_columns)(&s->particles, columns) : DEV(gpu_columns)(g, columns);
    for (int k = 0; k < count; k++)
        memset(*columns[k], 0xff, (size_t)(host ? s->particles.capacity : g->capacity) * 4);
}

/* Before the device is there (the solids are laid when a simulation is made) all is the host's. */
void DEV(gpu_fetch)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    if (!g)
        return;
    unsigned stale = groups & ~g->on_host & ~(unsigned)GPU_SYSTEM;
    if (!stale)
        return;
    copy_groups(s, stale, true);
    s->sorted = s->sorted && !(stale & (GPU_PARTICLES | GPU_TILES));
    s->fastest = stale & GPU_PARTICLES ? -1.0f : s->fastest;
    g->on_host |= stale;
}

void DEV(gpu_dirty)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    if (!g)
        return;
    poison(s, groups & g->on_device, false);
    g->bodies_there = g->bodies_there && !(groups & GPU_SOLIDS);
    g->on_host |= groups;
    g->on_device &= ~groups;
}

void DEV(gpu_discard)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    unsigned kept = groups & g->on_device;
    poison(s, kept, true);
    g->on_host &= ~kept;
}

/* Before a stage on the device. */
void DEV(gpu_use)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    DEV(gpu_copy_bodies)(s);
    if (g->sending && groups & GPU_PARTICLES) { /* what comes next may write them */
        DEV(gpu_send_guard)(g);
        g->sending = false;
    }
    unsigned stale = groups & ~g->on_device & ~(unsigned)GPU_SYSTEM;
    if (!stale)
        return;
    copy_groups(s, stale, false);
    g->on_device |= stale;
}

/* After it. */
void DEV(gpu_wrote)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    poison(s, groups & g->on_host, true);
    g->on_device |= groups;
    g->on_host &= ~groups;
}
