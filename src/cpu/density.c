/* density.c -- the density projection: moves particles out of cells that hold too many of them and
 * into cells that hold too few (Kugelstadt, Longva, Thuerey, Bender 2019, "Implicit density
 * projection for volume conserving liquids").
 *
 * With the density rho of particles around a cell's middle (stages/surface.c: against rest density
 * times the room that solids leave, so that full is 1 everywhere), the displacement d of the
 * particles (cells) is the gradient field that carries the excess out of every cell:
 *
 *     d = -grad q,    div d = rho - 1 in the liquid,    q = 0 on the surface,    d = 0 into solids.
 *
 * That is the pressure system of the step, A q = b, with b = (rho - 1) room: the same cells, faces
 * and preconditioner, another right side. It needs no accuracy: one cycle does, and what it leaves
 * is in the density of the next step.
 *
 * A cell at the surface is not full, which is no error: there only an excess counts. Elsewhere the
 * error of one step is limited, and so is the way of a particle (advect.c, which adds d to it).
 * Faces around the liquid get the displacement as they got the velocity (extrapolate.c), so that
 * what lies on the surface goes with it.
 *
 * One cell and one face are in kernels/density.h; here are rows of cells and vectors of faces. */
#include "cpu.h"
#include "cpu/pressure/pressure.h"
#include "simd.h"

#include "kernels/density.h"

#include <math.h>

/* ---- the right side */

/* Whether none of the cells around a row, and of its own, is air. */
static bool is_far_from_air(const X(sim) *s, size_t row)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t air = 0;
    for (int k = 0; k < (DIM == 3 ? 9 : 3); k++) {
        const uint8_t *type = s->type + row + (size_t)(k % 3) * s->grid.stride[1] +
                              (size_t)(k / 3) * s->grid.stride[2];
        type -= s->grid.stride[1] + s->grid.stride[2] + 1;
        for (int i = 0; i <= TILE; i += 8) { /* the last word overlaps */
            uint64_t word;
            memcpy(&word, type + (i < TILE ? i : TILE - 6), sizeof word);
            air |= (word - ones) & ~word & ones << 7; /* a byte is 0: SPATE_CELL_AIR */
        }
    }
    return air == 0;
}

/* Which cells of a row have air around them (all 3^DIM cells of the box): there is the surface. */
static void find_surface(const X(sim) *s, size_t row, uint8_t surface[TILE])
{
    uint8_t column[TILE + 2] = {0};
    for (int k = 0; k < (DIM == 3 ? 9 : 3); k++) {
        const uint8_t *type = s->type + row - 1 + (size_t)(k % 3) * s->grid.stride[1] +
                              (size_t)(k / 3) * s->grid.stride[2];
        type -= s->grid.stride[1] + s->grid.stride[2];
        for (int i = 0; i < TILE + 2; i++)
            column[i] |= type[i] == SPATE_CELL_AIR;
    }
    for (int i = 0; i < TILE; i++)
        surface[i] = column[i] | column[i + 1] | column[i + 2];
}

/* b = what a cell holds too much of its room: X(excess) of all unknowns. */
static void excess_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    const X(fields) fields = X(fields_of)(s);
    const X(system) *sys = &s->system;
    bool solids = s->has_solids;
    for (size_t k = begin; k < end; k++) {
        int tile = sys->levels[0].tiles[k];
        bool thin = solids && s->tiles.cut[tile] & CUT_THIN;
        size_t base = X(tile_index)(&s->grid, tile);
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(&s->grid, r);
            const float *density = s->density + row, *diagonal = sys->diagonal + row;
            float *b = sys->b + row;
            uint8_t surface[TILE] = {0};
            if (!is_far_from_air(s, row))
                find_surface(s, row, surface);
            for (size_t i = 0; i < TILE && thin; i++)
                if (s->thin[row + i])
                    surface[i] = X(has_air_beside)(&fields, row + i);
            for (int i = 0; i < TILE; i++) {
                float error = X(density_error)(density[i], surface[i]);
                b[i] = diagonal[i] > 0.0f ? error : 0.0f;
            }
            for (int i = 0; i < TILE && solids; i++)
                b[i] *= s->room[row + (size_t)i];
        }
    }
}

