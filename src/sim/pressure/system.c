/* system.c -- the pressure system.
 *
 * The projection takes the gradient of a pressure p from the velocity u so that what is left has no
 * divergence:
 *
 *     u' = u - dt/rho grad p,    div u' = 0 in the liquid,   p = 0 on the surface,   u' = u_solid
 * on solids.
 *
 * With q = p dt / (rho dx), a velocity, the discrete form has no units left. Over the faces f of a
 * liquid cell c, with n the cell across,
 *
 *     sum_f a_f (q_c - q_n)       = -sum_f +-(w_f u_f + (1 - w_f) u_solid)           (A q = b)
 *     u'_f = u_f - (q_c - q_n) s_f
 *
 * w_f is the open share of the face (fractions.c; 0 or 1 with voxel solids, 0 at walls and
 * inflows). Between two liquid cells a_f = w_f and s_f = 1. Towards air the surface lies the share
 * theta = phi_c / (phi_c - phi_n) of the way to the middle of the air cell, and there p = 0: q_n =
 * 0, s_f = 1 / theta, a_f = w_f / theta (ghost fluid, Gibou et al. 2002; theta = 1 with a voxel
 * surface). The off-diagonal is there only between liquid cells, so A is symmetric. A residual r of
 * this system times dt/dx is the share of the cell's volume lost in the step.
 *
 * Rows of cells are done as vectors; rows deep in the liquid need no look at the surface. Pockets,
 * whose matrix is singular, are found in pockets.c. */
#include "pressure.h"

#include "device/device.h"
#include "sim/lanes.h"

typedef struct system_args {
    X(sim) *s;
    double dt;
} system_args;

/* Whether a row of cells is all liquid. */
SP_INLINE bool is_full(const uint8_t *types)
{
    uint64_t rest = 0;
    for (int k = 0; k < TILE; k += 8) {
        uint64_t word;
        memcpy(&word, types + k, sizeof word);
        rest |= word ^ SPATE_CELL_LIQUID * UINT64_C(0x0101010101010101);
    }
    return rest == 0;
}

/* 1 / theta from liquid cells to air cells. */
SP_INLINE lanes surface_factors(const X(sim) *s, lanes liquid, lanes air)
{
    lanes none = {0};
    if (!X(has_level_set)(s))
        return none + 1.0f;
    lanes theta = liquid / (liquid - air), least = none + s->system.least_theta;
    /* an open side or an outflow, whatever phi says there: p = 0 on the face */
    return choose(air < 0.0f, none + 2.0f, 1.0f / choose(theta > least, theta, least));
}

/* Whether solids may come near a tile or the faces around it. Distances change no faster than one
 * moves, so that in the middle of the tile tells; but it knows nothing of solids across a periodic
 * side, and of moving ones only when they are close. */
static bool has_solids(const X(sim) *s, int tile)
{
    const X(grid) *g = &s->grid;
    if (s->solids.live == 0)
        return false;
    int t[DIM];
    bool blind = s->movers;
    size_t middle = X(tile_index)(g, tile);
    X(tile_coordinates)(g, tile, t);
    FOR_DIM(d) {
        blind = blind || (g->periodic[d] && (t[d] <= 1 || t[d] >= g->tiles[d] - 2));
        middle += TILE / 2 * g->stride[d];
    }
    float far = (DIM == 3 ? 1.75f : 1.42f) * (TILE / 2 + 1) + 1.0f; /* cells; corners, and one */
    return blind || s->phi_solid[middle] < far * (float)g->dx;
}

/* Flux through face d of a cell, per face area, m/s: through its open part and with the solid's
 * surface. */
static double flux(const X(sim) *s, size_t face, int d, double dt)
{
    double w = s->w[d][face];
    int cell[DIM];
    if (w >= 1)
        return s->u[d][face];
    X(coordinates)(&s->grid, face, cell);
    return w * s->u[d][face] + (1 - w) * X(face_velocity)(s, cell, d, dt);
}

/* A row of the fluxes through face d. */
SP_INLINE wide fluxes(const X(sim) *s, size_t c, int d, bool solids, double dt)
{
    wide u = widen(load(s->u[d] + c));
    if (!solids)
        return u;
    if (!s->solids.any_moving)
        return u * widen(load(s->w[d] + c));
    for (int i = 0; i < TILE; i++)
        u[i] = flux(s, c + (size_t)i, d, dt);
    return u;
}

