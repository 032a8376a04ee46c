/* initial.c -- how a fill moves when it appears. With xi = x - center_x, y over the bed:
 *
 *     rotation        v = spin x (x - center)
 *     shear           velocity (y - center_y) / length
 *     standing wave   linear theory, in the moment when the surface is flat and rises at the
 *                     antinode: w^2 = g k tanh(k h),
 *                       u = -a w sin(k xi) cosh(k y) / sinh(k h)
 *                       v =  a w cos(k xi) sinh(k y) / sinh(k h)
 *     solitary wave   Boussinesq's first order, running to +x: eta = H sech^2(kappa xi),
 *                     kappa = sqrt(3 H / (4 h^3)), c = sqrt(g (h + H)); a wave that keeps its form
 *                     carries c eta through every section, so
 *                       u = c eta / (h + eta),  v = -y du/dx
 *
 * exp is a series here: libm's differs between machines. */
#include "initial.h"

#include "shapes.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static double exponential(double x)
{
    int halvings = 0;
    double sum = 1, term = 1;
    x = fmin(fmax(x, -700), 700);
    for (; fabs(x) > 0.5; halvings++)
        x *= 0.5;
    for (int k = 1; k < 16; k++) {
        term *= x / k;
        sum += term;
    }
    for (; halvings > 0; halvings--)
        sum *= sum;
    return sum;
}

/* cosh(y) / sinh(h) and sinh(y) / sinh(h), h > 0, also where these are huge. */
static void hyperbolic(double y, double h, double *cosine, double *sine)
{
    double rise = exponential(y - h), fall = exponential(-y - h), all = 1 - exponential(-2 * h);
    *cosine = (rise + fall) / all;
    *sine = (rise - fall) / all;
}

static void standing_wave(const spate_shape *fill, double gravity, const double x[3], double v[3])
{
    double k = 2 * PI / fill->initial.length, h = fill->initial.depth, sine, cosine, ch, sh;
    double tanh_kh = (1 - exponential(-2 * k * h)) / (1 + exponential(-2 * k * h));
    double speed = fill->initial.height * sqrt(gravity * k * tanh_kh);
    sp_sincos_degrees(360 * (x[0] - fill->initial.center[0]) / fill->initial.length, &sine,
                      &cosine);
    hyperbolic(k * (x[1] - fill->initial.center[1]), k * h, &ch, &sh);
    v[0] -= speed * sine * ch;
    v[1] += speed * cosine * sh;
}

/* eta, and tanh(kappa xi) kappa */
static double solitary_height(const spate_shape *fill, double x, double *steepness)
{
    double h = fill->initial.depth, crest = fill->initial.height;
    double kappa = sqrt(0.75 * crest / (h * h * h)), xi = kappa * (x - fill->initial.center[0]);
    double fall = exponential(-2 * fabs(xi)), sech = 4 * fall / ((1 + fall) * (1 + fall));
    *steepness = kappa * (xi < 0 ? -1 : 1) * (1 - fall) / (1 + fall);
    return crest * sech;
}

static void solitary_wave(const spate_shape *fill, double gravity, const double x[3], double v[3])
{
    double h = fill->initial.depth, c = sqrt(gravity * (h + fill->initial.height)), steepness;
    double eta = solitary_height(fill, x[0], &steepness), slope = -2 * steepness * eta;
    v[0] += c * eta / (h + eta);
    v[1] -= (x[1] - fill->initial.center[1]) * c * h * slope / ((h + eta) * (h + eta));
}

void sp_initial_velocity(const spate_shape *fill, double gravity, const double x[3], double v[3])
{
    const double *spin = fill->initial.spin, *center = fill->initial.center;
    memcpy(v, fill->velocity, 3 * sizeof *v);
    switch (fill->initial.kind) {
    case SPATE_INITIAL_UNIFORM: break;
    case SPATE_INITIAL_ROTATION:
        for (int d = 0; d < 3; d++) {
            int a = (d + 1) % 3, b = (d + 2) % 3;
            v[d] += spin[a] * (x[b] - center[b]) - spin[b] * (x[a] - center[a]);
        }
        break;
    case SPATE_INITIAL_SHEAR:
        for (int d = 0; d < 3; d++)
            v[d] *= (x[1] - center[1]) / fill->initial.length;
        break;
    case SPATE_INITIAL_STANDING_WAVE: standing_wave(fill, gravity, x, v); break;
    case SPATE_INITIAL_SOLITARY_WAVE: solitary_wave(fill, gravity, x, v); break;
    }
}

double sp_initial_surface(const spate_shape *fill, const double x[3])
{
    double steepness;
    if (fill->initial.kind != SPATE_INITIAL_SOLITARY_WAVE)
        return HUGE_VAL;
    return fill->initial.center[1] + fill->initial.depth + solitary_height(fill, x[0], &steepness);
}
