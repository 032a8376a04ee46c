/* whitewater.h -- WHITEWATER: foam, spray, bubbles and dust, particles that the liquid carries and
 * that never act on it. What they are, how one moves and ages; whitewater_emit.h has how they come.
 *
 * Class, each step, by the distance b to the surface (cells, band.h, positive in the air) where the
 * particle is as the step begins:
 *
 *     spray    above        foam    about the surface, -0.15 .. 0.65       bubble    below
 *
 * with hysteresis: foam becomes spray beyond 0.8 and a bubble below -0.3. Spray that meets the
 * liquid at LANDING m/s or faster becomes foam, slower it is gone (`merged`); at less than
 * sqrt(g dx) it is foam that a ripple left behind for a moment, and becomes that again.
 *
 * Motion, implicit in the drag, so that the way does not depend on dt:
 *
 *     spray    v' = (v + dt (g + c |s| wind)) / (1 + c |s| dt),  s = v - wind,  x' = x + dt (v +
 * v') / 2 c  = 3/8 (air / water) C_d / r, C_d by the size of the drop, so that it falls as fast as
 *              Gunn & Kinzer (1949) measured; collisions with restitution
 *     bubble   v' = (v + (dt / tau) (u + w up)) / (1 + dt / tau),  tau = w / (2 g),
 *              w  the smaller of that of a rigid sphere (Schiller & Naumann 1933) and Mendelson's
 *              (1967) wave analogy sqrt(2.14 sigma / (rho d) + 0.505 g d)
 *     foam     with u, and towards the surface with a time of relaxation
 *     dust     as a bubble that sinks, at the speed of Ferguson & Church (2004)
 *
 * u is taken half a step ahead, by the particle's last velocity. Positions and velocities are finer
 * than floats (fine.h). Age grows by dt times the rate of the class, slower in crowded foam; at the
 * end of its life a particle is gone (`aged`). */
#ifndef SPATE_KERNELS_WHITEWATER_H
#define SPATE_KERNELS_WHITEWATER_H

#include "band.h"
#include "emit.h"
#include "fine.h"
#include "obstacles.h"
#include "random.h"
#include "rk.h"
#include "tiles.h"

/* The columns of a set of whitewater, by name and type. Range functions make one for themselves, so
 * that the compiler keeps the pointers in registers. */
typedef struct X(white) {
    float *x[DIM], *v[DIM];
    uint32_t *id;
#define COLUMN(name, shape, type, ...) type SHAPE_##shape(name);
#include "whitewater.def"
} X(white);

/* The columns of p. The pointers are good until the set is sorted or grows. */
SP_KERNEL X(white) X(white_of)(const X(particles) *p)
{
    X(white) columns;
    float *const *own = p->own;
    FOR_DIM(d) {
        columns.x[d] = p->x[d];
        columns.v[d] = p->v[d];
    }
    columns.id = p->id[0];
#define COLUMN(name, shape, ...)                     \
    memcpy(&columns.name, own, sizeof columns.name); \
    own += POINTERS_##shape;
#include "whitewater.def"
    return columns;
}

enum {
#define CLASS(NAME, ...) WHITE_##NAME,
#include "whitewater.def"
    WHITE_KINDS
};
/* What the ledger counts: from one class to another, births, and why a particle is gone. */
enum {
    WHITE_STAYS = -1,
#define COUNT(NAME, ...) WHITE_##NAME,
#include "whitewater.def"
    WHITE_COUNTS,
    WHITE_TURNS = WHITE_EMITTED
};

#define FOAM_LOW (-0.15f) /* cells: foam is made between these */
#define FOAM_HIGH 0.65f
#define FOAM_DEEP (-0.3f) /* and stays foam between these */
#define FOAM_ABOVE 0.8f
#define LANDING 1.0f     /* m/s, against the liquid */
#define BOUNCE 0.2f      /* restitution of spray */
#define CROWDED_AGE 0.1f /* rate of ageing of foam where it is as crowded as can be */

/* Tables by radius, eight values for each doubling, linear between. */
#define WHITE_FIRST 0x37000000u /* the bits of 2^-17 m as a float */
#define WHITE_TABLE 97

