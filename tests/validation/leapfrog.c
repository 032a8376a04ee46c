/* leapfrog.c -- two pairs of vortices of one circulation each in a periodic box of 1 m: the pair
 * behind is drawn together and passes through the one before it, again and again.
 *
 *     at x = 0.3 m, 0.2 and 0.1 m above and below the middle; cores exp(-r^2 / (2 s^2)), s = 0.014
 *
 * The passes of the two upper cores are at 0.117 s and 0.226 s (a spectral solution of 256^2). A
 * core is where the particles are that were in it at the start; it counts while they are together.
 * From the third pass on, 1.8 cells a core, like-signed cores merge. 128^2 cells and three seeds;
 * the fast form has 96^2 with 4 particles each, and ends after the first pass. */
#include "eddies.h"

#define CORE 0.014
static const double heights[2] = {0.2, 0.1}; /* of the outer and of the inner core */

typedef struct pairs {
    double x, y; /* of their middle */
} pairs;

/* The difference of two places round the box. */
static double apart(double a, double b)
{
    return a - b - floor(a - b + 0.5);
}

static double cores(const void *args, double x, double y)
{
    const pairs *p = args;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double sign = k % 2 ? 1 : -1, a = apart(x, p->x);
        double b = apart(y, p->y - sign * heights[k / 2]);
        sum += sign * exp(-(a * a + b * b) / (2 * CORE * CORE)) / (2 * PI * CORE * CORE);
    }
    return sum;
}

/* The particles of a core, by their ids: 1 the outer one, 2 the inner one, 0 none. */
static uint8_t *mark_cores(spate_sim *sim, const pairs *p, uint32_t *ids)
{
    spate_particles_view view = sample_view(sim);
    *ids = 0;
    for (size_t k = 0; k < view.count; k++)
        *ids = view.id[k] >= *ids ? view.id[k] + 1 : *ids;
    uint8_t *core = calloc(*ids, 1);
    CHECK(core != NULL);
    for (size_t k = 0; k < view.count && core; k++)
        for (int n = 0; n < 2; n++) {
            double a = apart(view.scale * view.x[0][k], p->x);
            double b = apart(view.scale * view.x[1][k], p->y + heights[n]);
            if (a * a + b * b < CORE * CORE)
                core[view.id[k]] = (uint8_t)(n + 1);
        }
    return core;
}

/* How far the inner core is before the outer one, m; 0 if a core has come apart. */
static double lead(spate_sim *sim, const uint8_t *core, uint32_t ids)
{
    spate_particles_view view = sample_view(sim);
    double first[2][2] = {{0}}, sum[2][2] = {{0}}, square[2] = {0};
    int count[2] = {0};
    for (size_t k = 0; k < view.count; k++) {
        int n = view.id[k] < ids ? core[view.id[k]] - 1 : -1;
        if (n < 0)
            continue;
        for (int d = 0; d < 2; d++) {
            double place = view.scale * view.x[d][k];
            first[n][d] = count[n] == 0 ? place : first[n][d];
            double way = apart(place, first[n][d]);
            sum[n][d] += way;
            square[n] += way * way;
        }
        count[n]++;
    }
    bool together = count[0] > 0 && count[1] > 0;
    for (int n = 0; n < 2 && together; n++) {
        double mean = 0;
        for (int d = 0; d < 2; d++)
            mean += sum[n][d] / count[n] * (sum[n][d] / count[n]);
        together = sqrt(square[n] / count[n] - mean) < 4 * CORE;
    }
    if (!together)
        return 0;
    return apart(first[1][0] + sum[1][0] / count[1], first[0][0] + sum[0][0] / count[0]);
}

/* The times of the first two passes, s. */
static void passes(int cells, double seconds, int seed, double at[2])
{
    pairs p = {0.3 + 0.3 * (seed - 1) / cells, 0.5 + 0.45 * (seed - 1) / cells};
    eddies_field *field = eddies_of_vorticity(cores, &p);
    spate_scene *scene = eddies_scene(cells, true, seed);
    if (!case_full)
        scene->fluid.particles_per_axis = 2;
    spate_sim *sim = case_start(scene);
    uint32_t ids = 0;
    uint8_t *core = NULL;
    at[0] = at[1] = 0;
    if (field && sim && case_set_velocities(sim, eddies_read, field) && eddies_find_gradients(sim))
        core = mark_cores(sim, &p, &ids);
    double dt = core ? 1 / (cells * field->fastest) : 1, before = 0;
    int found = 0;
    for (int step = 1; core && step * dt < seconds && found < 2 && case_step(sim, dt); step++) {
        double ahead = lead(sim, core, ids);
        if (fabs(ahead) < 0.02)
            continue;
        if (ahead * before < 0)
            at[found++] = step * dt;
        before = ahead;
    }
    printf("  %d^2 cells, seed %d: passes at %.4f and %.4f s, steps of %.5f s\n", cells, seed,
           at[0], at[1], dt);
    spate_sim_destroy(sim);
    free(core);
    free(field);
}

static void pairs_pass_each_other(void)
{
    int cells = case_full ? 128 : 96, seeds = case_full ? 3 : 1;
    double worst[2] = {0};
    const double expected[2] = {0.117, 0.226};
    for (int seed = 1; seed <= seeds; seed++) {
        double at[2];
        passes(cells, case_full ? 0.3 : 0.13, seed, at);
        for (int k = 0; k < 2; k++)
            worst[k] = fmax(worst[k], fabs(at[k] / expected[k] - 1));
    }
    CHECK_FIGURE("leapfrog: time of the first pass", worst[0], 0.05);
    if (case_full)
        CHECK_FIGURE("leapfrog: time of the second pass", worst[1], 0.05);
}

TESTS(validation_leapfrog)
{
    TEST(pairs_pass_each_other);
}
