/* arrays.c -- the arrays of grid.def: their list at run time, when they are there and how large
 * they are, and those of the host. */
#include "arrays.h"

#include "cg_policy.h"
#include "device.h"
#include "scene/channels.h"
#include "scene/gauge.h"
#include "scene/sides.h"

#include <assert.h>

enum { IS_ONE, IS_AXES = 0, IS_PAIR = 0, IS_COLUMNS = 1 };

/* clang-format off */
#define ROW(owner, path, inside, shape, type, size, outside, copied, host_, used_, device_)  \
    {.name = #path, .offset = offsetof(owner, path), .item = sizeof(type),                   \
     .pointers = POINTERS_##shape, .by_column = IS_##shape, .extent = EXTENT_##size, .in_system = inside,             \
     .follows = OUTSIDE_##outside & OUTSIDE_FOLLOWS, .saved = OUTSIDE_##outside & 2,         \
     .group = GROUP_##copied, .host = WHEN_##host_, .used = WHEN_##used_, .device = WHEN_##device_},

const X(array) X(arrays)[ARRAY_COUNT] = {
#define FIELDS(name, shape, type, size, outside, copied, host_, used_, device_, ...) \
    ROW(X(fields), name, false, shape, type, size, outside, copied, host_, used_, device_)
#define TILES(name, shape, type, size, outside, copied, host_, used_, device_, ...) \
    ROW(X(fields), tiles.name, false, shape, type, size, outside, copied, host_, used_, device_)
#define SYSTEM(name, shape, type, size, outside, copied, host_, used_, device_, ...) \
    ROW(X(system), name, true, shape, type, size, outside, copied, host_, used_, device_)
#include "kernels/grid.def"
};
/* clang-format on */

/* X(sim) has the members of X(fields), at the same places. */
#define SAME(member)                                                    \
    _Static_assert(offsetof(X(sim), member) - offsetof(X(sim), grid) == \
                       offsetof(X(fields), member),                     \
                   #member);
SAME(particles)
SAME(tiles)
SAME(solids)
SAME(sides)
SAME(inflow_velocity)
#define FIELDS(name, ...) SAME(name)
#define FIELDS_ALIAS(name, ...) SAME(name)
#include "kernels/grid.def"
_Static_assert(offsetof(X(sim), system) - offsetof(X(sim), grid) == sizeof(X(fields)), "members");

static size_t blocks_of(const X(grid) *g)
{
    return (size_t)g->tile_count + 1; /* one per tile, and the zero */
}

size_t X(extent_of)(X(extent) extent, const X(grid) *g)
{
    switch (extent) {
    case EXTENT_CELLS: return g->size;
    case EXTENT_TILES: return (size_t)g->tile_count;
    case EXTENT_TILES_END: return (size_t)g->tile_count + 1;
    case EXTENT_WAVES: return (size_t)(g->tiles[0] + g->tiles[1] + g->tiles[2] + 2);
    case EXTENT_LAYERS: return (size_t)g->tiles[DIM - 1] + 1;
    case EXTENT_BLOCKS: return blocks_of(g);
    case EXTENT_BLOCK_CELLS: return blocks_of(g) * TILE_CELLS;
    case EXTENT_BLOCK_FACES: return blocks_of(g) * BLOCK_FACES;
    }
    return 0;
}

double X(block_cells)(const X(grid) *g)
{
    double cells = TILE_CELLS;
    FOR_DIM(d)
        cells *= g->tiles[d] - 2;
    return cells;
}

static bool has_movers(const spate_scene *scene)
{
    bool found = false;
    for (int k = 0; k < scene->solids.count; k++) {
        const spate_shape *solid = &scene->solids.items[k];
        found = found || solid->motion_count > 0;
        for (int d = 0; d < 3; d++)
            found = found || solid->velocity[d] != 0;
    }
    return found;
}

static bool has_drag(const spate_scene *scene)
{
    bool found = false;
    for (int d = 0; d < DIM; d++)
        found = found || scene->domain.wall[d][0] != SPATE_WALL_SLIP ||
                scene->domain.wall[d][1] != SPATE_WALL_SLIP;
    for (int k = 0; k < scene->solids.count; k++)
        found = found || scene->solids.items[k].wall != SPATE_WALL_SLIP;
    return found;
}

static bool has_changes(const spate_scene *scene)
{
    bool found = scene->sources.count > 0;
    for (int k = 0; k < scene->channel_count; k++)
        found = found || scene->channels[k].dissipation > 0 || sp_is_age(&scene->channels[k]);
    return found;
}

static bool has_loads(const spate_scene *scene)
{
    bool found = false;
    for (int k = 0; k < scene->gauge_count; k++)
        found = found || sp_gauge_is_load(scene->gauges[k].kind);
    return found;
}

static unsigned solver_needs(spate_solver solver)
{
    return (solver == SPATE_SOLVER_MULTIGRID ? WHEN_MULTIGRID : WHEN_NO_MULTIGRID) |
           (solver == SPATE_SOLVER_PCG ? WHEN_PCG : 0);
}

unsigned X(needs)(const spate_scene *scene)
{
    spate_volume_method method = scene->volume.method;
    bool projection = method == SPATE_VOLUME_DENSITY || method == SPATE_VOLUME_BOTH;
    unsigned needs = WHEN_ALWAYS;
    needs |= scene->solids.count > 0 || sp_scene_has_cut_sides(scene) ? WHEN_SOLIDS : 0;
    needs |= has_movers(scene) ? WHEN_MOVERS : 0;
    needs |= scene->inflows.count + scene->outflows.count > 0 ? WHEN_FLOWS : 0;
    needs |= projection ? WHEN_PROJECTION : 0;
    needs |= projection || method == SPATE_VOLUME_SHIFT ? WHEN_DENSITY : 0;
    needs |= method != SPATE_VOLUME_NONE ? WHEN_VOLUME : 0;
    sp_grid_column columns[SP_GRID_COLUMNS];
    int on_grid = sp_grid_columns(scene, columns);
    needs |= on_grid > 0 ? WHEN_CHANNELS : 0;
    needs |= on_grid > 0 || has_changes(scene) ? WHEN_CHANGES : 0;
    needs |= X(affine_of)(scene) ? WHEN_AFFINE : 0;
    needs |= X(pushes_apart)(scene) ? WHEN_PUSH : 0;
    needs |= has_drag(scene) ? WHEN_DRAG : 0;
    needs |= has_loads(scene) ? WHEN_LOADS : 0;
    needs |= sp_medium_of(scene)->midway ? WHEN_MIDWAY : 0;
    for (int j = 0; j < on_grid && needs & WHEN_MIDWAY; j++)
        needs |= sp_channel_lightness(scene, columns[j].channel) != 0 ? WHEN_LIFT : 0;
#define SET(NAME, name, place, by, on, ...) needs |= scene->on ? WHEN_##NAME : 0;
#include "kernels/sets.def"
    return needs | solver_needs(scene->pressure.solver);
}

void **X(array_in)(X(fields) *f, const X(array) *array)
{
    assert(!array->in_system);
    return (void **)((char *)f + array->offset);
}

/* Where the members of X(fields) begin in a simulation. */
static void *fields_in(X(sim) *s)
{
    return (char *)s + offsetof(X(sim), grid);
}

void **X(array_of)(X(sim) *s, const X(array) *array)
{
    char *base = array->in_system ? (char *)&s->system : fields_in(s);
    return (void **)(base + array->offset);
}

unsigned X(saved_groups)(void)
{
    unsigned groups = 0;
    for (int k = 0; k < ARRAY_COUNT; k++)
        groups |= X(arrays)[k].saved ? X(arrays)[k].group : 0;
    return groups;
}

/* A row of an alias: offsets of the pointers, and of those of the memory that it shares. */
typedef struct alias_row {
    size_t offset, memory, with_device, bytes;
    sp_stage read; /* the last one that reads it */
} alias_row;

/* clang-format off */
static const alias_row aliases[] = {
#define FIELDS_ALIAS(name, shape, type, memory, with_device, made, read, ...)                  \
    {offsetof(X(fields), name), offsetof(X(fields), memory), offsetof(X(fields), with_device), \
     POINTERS_##shape * sizeof(void *), SP_STAGE_##read},
#include "kernels/grid.def"
};
static const alias_row system_aliases[] = {
#define SYSTEM_ALIAS(name, shape, type, memory, with_device, made, read, ...)                  \
    {offsetof(X(system), name), offsetof(X(fields), memory), offsetof(X(fields), with_device), \
     POINTERS_##shape * sizeof(void *), SP_STAGE_##read},
#include "kernels/grid.def"
};
/* clang-format on */

static void share(void *to, const void *fields, const alias_row *row, bool with_device)
{
    size_t from = with_device ? row->with_device : row->memory;
    memcpy((char *)to + row->offset, (const char *)fields + from, row->bytes);
}

void X(share_arrays)(X(fields) *f)
{
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        share(f, f, &aliases[k], true);
}

static void share_host_arrays(X(sim) *s)
{
    void *fields = fields_in(s);
    bool with_device = s->device != s->host;
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        share(fields, fields, &aliases[k], with_device);
    for (size_t k = 0; k < sizeof system_aliases / sizeof *system_aliases; k++)
        share(&s->system, fields, &system_aliases[k], with_device);
}

#ifndef NDEBUG
static void poison_tile(X(sim) *s, const alias_row *row, int tile)
{
    size_t base = X(tile_index)(&s->grid, tile);
    float *const *blocks = (float *const *)((char *)fields_in(s) + row->offset);
    for (size_t c = 0; c < row->bytes / sizeof *blocks; c++)
        for (int r = 0; r < TILE_ROWS; r++)
            memset(blocks[c] + base + X(row_offset)(&s->grid, r), 0xff, TILE * sizeof(float));
}
#endif

void X(poison_dead)(X(sim) *s, sp_stage stage)
{
    (void)s, (void)stage;
#ifndef NDEBUG
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases && s->device == s->host; k++) {
        if (aliases[k].read != stage)
            continue;
        for (int n = 0; n < s->tiles.active_count; n++)
            poison_tile(s, &aliases[k], s->tiles.active[n]);
        for (int n = 0; n < s->tiles.border_count; n++)
            poison_tile(s, &aliases[k], s->tiles.border[n]);
    }
#endif
}

static const char *what_of(X(extent) extent)
{
    return extent == EXTENT_CELLS   ? "the grid"
           : extent < EXTENT_LAYERS ? "the tiles"
                                    : "the multigrid";
}

int X(pointers_of)(const X(array) *array, int columns)
{
    return array->by_column ? columns : array->pointers;
}

/* The memory of an array, where `needs` asks for it and it has none. columns: that the grid holds.
 */
static spate_status make_array(const X(array) *array, void **blocks, unsigned needs, int columns,
                               const X(grid) *g, spate_error *error)
{
    size_t count = X(extent_of)(array->extent, g);
    for (int c = 0; c < X(pointers_of)(array, columns) && array->host & needs; c++) {
        if (blocks[c])
            continue;
        blocks[c] = sp_alloc(count, array->item);
        if (!blocks[c])
            return sp_fail_memory(error, what_of(array->extent), (uint64_t)count * array->item);
    }
    return SPATE_OK;
}

static void free_array(const X(array) *array, void **blocks)
{
    for (int c = 0; c < array->pointers; c++)
        sp_free(blocks[c]);
}

/* ---- of a system */

static void **array_of_system(X(system) *sys, const X(array) *array)
{
    return (void **)((char *)sys + array->offset);
}

/* The finest level is there for any solver: arrays of its own and those of the system. */
static void begin_levels(X(system) *sys)
{
    X(level) *finest = &sys->levels[0];
    finest->grid = sys->grid;
#define SHARE_OWN(name)
#define SHARE_SYSTEM(name) memcpy(&finest->name, &sys->name, sizeof finest->name);
#define LEVEL_ARRAY(name, shape, type, size, finest, ...) SHARE_##finest(name)
#include "level.def"
}

spate_status X(system_create)(X(system) *sys, const X(domain) *domain, spate_solver solver,
                              unsigned needs, spate_error *error)
{
    sys->domain = domain;
    sys->grid = *domain->grid;
    sys->solver = solver;
    sys->sweeps = SWEEPS;
    needs |= solver_needs(solver);
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        if (a->in_system)
            TRY(make_array(a, array_of_system(sys, a), needs, 0, &sys->grid, error));
    }
    begin_levels(sys);
    return SPATE_OK;
}

void X(system_destroy)(X(system) *sys)
{
    for (int k = 0; k < ARRAY_COUNT; k++)
        if (X(arrays)[k].in_system)
            free_array(&X(arrays)[k], array_of_system(sys, &X(arrays)[k]));
}

/* ---- of a cell list: those that SORT makes */

static void **array_of_list(X(cell_list) *list, const X(array) *array)
{
    assert(!array->in_system && array->offset >= offsetof(X(fields), tiles));
    return (void **)((char *)list->tiles + (array->offset - offsetof(X(fields), tiles)));
}

spate_status X(cell_list_create)(X(cell_list) *list, const X(grid) *g, spate_error *error)
{
    list->grid = g;
    list->tiles = sp_alloc(1, sizeof *list->tiles);
    list->first = sp_alloc(g->size, sizeof *list->first);
    list->count = sp_alloc(g->size, sizeof *list->count);
    if (!list->tiles || !list->first || !list->count)
        return sp_fail_memory(error, "the grid", (uint64_t)X(cell_list_bytes)(g));
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        if (a->group == GROUP_LISTED)
            TRY(make_array(a, array_of_list(list, a), WHEN_ALWAYS, 0, g, error));
    }
    return SPATE_OK;
}

void X(cell_list_destroy)(X(cell_list) *list)
{
    for (int k = 0; k < ARRAY_COUNT && list->tiles; k++)
        if (X(arrays)[k].group == GROUP_LISTED)
            free_array(&X(arrays)[k], array_of_list(list, &X(arrays)[k]));
    sp_free(list->tiles);
    sp_free(list->first);
    sp_free(list->count);
}

double X(cell_list_bytes)(const X(grid) *g)
{
    X(cell_list) list;
    return (double)g->size * (double)(sizeof *list.first + sizeof *list.count);
}

/* ---- of a simulation */

spate_status X(arrays_create)(X(sim) *s, spate_error *error)
{
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        if (!a->in_system)
            TRY(make_array(a, X(array_of)(s, a), s->needs, s->on_grid, &s->grid, error));
    }
    spate_solver solver = s->common->scene->pressure.solver;
    TRY(X(system_create)(&s->system, &s->domain, solver, s->needs, error));
    share_host_arrays(s);
    return SPATE_OK;
}