typedef struct X(whitewater) {
    double dt, way;            /* s; cells that 1 m/s goes in it */
    float dx, h;               /* m; dt / dx */
    float width;               /* cells, of the band */
    uint64_t key;              /* of the random numbers of the step */
    uint64_t choice;           /* of those that decide who stays where there are too many */
    double keep;               /* share that stays, 0 .. 1 */
    double gravity[DIM], pull; /* m/s^2, and its size */
    double up[DIM];            /* against it, of length 1; 0 without */
    double wind[DIM];          /* m/s */
    bool on[WHITE_KINDS];
    float ageing[WHITE_KINDS];               /* seconds of age in a second */
    float spray_drag, bubble_drag, buoyancy; /* factors */
    float settling;                          /* m/s, of dust */
    double approach;                     /* of the way to the surface that foam goes in the step */
    float crowd, crowd_low, crowd_scale; /* foam of a cell to 0 .. 1 */
    /* emission: whitewater_emit.h */
    int reach;                 /* cells: half of the length that fields are filtered to */
    float depth;               /* cells: how deep below the surface it is */
    float amount;              /* particles in a cell in the step, at most */
    float crest, air;          /* weights */
    float speed[2];            /* m^2/s^2: square of the low limit; 1 / (high^2 - low^2) */
    float curvature[2];        /* 1/cell: low limit; 1 / (high - low) */
    float strain[2];           /* 1/s: likewise */
    float dust, dust_speed[2]; /* particles in a cell beside the floor in the step, at most */
    float high[3];             /* upper limits: m/s, 1/cell, 1/s */
    float life[2];             /* s: least and most */
    double margin;             /* m, from walls and solids */
    double sizes[6];           /* of the law of radii: see white_radius */
    X(outflows) outflows, kill;
    float rise[WHITE_TABLE], drag[WHITE_TABLE]; /* m/s of bubbles; 1/m of drops, by radius */
} X(whitewater);

SP_KERNEL float X(white_value)(const float *table, float radius)
{
    uint32_t bits;
    memcpy(&bits, &radius, sizeof bits);
    if (!(radius > 0.0f) || bits < WHITE_FIRST)
        return table[0];
    uint32_t place = (bits - WHITE_FIRST) >> 20;
    if (place >= WHITE_TABLE - 1)
        return table[WHITE_TABLE - 1];
    float share = (float)(bits & 0xfffffu) * 0x1p-20f;
    return table[place] + share * (table[place + 1] - table[place]);
}

SP_KERNEL float X(white_table_radius)(int place)
{
    uint32_t bits = WHITE_FIRST + ((uint32_t)place << 20);
    float radius;
    memcpy(&radius, &bits, sizeof radius);
    return radius;
}

/* Whether a particle is one of those that stay where only the share `keep` may. */
SP_KERNEL bool X(white_is_kept)(const X(whitewater) *w, uint32_t id)
{
    return w->keep >= 1 || (double)sp_uniform(sp_hash2(w->choice, id)) < w->keep;
}

/* What happens to a particle in a step. */
typedef struct X(white_fate) {
    int kind, cause;        /* as it ends; WHITE_STAYS */
    int turns[WHITE_TURNS]; /* 0 or 1 of each */
} X(white_fate);

/* A particle in hand. */
typedef struct X(white_particle) {
    float x[DIM];           /* cells, as stored */
    double at[DIM], v[DIM]; /* cells, m/s, to the last bit */
    double to[DIM];         /* cells: where it goes */
    float u[DIM];           /* m/s, of the liquid, if it was asked for */
    float b, gradient[DIM]; /* distance to the surface, cells */
    float radius;
} X(white_particle);

/* The liquid's velocity half a step ahead. */
SP_KERNEL void X(white_flow)(const X(fields) *f, const X(whitewater) *w, X(white_particle) *q)
{
    float middle[DIM];
    FOR_DIM(d)
        middle[d] = (float)(q->at[d] + 0.5 * (double)w->h * q->v[d]);
    X(bring_in)(&f->grid, middle);
    X(velocity_at)(&f->grid, KERNEL_LINEAR, f->u, middle, q->u);
}

