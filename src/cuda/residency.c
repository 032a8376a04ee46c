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

/* What works on `count` particles of a set takes. */
static void reserve_scratch(X(sim) *s, size_t count)
{
    X(gpu) *g = s->gpu;
    size_t old = g->scratch_capacity, tiles = (size_t)s->grid.tile_count;
    if (count <= old && g->spare)
        return;
    g->spare = again(g, g->spare, old * 4, count * 4, "the particles");
    uint32_t **scratch[] = {&g->order, &g->order_other, &g->key, &g->key_other};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        *scratch[k] = again(g, *scratch[k], old * 4, count * 4, "the particles");
    size_t partials = count / 1024 + 1 > tiles ? count / 1024 + 1 : tiles;
    g->partials =
        again(g, g->partials, g->partial_count * sizeof(double), partials * sizeof(double), "sums");
    g->partial_count = partials;
    /* SORT scans particles and lists of tiles; the solver three flags of the tiles of all levels */
    size_t scanned = 6 * tiles + 3 * MAX_LEVELS * 27, lists = GPU_LISTS * (tiles + 1);
    scanned = scanned > lists ? scanned : lists;
    DEV(gpu_reserve_scan)(g, count > scanned ? count : scanned);
    g->scratch_capacity = (uint32_t)count;
}

/* The columns of p, which has room for `old` particles, get room for `now`. */
static void reserve_columns(X(gpu) *g, X(particles) *p, size_t old, size_t now, bool keep)
{
    void **columns[MAX_COLUMNS];
    int count = X(list_columns)(p, false, columns);
    for (int k = 0; k < count; k++)
        *columns[k] = (keep ? longer : again)(g, *columns[k], old * 4, now * 4, "the particles");
}

void DEV(gpu_reserve)(X(sim) *s, bool keep)
{
    X(gpu) *g = s->gpu;
    uint32_t now = s->particles.capacity;
    reserve_scratch(s, now);
    if (now > g->capacity)
        reserve_columns(g, &g->f.particles, g->capacity, now, keep);
    g->capacity = now > g->capacity ? now : g->capacity;
}

void DEV(gpu_reserve_set)(X(sim) *s, int number, bool keep)
{
    DEV(gpu_particles) *there = &s->gpu->sets[number];
    const X(particles) *here = X(set_of)(s, number)->particles;
    if (here->capacity <= there->capacity)
        return;
    if (there->capacity == 0)
        there->p = X(particles_make)(here->needs, here->own_columns);
    reserve_scratch(s, here->capacity);
    reserve_columns(s->gpu, &there->p, there->capacity, here->capacity, keep);
    there->capacity = here->capacity;
}

void DEV(gpu_free_sets)(X(sim) *s)
{
    for (int number = SET_FLUID + 1; number < SET_COUNT; number++) {
        DEV(gpu_particles) *set = &s->gpu->sets[number];
        void **columns[MAX_COLUMNS];
        int count = set->capacity > 0 ? X(list_columns)(&set->p, false, columns) : 0;
        for (int k = 0; k < count; k++)
            DEV(gpu_free)(s->gpu, *columns[k], (size_t)set->capacity * 4);
    }
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

static void copy_columns(X(gpu) *g, X(particles) *host, X(particles) *device, bool to_host)
{
    void **here[MAX_COLUMNS], **there[MAX_COLUMNS];
    int count = X(list_columns)(host, false, here);
    X(list_columns)(device, false, there);
    for (int k = 0; k < count && !g->failure[0]; k++) {
        size_t bytes = (size_t)host->count * 4;
        if (to_host)
            DEV(gpu_download)(g, *here[k], *there[k], bytes);
        else
            DEV(gpu_upload)(g, *there[k], *here[k], bytes);
    }
}

static void copy_particles(X(sim) *s, bool to_host)
{
    X(gpu) *g = s->gpu;
    if (!to_host) {
        DEV(gpu_reserve)(s, false);
        g->f.particles.count = s->particles.count;
        g->speed_known = false;
    }
    copy_columns(g, &s->particles, &g->f.particles, to_host);
}

static void copy_set(X(sim) *s, int number, bool to_host)
{
    X(set) *set = X(set_of)(s, number);
    DEV(gpu_particles) *there = &s->gpu->sets[number];
    if (!set)
        return;
    if (!to_host) {
        DEV(gpu_reserve_set)(s, number, false);
        there->p.count = set->particles->count;
    }
    copy_columns(s->gpu, set->particles, &there->p, to_host);
    set->particles->sorted = set->particles->sorted && !to_host;
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
    for (int number = SET_FLUID + 1; number < SET_COUNT; number++)
        if (groups & GROUP_SET(number))
            copy_set(s, number, to_host);
    if (groups & GROUP_LISTED)
        copy_tile_counts(s, to_host);
}

static void poison_columns(X(particles) *p, uint32_t capacity)
{
    void **columns[MAX_COLUMNS];
    int count = capacity > 0 ? X(list_columns)(p, false, columns) : 0;
    for (int k = 0; k < count; k++)
        memset(*columns[k], 0xff, (size_t)capacity * 4);
}

/* What a memory has lost is NaN there, on devices that poison. */
static void poison(X(sim) *s, unsigned groups, bool host)
{
    X(gpu) *g = s->gpu;
    mirror list[ARRAY_POINTERS];
    if (!DEV(gpu_poisons)())
        return;
    int count = list_mirrors(s, groups, list);
    for (int k = 0; k < count; k++)
        memset(host ? list[k].host : list[k].device, 0xff, list[k].bytes);
    if (groups & GROUP_PARTICLES)
        poison_columns(host ? &s->particles : &g->f.particles,
                       host ? s->particles.capacity : g->capacity);
    for (int number = SET_FLUID + 1; number < SET_COUNT; number++) {
        X(set) *set = groups & GROUP_SET(number) ? X(set_of)(s, number) : NULL;
        if (set)
            poison_columns(host ? set->particles : &g->sets[number].p,
                           host ? set->particles->capacity : g->sets[number].capacity);
    }
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
