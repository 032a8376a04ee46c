/* state.c -- making and unmaking a simulation: the grid, its arrays, the particles at the start. */
#include "state.h"

#include "arrays.h"
#include "cg_policy.h"
#include "device.h"
#include "scene/channels.h"
#include "scene/schema.h"
#include "scene/sides.h"

#include <math.h>
#include <string.h>

_Static_assert(GRID_COLUMNS == SP_GRID_COLUMNS, "columns that the grid holds");
_Static_assert(CHANNEL_COLUMNS == SP_CHANNEL_COLUMNS, "columns of the channels");

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
    g.dx = sp_scene_cell_size(scene);
    g.n[2] = g.tiles[2] = 1;
    for (int d = 0; d < DIM; d++) {
        double whole = sp_scene_cells(scene, d), extent = sp_scene_extent(scene, d);
        g.n[d] = (int)whole;
        g.end[d] = extent == whole * g.dx ? whole : extent / g.dx;
        g.tiles[d] = (g.n[d] + TILE - 1) / TILE + 2;
        g.periodic[d] = scene->domain.sides[d][0] == SPATE_SIDE_PERIODIC;
    }
    X(grid_layout)(&g);
    return g;
}

/* ---- the grids of the multigrid: each has half as many cells per axis as the one before, until
 * there are few enough for the sweeps of the coarsest */

static X(grid) coarser(const X(grid) *fine)
{
    X(grid) g;
    memset(&g, 0, sizeof g);
    g.dx = 2 * fine->dx;
    g.n[2] = g.tiles[2] = 1;
    FOR_DIM(d) {
        g.n[d] = (fine->n[d] + 1) / 2;
        g.end[d] = 0.5 * fine->end[d];
        g.tiles[d] = (g.n[d] + TILE - 1) / TILE + 2;
        g.periodic[d] = fine->periodic[d];
    }
    X(grid_layout)(&g);
    return g;
}

static bool is_coarsest(const X(grid) *g)
{
    return (double)g->n[0] * g->n[1] * g->n[2] <= MOST_COARSEST;
}

int X(level_grids)(const X(grid) *finest, X(grid) grids[MAX_LEVELS])
{
    int count = 1;
    grids[0] = *finest;
    for (; count < MAX_LEVELS && !is_coarsest(&grids[count - 1]); count++)
        grids[count] = coarser(&grids[count - 1]);
    return count;
}

/* ---- what a simulation is made of */

static X(domain) domain_of(const X(sim) *s)
{
    return (X(domain)){&s->grid, s->sides, &s->tiles, s->common->pool};
}

static spate_status make_solids(X(sim) *s, spate_error *error)
{
    s->solids.dim = DIM;
    TRY(sp_solids_of_scene(&s->solids, s->common->scene, error));
    s->solids_changed = true;
    for (size_t k = 0; k < s->grid.size; k++)
        s->phi_solid[k] = 1e30f;
    return SPATE_OK;
}

/* Room for scratch; what was there is kept, for counts of particles that are about to come
 * (cpu/exec.h). A histogram of tiles per thread (SORT), what a thread needs for a tile (SORT, P2G,
 * ADVECT, push-apart), and one partial result per range (sums). */
static spate_status reserve_scratch(X(sim) *s, spate_error *error)
{
    size_t tiles = (size_t)s->grid.tile_count, threads = (size_t)sp_pool_threads(s->common->pool);
    size_t worker = s->host->scratch(s->common->scene);
    size_t bytes = tiles * (threads * sizeof(uint32_t) + 4 * sizeof(double)) + threads * worker +
                   s->particles.capacity / 64 + 65536;
    if (bytes <= s->scratch_size)
        return SPATE_OK;
    void *larger = sp_alloc(bytes, 1);
    if (!larger)
        return sp_fail_memory(error, "scratch", bytes);
    if (s->scratch_size > 0)
        memcpy(larger, s->scratch, s->scratch_size);
    sp_free(s->scratch);
    s->scratch = larger;
    s->scratch_size = bytes;
    return SPATE_OK;
}

spate_status X(make_room)(X(sim) *s, uint64_t count, spate_error *error)
{
    uint32_t before = s->particles.capacity;
    TRY(X(particles_reserve)(&s->particles, count, error));
    return s->particles.capacity > before ? reserve_scratch(s, error) : SPATE_OK;
}

static spate_status seed_particles(X(sim) *s, spate_error *error)
{
    uint64_t count;
    TRY(X(seed_count)(s->common->scene, &s->grid, &s->solids, &count, error));
    TRY(X(make_room)(s, count, error));
    TRY(X(seed)(s, &s->common->seeded, error));
    X(book_start)(s);
    return SPATE_OK;
}

/* The columns of channels that the grid holds. */
static void list_grid_columns(X(sim) *s)
{
    sp_grid_column columns[SP_GRID_COLUMNS];
    s->on_grid = sp_grid_columns(s->common->scene, columns);
    for (int j = 0; j < s->on_grid; j++)
        s->column_of[j] = (uint8_t)columns[j].column;
}

static spate_status make(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    s->grid = X(grid_make)(scene);
    s->degree = scene->fluid.kernel == SPATE_KERNEL_LINEAR      ? KERNEL_LINEAR
                : scene->fluid.kernel == SPATE_KERNEL_QUADRATIC ? KERNEL_QUADRATIC
                                                                : KERNEL_CUBIC;
    s->degree_to_grid =
        scene->fluid.kernel_to_grid == SPATE_KERNEL_TO_GRID_SAME
            ? s->degree
            : KERNEL_LINEAR + (int)scene->fluid.kernel_to_grid - (int)SPATE_KERNEL_TO_GRID_LINEAR;
    s->free_flight = scene->fluid.free_flight && s->common->medium->has_surface;
    s->contact = scene->pressure.contact && s->common->medium->has_surface;
    s->affine = X(affine_of)(scene);
    memcpy(s->sides, scene->domain.sides, sizeof s->sides);
    s->surface = X(surface_of)(scene);
    list_grid_columns(s);
    s->tiles.everywhere = s->common->medium->fills_domain;
    s->stretch = 1;
    s->rest = 1.0f;
    FOR_DIM(d)
        s->rest *= (float)scene->fluid.particles_per_axis;
    s->needs = X(needs)(scene);
    s->domain = domain_of(s);
    TRY(X(arrays_create)(s, error));
    TRY(make_solids(s, error));
    TRY(X(emitters_create)(s, error));
    TRY(X(sources_create)(s, error));
    TRY(X(sets_create)(s, error));
    TRY(seed_particles(s, error));
    TRY(s->host->plan(s, false)->stage[SP_STAGE_SOLIDS](s, 0, error));
    TRY(X(flows_begin)(s, error));
    TRY(X(sets_begin)(s, error));
    TRY(X(gauges_create)(s, error));
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
    X(arrays_destroy)(s);
    X(sets_destroy)(s);
    X(emitters_destroy)(s);
    X(sources_destroy)(s);
    X(gauges_destroy)(s);
    sp_solids_clear(&s->solids);
    sp_free(s->scratch);
    sp_free(s);
}

sp_arena X(arena)(X(sim) *s)
{
    return (sp_arena){s->scratch, (char *)s->scratch + s->scratch_size};
}