/* The class as the step begins. */
SP_KERNEL void X(white_class)(const X(fields) *f, const X(whitewater) *w, X(white_particle) *q,
                              X(white_fate) *fate)
{
    if (fate->kind == WHITE_DUST) {
        fate->cause = q->b > FOAM_HIGH ? WHITE_MERGED : WHITE_STAYS;
        return;
    }
    if (fate->kind == WHITE_SPRAY && q->b < FOAM_HIGH) {
        float slip = 0.0f;
        X(white_flow)(f, w, q);
        FOR_DIM(d)
            slip += ((float)q->v[d] - q->u[d]) * ((float)q->v[d] - q->u[d]);
        /* what has fallen less than half a cell never left the foam */
        if (slip < LANDING * LANDING && slip > (float)w->pull * w->dx) {
            fate->cause = WHITE_MERGED;
            return;
        }
        fate->kind = WHITE_FOAM;
        fate->turns[WHITE_LANDED] = 1;
        FOR_DIM(d)
            q->v[d] = (double)q->u[d];
    }
    if (fate->kind == WHITE_BUBBLE && q->b > FOAM_LOW) {
        fate->kind = WHITE_FOAM;
        fate->turns[WHITE_RISEN] = 1;
    }
    if (fate->kind == WHITE_FOAM && q->b > FOAM_ABOVE) {
        fate->kind = WHITE_SPRAY;
        fate->turns[WHITE_LIFTED] = 1;
    } else if (fate->kind == WHITE_FOAM && q->b < FOAM_DEEP) {
        fate->kind = WHITE_BUBBLE;
        fate->turns[WHITE_DRAGGED] = 1;
    }
    if (!w->on[fate->kind])
        fate->cause = WHITE_OFF;
}

SP_KERNEL void X(white_fly)(const X(whitewater) *w, X(white_particle) *q)
{
    double square = 0, c = (double)(w->spray_drag * X(white_value)(w->drag, q->radius));
    FOR_DIM(d)
        square += (q->v[d] - w->wind[d]) * (q->v[d] - w->wind[d]);
    double pull = c * sqrt(square);
    FOR_DIM(d) {
        double before = q->v[d];
        q->v[d] = (before + w->dt * (w->gravity[d] + pull * w->wind[d])) / (1 + pull * w->dt);
        q->to[d] = q->at[d] + 0.5 * w->way * (before + q->v[d]);
    }
}

/* Bubbles and dust: `speed` against gravity, which they take on in the time speed / force. */
SP_KERNEL void X(white_drift)(const X(whitewater) *w, double speed, double relative, double force,
                              X(white_particle) *q)
{
    double kick = force * w->dt, whole = relative + kick;
    double share = whole > 0 ? kick / whole : 1;
    FOR_DIM(d) {
        double steady = (double)q->u[d] + speed * w->up[d];
        q->v[d] += share * (steady - q->v[d]);
        q->to[d] = q->at[d] + w->way * q->v[d];
    }
}

SP_KERNEL void X(white_float)(const X(whitewater) *w, X(white_particle) *q)
{
    double square = 0;
    FOR_DIM(d)
        square += (double)(q->gradient[d] * q->gradient[d]);
    double pull = square > 0.01 ? -w->approach * (double)q->b / sqrt(square) : 0;
    FOR_DIM(d) {
        q->v[d] = (double)q->u[d];
        q->to[d] = q->at[d] + pull * (double)q->gradient[d] + w->way * q->v[d];
    }
}

SP_KERNEL void X(white_move)(const X(fields) *f, const X(whitewater) *w, int kind,
                             X(white_particle) *q)
{
    double rise = (double)X(white_value)(w->rise, q->radius);
    if (kind == WHITE_SPRAY) {
        X(white_fly)(w, q);
        return;
    }
    X(white_flow)(f, w, q);
    if (kind == WHITE_FOAM)
        X(white_float)(w, q);
    else if (kind == WHITE_BUBBLE)
        X(white_drift)(w, (double)w->buoyancy * rise, rise, 2 * w->pull * (double)w->bubble_drag,
                       q);
    else
        X(white_drift)(w, -(double)w->settling, (double)w->settling, w->pull, q);
}

