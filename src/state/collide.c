/* collide.c -- takes a particle from one place to another, past solids and walls: the collision
 * guarantee, shared by all stages that move particles.
 *
 * Near solids the way of a particle is swept against the exact shapes (kernels/collide.h). At a
 * wall a particle stops at CLEARANCE and loses its velocity into the wall; across a periodic side
 * it comes in on the other side; beyond an open side it is to be removed, as is a particle for
 * which closing solids leave no place.
 *
 * ADVECT moves particles while the solids move (dt > 0). SEPARATE corrects places at the start of
 * the step (dt = 0), with the solids held where they are then. */
#include "state.h"

X(mover) X(mover_begin)(X(sim) *s, double dt)
{
    X(mover) m = {.s = s,
                  .obstacles = {.grid = &s->grid,
                                .sides = s->common->scene->domain.sides,
                                .solids = &s->solids,
                                .phi_solid = s->phi_solid,
                                .movers = s->movers,
                                .room = X(clearance)(s),
                                .dt = dt,
                                .travel = s->solids.travel}};
    if (dt == 0)
        sp_solids_hold(&s->solids);
    return m;
}

void X(mover_end)(X(mover) *m)
{
    X(sim) *s = m->s;
    if (m->obstacles.dt == 0)
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
    s->particles.dead += m->open + m->crushed;
}

static void count(_Atomic uint64_t *counter, int number)
{
    if (number)
        atomic_fetch_add_explicit(counter, (uint64_t)number, memory_order_relaxed);
}

bool X(collide)(X(mover) *m, const float x[DIM], float to[DIM], float v[DIM])
{
    X(fate) fate = {0};
    bool stays = X(collide_particle)(&m->obstacles, x, to, v, &fate);
    count(&m->collisions, fate.collisions);
    count(&m->far, fate.far);
    count(&m->open, fate.open);
    count(&m->crushed, fate.crushed);
    return stays;
}
