/* levels.c -- the grids of the multigrid: each has half as many cells per axis as the one before,
 * until there are few enough for the sweeps of the coarsest (MOST_COARSEST, cg_policy.h). */
#include "state.h"

#include "cg_policy.h"

#include <string.h>

static X(grid) coarser(const X(grid) *fine)
{
    X(grid) g;
    memset(&g, 0, sizeof g);
    g.dx = 2 * fine->dx;
    g.n[2] = g.tiles[2] = 1;
    FOR_DIM(d) {
        g.n[d] = (fine->n[d] + 1) / 2;
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