/* Past walls and solids; what it loses at them, spray gets back in part. */
SP_KERNEL int X(white_collide)(const X(obstacles) *o, int kind, X(white_particle) *q)
{
    float to[DIM], v[DIM], before[DIM];
    X(fate) fate = {0, 0, false, false};
    FOR_DIM(d) {
        to[d] = (float)q->to[d];
        v[d] = before[d] = (float)q->v[d];
    }
    if (!X(collide_particle)(o, q->x, to, v, &fate))
        return fate.open ? WHITE_OPEN : WHITE_CRUSHED;
    FOR_DIM(d) {
        q->to[d] = to[d] == (float)q->to[d] ? q->to[d] : (double)to[d];
        if (v[d] != before[d])
            q->v[d] = (double)(kind == WHITE_SPRAY ? v[d] - BOUNCE * (before[d] - v[d]) : v[d]);
    }
    return WHITE_STAYS;
}

SP_KERNEL float X(white_older)(const X(whitewater) *w, int kind, uint32_t foam)
{
    float rate = w->ageing[kind];
    if (kind == WHITE_FOAM) {
        float crowd = ((float)foam * w->crowd - w->crowd_low) * w->crowd_scale;
        crowd = crowd < 0.0f ? 0.0f : crowd < 1.0f ? crowd : 1.0f;
        rate *= 1.0f - (1.0f - CROWDED_AGE) * crowd;
    }
    return (float)w->dt * rate;
}

/* The cell of a place, its nearest one in the domain. */
SP_KERNEL size_t X(white_cell)(const X(grid) *g, const float x[DIM])
{
    int c[DIM];
    FOR_DIM(d) {
        c[d] = X(floor)(x[d]);
        c[d] = c[d] < 0 ? 0 : c[d] < g->n[d] ? c[d] : g->n[d] - 1;
    }
    return X(index)(g, c);
}

/* Particle k of a set through the step; foam: how much there is in each cell. */
SP_KERNEL X(white_fate)
    X(white_step)(const X(fields) *f, const X(whitewater) *w, const X(obstacles) *o,
                  const X(white) *p, const uint32_t *foam, size_t k)
{
    X(white_particle) q;
    X(white_fate) fate = {(int)p->kind[k], WHITE_STAYS, {0, 0, 0, 0}};
    FOR_DIM(d) {
        q.x[d] = p->x[d][k];
        q.at[d] = sp_fine_position(p->x[d][k], p->rests[d][k]);
        q.v[d] = fate.kind == WHITE_SPRAY ? sp_fine_velocity(p->v[d][k], p->rests[d][k])
                                          : (double)p->v[d][k]; /* others take that of the liquid */
        q.u[d] = q.gradient[d] = 0.0f;
    }
    q.radius = p->radius[k];
    /* only foam looks where the surface is; what becomes foam does so from the next step on */
    q.b = X(band_at)(f, q.x, w->width, fate.kind == WHITE_FOAM ? q.gradient : NULL);
    X(white_class)(f, w, &q, &fate);
    if (fate.cause != WHITE_STAYS)
        return fate;
    p->age[k] += X(white_older)(w, fate.kind, foam[X(white_cell)(&f->grid, q.x)]);
    if (p->age[k] >= p->life[k] || !X(white_is_kept)(w, p->id[k])) {
        fate.cause = p->age[k] >= p->life[k] ? WHITE_AGED : WHITE_THINNED;
        return fate;
    }
    X(white_move)(f, w, fate.kind, &q);
    fate.cause = X(white_collide)(o, fate.kind, &q);
    if (fate.cause != WHITE_STAYS)
        return fate;
    FOR_DIM(d) {
        p->x[d][k] = (float)q.to[d];
        p->v[d][k] = (float)q.v[d];
        p->rests[d][k] =
            fate.kind == WHITE_SPRAY ? sp_fine_pack(q.to[d], q.v[d]) : sp_fine_rest(q.to[d]);
        q.x[d] = (float)q.to[d];
    }
    p->kind[k] = (uint32_t)fate.kind;
    if (X(is_drained)(&f->grid, &w->outflows, q.x))
        fate.cause = WHITE_OUTFLOW;
    else if (X(is_drained)(&f->grid, &w->kill, q.x))
        fate.cause = WHITE_KILLED;
    return fate;
}

#endif
