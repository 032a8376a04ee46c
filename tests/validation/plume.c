/* plume.c -- a plume over a warm spot in a closed box: how high it has come does not depend on the
 * step, on the placing of the particles, or on the cells.
 *
 * The box is 1 m wide and 2 m high; in a disc of radius 0.08 m, 0.15 m above the floor, the gas is
 * held at a temperature at which it rises with 0.3 m/s^2, and at a smoke of so little mass that it
 * does not count. After 5 s the height is looked for above which half of the smoke lies. 64 cells
 * along the width, steps from 1/24 to 1/960 s and three seeds; the fast form is 32 cells, 2 s and
 * two steps. The full form also has 128 cells: the difference from 64 has a goal, which is printed,
 * and a bound twice as large, which a real fault would break. */
#include "case.h"

#define RISE 0.3 /* m/s^2 */
#define T0 293.15

/* m; less than 0: it could not be found. */
static double height_of_half(spate_sim *sim)
{
    spate_field_view s;
    double all = 0, above = 0;
    sample_stats(sim);
    if (!spate_sim_field_view(sim, "smoke", &s))
        return -1;
    for (int pass = 0; pass < 2; pass++)
        for (int j = s.count[1] - 1; j >= 0; j--) {
            double row = 0;
            for (int i = 0; i < s.count[0]; i++)
                row += s.values[i * s.stride[0] + j * s.stride[1]];
            all += pass == 0 ? row : 0;
            if (pass == 1 && above + row >= 0.5 * all)
                return (j + (above + row - 0.5 * all) / row) * s.cell_size;
            above += pass == 1 ? row : 0;
        }
    return -1;
}

static double plume(int cells, double dt, double seconds, int seed)
{
    spate_scene *scene = case_scene(2, 1.0 / cells, 1, 2, 0);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->fluid.seed = (unsigned)seed;
    spate_shape *spot = case_add(scene, SPATE_LIST_SOURCES, SPATE_SHAPE_SPHERE);
    spot->center[0] = 0.5;
    spot->center[1] = 0.15;
    spot->radius = 0.08;
    spot->temperature = T0 + RISE * T0 / GRAVITY;
    spot->smoke = 1e-6;
    spate_sim *sim = case_start(scene);
    if (!sim)
        return -1;
    while (spate_sim_time(sim) < seconds - 0.5 * dt && case_step(sim, dt))
        ;
    double height = height_of_half(sim);
    printf("  %d cells, step 1/%.0f s, seed %d: half of the smoke above %.4f m\n", cells, 1 / dt,
           seed, height);
    CHECK(height > 0);
    spate_sim_destroy(sim);
    return height;
}

static void rises_as_high(void)
{
    static const double rates[] = {60, 24, 240, 960};
    int cells = case_full ? 64 : 32, seeds = case_full ? 3 : 1;
    double seconds = case_full ? 5 : 2, least = HUGE_VAL, most = 0, sum = 0;
    int count = 0;
    for (int k = 0; k < (case_full ? 4 : 2); k++)
        for (int seed = 1; seed <= (k == 3 ? 1 : seeds); seed++, count++) {
            double height = plume(cells, 1 / rates[k], seconds, seed);
            least = fmin(least, height);
            most = fmax(most, height);
            sum += height;
        }
    double mean = sum / count;
    CHECK_FIGURE("plume: height over steps and seeds", fmax(most - mean, mean - least) / mean,
                 case_full ? 0.015 : 0.03);
    if (!case_full)
        return;
    double apart = fabs(plume(2 * cells, 1.0 / 60, seconds, 1) / mean - 1);
    printf("  height at 128 cells against the mean at 64: %.2f %% apart (goal 4 %%)\n",
           100 * apart);
    CHECK_FIGURE("plume: height at 64 and at 128 cells", apart, 0.08);
}

TESTS(validation_plume)
{
    TEST(rises_as_high);
}
