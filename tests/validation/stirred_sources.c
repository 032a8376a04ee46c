/* stirred_sources.c -- the stirred box of gas (stirred.c) with all that acts on a channel at once:
 * a source that holds heat and smoke, one that gives dye at a rate, buoyancy, a disc that moves to
 * and fro, and the net. The height of its start is a fourth channel, on which nothing acts.
 *
 * For every channel, in every frame: the sum over the particles is the one at the start and what
 * the ledger has booked since; no value, on particles or in cells, is beyond what was there at the
 * start or what sources can have given; no particle is lost or in the disc. The integral over the
 * cells goes with the sum over the particles: within 0.1 % for the height, at any time. A channel
 * that a small source feeds is far from mixed, and so many particles as chance puts into its cloud
 * decide how far the two are apart: that is printed, and bounded by 2 %.
 *
 * 64 x 64 cells, 60 s at CFL 2, three seeds, each with its own place of the disc against the grid;
 * the fast form is 32 x 32 cells, 6 s and two seeds. A second case takes all particles out of a box
 * of 7 x 7 cells every 2 s: the net fills the holes. */
#include "stirring.h"

#define T0 293.15
#define WARMER 20.0 /* K, of what the fire holds */
#define SMOKE 0.01  /* kg/m^3 */
#define RATE 0.05   /* 1/s, of dye */
#define CHANNELS 4

static const char *const names[CHANNELS] = {"temperature", "smoke", "dye", "height"};

/* The disc goes to and fro along x once in 8 s. */
static void add_disc(spate_scene *scene, double x, double y, double seconds)
{
    spate_shape *disc = case_add(scene, SPATE_LIST_SOLIDS, SPATE_SHAPE_SPHERE);
    disc->center[0] = x;
    disc->center[1] = y;
    disc->radius = 0.1;
    for (int k = 0; 2 * k - 2 < seconds; k++) {
        spate_keyframe *key = spate_shape_add_keyframe(disc);
        static const double places[4] = {0, 0.2, 0, -0.2};
        *key = (spate_keyframe){.time = 2 * k, .position = {places[k % 4], 0, 0}};
    }
}

static spate_sim *start(int cells, double seconds, int seed)
{
    spate_scene *scene = eddies_scene(cells, false, seed);
    scene->fps = 4;
    scene->time.cfl = 2;
    for (int k = 2; k < CHANNELS; k++)
        snprintf(spate_scene_add_channel(scene)->name, 32, "%s", names[k]);
    spate_shape *fire = case_add(scene, SPATE_LIST_SOURCES, SPATE_SHAPE_SPHERE);
    fire->center[0] = 0.3;
    fire->center[1] = 0.15;
    fire->radius = 0.08;
    fire->temperature = T0 + WARMER;
    fire->smoke = SMOKE;
    spate_shape *vent = case_add(scene, SPATE_LIST_SOURCES, SPATE_SHAPE_SPHERE);
    vent->mode = SPATE_SOURCE_RATE;
    vent->center[0] = 0.75;
    vent->center[1] = 0.82;
    vent->radius = 0.1;
    spate_channel_value *dye = spate_shape_add_value(vent);
    snprintf(dye->name, sizeof dye->name, "dye");
    dye->value[0] = RATE;
    add_disc(scene, 0.5 + 0.37 * (seed - 1) / cells, 0.55 + 0.23 * (seed - 1) / cells, seconds);
    return case_start(scene);
}

/* Takes out what is in a box of 7 x 7 cells near the upper left corner; returns how many. */
static size_t make_hole(spate_sim *sim, int cells)
{
    spate_shape hole = sample_shape();
    spate_error error = {.status = SPATE_OK};
    size_t removed = 0;
    hole.shape = SPATE_SHAPE_BOX;
    hole.min[0] = 4.0 / cells;
    hole.max[0] = 11.0 / cells;
    hole.min[1] = 1 - 11.0 / cells;
    hole.max[1] = 1 - 4.0 / cells;
    CHECK(spate_sim_remove_particles(sim, &hole, &removed, &error) == SPATE_OK && removed > 0);
    return removed;
}

/* What the ledger of a channel has booked so far, and the start. */
static double booked(const spate_channel_sums *s)
{
    return s->start + s->sources + s->dissipated + s->mixed + s->came + s->left;
}

typedef struct ledger {
    double first[CHANNELS]; /* sums over the particles, less what is booked */
    double off[CHANNELS];   /* the most by which the sum is off what is booked, a share */
    double cells[CHANNELS]; /* the most by which the integral over the cells is off, a share */
    double ratio[CHANNELS]; /* of the two at the start; 1 if there is nothing */
    double limit[CHANNELS]; /* the largest value that may be */
    double low[CHANNELS];   /* the least */
} ledger;

