/* rayleigh_taylor.c -- warm gas under cold gas: a small wave on the border between them grows as
 * linear theory says.
 *
 * The box is one wavelength wide and two high, periodic along x. The gas below the border is
 * lighter, so that g (rho_2 - rho_1) / (rho_2 + rho_1) is 1 m/s^2 in the sense of Boussinesq, and a
 * wave of wave number k grows at the rate n = sqrt(k) 1/s. It begins as the eigenmode, with an
 * amplitude of 0.05 / (k e^2), and is looked at over 2 e-foldings: the amplitude by the heat in
 * each column of cells, and by the velocity at the height of the border. The border is smeared over
 * one cell: a sharp one lies inside the layering of the particles. 64 cells, two steps, three
 * seeds; the fast form is 32 cells, one step and one seed. */
#include "case.h"

#define PI 3.14159265358979323846
#define WAVE (2 * PI)               /* 1/m */
#define RATE 2.50662827463100050242 /* 1/s: sqrt(2 PI) */
#define T0 293.15

typedef struct wave {
    double amplitude, dx, heat; /* m, m, K */
} wave;

static void velocity_at(const void *args, const double x[3], double v[3])
{
    const wave *w = args;
    double z = x[1] - 1, size = w->amplitude * RATE * exp(-WAVE * fabs(z));
    v[0] = (z > 0 ? 1 : -1) * size * sin(WAVE * x[0]);
    v[1] = size * cos(WAVE * x[0]);
}

static double heat_at(const void *args, const double x[3])
{
    const wave *w = args;
    double share = (w->amplitude * cos(WAVE * x[0]) - (x[1] - 1)) / w->dx + 0.5;
    return w->heat * fmin(fmax(share, 0), 1);
}

/* The particles that are there, with the velocities of the wave and its heat. */
static bool begin(spate_sim *sim, const wave *w)
{
    return case_set_velocities(sim, velocity_at, w) &&
           case_set_channel(sim, "temperature", heat_at, w);
}

/* Of the mode: by the heat above the border's height and by the velocity there. */
typedef struct mode {
    double amplitude, speed;
} mode;

static mode mode_of(spate_sim *sim, const wave *w)
{
    mode m = {0, 0};
    spate_field_view t, v;
    sample_stats(sim);
    if (!spate_sim_field_view(sim, "v", &v) || !spate_sim_field_view(sim, "temperature", &t))
        return m;
    int n = t.count[0], middle = v.count[1] / 2;
    for (int i = 0; i < n; i++) {
        double column = 0, share = 2 * cos(WAVE * (i + 0.5) / n) / n;
        for (int j = 0; j < t.count[1]; j++)
            column += t.values[i * t.stride[0] + j * t.stride[1]];
        m.amplitude += share * column * w->dx / w->heat;
        m.speed += share * v.values[i * v.stride[0] + middle * v.stride[1]];
    }
    return m;
}

/* Rates of growth against the theory's, less 1. */
static mode grow(int cells, double step, int seed)
{
    wave w = {0.05 / WAVE / exp(2), 1.0 / cells, 2 * T0 / GRAVITY};
    spate_scene *scene = case_scene(2, w.dx, 1, 2, 0);
    mode error = {1, 1};
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->fluid.seed = (unsigned)seed;
    scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    spate_channel *heat = spate_scene_add_channel(scene);
    snprintf(heat->name, sizeof heat->name, "temperature");
    spate_sim *sim = case_start(scene);
    if (!sim || !begin(sim, &w))
        return error;
    double dt = step / RATE;
    int steps = (int)(2 / step + 0.5);
    case_step(sim, dt);
    mode first = mode_of(sim, &w);
    for (int k = 1; k < steps; k++)
        case_step(sim, dt);
    mode last = mode_of(sim, &w);
    double time = (steps - 1) * dt;
    error.amplitude = log(last.amplitude / first.amplitude) / time / RATE - 1;
    error.speed = log(last.speed / first.speed) / time / RATE - 1;
    spate_sim_destroy(sim);
    return error;
}

static void warm_under_cold(void)
{
    static const double steps[] = {0.1, 0.025};
    int cells = case_full ? 64 : 32, seeds = case_full ? 3 : 1;
    double limit = case_full ? 0.05 : 0.1;
    for (int k = 0; k < (case_full ? 2 : 1); k++)
        for (int seed = 1; seed <= seeds; seed++) {
            char name[64];
            mode error = grow(cells, steps[k], seed);
            snprintf(name, sizeof name, "growth by the border, n dt %g, seed %d", steps[k], seed);
            CHECK_FIGURE(name, fabs(error.amplitude), limit);
            snprintf(name, sizeof name, "growth by the velocity, n dt %g, seed %d", steps[k], seed);
            CHECK_FIGURE(name, fabs(error.speed), limit);
        }
}

TESTS(validation_rayleigh_taylor)
{
    TEST(warm_under_cold);
}
