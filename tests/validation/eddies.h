/* eddies.h -- what the cases of eddies in a gas share: a box of 1 m that is full of gas, the
 * velocity field of a vorticity, and what is measured on the faces. */
#ifndef SPATE_VALIDATION_EDDIES_H
#define SPATE_VALIDATION_EDDIES_H

#include "case.h"

#include <complex.h>
#undef I

#define PI 3.14159265358979323846

/* Of a square of 1 m, periodic or closed. */
static inline spate_scene *eddies_scene(int cells, bool periodic, int seed)
{
    spate_scene *scene = case_scene(2, 1.0 / cells, 1, 1, 0);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->fluid.seed = (unsigned)seed;
    for (int d = 0; d < 2 && periodic; d++)
        scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
    return scene;
}

/* Two steps that move nothing: particles come without gradients and find them. */
static inline bool eddies_find_gradients(spate_sim *sim)
{
    return case_step(sim, 1e-9) && case_step(sim, 1e-9);
}

/* ---- on the faces */

/* u of both components in the box of n cells; places are taken round the box. */
typedef struct eddies_faces {
    int n;
    spate_field_view u[2];
} eddies_faces;

static inline eddies_faces eddies_view(spate_sim *sim, int n)
{
    eddies_faces f = {.n = n};
    CHECK(spate_sim_field_view(sim, "u", &f.u[0]) && spate_sim_field_view(sim, "v", &f.u[1]));
    return f;
}

static inline double eddies_u(const eddies_faces *f, int d, int i, int j)
{
    const spate_field_view *u = &f->u[d];
    i = (i % f->n + f->n) % f->n;
    j = (j % f->n + f->n) % f->n;
    return u->values[i * u->stride[0] + j * u->stride[1]];
}

/* At the low corner of a cell, 1/s. */
static inline double eddies_curl(const eddies_faces *f, int i, int j)
{
    return f->n * (eddies_u(f, 1, i, j) - eddies_u(f, 1, i - 1, j) - eddies_u(f, 0, i, j) +
                   eddies_u(f, 0, i, j - 1));
}

static inline double eddies_energy(const eddies_faces *f)
{
    double sum = 0;
    for (int d = 0; d < 2; d++)
        for (int j = 0; j < f->n; j++)
            for (int i = 0; i < f->n; i++)
                sum += eddies_u(f, d, i, j) * eddies_u(f, d, i, j);
    return sum;
}

static inline double eddies_enstrophy(const eddies_faces *f)
{
    double sum = 0;
    for (int j = 0; j < f->n; j++)
        for (int i = 0; i < f->n; i++)
            sum += eddies_curl(f, i, j) * eddies_curl(f, i, j);
    return sum;
}

/* ---- the velocity of a vorticity in a periodic box, of mean 0 */

#define EDDIES_FINE 256 /* places along a side: a power of 2 */

typedef struct eddies_field {
    float u[2][EDDIES_FINE * EDDIES_FINE];
    double fastest; /* the largest component */
} eddies_field;

static inline void eddies_fourier(double complex *v, size_t stride, int sign)
{
    enum { N = EDDIES_FINE };
    double complex line[N];
    for (int k = 0; k < N; k++) { /* in the order of reversed bits */
        int from = 0;
        for (int bit = 1; bit < N; bit *= 2)
            from |= k & bit ? N / 2 / bit : 0;
        line[k] = v[(size_t)from * stride];
    }
    for (int half = 1; half < N; half *= 2) {
        double complex turn = cexp(sign * PI / half * _Complex_I), factor = 1;
        for (int m = 0; m < half; m++, factor *= turn)
            for (int k = m; k < N; k += 2 * half) {
                double complex odd = factor * line[k + half];
                line[k + half] = line[k] - odd;
                line[k] += odd;
            }
    }
    for (int k = 0; k < N; k++)
        v[(size_t)k * stride] = line[k];
}

static inline void eddies_fourier_2d(double complex *v, int sign)
{
    for (size_t k = 0; k < EDDIES_FINE; k++)
        eddies_fourier(v + k * EDDIES_FINE, 1, sign);
    for (size_t k = 0; k < EDDIES_FINE; k++)
        eddies_fourier(v + k, EDDIES_FINE, sign);
}

/* NULL without memory; to be freed. */
static inline eddies_field *eddies_of_vorticity(double (*curl)(const void *, double, double),
                                                const void *args)
{
    enum { N = EDDIES_FINE };
    eddies_field *f = calloc(1, sizeof *f);
    double complex *w = malloc(2 * N * N * sizeof *w);
    CHECK(f && w);
    for (int k = 0; k < N * N && f && w; k++)
        w[k] = curl(args, (double)(k % N) / N, (double)(k / N) / N);
    if (f && w)
        eddies_fourier_2d(w, -1);
    for (int d = 0; d < 2 && f && w; d++) {
        double complex *u = w + N * N;
        for (int k = 0; k < N * N; k++) {
            int i = k % N, j = k / N;
            double kx = 2 * PI * (i <= N / 2 ? i : i - N), ky = 2 * PI * (j <= N / 2 ? j : j - N);
            double square = kx * kx + ky * ky, along = d == 0 ? ky : -kx;
            u[k] = square > 0 ? w[k] * _Complex_I * along / square / (N * N) : 0;
        }
        eddies_fourier_2d(u, 1);
        for (int k = 0; k < N * N; k++) {
            f->u[d][k] = (float)creal(u[k]);
            f->fastest = fmax(f->fastest, fabs(creal(u[k])));
        }
    }
    free(w);
    return f;
}

/* A case_velocity_fn. */
static inline void eddies_read(const void *field, const double x[3], double v[3])
{
    enum { N = EDDIES_FINE };
    const eddies_field *f = field;
    double a = (x[0] - floor(x[0])) * N, b = (x[1] - floor(x[1])) * N;
    int i = (int)a % N, j = (int)b % N, right = (i + 1) % N, up = (j + 1) % N;
    a -= floor(a);
    b -= floor(b);
    for (int d = 0; d < 2; d++)
        v[d] = (1 - b) * ((1 - a) * f->u[d][j * N + i] + a * f->u[d][j * N + right]) +
               b * ((1 - a) * f->u[d][up * N + i] + a * f->u[d][up * N + right]);
}

/* ---- where an eddy is */

/* The place of curl^2: along x round the box, along y in it. */
static inline void eddies_place(const eddies_faces *f, double place[2])
{
    double complex sum = 0;
    double all = 0, height = 0;
    for (int j = 0; j < f->n; j++)
        for (int i = 0; i < f->n; i++) {
            double curl = eddies_curl(f, i, j), square = curl * curl;
            sum += square * cexp(2 * PI * i / f->n * _Complex_I);
            height += square * j / f->n;
            all += square;
        }
    place[0] = carg(sum) / (2 * PI);
    place[1] = height / all;
}

/* Of -curl over the half of the box above y, m^2/s. */
static inline double eddies_circulation(const eddies_faces *f, double y)
{
    int middle = (int)floor(y * f->n + 0.5);
    double sum = 0;
    for (int j = middle + 1; j < middle + f->n / 2; j++)
        for (int i = 0; i < f->n; i++)
            sum -= eddies_curl(f, i, j) / ((double)f->n * f->n);
    return sum;
}

#endif
