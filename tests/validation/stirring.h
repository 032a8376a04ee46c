/* stirring.h -- a random flow that stirs a closed box of gas of 1 m, and how its particles are
 * spread over the cells.
 *
 * The flow has the modes 1 to 6 along each axis. A mode (m, n, l) has the velocity
 *
 *     (a sin(m pi x) cos(n pi y) cos(l pi z), b cos sin cos, c cos cos sin),   a m + b n + c l = 0,
 *
 * which goes through no wall and is free of divergence. In 2D (l = 0, c = 0) a and b come from a
 * stream function of the amplitude 1 / (m^2 + n^2) times a random number, in 3D from a random
 * vector of the size 1 / k^3, so that in both the larger eddies have more of the energy. */
#ifndef SPATE_VALIDATION_STIRRING_H
#define SPATE_VALIDATION_STIRRING_H

#include "eddies.h"

#define MODES 6
#define SPEED 0.5 /* m/s, the root of the mean square */

typedef struct stirring {
    int dim;
    double size[MODES + 1][MODES + 1][MODES + 1][3]; /* m/s, [m][n][l] */
} stirring;

/* A number between -0.5 and 0.5. */
static inline double stirring_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1u << 31) - 0.5;
}

/* A case_velocity_fn. */
static inline void stirring_velocity(const void *args, const double x[3], double v[3])
{
    const stirring *f = args;
    double s[3][MODES + 1], c[3][MODES + 1];
    for (int d = 0; d < 3; d++)
        for (int k = 0; k <= MODES; k++) {
            s[d][k] = sin(k * PI * x[d]);
            c[d][k] = d < f->dim ? cos(k * PI * x[d]) : 1;
        }
    for (int m = 1; m <= MODES; m++)
        for (int n = 1; n <= MODES; n++)
            for (int l = f->dim == 3; l <= (f->dim == 3 ? MODES : 0); l++) {
                const double *size = f->size[m][n][l];
                v[0] += size[0] * s[0][m] * c[1][n] * c[2][l];
                v[1] += size[1] * c[0][m] * s[1][n] * c[2][l];
                v[2] += size[2] * c[0][m] * c[1][n] * s[2][l];
            }
}

static inline void stirring_mode(stirring *f, int m, int n, int l, uint64_t *state)
{
    double *size = f->size[m][n][l], k[3] = {m, n, l}, along = 0, square = m * m + n * n + l * l;
    if (f->dim == 2) {
        double a = stirring_random(state) / square * PI;
        size[0] = a * n;
        size[1] = -a * m;
        return;
    }
    for (int d = 0; d < 3; d++) {
        size[d] = stirring_random(state) / square / sqrt(square);
        along += size[d] * k[d] / square;
    }
    for (int d = 0; d < 3; d++)
        size[d] -= along * k[d];
}

static inline stirring stirring_make(int dim, int seed)
{
    stirring f = {.dim = dim};
    uint64_t state = (uint64_t)seed;
    double square = 0;
    int n = dim == 3 ? 24 : 100, layers = dim == 3 ? n : 1, places = n * n * layers;
    for (int a = 1; a <= MODES; a++)
        for (int b = 1; b <= MODES; b++)
            for (int c = dim == 3; c <= (dim == 3 ? MODES : 0); c++)
                stirring_mode(&f, a, b, c, &state);
    for (int k = 0; k < places; k++) {
        double x[3] = {(k % n + 0.5) / n, (k / n % n + 0.5) / n, (k / n / n + 0.5) / n}, v[3] = {0};
        stirring_velocity(&f, x, v);
        square += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / places;
    }
    double *size = &f.size[0][0][0][0];
    for (size_t k = 0; k < sizeof f.size / sizeof *size; k++)
        size[k] *= SPEED / sqrt(square);
    return f;
}

/* ---- what is looked at */

/* Sum of u^2 over the faces. */
static inline double stirring_energy(spate_sim *sim)
{
    static const char *const names[3] = {"u", "v", "w"};
    double sum = 0;
    for (int d = 0; d < spate_sim_dim(sim); d++) {
        spate_field_view u;
        if (!spate_sim_field_view(sim, names[d], &u))
            return 0;
        for (int k = 0; k < u.count[2]; k++)
            for (int j = 0; j < u.count[1]; j++)
                for (int i = 0; i < u.count[0]; i++) {
                    double value = u.values[i * u.stride[0] + j * u.stride[1] + k * u.stride[2]];
                    sum += value * value;
                }
    }
    return sum;
}

