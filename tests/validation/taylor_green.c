/* taylor_green.c -- 2 x 2 vortices that fill a periodic box: a steady flow, of which nothing may
 * get lost or come.
 *
 *     u = U sin(2 pi x) cos(2 pi y),  v = -U cos(2 pi x) sin(2 pi y),  U = 1 m/s, box 1 m
 *
 * Each run has its own seed and its own place of the flow against the grid. Energy and enstrophy
 * are those of the faces after the projection, against those of the first step. The flow is
 * unstable by itself, so enstrophy is judged beside energy. */
#include "eddies.h"

typedef struct shift {
    double x, y; /* m */
} shift;

static void vortices(const void *flow, const double x[3], double v[3])
{
    const shift *by = flow;
    double a = 2 * PI * (x[0] + by->x), b = 2 * PI * (x[1] + by->y);
    v[0] = sin(a) * cos(b);
    v[1] = -cos(a) * sin(b);
}

typedef struct kept {
    double energy, enstrophy; /* shares, at the end */
    double most;              /* share of the energy, at any time */
} kept;

static kept turned(int cells, double cfl, double seconds, int seed)
{
    kept result = {0};
    spate_sim *sim = case_start(eddies_scene(cells, true, seed));
    shift by = {(seed - 1) * 0.3 / cells, (seed - 1) * 0.15 / cells};
    int steps = (int)ceil(seconds * cells / cfl - 1e-9);
    double energy = 0, enstrophy = 0;
    if (!sim || !case_set_velocities(sim, vortices, &by) || !eddies_find_gradients(sim))
        return result;
    for (int step = 0; step < steps && case_step(sim, seconds / steps); step++) {
        eddies_faces faces = eddies_view(sim, cells);
        result.energy = eddies_energy(&faces);
        if (step == 0) {
            energy = result.energy;
            enstrophy = eddies_enstrophy(&faces);
        }
        result.energy /= energy;
        result.most = fmax(result.most, result.energy);
        if (step == steps - 1)
            result.enstrophy = eddies_enstrophy(&faces) / enstrophy;
    }
    printf(
        "  %d^2 cells, cfl %g, seed %d: energy %.2f %%, enstrophy %.2f %%, most energy %.3f %%\n",
        cells, cfl, seed, 100 * result.energy, 100 * result.enstrophy, 100 * result.most);
    spate_sim_destroy(sim);
    return result;
}

/* The worst of all seeds. Losses are what is judged: 1 less the share. */
static void keeps(const char *what, int cells, double cfl, double seconds, int seeds, double energy,
                  double enstrophy)
{
    kept worst = {1, 1, 0};
    char name[100];
    for (int seed = 1; seed <= seeds; seed++) {
        kept run = turned(cells, cfl, seconds, seed);
        worst.energy = fmin(worst.energy, run.energy);
        worst.enstrophy = fmin(worst.enstrophy, run.enstrophy);
        worst.most = fmax(worst.most, run.most);
    }
    snprintf(name, sizeof name, "%s: energy lost", what);
    CHECK_FIGURE(name, 1 - worst.energy, energy);
    snprintf(name, sizeof name, "%s: enstrophy lost", what);
    CHECK_FIGURE(name, 1 - worst.enstrophy, enstrophy);
    snprintf(name, sizeof name, "%s: energy gained", what);
    CHECK_FIGURE(name, worst.most - 1, 0.005);
}

static void a_steady_flow_stays(void)
{
    if (!case_full) {
        keeps("vortices 64^2 cfl 1, one turn", 64, 1, 1, 1, 0.01, 0.01);
        return;
    }
    keeps("vortices 64^2 cfl 1", 64, 1, 10, 3, 0.04, 0.05);
    keeps("vortices 64^2 cfl 2", 64, 2, 10, 3, 0.10, 1);
    keeps("vortices 128^2 cfl 1", 128, 1, 10, 3, 0.006, 1);
}

TESTS(validation_taylor_green)
{
    TEST(a_steady_flow_stays);
}
