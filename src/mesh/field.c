/* field.c -- a level set on the nodes near the surface.
 *
 * With w the kernel of a node (a quadratic B-spline of width h, `blur` times averaged with its
 * neighbours by 1/4, 1/2, 1/4 along each axis), the number of particles at node a is
 *
 *     N_a = sum_i w(x_a - x_i),
 *
 * and each particle's share is the inverse of N where it is, so that shares fill the liquid
 * however its particles are spread (SPH's number density):
 *
 *     V_i = 1 / N(x_i),    C_a = sum_i w(x_a - x_i) V_i.
 *
 * C is 1 in full liquid, and it is also 1 in the middle of a sheet one particle thick, of a thread
 * and of a single particle: whatever has particles has a surface. Nearer to a flat surface V grows
 * and C falls along a curve that depends on w alone; X(surface_field) computes it once, takes C at
 * the surface as the level, and turns the curve round, so that phi is the distance to a flat
 * surface, in nodes. What is thinner than the kernel comes out about as thick as the kernel;
 * volume.c takes that back. How much too thick is known from N against its value at rest:
 * `thin`. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

#define DISTANCES 64      /* steps of the field from 0 to 1 in the table of distances */
#define REACH 3.0f        /* nodes, largest |phi| */
#define FINE 16           /* steps per node in the integrals */
#define SPAN (12 * FINE)  /* steps to each side of the surface */
#define THIN_STEPS 32.0f  /* of `thin` for each time that particles are fewer */
#define MOST_EXCESS 0.6f  /* of the thickness: thinner sheets than that stay thicker */
#define BULK 10           /* of `thin`: 3/4 of the particles that full liquid has */
#define KERNEL_SIGMA 0.4f /* cells, least width of w; for particles dx / 2 apart */

/* ------------------------------------------------------------------ the curve of a flat surface */

static float quadratic(float x)
{
    x = x < 0 ? -x : x;
    return x < 0.5f ? 0.75f - x * x : x < 1.5f ? 0.5f * (1.5f - x) * (1.5f - x) : 0.0f;
}

/* Samples of w over -SPAN .. SPAN. */
static void kernel_samples(int blur, float w[2 * SPAN + 1])
{
    float next[2 * SPAN + 1];
    for (int k = -SPAN; k <= SPAN; k++)
        w[k + SPAN] = quadratic((float)k / FINE);
    for (int pass = 0; pass < blur; pass++) {
        for (int k = 0; k <= 2 * SPAN; k++) {
            float left = k >= FINE ? w[k - FINE] : 0,
                  right = k + FINE <= 2 * SPAN ? w[k + FINE] : 0;
            next[k] = 0.5f * w[k] + 0.25f * (left + right);
        }
        memcpy(w, next, sizeof next);
    }
}

/* The field at k steps above a flat surface; liquid is below 0. */
static void flat_field(int blur, float field[2 * SPAN + 1])
{
    static const int span = 2 * SPAN + 1;
    float w[2 * SPAN + 1], number[2 * SPAN + 1], share[2 * SPAN + 1];
    kernel_samples(blur, w);
    for (int k = 0; k < span; k++) { /* number of particles: w over the half space */
        float sum = 0;
        for (int m = k; m < span; m++)
            sum += w[m] * (m == k ? 0.5f : 1.0f);
        number[k] = sum / FINE;
    }
    for (int k = 0; k < span; k++) { /* as a particle there finds it between the nodes */
        float sum = 0;
        for (int m = -2 * FINE; m <= 2 * FINE; m++) {
            int at = k + m < 0 ? 0 : k + m >= span ? span - 1 : k + m;
            sum += quadratic((float)m / FINE) * number[at];
        }
        share[k] = FINE / sum;
    }
    for (int k = 0; k < span; k++) {
        float sum = 0;
        for (int m = 0; m <= SPAN; m++) { /* particles at m, up to the surface */
            int way = k - m + SPAN;
            if (way >= 0 && way < span)
                sum += w[way] * share[m] * (m == SPAN ? 0.5f : 1.0f);
        }
        field[k] = sum / FINE;
    }
}