SP_INLINE wide outflow(const X(sim) *s, size_t c, bool solids, double dt)
{
    wide sum = {0};
    FOR_DIM(d)
        sum += fluxes(s, c + s->grid.stride[d], d, solids, dt) - fluxes(s, c, d, solids, dt);
    return sum;
}

/* ---- assembly */

/* Whether all cells of a row and all around it are liquid. */
SP_INLINE bool is_deep(const X(sim) *s, size_t c)
{
    bool deep = is_full(s->type + c) && s->type[c - 1] == SPATE_CELL_LIQUID &&
                s->type[c + TILE] == SPATE_CELL_LIQUID;
    for (int d = 1; d < DIM && deep; d++)
        deep = is_full(s->type + c - s->grid.stride[d]) && is_full(s->type + c + s->grid.stride[d]);
    return deep;
}

/* A row of the matrix; returns the diagonal. inside: cells that belong to the domain; the images of
 * cells across periodic sides have no equation. */
SP_INLINE lanes assemble_matrix(X(sim) *s, size_t c, lane_mask inside, bool solids)
{
    X(system) *y = &s->system;
    lane_mask liquid = inside & (load_bytes(s->type + c) == SPATE_CELL_LIQUID), surface = {0};
    lanes diagonal = {0}, phi = load(s->phi + c);
    FOR_DIM(d)
        for (int side = 0; side < 2; side++) {
            size_t face = side ? c + s->grid.stride[d] : c;
            size_t near = side ? face : c - s->grid.stride[d];
            lane_mask type = load_bytes(s->type + near), open = liquid & (type < SPATE_CELL_SOLID);
            lanes w = diagonal * 0.0f + 1.0f;
            if (solids)
                w = load(s->w[d] + face);
            w = where(open, w);
            if (side == 0)
                store(y->a[d] + c, where(type == SPATE_CELL_LIQUID, w));
            if (!is_full(s->type + near)) {
                lane_mask air = open & (type == SPATE_CELL_AIR);
                surface |= air & (w > 0.0f);
                w = choose(air, w * surface_factors(s, phi, load(s->phi + near)), w);
            }
            diagonal += w;
        }
    store_bytes(y->pocket + c, liquid & ~surface & 1);
    return diagonal;
}

/* A row of the system; returns the right side. whole: the tile is inside the domain. */
SP_INLINE lanes assemble_row(X(sim) *s, size_t c, lane_mask inside, bool whole, bool solids,
                             double dt)
{
    X(system) *y = &s->system;
    lanes diagonal = {0}, none = {0};
    if (whole && !solids && is_deep(s, c)) {
        diagonal += (float)(2 * DIM);
        FOR_DIM(d)
            store(y->a[d] + c, none + 1.0f);
        memset(y->pocket + c, 1, TILE);
    } else {
        diagonal = assemble_matrix(s, c, inside, solids);
    }
    /* a cell closed on all sides has no equation: nothing can change its flux */
    lanes b = where_positive(diagonal, __builtin_convertvector(-outflow(s, c, solids, dt), lanes));
    store(y->diagonal + c, diagonal);
    store(y->b + c, b);
    store(y->q + c, where_positive(diagonal, load(y->q + c)));
    return b;
}

static double assemble_partial(void *user, size_t begin, size_t end)
{
    const system_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    lane_mask most = {0};
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        lane_mask inside, unknown = {0};
        bool whole = true, solids = has_solids(s, s->tiles.active[k]);
        X(tile_cell)(g, s->tiles.active[k], first);
        size_t base = X(index)(g, first);
        FOR_DIM(d)
            whole = whole && first[d] + TILE <= g->n[d];
        for (int i = 0; i < TILE; i++)
            inside[i] = first[0] + i < g->n[0] ? -1 : 0;
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t c = base + X(row_offset)(g, r);
            X(row_cell)(first, r, cell);
            lane_mask in = X(inside)(g, cell) ? inside : (lane_mask){0};
            most = larger(most, solids ? assemble_row(s, c, in, whole, true, args->dt)
                                       : assemble_row(s, c, in, whole, false, args->dt));
            unknown |= load(s->system.diagonal + c) > 0.0f;
        }
        s->system.unknown[s->tiles.active[k]] = !any(unknown) ? UNKNOWN_NONE
                                                : solids      ? UNKNOWN_CUT
                                                              : UNKNOWN_PLAIN;
    }
    return largest(most);
}

