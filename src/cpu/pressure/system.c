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
 * w_f is the open share of the face (kernels/fractions.h; 0 or 1 with voxel solids, 0 at walls and
 * inflows). Between two liquid cells a_f = w_f and s_f = 1. Towards air the surface lies the share
 * theta = phi_c / (phi_c - phi_n) of the way to the middle of the air cell, and there p = 0: q_n =
 * 0, s_f = 1 / theta, a_f = w_f / theta (ghost fluid, Gibou et al. 2002; X(surface_factors) in
 * kernels/surface.h; theta = 1 with a voxel surface). The off-diagonal is there only between liquid
 * cells, so A is symmetric. A liquid cell that parts from a wall (kernels/contact.h) has no
 * equation, and q = 0. A residual r of this system times dt/dx is the share of the cell's
 * volume lost in the step.
 *
 * Rows of cells are done as vectors of eight; those deep in the liquid need no look at the surface.
 * Pockets, whose matrix is singular, are found in pockets.c. */
#include "pressure.h"

#include "cpu/cpu.h"
#include "cpu/simd.h"

#include "kernels/surface.h" /* over the lanes of simd.h */

typedef struct system_args {
    X(sim) *s;
    double dt;
    float scale; /* of q */
} system_args;

#define FULL (SPATE_CELL_LIQUID * UINT64_C(0x0101010101010101))

/* The types of eight cells against liquid: 0 in a byte means liquid. */
SIMD_FN uint64_t types_of(const uint8_t *types)
{
    uint64_t word;
    memcpy(&word, types, sizeof word);
    return word ^ FULL;
}

/* Whether they are all liquid. */
SIMD_FN bool is_full(const uint8_t *types)
{
    return types_of(types) == 0;
}

/* Not 0 if one of them is. */
SIMD_FN uint64_t liquid_among(const uint8_t *types)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), rest = types_of(types);
    return (rest - ones) & ~rest & ones << 7;
}

SIMD_FN f8 factors(const X(sim) *s, f8 liquid, f8 air)
{
    return X(surface_factors)(s->surface, (float)s->grid.dx, liquid, air);
}