/* Distance (nodes, negative inside) for each value of the field. */
static spate_status make_distances(X(surface) *s, spate_error *error)
{
    float field[2 * SPAN + 1];
    s->distance = sp_alloc(DISTANCES + 1, sizeof *s->distance);
    if (!s->distance)
        return sp_fail_memory(error, "a surface", 0);
    flat_field(s->blur, field);
    s->level = field[SPAN];
    for (int k = 0; k <= DISTANCES; k++) {
        float wanted = (float)k / DISTANCES, t = REACH;
        for (int m = 2 * SPAN; m > 0; m--) { /* from outside to the first place that has it */
            if (field[m - 1] < wanted)
                continue;
            float step = field[m - 1] - field[m];
            float part = step > 0 && wanted > field[m] ? (wanted - field[m]) / step : 0;
            t = ((float)(m - SPAN) - part) / FINE;
            break;
        }
        s->distance[k] = t > REACH ? REACH : t < -REACH ? -REACH : t;
    }
    return SPATE_OK;
}

/* The middle of a sheet of thickness a has field 1 and a w(0) particles for every one of full
 * liquid, so that `thin` gives a, as well as a share of the field elsewhere. */
static void make_excess(X(surface) *s)
{
    float w[2 * SPAN + 1], middle = 0;
    int k = SPAN;
    kernel_samples(s->blur, w);
    for (int m = -2 * FINE; m <= 2 * FINE; m++)
        middle += quadratic((float)m / FINE) * w[SPAN + m] / FINE;
    while (w[k] > s->level * middle)
        k++;
    float half = (float)(k - SPAN) / FINE;
    for (int thin = 0; thin < 256; thin++) {
        float excess = half - 0.5f / ((1.0f + (float)thin / THIN_STEPS) * w[SPAN]);
        float most = MOST_EXCESS * half;
        s->excess[thin] = excess < 0.0f ? 0.0f : excess < most ? excess : most;
    }
}

static float distance_of(const X(surface) *s, float field)
{
    float x = field * DISTANCES;
    if (!(x < DISTANCES))
        return s->distance[DISTANCES];
    int k = (int)x;
    return s->distance[k] + (x - (float)k) * (s->distance[k + 1] - s->distance[k]);
}

/* ------------------------------------------------------------------ particles to nodes */

typedef struct deposit {
    X(surface) *s;
    const uint32_t *list;
    bool shares; /* the field and the momentum, otherwise the number */
} deposit;

#define SPREAD (MAX_SIDE + 2)
#define SPREAD_NODES (SPREAD * SPREAD * LAST(SPREAD))

typedef struct stencil {
    float w[DIM][KERNEL_NODES];
    int base; /* index of its first node in the block with a halo */
} stencil;

static stencil stencil_of(const X(surface) *s, const X(block) *block, uint32_t particle, int halo)
{
    stencil st;
    float x[DIM];
    int width = s->side + 2 * halo;
    st.base = 0;
    X(surface_place)(s, particle, x);
    for (int d = DIM - 1; d >= 0; d--) {
        int first = X(weights)(KERNEL_QUADRATIC, x[d] - 0.5f, st.w[d]);
        st.base = st.base * width + first - block->at[d] * s->side + halo;
    }
    return st;
}

static void spread(float *sums, int width, const stencil *st, float amount)
{
    for (int m = 0; m < LAST(3); m++)
        for (int j = 0; j < 3; j++) {
            float line = amount * st->w[1][j] * (DIM == 3 ? st->w[DIM - 1][m] : 1.0f);
            float *row = sums + st->base + width * (j + width * m);
            row[0] += line * st->w[0][0];
            row[1] += line * st->w[0][1];
            row[2] += line * st->w[0][2];
        }
}

static float gather(const float *values, int width, const stencil *st)
{
    float sum = 0;
    for (int m = 0; m < LAST(3); m++)
        for (int j = 0; j < 3; j++) {
            float line = st->w[1][j] * (DIM == 3 ? st->w[DIM - 1][m] : 1.0f);
            const float *row = values + st->base + width * (j + width * m);
            sum += line * (row[0] * st->w[0][0] + row[1] * st->w[0][1] + row[2] * st->w[0][2]);
        }
    return sum;
}