/* Level 0's tiles: those with an unknown, the tiles that the solvers work on. */
static void list_unknown_tiles(X(sim) *s)
{
    X(level) *l = &s->system.levels[0];
    l->tile_count = 0;
    for (int k = 0; k < s->tiles.active_count; k++)
        if (s->system.unknown[s->tiles.active[k]])
            l->tiles[l->tile_count++] = s->tiles.active[k];
}

double X(system_assemble)(X(sim) *s, double dt)
{
    system_args args = {s, dt};
    s->system.hierarchy = false;
    ON_DEVICE(s, return X(gpu_assemble)(s->gpu, s->system.least_theta, s->movers));
    FOR_DIM(d)
        X(fill_border)(s, s->u[d], d);
    double most = X(maximum)(s, (size_t)s->tiles.active_count, 4, assemble_partial, &args);
    list_unknown_tiles(s);
    X(settle_pockets)(s);
    FOR_DIM(d)
        X(fill_border_periodic)(s, s->system.a[d]);
    return most;
}

/* ---- velocity */

/* Faces d of a row of cells. */
SP_INLINE void gradient_row(X(sim) *s, float *u, size_t c, int d, bool solids)
{
    size_t low = c - s->grid.stride[d];
    lanes change = load(s->system.q + c) - load(s->system.q + low);
    if (solids || !is_full(s->type + c) || !is_full(s->type + low)) {
        lane_mask here = load_bytes(s->type + c), there = load_bytes(s->type + low);
        lane_mask open = (here < SPATE_CELL_SOLID) & (there < SPATE_CELL_SOLID);
        here = here == SPATE_CELL_LIQUID;
        there = there == SPATE_CELL_LIQUID;
        if (!any(here | there))
            return;
        if (solids)
            open &= load(s->w[d] + c) != 0.0f;
        if (any(here ^ there)) {
            lanes one = load(s->phi + c), two = load(s->phi + low);
            lanes factor = surface_factors(s, choose(here, one, two), choose(here, two, one));
            change = choose(here & there, change, factor * change);
        }
        change = where(open & (here | there), change);
    }
    store(u + c, load(u + c) - change);
}

typedef struct gradient_args {
    X(sim) *s;
    float *const *u;
} gradient_args;

static void gradient_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gradient_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, s->tiles.faces[k], t);
        size_t base = X(tile_index)(g, s->tiles.faces[k]);
        bool solids = has_solids(s, s->tiles.faces[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            if (!X(row_has_faces)(g, t, r))
                continue;
            FOR_DIM(d)
                gradient_row(s, args->u[d], base + X(row_offset)(g, r), d, solids);
        }
    }
}

void X(system_gradient)(X(sim) *s, float *const u[DIM])
{
    ON_DEVICE(s, X(gpu_gradient)(s->gpu, s->system.q != s->p); return );
    gradient_args args = {s, u};
    X(fill_border_periodic)(s, s->system.q);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 4, gradient_range, &args);
    FOR_DIM(d)
        X(fill_border)(s, u[d], d);
}

static double divergence_partial(void *user, size_t begin, size_t end)
{
    const system_args *args = user;
    X(sim) *s = args->s;
    wide_mask most = {0};
    for (size_t k = begin; k < end; k++) {
        int tile = s->system.levels[0].tiles[k];
        size_t base = X(tile_index)(&s->grid, tile);
        bool solids = s->system.unknown[tile] == UNKNOWN_CUT;
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t c = base + X(row_offset)(&s->grid, r);
            wide_mask unknown = widen(load(s->system.diagonal + c)) > 0.0;
            wide sum = solids ? outflow(s, c, true, args->dt) : outflow(s, c, false, args->dt);
            most = larger_wide(most, (wide)((wide_mask)sum & unknown));
        }
    }
    return largest_wide(most);
}

double X(system_divergence)(X(sim) *s, double dt)
{
    ON_DEVICE(s, return X(gpu_divergence)(s->gpu));
    system_args args = {s, dt};
    return X(maximum)(s, (size_t)s->system.levels[0].tile_count, 4, divergence_partial, &args);
}