static void look(spate_sim *sim, ledger *l)
{
    double time = spate_sim_time(sim);
    l->limit[2] = RATE * time;
    for (int k = 0; k < CHANNELS; k++) {
        spate_channel_sums s;
        stirring_sums now = stirring_channel(sim, names[k]);
        CHECK(spate_sim_channel_sums(sim, names[k], 0, &s));
        CHECK(s.particles > 0);
        double off = fabs(s.cells / s.particles / l->ratio[k] - 1);
        l->off[k] = fmax(l->off[k], fabs(l->first[k] + booked(&s) - s.particles) / s.particles);
        l->cells[k] = fmax(l->cells[k], off);
        double most = l->limit[k] * (1 + 1e-6), least = l->low[k] * (1 - 1e-6); /* rounding */
        CHECK(now.range[0] >= least && now.range[1] <= most);
        CHECK(now.cell_range[0] >= least && now.cell_range[1] <= most);
    }
}

static void begin_ledger(spate_sim *sim, ledger *l)
{
    memset(l, 0, sizeof *l);
    l->limit[0] = (float)WARMER;
    l->limit[1] = (float)SMOKE;
    for (int k = 0; k < CHANNELS; k++) {
        spate_channel_sums s;
        stirring_sums now = stirring_channel(sim, names[k]);
        CHECK(spate_sim_channel_sums(sim, names[k], 0, &s));
        l->first[k] = s.particles - booked(&s);
        l->ratio[k] = s.particles > 0 ? s.cells / s.particles : 1;
        if (k == CHANNELS - 1) {
            l->low[k] = now.range[0];
            l->limit[k] = now.range[1];
        }
    }
}

/* The place of the disc. */
static void find_disc(double time, int cells, int seed, double disc[3])
{
    double phase = fmod(time, 8);
    double way = phase < 2 ? phase : phase < 6 ? 4 - phase : phase - 8;
    disc[0] = 0.5 + 0.37 * (seed - 1) / cells + 0.1 * way;
    disc[1] = 0.55 + 0.23 * (seed - 1) / cells;
    disc[2] = 0.1;
}

static void print(spate_sim *sim, const ledger *l)
{
    for (int k = 0; k < CHANNELS; k++) {
        spate_channel_sums s;
        CHECK(spate_sim_channel_sums(sim, names[k], 0, &s));
        printf("    %-12s sum %.5g (sources %.4g, net and holes %.3g), off the ledger by %.1e, "
               "cells off by %.3f %%\n",
               names[k], s.particles, s.sources, s.came + s.left, l->off[k], 100 * l->cells[k]);
    }
}

static ledger run(int cells, double seconds, int seed, bool holes)
{
    ledger l = {0};
    spread all = {0};
    spate_sim *sim = start(cells, seconds, seed);
    stirring f = stirring_make(2, seed);
    if (!sim || !case_set_velocities(sim, stirring_velocity, &f) ||
        !case_set_channel(sim, "height", stirring_height, NULL))
        return l;
    begin_ledger(sim, &l);
    size_t count = spate_sim_particles_count(sim, "fluid");
    while (spate_sim_time(sim) < seconds - 1e-6 && case_step(sim, 0)) {
        double disc[3];
        spate_stats stats = sample_stats(sim);
        CHECK(stats.particles == count && stats.removed_crushed == 0 && stats.in_solid == 0);
        CHECK(stats.added_reseed == stats.removed_reseed);
        look(sim, &l);
        find_disc(spate_sim_time(sim), cells, seed, disc);
        all = stirring_worse(all, stirring_spread(sim, cells, disc));
        if (holes && spate_sim_frame(sim) % 8 == 4)
            count -= make_hole(sim, cells);
    }
    uint64_t given = sample_stats(sim).added_reseed;
    printf("  seed %d, %d^2 cells, %g s, %llu steps: the net gave %llu particles\n", seed, cells,
           seconds, (unsigned long long)spate_sim_steps(sim), (unsigned long long)given);
    stirring_print("every frame", &all);
    print(sim, &l);
    CHECK(!holes || given > 0);
    CHECK(holes || all.empty == 0);
    spate_sim_destroy(sim);
    return l;
}

static void check(const char *what, int seed, const char *channel, double value, double limit)
{
    char name[100];
    snprintf(name, sizeof name, "stirred with sources, seed %d: %s of %s", seed, what, channel);
    CHECK_FIGURE(name, value, limit);
}

static void the_ledger_holds(void)
{
    int cells = case_full ? 64 : 32, seeds = case_full ? 3 : 2;
    double mixed = case_full ? 0.001 : 0.003; /* a fourth of the cells */
    for (int seed = 1; seed <= seeds; seed++) {
        ledger l = run(cells, case_full ? 60 : 6, seed, false);
        for (int k = 0; k < CHANNELS; k++) {
            check("ledger", seed, names[k], l.off[k], 1e-6);
            check("integral over the cells", seed, names[k], l.cells[k],
                  k == CHANNELS - 1 ? mixed : 0.02);
        }
    }
}

/* The holes take a twentieth of the gas, of which the integral over the cells knows nothing. */
static void the_net_fills_holes(void)
{
    for (int seed = 1; seed <= (case_full ? 3 : 1); seed++) {
        ledger l = run(32, 6, seed, true);
        for (int k = 0; k < CHANNELS; k++)
            check("ledger with holes", seed, names[k], l.off[k], 1e-6);
    }
}

TESTS(validation_stirred_sources)
{
    TEST(the_ledger_holds);
    TEST(the_net_fills_holes);
}
