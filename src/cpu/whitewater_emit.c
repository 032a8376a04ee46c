/* whitewater_emit.c -- WHITEWATER: those that come (kernels/whitewater_emit.h).
 *
 * A tile counts how many come from each of its cells; tiles in order get their places behind the
 * particles that are there; then each tile fills its own, in order of cell and number, so that ids
 * are the same for any number of threads. */
#include "cpu.h"
#include "simd.h"

#include "kernels/whitewater_emit.h" /* over the lanes of simd.h */
#include "state/whitewater.h"

typedef struct emit_args {
    X(fields) f;
    X(particles) *p;
    uint32_t *tile_births;
    const X(whitewater) *how;
    const X(obstacles) *obstacles;
    uint32_t first, first_id; /* of all that come: places, ids */
    _Atomic uint64_t emitted[WHITE_KINDS], dead;
    _Atomic uint64_t histogram[SP_WHITE_POTENTIALS][SP_WHITE_BINS];
} emit_args;

/* ---- how many */

#define BORN(births) ((births)&0xffff)
#define BORN_DUST(births) ((births) >> 16)

static uint32_t births_of(const X(fields) *f, const X(whitewater) *w, size_t c, float n)
{
    int cell[DIM];
    if (!(n > 0.0f || w->dust > 0.0f) || (f->marks && f->marks[c]))
        return 0;
    X(coordinates)(&f->grid, c, cell);
    if (!X(inside)(&f->grid, cell))
        return 0;
    uint32_t dust = w->dust > 0.0f ? X(white_number)(w, c, X(white_dust)(f, w, c, cell), 1) : 0;
    n = n > 0.0f ? n * X(white_beside)(f, w, c, cell) : 0.0f;
    return X(white_number)(w, c, n, 0) | dust << 16;
}

/* Into the histograms of what cells could emit by. */
static void note(const X(whitewater) *w, const X(white_potentials) *p,
                 uint32_t histogram[SP_WHITE_POTENTIALS][SP_WHITE_BINS])
{
    for (int lane = 0; lane < LANES; lane++) {
        if (!p->some[lane])
            continue;
        float speed = sqrtf(p->energy[lane]);
        histogram[0][X(white_bin)(speed, w->high[0], SP_WHITE_BINS)]++;
        if (p->top[lane] > 0.0f)
            histogram[1][X(white_bin)(p->crest[lane], w->high[1], SP_WHITE_BINS)]++;
        histogram[2][X(white_bin)(p->air[lane], w->high[2], SP_WHITE_BINS)]++;
    }
}

static void count_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    emit_args *args = user;
    const X(fields) *f = &args->f;
    const X(whitewater) *w = args->how;
    uint32_t histogram[SP_WHITE_POTENTIALS][SP_WHITE_BINS] = {{0}};
    for (size_t k = begin; k < end; k++) {
        int tile = f->tiles.active[k];
        size_t base = X(tile_index)(&f->grid, tile);
        uint32_t sum = 0;
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i += LANES) {
                size_t c = base + X(row_offset)(&f->grid, r) + (size_t)i;
                X(white_potentials) p = X(white_potentials_of)(f, w, c);
                memset(f->births + c, 0, LANES * sizeof *f->births);
                if (!any(p.some) && !(w->dust > 0.0f))
                    continue;
                f8 expected = X(white_expected)(w, &p);
                note(w, &p, histogram);
                for (size_t lane = 0; lane < LANES; lane++) {
                    uint32_t births = births_of(f, w, c + lane, expected[lane]);
                    f->births[c + lane] = births;
                    sum += BORN(births) + BORN_DUST(births);
                }
            }
        args->tile_births[tile] = sum;
    }
    for (int n = 0; n < SP_WHITE_POTENTIALS * SP_WHITE_BINS; n++)
        if ((&histogram[0][0])[n])
            atomic_fetch_add_explicit(&args->histogram[0][0] + n, (&histogram[0][0])[n],
                                      memory_order_relaxed);
}

/* From counts to first places; returns how many there are. */
static uint64_t scan_tiles(const X(tiles) *t, uint32_t *tile_births)
{
    uint64_t sum = 0;
    for (int k = 0; k < t->active_count; k++) {
        uint32_t *births = &tile_births[t->active[k]], count = *births;
        *births = (uint32_t)sum;
        sum += count;
    }
    return sum;
}

/* ---- and which */