/* Of the border; all else is written when the displacement is. */
static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.border[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            FOR_DIM(d)
                memset(s->away[d] + base + X(row_offset)(&s->grid, r), 0, TILE * sizeof(float));
    }
}

/* ---- the displacement on the faces: `away` */

typedef struct layer_args {
    X(sim) *s;
    int layer;
    int parity; /* of the tiles that have their turn */
} layer_args;

/* Eight faces d from f on: X(extended) of those that are of the layer. */
SIMD_FN void extend_part(X(sim) *s, int d, size_t f, int layer)
{
    i8 taken = is_equal(load_bytes(s->known[d] + f), layer), count = {0};
    if (!any(taken))
        return;
    f8 sum = {0};
    FOR_DIM(axis)
        for (int side = 0; side < 2; side++) {
            size_t near = side ? f + s->grid.stride[axis] : f - s->grid.stride[axis];
            i8 marks = load_bytes(s->known[d] + near);
            i8 known = is_below(marks, layer) & ~is_equal(marks, FACE_UNKNOWN);
            sum += where(known, load(s->away[d] + near));
            count -= known;
        }
    f8 number = convert(count, f8);
    f8 mean = where_positive(number, sum / number);
    store(s->away[d] + f, choose(taken, mean, load(s->away[d] + f)));
}

/* Tiles of one parity: their neighbours have the other one, so that nobody reads eight faces of
 * which some are being written. */
static void extend_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const layer_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int t[DIM], tile = s->tiles.faces[k], sum = 0;
        if (s->system.unknown[tile] == UNKNOWN_DEEP || !s->tiles.marked[tile])
            continue;
        X(tile_coordinates)(g, tile, t);
        FOR_DIM(d)
            sum += t[d];
        if ((sum & 1) != args->parity)
            continue;
        size_t base = X(tile_index)(g, tile);
        for (int r = 0; r < TILE_ROWS; r++)
            if (X(row_has_faces)(g, t, r))
                FOR_DIM(d)
                    FOR_EIGHTS(i)
                        extend_part(s, d, base + X(row_offset)(g, r) + (size_t)i, args->layer);
    }
}

/* Returns the iterations. */
static int solve_density(X(sim) *s)
{
    X(system) *sys = &s->system;
    if (sys->solver == SPATE_SOLVER_MULTIGRID) {
        DEV(multigrid_once)(sys);
        return 1;
    }
    X(solve) solve = {.max_iterations = DENSITY_SWEEPS};
    solve.tolerance = DENSITY_TOLERANCE * DEV(system_largest_b)(sys);
    solve.relaxation = s->common->scene->pressure.relaxation;
    DEV(solve_system)(sys, &solve);
    return solve.iterations;
}

static void find_excess(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    X(system) *sys = &s->system;
    size_t unknown = (size_t)sys->levels[0].tile_count;
    sp_parallel_for(pool, (size_t)s->tiles.border_count, 8, zero_range, s);
    sp_parallel_for(pool, unknown, 4, excess_range, s);
    X(remove_pocket_means)(sys);
    if (sys->solver != SPATE_SOLVER_MULTIGRID) /* which starts from nothing */
        DEV(clear_pressure)(sys);
}

static void extend(X(sim) *s)
{
    for (int layer = 2; layer < 2 + REACH; layer++) {
        for (int parity = 0; parity < 2; parity++) {
            layer_args args = {s, layer, parity};
            sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 4, extend_range, &args);
        }
        FOR_DIM(d)
            X(fill_border_periodic)(&s->domain, s->away[d], d);
    }
    float *const *const displacement[] = {s->away};
    X(fill_border_faces)(s, displacement, 1);
}

int DEV(project_density)(X(sim) *s)
{
    X(system) *sys = &s->system;
    float *q = sys->q;
    sys->q = sys->q_density;
    find_excess(s);
    int iterations = solve_density(s);
    DEV(system_gradient)(s, s->away, true);
    sys->q = q;
    extend(s);
    return iterations;
}