static void deposit_block(const deposit *args, X(block) *block)
{
    X(surface) *s = args->s;
    float sums[1 + DIM][SPREAD_NODES];
    bool momentum = args->shares && s->momentum[0];
    int width = s->side + 2, columns = momentum ? 1 + DIM : 1;
    for (int c = 0; c < columns; c++)
        memset(sums[c], 0, sizeof sums[c]);
    for (uint32_t p = block->begin; p < block->end; p++) {
        uint32_t particle = s->order[p];
        stencil st = stencil_of(s, block, particle, 1);
        float share = args->shares ? s->share[p] : 1.0f;
        spread(sums[0], width, &st, share);
        for (int d = 0; d < DIM && momentum; d++)
            spread(sums[1 + d], width, &st,
                   share * s->velocities[3 * (size_t)particle + (size_t)d]);
    }
    X(surface_add)(s, block, sums[0], args->shares ? s->field : s->number);
    for (int d = 0; d < DIM && momentum; d++)
        X(surface_add)(s, block, sums[1 + d], s->momentum[d]);
}

static void deposit_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const deposit *args = user;
    for (size_t k = begin; k < end; k++)
        deposit_block(args, &args->s->block[args->list[k]]);
}

static void deposit_all(X(surface) *s, bool shares)
{
    for (int colour = 0; colour < COLOURS; colour++) {
        deposit args = {s, s->colour_list + s->colour_start[colour], shares};
        sp_parallel_for(s->pool, s->colour_start[colour + 1] - s->colour_start[colour], 4,
                        deposit_range, &args);
    }
}

static void share_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    float number[BUFFER];
    for (size_t k = begin; k < end; k++) {
        const X(block) *block = &s->block[k];
        if (!block->gives)
            continue;
        bool deep = block->slot == NO_SLOT;
        int width = deep ? 0 : X(surface_load_blurred)(s, block, s->number, 1, s->rest, number);
        for (uint32_t p = block->begin; p < block->end; p++) {
            if (deep) {
                s->share[p] = 1.0f / s->rest;
                continue;
            }
            stencil st = stencil_of(s, block, s->order[p], s->blur + 1);
            s->share[p] = 1.0f / gather(number, width, &st);
        }
    }
}

/* ------------------------------------------------------------------ the level set */

/* How many times fewer particles there are than in full liquid: 0 none .. 255 nine times. */
static uint8_t thinness(float field, float number, float rest)
{
    float ratio = number > 0.0f ? field * rest / number : 100.0f;
    float t = (ratio - 1.0f) * THIN_STEPS;
    return t < 0.0f ? 0 : t < 255.0f ? (uint8_t)t : 255;
}

/* Nodes next to a block that counts as inside throughout are inside, whatever the field says: no
 * edge of such a block may be cut. */
static void close_to_full(X(surface) *s, const X(block) *block)
{
    float *phi = s->phi + (size_t)block->slot * s->nodes;
    for (int m = 0; m < NEIGHBOURS; m++) {
        int offset[DIM], at[DIM], low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        X(surface_offset)(m, offset);
        FOR_DIM(d) {
            at[d] = block->at[d] + offset[d];
            low[d] = offset[d] > 0 ? s->side - 1 : 0;
            high[d] = offset[d] < 0 ? 0 : s->side - 1;
        }
        const X(block) *other = X(surface_block)(s, at);
        if (!other || other->slot != NO_SLOT)
            continue;
        for (int k = low[2]; k <= high[2]; k++)
            for (int j = low[1]; j <= high[1]; j++)
                for (int i = low[0]; i <= high[0]; i++) {
                    float *here = phi + i + s->side * (j + s->side * k);
                    *here = *here < -0.5f ? *here : -0.5f;
                }
    }
}

