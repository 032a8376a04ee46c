/* settle.c -- takes a particle from one place to another, past solids and walls: the collision
 * guarantee, shared by all stages that move particles.
 *
 * Near solids the way of a particle is swept against the exact shapes (scene/solids.c). At a wall a
 * particle stops at CLEARANCE and loses its velocity into the wall; across a periodic side it comes
 * in on the other side; beyond an open side it is to be removed, as is a particle for which closing
 * solids leave no place.
 *
 * ADVECT moves particles while the solids move (dt > 0). SEPARATE corrects places at the start of
 * the step (dt = 0), with the solids held where they are then. */
#include "state.h"

#include <math.h>

X(mover) X(mover_begin)(X(sim) *s, double dt)
{
    X(mover) m = {.s = s, .dt = dt, .travel = s->solids.travel, .room = X(room)(s)};
    if (dt == 0)
        sp_solids_hold(&s->solids);
    return m;
}

void X(mover_end)(X(mover) *m)
{
    X(sim) *s = m->s;
    if (m->dt == 0)
        sp_solids_release(&s->solids);
    s->common->collisions += m->collisions;
    s->common->long_pushes += m->far;
    if (m->far > 0 && !s->common->warned_push)
        sp_log(s->common->log, s->common->log_user, SPATE_LOG_WARNING, "solids",
               "in frame %d they pushed %llu particles more than half a cell farther than those or "
               "the solids went: a gap between solids may be closing (long_pushes in stats.csv)",
               s->common->frame + 1, (unsigned long long)m->far);
    s->common->warned_push = s->common->warned_push || m->far > 0;
    s->common->removed_open += m->open;
    s->common->removed_crushed += m->crushed;
    s->dead += m->open + m->crushed;
}

/* Whether a particle that goes `way` cells from x could meet a solid. */
static bool near_solid(const X(mover) *m, const float x[DIM], float way)
{
    const X(sim) *s = m->s;
    int c[DIM];
    if (s->movers && way + 2.0f > (float)SOLID_BAND)
        return true;
    FOR_DIM(d) {
        c[d] = X(floor)(x[d] + 0.5f);
        c[d] = c[d] < 0 ? 0 : c[d] > s->grid.n[d] ? s->grid.n[d] : c[d];
    }
    return s->phi_solid[X(index)(&s->grid, c)] < (way + 2.0f) * s->grid.dx + m->travel;
}

static double way_between(const double a[3], const double b[3])
{
    double sum = 0;
    for (int d = 0; d < DIM; d++)
        sum += (b[d] - a[d]) * (b[d] - a[d]);
    return sqrt(sum);
}

/* false: there is no place for it */
static bool pass_solids(X(mover) *m, const float from[DIM], float to[DIM], float v[DIM])
{
    const X(sim) *s = m->s;
    double dx = s->grid.dx, x0[3] = {0, 0, 0}, x1[3] = {0, 0, 0}, velocity[3] = {0, 0, 0};
    FOR_DIM(d) {
        x0[d] = (double)from[d] * dx;
        x1[d] = (double)to[d] * dx;
        velocity[d] = v[d];
    }
    double wanted = way_between(x0, x1);
    sp_contact contact = sp_solids_sweep(&s->solids, &m->room, x0, x1, velocity, m->dt);
    if (contact == SP_CONTACT_NONE)
        return true;
    atomic_fetch_add_explicit(&m->collisions, 1, memory_order_relaxed);
    if (way_between(x0, x1) > wanted + s->solids.travel + 0.5 * dx)
        atomic_fetch_add_explicit(&m->far, 1, memory_order_relaxed);
    FOR_DIM(d) {
        to[d] = (float)(x1[d] / dx);
        v[d] = (float)velocity[d];
    }
    return contact != SP_CONTACT_CRUSHED;
}

/* A way with no place at its end: ADVECT loses the particle, a correction is not made. Returns
 * whether the particle stays. */
static bool give_up(X(mover) *m, _Atomic uint64_t *count, const float x[DIM], float to[DIM])
{
    if (m->dt == 0) {
        FOR_DIM(d)
            to[d] = x[d];
        return true;
    }
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    return false;
}

bool X(settle)(X(mover) *m, const float x[DIM], float to[DIM], float v[DIM])
{
    const X(sim) *s = m->s;
    float way = 0.0f, shift[DIM], start[DIM];
    bool wrapped = false, solids = s->solids.live > 0;
    FOR_DIM(d)
        way += (to[d] - x[d]) * (to[d] - x[d]);
    way = __builtin_sqrtf(way);
    if (solids && near_solid(m, x, way) && !pass_solids(m, x, to, v))
        return give_up(m, &m->crushed, x, to);
    const spate_side(*sides)[2] = s->common->scene->domain.sides;
    if (!X(pass_sides)(&s->grid, sides, to, v, shift, &wrapped))
        return give_up(m, &m->open, x, to);
    /* the solids behind a periodic side are met on the way that leads there */
    FOR_DIM(d)
        start[d] = x[d] + shift[d];
    if (solids && wrapped && near_solid(m, to, way) && !pass_solids(m, start, to, v))
        return give_up(m, &m->crushed, x, to);
    return true;
}
