/* pressure.c -- iterations of the pressure solve on three hard systems, cold, to max |r| <= 1e-4
 * max |b|.
 *
 *     spate_bench_pressure [CELLS...]        default 64 128
 *
 *   tank     half full, a sphere in the middle
 *   splash   a dam, droplets in the air, pillars
 *   porous   a box 95 % full around 25 spheres
 *
 * Multigrid beside MIC(0), with the seconds of the whole stage and the unknowns solved per second.
 */
#include <spate/spate.h>

#include <stdio.h>
#include <stdlib.h>

static spate_shape *box(spate_scene *scene, spate_list list, double x0, double y0, double z0,
                        double x1, double y1, double z1)
{
    spate_shape *shape = spate_scene_add(scene, list);
    double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
    for (int d = 0; d < 3 && shape; d++) {
        shape->min[d] = low[d];
        shape->max[d] = high[d];
    }
    return shape;
}

static spate_shape *ball(spate_scene *scene, spate_list list, double x, double y, double z,
                         double radius)
{
    spate_shape *shape = spate_scene_add(scene, list);
    if (!shape)
        return NULL;
    shape->shape = SPATE_SHAPE_SPHERE;
    shape->center[0] = x;
    shape->center[1] = y;
    shape->center[2] = z;
    shape->radius = radius;
    return shape;
}

static void tank(spate_scene *scene)
{
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.5, 1);
    ball(scene, SPATE_LIST_SOLIDS, 0.5, 0.4, 0.5, 0.2);
}

/* Places from a fixed sequence, so that every size has the same scene. */
static double place(int k, int d)
{
    static const double steps[3] = {0.8191725134, 0.6710436067,
                                    0.5497004779}; /* of the R3 sequence (Roberts 2018) */
    double x = 0.5 + (k + 1) * steps[d];
    return x - (int)x;
}

static void splash(spate_scene *scene)
{
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.7, 1);
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.1, 1);
    for (int k = 0; k < 60; k++)
        ball(scene, SPATE_LIST_FILL, 0.4 + 0.6 * place(k, 0), 0.2 + 0.7 * place(k, 1), place(k, 2),
             0.02 + 0.03 * place(k + 99, 0));
    for (int k = 0; k < 4; k++) {
        spate_shape *pillar = spate_scene_add(scene, SPATE_LIST_SOLIDS);
        pillar->shape = SPATE_SHAPE_CYLINDER;
        pillar->from[0] = pillar->to[0] = 0.55 + 0.1 * k;
        pillar->from[1] = -0.1;
        pillar->to[1] = 0.8;
        pillar->from[2] = pillar->to[2] = 0.2 + 0.2 * k;
        pillar->radius = 0.05;
    }
}

static void porous(spate_scene *scene)
{
    box(scene, SPATE_LIST_FILL, 0, 0, 0, 1, 0.95, 1);
    for (int k = 0; k < 25; k++)
        ball(scene, SPATE_LIST_SOLIDS, place(k, 0), place(k, 1), place(k, 2),
             0.06 + 0.06 * place(k + 50, 1));
}

typedef struct outcome {
    int iterations;
    double divergence, seconds;
    uint64_t unknowns;
} outcome;

/* One projection from rest. */
static bool solve(void (*fill)(spate_scene *), int cells, spate_solver solver, double tolerance,
                  outcome *out)
{
    spate_error error = {0};
    spate_scene *scene = spate_scene_create();
    scene->domain.size[0] = scene->domain.size[1] = scene->domain.size[2] = 1;
    scene->domain.cells = cells;
    scene->pressure.solver = solver;
    scene->pressure.tolerance = tolerance;
    fill(scene);
    spate_sim *sim = spate_sim_create(scene, NULL, &error);
    spate_status status = sim ? SPATE_OK : error.status;
    if (sim)
        status = spate_sim_step(sim, 1.0 / cells, &error);
    if (status == SPATE_OK) {
        spate_stats stats = spate_sim_stats(sim);
        *out = (outcome){stats.solver_iterations, stats.divergence_before,
                         stats.seconds[SPATE_STAGE_PRESSURE], stats.liquid_cells};
    } else {
        fprintf(stderr, "spate_bench_pressure: %s\n", error.message);
    }
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
    return status == SPATE_OK;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*fill)(spate_scene *);
    } systems[] = {{"tank", tank}, {"splash", splash}, {"porous", porous}};
    printf("system  cells   unknowns  multigrid  (s, million unknowns per second)  MIC(0)\n");
    for (int k = 0; k < (argc > 1 ? argc - 1 : 2); k++) {
        int cells = argc > 1 ? atoi(argv[k + 1]) : 64 << k;
        for (size_t s = 0; s < sizeof systems / sizeof *systems && cells > 0; s++) {
            outcome first, multigrid, mic;
            /* the first solve tells max |b| */
            if (!solve(systems[s].fill, cells, SPATE_SOLVER_MULTIGRID, 1, &first) ||
                !solve(systems[s].fill, cells, SPATE_SOLVER_MULTIGRID, 1e-4 * first.divergence,
                       &multigrid) ||
                !solve(systems[s].fill, cells, SPATE_SOLVER_PCG, 1e-4 * first.divergence, &mic))
                return 1;
            printf("%-7s %5d %10llu %10d  (%.3f, %.2f) %10d\n", systems[s].name, cells,
                   (unsigned long long)multigrid.unknowns, multigrid.iterations, multigrid.seconds,
                   1e-6 * (double)multigrid.unknowns / multigrid.seconds, mic.iterations);
        }
    }
    return 0;
}