static void fill_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    emit_args *args = user;
    const X(fields) *f = &args->f;
    const X(white) p = X(white_of)(args->p);
    uint64_t emitted[WHITE_KINDS] = {0}, dead = 0;
    for (size_t k = begin; k < end; k++) {
        int tile = f->tiles.active[k];
        uint32_t next = args->tile_births[tile];
        FOR_INDICES(&f->grid, tile, c)
            for (uint32_t n = 0; n < BORN(f->births[c]) + BORN_DUST(f->births[c]); n++, next++) {
                size_t place = args->first + next;
                int kind = n < BORN(f->births[c]) ? -1 : WHITE_DUST;
                if (X(white_begin)(f, args->how, args->obstacles, &p, place, c, n,
                                   args->first_id + next, kind)) {
                    emitted[p.kind[place]]++;
                } else {
                    p.x[0][place] = DEAD;
                    dead++;
                }
            }
    }
    for (int n = 0; n < WHITE_KINDS; n++)
        atomic_fetch_add_explicit(&args->emitted[n], emitted[n], memory_order_relaxed);
    atomic_fetch_add_explicit(&args->dead, dead, memory_order_relaxed);
}

/* ---- the most there may be */

/* How many stay, of those that are there and of `count` that come, whose ids are the next. */
static uint64_t count_kept(const X(whitewater) *how, const X(particles) *p, uint64_t count)
{
    uint64_t kept = 0;
    for (uint32_t k = 0; k < p->count; k++)
        kept += X(white_is_kept)(how, p->id[0][k]);
    for (uint32_t k = 0; k < count; k++)
        kept += X(white_is_kept)(how, p->next_id + k);
    return kept;
}

/* Less of all stays where there would be too many; particles that are there are booked. */
static void thin(X(sim) *s, X(set) *set, uint64_t count)
{
    X(white_state) *w = set->state;
    X(whitewater) *how = w->how;
    X(particles) *p = set->particles;
    const X(white) columns = X(white_of)(p);
    uint64_t most = (uint64_t)s->common->scene->whitewater.max_particles, kept = 0, wanted;
    bool less = false;
    /* a little less, so that it is not asked again in the next step */
    for (; p->count + count > most && (wanted = count_kept(how, p, count)) > most; less = true)
        how->keep = w->kept.keep *= 0.9 * (double)most / (double)wanted;
    if (!less)
        return;
    for (uint32_t k = 0; k < p->count; k++) {
        if (X(white_is_kept)(how, p->id[0][k])) {
            kept++;
            continue;
        }
        set->ledger.counts[columns.kind[k]][WHITE_THINNED]++;
        p->x[0][k] = DEAD;
    }
    if (kept < p->count)
        X(particles_remove_dead)(p);
    if (!w->kept.warned)
        sp_log(s->common->log, s->common->log_user, SPATE_LOG_WARNING, "whitewater.max_particles",
               "is reached in frame %d: from here on all whitewater is thinned evenly",
               s->common->frame + 1);
    w->kept.warned = true;
}

spate_status DEV(emit_whitewater)(X(sim) *s, const X(obstacles) *obstacles, spate_error *error)
{
    X(set) *set = X(set_of)(s, SET_WHITEWATER);
    X(white_state) *w = set->state;
    X(particles) *p = set->particles;
    sp_pool *pool = s->common->pool;
    size_t tiles = (size_t)s->tiles.active_count;
    emit_args args = {.f = X(fields_of)(s),
                      .p = p,
                      .tile_births = w->tile_births,
                      .how = w->how,
                      .obstacles = obstacles};
    sp_parallel_for(pool, tiles, 4, count_range, &args);
    for (int n = 0; n < SP_WHITE_POTENTIALS * SP_WHITE_BINS; n++)
        (&w->kept.histogram[0][0])[n] += (&args.histogram[0][0])[n];
    uint64_t count = scan_tiles(&s->tiles, w->tile_births);
    if (count == 0)
        return SPATE_OK;
    thin(s, set, count);
    TRY(X(particles_reserve)(p, p->count + count, error));
    args.first = p->count;
    args.first_id = p->next_id;
    sp_parallel_for(pool, tiles, 1, fill_range, &args);
    p->count += (uint32_t)count;
    p->next_id += (uint32_t)count;
    p->sorted = false;
    for (int n = 0; n < WHITE_KINDS; n++)
        set->ledger.counts[n][WHITE_EMITTED] += (int64_t)args.emitted[n];
    if (args.dead > 0)
        X(particles_remove_dead)(p);
    return SPATE_OK;
}
