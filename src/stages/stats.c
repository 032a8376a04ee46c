/* stats.c -- the statistics of a frame: sums over cells and particles, in double precision and in a
 * fixed order. kernels/census.h and kernels/momentum.h have the maths of a cell and of a particle;
 * state/census.c turns the sums into numbers with units. Distances between particles are found by
 * each device in its own way: cpu/spacing.c, cuda/spacing.cu. */
#include "exec.h"

#include "kernels/census.h"
#include "kernels/momentum.h"

/* ---- cells */

SP_KERNEL void add_cells(X(cell_census) *sum, const X(cell_census) *part)
{
    sum->cells += part->cells;
    sum->held += part->held;
    for (int k = 0; k < SP_INTERIOR_COUNT; k++)
        sum->kinds[k] += part->kinds[k];
    sum->most = part->most > sum->most ? part->most : sum->most;
    sum->interior_most =
        part->interior_most > sum->interior_most ? part->interior_most : sum->interior_most;
}

CELLS_FOLD(count_cells, sp_nothing, X(cell_census), add_cells)
{
    FOR_EACH_CELL(c, cell) {
        uint32_t n = f->count[c];
        part->cells += n > 0;
        part->most = n > part->most ? n : part->most;
        if (!X(is_interior)(f, cell, c))
            continue;
        part->kinds[X(fullness)(n, (uint32_t)f->rest)]++;
        part->held += n;
        part->interior_most = n > part->interior_most ? n : part->interior_most;
    }
}

X(cell_census) ONCE(count_cells)(X(exec) *e)
{
    return count_cells(e, &NOTHING, liquid_tiles(&e->f));
}

SP_KERNEL void add_number(double *sum, const double *part)
{
    *sum += *part;
}

CELLS_FOLD(sum_volume, sp_nothing, double, add_number)
{
    FOR_EACH_CELL(c, cell)
        *part += X(liquid_share)(f, cell, c);
}

double ONCE(measure_volume)(X(exec) *e)
{
    if (e->f.surface != SURFACE_GHOST)
        return 0;
    DEV(update_level_set)(e);
    return sum_volume(e, &NOTHING, active_tiles(&e->f));
}

/* ---- particles */

typedef struct particle_args {
    double gravity[3]; /* m/s^2 */
    bool laid;         /* phi_solid knows where all solids are now */
} particle_args;

SP_KERNEL void add_particles(X(particle_census) *sum, const X(particle_census) *part)
{
    FOR_DIM(d)
        sum->momentum[d] += part->momentum[d];
    sum->squares += part->squares;
    sum->heights += part->heights;
    sum->in_solid += part->in_solid;
}

EACH_PARTICLE_FOLD(measure, particle_args, X(particle_census), add_particles)
{
    FOR_DIM(d)
        part->momentum[d] += (double)f->particles.v[d][i];
    part->squares = X(add_square)(f, i, part->squares);
    part->heights = X(add_height)(f, a->gravity, i, part->heights);
    if (f->solids.live > 0)
        part->in_solid += X(is_in_solid)(f, i, a->laid);
}

X(particle_census) ONCE(measure_particles)(X(exec) *e, const double gravity[3], bool laid)
{
    particle_args args = {{gravity[0], gravity[1], gravity[2]}, laid};
    return measure(e, &args, e->f.particles.count);
}
