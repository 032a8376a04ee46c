/* residency.c -- the arrays of a simulation in two memories: which there are, room for them on the
 * device, and which of the two is current. */
#include "residency.h"
#include "stages.h"

#include <string.h>

/* A block in both memories. */
typedef struct mirror {
    void *host, *device;
    size_t bytes;
} mirror;

size_t DEV(gpu_array_bytes)(const X(array) *array, const X(grid) *g)
{
    return X(extent_of)(array->extent, g) * array->item;
}

/* The arrays of `groups` that the device has. */
static int list_mirrors(X(sim) *s, unsigned groups, mirror list[ARRAY_POINTERS])
{
    X(gpu) *g = s->gpu;
    int n = 0;
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        if (!(a->group & groups) || !(a->device & g->needs))
            continue;
        void **here = X(array_of)(s, a), **there = X(array_in)(&g->f, a);
        for (int c = 0; c < a->pointers; c++)
            if (there[c])
                list[n++] = (mirror){here[c], there[c], DEV(gpu_array_bytes)(a, &s->grid)};
    }
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
    int count = X(list_columns)(&g->f.particles, false, columns);
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

/* Those of solids only where there are. The host's are zero at the start, and so are these. */
void DEV(gpu_make_arrays)(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    g->needs |= s->solids.live > 0 ? WHEN_SOLIDS : 0;
    g->needs |= s->movers ? WHEN_MOVERS : 0;
    g->needs |= s->solids.any_drag ? WHEN_DRAG : 0;
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        size_t bytes = DEV(gpu_array_bytes)(a, &s->grid);
        for (int c = 0; c < X(pointers_of)(a, g->f.on_grid) && a->device & g->needs; c++) {
            void **block = X(array_in)(&g->f, a) + c;
            if (*block)
                continue;
            *block = DEV(gpu_alloc)(g, bytes, "the grid");
            if (*block)
                DEV(gpu_set)(g, *block, 0, bytes);
        }
    }
    X(share_arrays)(&g->f);
}

void DEV(gpu_free_arrays)(X(sim) *s)
{
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        for (int c = 0; c < a->pointers && a->device; c++)
            DEV(gpu_free)(s->gpu, X(array_in)(&s->gpu->f, a)[c], DEV(gpu_array_bytes)(a, &s->grid));
    }
}

/* ---- copies */

static void copy_tile_counts(X(sim) *s, bool to_host)
{
    X(tiles) *here = &s->tiles, *there = &s->gpu->f.tiles;
    X(tiles) *to = to_host ? here : there, *from = to_host ? there : here;
    to->active_count = from->active_count;
    to->liquid_count = from->liquid_count;
    to->face_count = from->face_count;
    to->border_count = from->border_count;
    to->first_flying = from->first_flying;
    memcpy(to->colour_start, from->colour_start, sizeof to->colour_start);
}

static void copy_particles(X(sim) *s, bool to_host)
{
    X(gpu) *g = s->gpu;
    void **here[MAX_COLUMNS], **there[MAX_COLUMNS];
    if (!to_host) {
        DEV(gpu_reserve)(s, false);
        g->f.particles.count = s->particles.count;
        g->speed_known = false;
    }
    int count = X(list_columns)(&s->particles, false, here);
    X(list_columns)(&g->f.particles, false, there);
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
    mirror list[ARRAY_POINTERS];
    if (groups & GROUP_SOLIDS && !to_host) {
        g->f.has_solids = s->has_solids;
        g->f.cut = s->cut;
        DEV(gpu_make_arrays)(s);
    }
    int count = list_mirrors(s, groups, list);
    if (groups & GROUP_SOLIDS && !to_host && s->movers)
        copy_near_movers(s);
    for (int k = 0; k < count && !g->failure[0]; k++) {
        if (to_host)
            DEV(gpu_download)(g, list[k].host, list[k].device, list[k].bytes);
        else
            DEV(gpu_upload)(g, list[k].device, list[k].host, list[k].bytes);
    }
    if (groups & GROUP_PARTICLES)
        copy_particles(s, to_host);
    if (groups & GROUP_LISTED)
        copy_tile_counts(s, to_host);
}

/* What a memory has lost is NaN there, on devices that poison. */
static void poison(X(sim) *s, unsigned groups, bool host)
{
    X(gpu) *g = s->gpu;
    mirror list[ARRAY_POINTERS];
    void **columns[MAX_COLUMNS];
    if (!DEV(gpu_poisons)())
        return;
    int count = list_mirrors(s, groups, list);
    for (int k = 0; k < count; k++)
        memset(host ? list[k].host : list[k].device, 0xff, list[k].bytes);
    if (!(groups & GROUP_PARTICLES))
        return;
    count = X(list_columns)(host ? &s->particles : &g->f.particles, false, columns);
    for (int k = 0; k < count; k++)
        memset(*columns[k], 0xff, (size_t)(host ? s->particles.capacity : g->capacity) * 4);
}

/* Before the device is there (the solids are laid when a simulation is made) all is the host's. */
void DEV(gpu_fetch)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    if (!g)
        return;
    unsigned stale = groups & ~g->on_host & ~(unsigned)GROUP_SYSTEM;
    if (!stale)
        return;
    copy_groups(s, stale, true);
    if (stale & (GROUP_PARTICLES | GROUP_TILES))
        s->particles.sorted = false;
    if (stale & GROUP_PARTICLES)
        s->particles.fastest = -1.0f;
    g->on_host |= stale;
}

void DEV(gpu_dirty)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    if (!g)
        return;
    poison(s, groups & g->on_device, false);
    g->bodies_there = g->bodies_there && !(groups & GROUP_SOLIDS);
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
    if (g->sending && groups & GROUP_PARTICLES) { /* what comes next may write them */
        DEV(gpu_send_guard)(g);
        g->sending = false;
    }
    unsigned stale = groups & ~g->on_device & ~(unsigned)GROUP_SYSTEM;
    if (!stale)
        return;
    copy_groups(s, stale, false);
    g->sorted = g->sorted && !(stale & (GROUP_PARTICLES | GROUP_TILES));
    g->on_device |= stale;
}

/* After it. */
void DEV(gpu_wrote)(X(sim) *s, unsigned groups)
{
    X(gpu) *g = s->gpu;
    poison(s, groups & g->on_host, true);
    g->sorted = g->sorted && !(groups & (GROUP_PARTICLES | GROUP_TILES));
    g->on_device |= groups;
    g->on_host &= ~groups;
}