/* Whether a face of a tile's cells is not open: its own, or on the high sides of the neighbours. */
static bool has_solids(const X(sim) *s, int tile)
{
    bool cut = s->tiles.cut[tile];
    int step = 1;
    FOR_DIM(d) {
        cut = cut || s->tiles.cut[tile + step];
        step *= s->grid.tiles[d];
    }
    return cut && s->solids.live > 0;
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

/* Out of the way of the others. */
static __attribute__((noinline)) void moving_fluxes(const X(sim) *s, size_t c, int d, double dt,
                                                    d4 *u)
{
    for (int i = 0; i < 4; i++)
        (*u)[i] = flux(s, c + (size_t)i, d, dt);
}

/* Four of the fluxes through face d. */
SIMD_FN d4 fluxes(const X(sim) *s, size_t c, int d, bool solids, double dt)
{
    d4 u = d4_load_floats(s->u[d] + c);
    if (!solids)
        return u;
    if (!s->solids.any_moving)
        return u * d4_load_floats(s->w[d] + c);
    moving_fluxes(s, c, d, dt, &u);
    return u;
}

SIMD_FN f4 outflow_four(const X(sim) *s, size_t c, bool solids, double dt)
{
    d4 sum = {0};
    FOR_DIM(d)
        sum += fluxes(s, c + s->grid.stride[d], d, solids, dt) - fluxes(s, c, d, solids, dt);
    return convert(sum, f4);
}

/* Of eight cells, summed in fp64. */
SIMD_FN f8 outflow(const X(sim) *s, size_t c, bool solids, double dt)
{
    f4 low = outflow_four(s, c, solids, dt), high = outflow_four(s, c + 4, solids, dt);
    return shuffle(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* ---- assembly */

static bool has_liquid(const X(sim) *s, size_t base)
{
    uint64_t found = 0;
    FOR_TILE_EIGHTS(r, i)
        found |= liquid_among(s->type + base + X(row_offset)(&s->grid, r) + i);
    return found != 0;
}

/* Not 0 if one of eight cells of a row, or one across their faces, has parted from a wall. */
SIMD_FN uint64_t parted_near(const X(sim) *s, size_t c)
{
    const uint8_t *part = s->parted + c;
    uint64_t word, some = (uint64_t)(*(part - 1) | part[8]);
    memcpy(&word, part, sizeof word);
    some |= word;
    for (int d = 1; d < DIM; d++)
        for (int side = 0; side < 2; side++) {
            memcpy(&word, side ? part + s->grid.stride[d] : part - s->grid.stride[d], sizeof word);
            some |= word;
        }
    return some;
}

/* Whether eight cells of a row and all around them are liquid. */
SIMD_FN bool is_deep_part(const X(sim) *s, size_t c)
{
    const uint8_t *part = s->type + c;
    uint64_t rest = (uint64_t)(*(part - 1) ^ SPATE_CELL_LIQUID) | (part[8] ^ SPATE_CELL_LIQUID);
    rest |= types_of(part) | (s->parts ? parted_near(s, c) : 0);
    for (int d = 1; d < DIM; d++)
        rest |= types_of(part - s->grid.stride[d]) | types_of(part + s->grid.stride[d]);
    return rest == 0;
}

/* The same of a tile and all across its faces. */
static bool is_deep(const X(sim) *s, size_t base)
{
    bool deep = true;
    for (int r = 0; r < TILE_ROWS && deep; r++)
        FOR_EIGHTS(i)
            deep = deep && is_deep_part(s, base + X(row_offset)(&s->grid, r) + (size_t)i);
    return deep;
}

/* The part of a tile that deep tiles and those without unknowns share: nothing of it depends on
 * where in the tile a cell is, so that it is written only when the tile becomes what it is. */
static void set_tile(X(sim) *s, size_t base, float a, float diagonal)
{
    X(system) *sys = &s->system;
    f8 none = {0};
    FOR_TILE_EIGHTS(r, i) {
        size_t c = base + X(row_offset)(&s->grid, r) + (size_t)i;
        FOR_DIM(d)
            store(sys->a[d] + c, none + a);
        store(sys->diagonal + c, none + diagonal);
    }
}

static void clear_tile(X(sim) *s, size_t base)
{
    X(system) *sys = &s->system;
    set_tile(s, base, 0.0f, 0.0f);
    for (int r = 0; r < TILE_ROWS; r++) {
        size_t c = base + X(row_offset)(&s->grid, r);
        memset(sys->b + c, 0, TILE * sizeof(float));
        memset(sys->q + c, 0, TILE * sizeof(float));
        if (sys->q_density)
            memset(sys->q_density + c, 0, TILE * sizeof(float));
        if (sys->q_sum)
            memset(sys->q_sum + c, 0, TILE * sizeof(double));
    }
}

/* Right side and start of a deep tile. */
static i8 assemble_deep(const system_args *args, size_t base, i8 most)
{
    X(sim) *s = args->s;
    X(system) *sys = &s->system;
    FOR_TILE_EIGHTS(r, i) {
        size_t c = base + X(row_offset)(&s->grid, r) + (size_t)i;
        f8 b = -outflow(s, c, false, args->dt);
        store(sys->b + c, b);
        store(sys->q + c, args->scale * load(sys->q + c));
        most = larger(most, b);
    }
    return most;
}

/* Eight cells of the matrix; returns the diagonal. inside: cells that belong to the domain; the
 * images of cells across periodic sides have no equation. `air`: which of them touch it. */
SIMD_FN f8 assemble_matrix(X(sim) *s, size_t c, i8 inside, bool solids, i8 *air)
{
    X(system) *sys = &s->system;
    i8 liquid = inside & is_equal(load_bytes(s->type + c), SPATE_CELL_LIQUID), surface = {0};
    f8 diagonal = {0}, phi = load(s->phi + c);
    if (s->parts)
        liquid &= is_equal(load_bytes(s->parted + c), 0);
    FOR_DIM(d)
        for (int side = 0; side < 2; side++) {
            size_t face = side ? c + s->grid.stride[d] : c;
            size_t near = side ? face : c - s->grid.stride[d];
            i8 type = load_bytes(s->type + near);
            i8 open = liquid & is_below(type, SPATE_CELL_SOLID);
            f8 w = diagonal * 0.0f + 1.0f;
            if (solids)
                w = load(s->w[d] + face);
            w = where(open, w);
            i8 parted = {0}; /* q = 0 in its middle */
            if (s->parts)
                parted = ~is_equal(load_bytes(s->parted + near), 0);
            if (side == 0)
                store(sys->a[d] + c, where(is_equal(type, SPATE_CELL_LIQUID) & ~parted, w));
            surface |= parted & is_positive(w);
            if (!is_full(s->type + near)) {
                i8 free = open & is_equal(type, SPATE_CELL_AIR);
                surface |= free & is_positive(w);
                if (any(free)) /* not a wall */
                    w = choose(free, w * factors(s, phi, load(s->phi + near)), w);
            }
            diagonal += w;
        }
    *air = surface;
    return diagonal;
}

static void clear_part(X(system) *sys, size_t c)
{
    f8 none = {0};
    FOR_DIM(d)
        store(sys->a[d] + c, none);
    store(sys->diagonal + c, none);
    store(sys->b + c, none);
    store(sys->q + c, none);
}

/* Eight cells from cell `first` of row r of a tile's system; returns the right side. whole: all of
 * the row is inside. */
SIMD_FN f8 assemble_part(const system_args *args, size_t c, int r, int first, i8 inside, bool whole,
                         bool solids, X(pieces) *pieces)
{
    X(sim) *s = args->s;
    X(system) *sys = &s->system;
    i8 air = {0}, unknown;
    f8 diagonal = {0};
    if (!any(inside & is_equal(load_bytes(s->type + c), SPATE_CELL_LIQUID))) {
        clear_part(sys, c);
        return diagonal;
    }
    if (!solids && whole && is_deep_part(s, c)) {
        FOR_DIM(d)
            store(sys->a[d] + c, f8_of(1.0f));
        diagonal += (float)(2 * DIM);
    } else {
        diagonal = assemble_matrix(s, c, inside, solids, &air);
    }
    /* a cell closed on all sides has no equation: nothing can change its flux */
    unknown = is_positive(diagonal);
    f8 b = where(unknown, -outflow(s, c, solids, args->dt));
    store(sys->diagonal + c, diagonal);
    store(sys->b + c, b);
    store(sys->q + c, where(unknown, args->scale * load(sys->q + c)));
    pieces->unknown[r] |= bits_of(unknown) << first;
    pieces->air[r] |= bits_of(air) << first;
    const bool within[3] = {true, r & (TILE - 1), r >> TILE_SHIFT};
    FOR_DIM(d)
        if (within[d])
            pieces->link[d][r] |= bits_of(is_positive(load(sys->a[d] + c))) << first;
    pieces->link[0][r] &= ~1u;
    return b;
}

/* A tile with air or solids near. */
static i8 assemble_mixed(const system_args *args, int tile, bool whole, bool solids, i8 most)
{
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    int first[DIM], cell[DIM];
    i8 inside[TILE / 8];
    uint64_t rows = 0;
    X(pieces) pieces;
    X(tile_cell)(g, tile, first);
    size_t base = X(index)(g, first);
    memset(&pieces, 0, sizeof pieces);
    for (int i = 0; i < TILE; i++)
        inside[i / 8][i % 8] = first[0] + i < g->n[0] ? -1 : 0;
    for (int r = 0; r < TILE_ROWS; r++) {
        X(row_cell)(first, r, cell);
        bool outside = !X(inside)(g, cell);
        for (int i = 0; i < TILE; i += 8) {
            size_t c = base + X(row_offset)(g, r) + (size_t)i;
            i8 in = outside ? (i8){0} : inside[i / 8];
            most = larger(most, solids ? assemble_part(args, c, r, i, in, false, true, &pieces)
                                       : assemble_part(args, c, r, i, in, whole, false, &pieces));
        }
        rows |= (uint64_t)(pieces.unknown[r] != 0) << r;
    }
    X(label_pieces)(&s->system, tile, &pieces);
    if (!rows && s->system.unknown[tile] != UNKNOWN_NONE) /* all of its liquid parts from walls */
        clear_tile(s, base);
    s->system.rows[tile] = rows;
    s->system.unknown[tile] = !rows ? UNKNOWN_NONE : solids ? UNKNOWN_CUT : UNKNOWN_PLAIN;
    return most;
}

static double assemble_partial(void *user, size_t begin, size_t end)
{
    const system_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    i8 most = {0};
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.active[k], first[DIM];
        uint8_t *unknown = &s->system.unknown[tile];
        size_t base = X(tile_index)(g, tile);
        if (!has_liquid(s, base)) {
            if (*unknown != UNKNOWN_NONE)
                clear_tile(s, base);
            *unknown = UNKNOWN_NONE;
            continue;
        }
        bool solids = has_solids(s, tile), whole = true;
        X(tile_cell)(g, tile, first);
        FOR_DIM(d)
            whole = whole && first[d] + TILE <= g->n[d];
        if (solids || !whole || !is_deep(s, base)) {
            most = assemble_mixed(args, tile, whole, solids, most);
            continue;
        }
        if (*unknown != UNKNOWN_DEEP)
            set_tile(s, base, 1.0f, 2 * DIM);
        *unknown = UNKNOWN_DEEP;
        s->system.rows[tile] = TILE_ROWS < 64 ? (UINT64_C(1) << TILE_ROWS % 64) - 1 : UINT64_MAX;
        X(label_whole)(&s->system, tile, base);
        most = assemble_deep(args, base, most);
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

double DEV(system_assemble)(X(sim) *s, double dt, double scale)
{
    system_args args = {s, dt, (float)scale};
    s->system.hierarchy = false;
    FOR_DIM(d)
        X(fill_border_periodic)(&s->domain, s->u[d], d);
    double most = X(maximum)(s, (size_t)s->tiles.active_count, 4, assemble_partial, &args);
    list_unknown_tiles(s);
    X(find_pockets)(&s->system);
    X(remove_pocket_means)(&s->system);
    FOR_DIM(d)
        X(fill_border_periodic)(&s->domain, s->system.a[d], -1);
    return most;
}

/* ---- velocity */

/* Faces d of eight cells. */
SIMD_FN void gradient_part(X(sim) *s, float *u, size_t c, int d, bool solids, bool fresh)
{
    size_t low = c - s->grid.stride[d];
    const f8 none = {0};
    if (!(liquid_among(s->type + c) | liquid_among(s->type + low))) {
        if (fresh)
            store(u + c, none);
        return;
    }
    f8 change = load(s->system.q + c) - load(s->system.q + low);
    if (solids || !is_full(s->type + c) || !is_full(s->type + low)) {
        i8 here = load_bytes(s->type + c), there = load_bytes(s->type + low);
        i8 open = is_below(here, SPATE_CELL_SOLID) & is_below(there, SPATE_CELL_SOLID);
        here = is_equal(here, SPATE_CELL_LIQUID);
        there = is_equal(there, SPATE_CELL_LIQUID);
        if (solids)
            open &= is_positive(load(s->w[d] + c));
        if (any(here ^ there)) {
            f8 one = load(s->phi + c), two = load(s->phi + low);
            f8 factor = factors(s, choose(here, one, two), choose(here, two, one));
            change = choose(here & there, change, factor * change);
        }
        change = where(open & (here | there), change);
    }
    store(u + c, (fresh ? none : load(u + c)) - change);
}

typedef struct gradient_args {
    X(sim) *s;
    float *const *u;
    bool fresh; /* u holds nothing yet */
} gradient_args;

static void gradient_tile(const gradient_args *args, int tile, int d)
{
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    int t[DIM];
    X(tile_coordinates)(g, tile, t);
    size_t base = X(tile_index)(g, tile);
    bool solids = s->tiles.cut[tile] && s->solids.live > 0;
    for (int r = 0; r < TILE_ROWS; r++) {
        if (X(row_has_faces)(g, t, r))
            FOR_EIGHTS(i)
                gradient_part(s, args->u[d], base + X(row_offset)(g, r) + (size_t)i, d, solids,
                              args->fresh);
    }
}

/* Faces d of a tile that are all between unknowns, far from solids. */
static void gradient_deep(const gradient_args *args, size_t base, int d)
{
    const X(grid) *g = &args->s->grid;
    const float *q = args->s->system.q;
    float *u = args->u[d];
    FOR_TILE_EIGHTS(r, i) {
        size_t c = base + X(row_offset)(g, r) + (size_t)i;
        f8 before = args->fresh ? (f8){0} : load(u + c);
        store(u + c, before - (load(q + c) - load(q + c - g->stride[d])));
    }
}

static void clear_faces(const gradient_args *args, size_t base, int d)
{
    for (int r = 0; r < TILE_ROWS; r++)
        memset(args->u[d] + base + X(row_offset)(&args->s->grid, r), 0, TILE * sizeof(float));
}

static void gradient_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gradient_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    const uint8_t *unknown = s->system.unknown;
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.faces[k], step = 1;
        for (int d = 0; d < DIM; d++) {
            if (unknown[tile] == UNKNOWN_DEEP)
                gradient_deep(args, X(tile_index)(g, tile), d);
            else if (unknown[tile] || unknown[tile - step] || g->periodic[d])
                gradient_tile(args, tile, d);
            else if (args->fresh)
                clear_faces(args, X(tile_index)(g, tile), d);
            step *= g->tiles[d];
        }
    }
}

void DEV(system_gradient)(X(sim) *s, float *const u[DIM], bool fresh)
{
    gradient_args args = {s, u, fresh};
    X(fill_border_periodic)(&s->domain, s->system.q, -1);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 4, gradient_range, &args);
    FOR_DIM(d)
        X(fill_border_periodic)(&s->domain, u[d], d);
}

static double divergence_partial(void *user, size_t begin, size_t end)
{
    const system_args *args = user;
    X(sim) *s = args->s;
    X(system) *sys = &s->system;
    i8 most = {0};
    for (size_t k = begin; k < end; k++) {
        int tile = sys->levels[0].tiles[k];
        size_t base = X(tile_index)(&s->grid, tile);
        bool solids = sys->unknown[tile] == UNKNOWN_CUT;
        FOR_UNKNOWN_ROWS(sys, tile, r)
            for (size_t i = 0; i < TILE; i += 8) {
                size_t c = base + X(row_offset)(&s->grid, r) + i;
                f8 flux = solids ? outflow(s, c, true, args->dt) : outflow(s, c, false, args->dt);
                most = larger(most, where_positive(load(sys->diagonal + c), flux));
                store(sys->q + c, args->scale * load(sys->q + c));
            }
    }
    return largest(most);
}

double DEV(system_divergence)(X(sim) *s, double dt, double scale)
{
    system_args args = {s, dt, (float)scale};
    return X(maximum)(s, (size_t)s->system.levels[0].tile_count, 4, divergence_partial, &args);
}