spate_status X(arrays_add)(X(sim) *s, unsigned needs, spate_error *error)
{
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        if (!a->in_system)
            TRY(make_array(a, X(array_of)(s, a), needs, s->on_grid, &s->grid, error));
    }
    s->needs |= needs;
    return SPATE_OK;
}

void X(arrays_destroy)(X(sim) *s)
{
    for (int k = 0; k < ARRAY_COUNT; k++)
        if (!X(arrays)[k].in_system)
            free_array(&X(arrays)[k], X(array_of)(s, &X(arrays)[k]));
    X(system_destroy)(&s->system);
}

/* What no liquid ever reaches is not committed, but border tiles and the rest of their pages are:
 * together the whole array is a good estimate of what a run touches. */
double X(arrays_bytes)(const spate_scene *scene, const X(grid) *g)
{
    unsigned needs = X(needs)(scene);
    sp_grid_column columns[SP_GRID_COLUMNS];
    int on_grid = sp_grid_columns(scene, columns);
    double bytes = 0;
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        double values = a->extent == EXTENT_CELLS         ? (double)g->size
                        : a->extent == EXTENT_BLOCK_CELLS ? X(block_cells)(g)
                                                          : 0;
        bytes += a->used & needs ? values * (double)a->item * X(pointers_of)(a, on_grid) : 0;
    }
    return bytes;
}