static void level_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    float number[BUFFER], field[BUFFER];
    for (size_t k = begin; k < end; k++) {
        const X(block) *block = &s->block[k];
        if (block->slot == NO_SLOT)
            continue;
        size_t out = (size_t)block->slot * s->nodes;
        int width = X(surface_load_blurred)(s, block, s->number, 0, s->rest, number);
        X(surface_load_blurred)(s, block, s->field, 0, 1.0f, field);
        for (int m = 0; m < LAST(s->side); m++)
            for (int j = 0; j < s->side; j++)
                for (int i = 0; i < s->side; i++, out++) {
                    int z = DIM == 3 ? m + s->blur : 0;
                    size_t at =
                        (size_t)(i + s->blur) + (size_t)width * (size_t)(j + s->blur + width * z);
                    s->phi[out] = distance_of(s, field[at]);
                    s->thin[out] = thinness(field[at], number[at], s->rest);
                }
        close_to_full(s, block);
    }
}

/* Particles keep some distance from walls, and more from the edges between two of them. Where the
 * liquid one cell away from the walls is full, it reaches the walls. */
static void wet_node(X(surface) *s, const X(block) *block, const int at[3])
{
    int home[DIM];
    size_t here = 0, there = 0;
    bool near = false;
    for (int d = DIM - 1; d >= 0; d--) {
        int node = block->at[d] * s->side + at[d], last = s->n[d] - 1 - s->cell;
        if (node >= s->n[d] || last < s->cell)
            return;
        int inner = node < s->cell ? s->cell : node > last ? last : node;
        near = near || inner != node;
        home[d] = inner / s->side;
        here = here * (size_t)s->side + (size_t)at[d];
        there = there * (size_t)s->side + (size_t)(inner - home[d] * s->side);
    }
    const X(block) *other = near ? X(surface_block)(s, home) : NULL;
    if (!other)
        return;
    there += (size_t)other->slot * s->nodes;
    bool full = other->slot == NO_SLOT || (s->phi[there] < 0.0f && s->thin[there] < BULK);
    float phi = other->slot == NO_SLOT ? -1.0f : s->phi[there];
    float *own = &s->phi[(size_t)block->slot * s->nodes + here];
    if (full && phi < *own)
        *own = phi;
}

static void wet_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        const X(block) *block = &s->block[k];
        if (block->slot == NO_SLOT)
            continue;
        int at[3];
        for (at[2] = 0; at[2] < LAST(s->side); at[2]++)
            for (at[1] = 0; at[1] < s->side; at[1]++)
                for (at[0] = 0; at[0] < s->side; at[0]++)
                    wet_node(s, block, at);
    }
}

static spate_status make_fields(X(surface) *s, spate_error *error)
{
    size_t values = (size_t)s->slot_count * s->nodes;
    s->number = sp_alloc(values, sizeof *s->number);
    s->field = sp_alloc(values, sizeof *s->field);
    s->phi = sp_alloc(values, sizeof *s->phi);
    s->thin = sp_alloc(values, sizeof *s->thin);
    bool made = s->number && s->field && s->phi && s->thin;
    for (int d = 0; d < DIM && s->velocities; d++) {
        s->momentum[d] = sp_alloc(values, sizeof *s->momentum[d]);
        made = made && s->momentum[d];
    }
    return made ? SPATE_OK : sp_fail_memory(error, "a surface", values * (13 + 4 * DIM));
}

spate_status X(surface_field)(X(surface) *s, spate_error *error)
{
    float spacing = 2.0f / (float)s->options->particles_per_axis;
    float sigma = KERNEL_SIGMA * (spacing > 1.0f ? spacing : 1.0f) * (float)s->cell;
    while (s->blur < MAX_BLUR && 0.25f + 0.5f * (float)s->blur < sigma * sigma)
        s->blur++;
    s->rest = 1.0f;
    FOR_DIM(d)
        s->rest *= (float)s->options->particles_per_axis / (float)s->cell;
    TRY(make_fields(s, error));
    TRY(make_distances(s, error));
    make_excess(s);
    deposit_all(s, false);
    sp_parallel_for(s->pool, s->block_count, 4, share_range, s);
    deposit_all(s, true);
    sp_parallel_for(s->pool, s->block_count, 4, level_range, s);
    if (s->walls)
        sp_parallel_for(s->pool, s->block_count, 4, wet_range, s);
    sp_free(s->number); /* it has served */
    sp_free(s->share);
    s->number = s->share = NULL;
    return SPATE_OK;
}