/* Of the cells that are free of solids: how many are empty, shares that hold fewer than 3 and more
 * than 12 particles, and the standard deviation; of the energy: the share that is lost. */
typedef struct spread {
    double empty, few, crowded, deviation, lost;
} spread;

/* solid: NULL, or the centre and radius of a disc; the cells that it may touch are left out. */
static inline spread stirring_spread(spate_sim *sim, int cells, const double solid[3])
{
    spread s = {0};
    spate_particles_view view = sample_view(sim);
    int dim = spate_sim_dim(sim), all = cells * cells * (dim == 3 ? cells : 1), looked = 0;
    int *count = calloc((size_t)all, sizeof *count);
    double sum = 0, square = 0;
    for (size_t k = 0; k < view.count && count; k++) {
        int z = dim == 3 ? (int)view.x[2][k] : 0;
        count[(int)view.x[0][k] + cells * ((int)view.x[1][k] + cells * z)]++;
    }
    for (int c = 0; c < all && count; c++) {
        double a = (c % cells + 0.5) / cells, b = (c / cells % cells + 0.5) / cells;
        if (solid && hypot(a - solid[0], b - solid[1]) < solid[2] + 0.75 / cells)
            continue;
        looked++;
        s.empty += count[c] == 0;
        s.few += count[c] < 3;
        s.crowded += count[c] > 12;
        sum += count[c];
        square += (double)count[c] * count[c];
    }
    CHECK(count != NULL && looked > 0);
    free(count);
    double mean = sum / looked;
    return (spread){s.empty, s.few / looked, s.crowded / looked,
                    sqrt(fmax(square / looked - mean * mean, 0)), 0};
}

static inline spread stirring_worse(spread a, spread b)
{
    return (spread){fmax(a.empty, b.empty), fmax(a.few, b.few), fmax(a.crowded, b.crowded),
                    fmax(a.deviation, b.deviation), fmax(a.lost, b.lost)};
}

static inline void stirring_print(const char *when, const spread *s)
{
    printf("    %-12s empty cells %g, fewer than 3 in %.4f %%, more than 12 in %.3f %%, deviation "
           "%.3f\n",
           when, s->empty, 100 * s->few, 100 * s->crowded, s->deviation);
}

/* A channel: its sum over the particles (in that of one particle) and its integral over the cells,
 * the range on the particles, and the range on the cells of the gas. */
typedef struct stirring_sums {
    double particles, cells, range[2], cell_range[2];
} stirring_sums;

static inline stirring_sums stirring_channel(spate_sim *sim, const char *name)
{
    stirring_sums s = {0, 0, {HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}};
    spate_channel_sums sums;
    spate_field_view c, type;
    float *columns[4];
    sample_stats(sim);
    CHECK(spate_sim_channel_view(sim, name, columns) == 1);
    CHECK(spate_sim_channel_sums(sim, name, 0, &sums));
    CHECK(spate_sim_field_view(sim, name, &c) && spate_sim_field_view(sim, "type", &type));
    size_t count = spate_sim_particles_count(sim, "fluid");
    for (size_t k = 0; k < count; k++) {
        s.particles += columns[0][k];
        s.range[0] = fmin(s.range[0], columns[0][k]);
        s.range[1] = fmax(s.range[1], columns[0][k]);
    }
    for (int k = 0; k < c.count[2]; k++)
        for (int j = 0; j < c.count[1]; j++)
            for (int i = 0; i < c.count[0]; i++) {
                double value = c.values[i * c.stride[0] + j * c.stride[1] + k * c.stride[2]];
                if (type.bytes[i * type.stride[0] + j * type.stride[1] + k * type.stride[2]] !=
                    SPATE_CELL_LIQUID)
                    continue;
                s.cell_range[0] = fmin(s.cell_range[0], value);
                s.cell_range[1] = fmax(s.cell_range[1], value);
            }
    s.cells = sums.cells;
    return s;
}

/* A case_value_fn: the height, and 1 in the left half. */
static inline double stirring_height(const void *args, const double x[3])
{
    (void)args;
    return x[1];
}

static inline double stirring_half(const void *args, const double x[3])
{
    (void)args;
    return x[0] < 0.5;
}

#endif
