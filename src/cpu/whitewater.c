/* whitewater.c -- the stage WHITEWATER: foam, spray, bubbles and dust. What happens to one particle
 * stands in kernels/whitewater.h; whitewater_emit.c has those that come.
 *
 * The stage reads the grid as the step left it (the surface of the beginning, the velocity of the
 * step) and the solids; it writes nothing that the liquid reads. A particle depends on its own
 * columns, the grid and how much foam its cell holds, so their order does not matter: they are
 * sorted now and then, for the caches. */
#include "cpu.h"
#include "simd.h"

#include "kernels/whitewater.h"
#include "state/whitewater.h"

typedef struct white_args {
    X(sim) *s;
    X(fields) f;
    X(particles) *p;
    const X(whitewater) *how;
    const X(obstacles) *obstacles;
    _Atomic uint64_t removed[WHITE_KINDS][WHITE_COUNTS], turned[WHITE_TURNS], dead;
} white_args;

/* ---- how crowded foam is */

static void clear_foam_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const white_args *args = user;
    const X(fields) *f = &args->f;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&f->grid, f->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            memset(f->foam + base + X(row_offset)(&f->grid, r), 0, TILE * sizeof *f->foam);
    }
}

static void count_foam_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const white_args *args = user;
    const X(fields) *f = &args->f;
    const X(white) p = X(white_of)(args->p);
    for (size_t k = begin; k < end; k++) {
        float x[DIM];
        int tile[DIM];
        if (p.kind[k] != WHITE_FOAM)
            continue;
        FOR_DIM(d) {
            x[d] = p.x[d][k];
            tile[d] = (X(floor)(x[d]) >> TILE_SHIFT) + 1;
        }
        if (f->tiles.state[X(tile_number)(&f->grid, tile)] & TILE_ACTIVE)
            atomic_fetch_add_explicit((_Atomic uint32_t *)&f->foam[X(white_cell)(&f->grid, x)], 1,
                                      memory_order_relaxed);
    }
}

/* ---- a step */

static void step_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    white_args *args = user;
    const X(white) p = X(white_of)(args->p);
    uint64_t removed[WHITE_KINDS][WHITE_COUNTS] = {{0}}, turned[WHITE_TURNS] = {0}, dead = 0;
    for (size_t k = begin; k < end; k++) {
        X(white_fate) fate =
            X(white_step)(&args->f, args->how, args->obstacles, &p, args->f.foam, k);
        for (int t = 0; t < WHITE_TURNS; t++)
            turned[t] += (uint64_t)fate.turns[t];
        if (fate.cause == WHITE_STAYS)
            continue;
        p.x[0][k] = DEAD;
        removed[fate.kind][fate.cause]++;
        dead++;
    }
    if (dead)
        for (int n = 0; n < WHITE_KINDS * WHITE_COUNTS; n++)
            atomic_fetch_add_explicit(&args->removed[0][0] + n, (&removed[0][0])[n],
                                      memory_order_relaxed);
    for (int t = 0; t < WHITE_TURNS; t++)
        atomic_fetch_add_explicit(&args->turned[t], turned[t], memory_order_relaxed);
    atomic_fetch_add_explicit(&args->dead, dead, memory_order_relaxed);
}

static void book(const white_args *args, sp_set_ledger *ledger)
{
    static const int from[WHITE_TURNS] = {[WHITE_LIFTED] = WHITE_FOAM,
                                          [WHITE_LANDED] = WHITE_SPRAY,
                                          [WHITE_RISEN] = WHITE_BUBBLE,
                                          [WHITE_DRAGGED] = WHITE_FOAM};
    static const int to[WHITE_TURNS] = {[WHITE_LIFTED] = WHITE_SPRAY,
                                        [WHITE_LANDED] = WHITE_FOAM,
                                        [WHITE_RISEN] = WHITE_FOAM,
                                        [WHITE_DRAGGED] = WHITE_BUBBLE};
    for (int n = 0; n < WHITE_KINDS; n++)
        for (int c = 0; c < WHITE_COUNTS; c++)
            ledger->counts[n][c] += (int64_t)args->removed[n][c];
    for (int t = 0; t < WHITE_TURNS; t++) {
        ledger->counts[from[t]][t] -= (int64_t)args->turned[t];
        ledger->counts[to[t]][t] += (int64_t)args->turned[t];
    }
}

static void sort_now_and_then(X(sim) *s, X(set) *set)
{
    if (s->common->steps % WHITE_SORT_EVERY == 0)
        DEV(sort_particles)(set->particles, &set->cells, NULL, s->common->pool, X(arena)(s));
}

spate_status DEV(whitewater)(X(sim) *s, double dt, spate_error *error)
{
    X(set) *set = X(set_of)(s, SET_WHITEWATER);
    X(white_state) *w = set->state;
    X(particles) *p = set->particles;
    sp_pool *pool = s->common->pool;
    X(whitewater_prepare)(s, dt);
    DEV(make_band)(s, w->tile_births, w->how->width);
    X(mover) mover = X(mover_begin)(s, dt);
    white_args args = {
        .s = s, .f = X(fields_of)(s), .p = p, .how = w->how, .obstacles = &mover.obstacles};
    sort_now_and_then(s, set);
    if (p->count > 0) {
        sp_parallel_for(pool, (size_t)s->tiles.active_count, 16, clear_foam_range, &args);
        sp_parallel_for(pool, p->count, 4096, count_foam_range, &args);
        sp_parallel_for(pool, p->count, 1024, step_range, &args);
        p->sorted = false;
    }
    book(&args, &set->ledger);
    if (args.dead > 0)
        X(particles_remove_dead)(p);
    return DEV(emit_whitewater)(s, &mover.obstacles, error);
}
