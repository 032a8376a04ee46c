/* field.c -- from particles to a smooth field.
 *
 * Each particle leaves the volume that it stands for at the nodes around it (field_add.c), so that
 * the sum is 1 inside the liquid. Passes of the binomial filter (1, 2, 1)/4 along each axis then
 * smooth it: p of them and the linear weights are a bell of variance (1/6 + p/2) h^2 along each
 * axis. That takes the bumps of single particles away and costs a few operations per node, whatever
 * the number of particles. Walls mirror what is before them. Where solids take part of the bell,
 * the sum is divided by the part that is left: the liquid reaches up to the solid instead of
 * turning away from it.
 *
 * Thin liquid. In a sheet one particle thick that bell gives n = 0.31, on a thread of single
 * particles 0.1: below the level of the surface, so that sheets would fall apart into balls. So
 * what is thin (n < 0.5 where the particle is) is taken out of the smooth field and added again by
 * a narrow bell, one pass, and counts THIN/m times, m being what a bell of one pass more gives
 * there: so sheets and threads are whole, and a few particles together are a drop of about their
 * volume. It counts at most SP_FIELD_MOST times, with which in 3D a single one stays below the
 * level: drops.c draws it. The narrow bell keeps spray from growing together. */
#include "field.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "field_add.h"
#include "scene/sides.h"

#define THIN 0.40f
#define NODE_LIMIT (1 << 25) /* with more nodes, they are a cell apart */

/* ------------------------------------------------------------------ smoothing */

typedef struct blur {
    const sp_field *field;
    float *values;
    float *rows; /* two rows of scratch per worker */
} blur;

/* One row: (before + 2 here + after)/4, `before` and `after` being the neighbours of each place. */
static void mix_rows(float *restrict to, const float *restrict before, const float *restrict here,
                     const float *restrict after, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = 0.25f * (before[i] + after[i]) + 0.5f * here[i];
}

/* Along x and, in 3D, y: layer by layer. In 2D the one layer is cut into rows: only x. */
static void blur_row(float *row, float *copy, int n)
{
    memcpy(copy + 1, row, (size_t)n * sizeof *row);
    copy[0] = copy[1];
    copy[n + 1] = copy[n];
    mix_rows(row, copy, copy + 1, copy + 2, (size_t)n);
}

/* `count` rows that lie `step` apart; what a row was is kept until the next has used it. */
static void blur_across(float *first, int count, size_t step, int n, float *scratch)
{
    size_t size = (size_t)n * sizeof *first;
    float *before = scratch, *here = scratch + n;
    memcpy(before, first, size);
    for (int k = 0; k < count; k++) {
        float *row = first + (size_t)k * step;
        memcpy(here, row, size);
        mix_rows(row, before, here, k + 1 < count ? row + step : here, (size_t)n);
        float *swap = before;
        before = here;
        here = swap;
    }
}

static void blur_layers_range(void *args, size_t begin, size_t end, int worker)
{
    const blur *b = args;
    const int *n = b->field->n;
    float *scratch = b->rows + (size_t)worker * 2 * (size_t)(n[0] + 2);
    for (size_t k = begin; k < end; k++) {
        float *layer = b->values + k * (size_t)n[0] * (size_t)n[1];
        for (int j = 0; j < n[1]; j++)
            blur_row(layer + (size_t)j * (size_t)n[0], scratch, n[0]);
        blur_across(layer, n[1], (size_t)n[0], n[0], scratch);
    }
}

static void blur_columns_range(void *args, size_t begin, size_t end, int worker)
{
    const blur *b = args;
    const int *n = b->field->n;
    float *scratch = b->rows + (size_t)worker * 2 * (size_t)(n[0] + 2);
    for (size_t j = begin; j < end; j++)
        blur_across(b->values + j * (size_t)n[0], n[2], (size_t)n[0] * (size_t)n[1], n[0], scratch);
}

static spate_status smooth(const sp_field *field, float *values, int passes,
                           const sp_preview *preview, spate_error *error)
{
    size_t workers = (size_t)sp_pool_threads(preview->pool), row = 2 * (size_t)(field->n[0] + 2);
    blur b = {field, values, sp_alloc(workers * row, sizeof *b.rows)};
    if (!b.rows)
        return sp_fail_memory(error, "the liquid of a picture", workers * row * sizeof *b.rows);
    for (int pass = 0; pass < passes; pass++) {
        sp_parallel_for(preview->pool, (size_t)field->n[2], 1, blur_layers_range, &b);
        if (field->n[2] > 1)
            sp_parallel_for(preview->pool, (size_t)field->n[1], 1, blur_columns_range, &b);
    }
    sp_free(b.rows);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ solids */

typedef struct mender {
    const sp_field *field;
    const sp_preview *preview;
    float width; /* m, standard deviation of the bell */
} mender;

/* The part of a bell that is free, `d` standard deviations before a flat solid. */
static float free_part(float d)
{
    float part = sp_smoothstep(-2, 2, d);
    return part > 0.2f ? part : 0.2f;
}

/* Blocks of nodes: the distance at the middle of one says at once when no solid is near. */
static void mend_block(const mender *m, const int low[3], const int high[3])
{
    const sp_field *f = m->field;
    double h = f->h, middle[3] = {0}, radius = 0;
    int dim = f->n[2] > 1 ? 3 : 2;
    for (int d = 0; d < dim; d++) {
        middle[d] = m->preview->low[d] + 0.5 * (low[d] + high[d]) * h;
        radius += (high[d] - low[d]) * (high[d] - low[d]) * h * h / 4;
    }
    double limit = sqrt(radius) + 2 * m->width;
    if (fabs(m->preview->distance(m->preview->distance_user, middle)) > limit)
        return;
    for (int k = low[2]; k < high[2]; k++) {
        for (int j = low[1]; j < high[1]; j++) {
            for (int i = low[0]; i < high[0]; i++) {
                const int at[3] = {i, j, k};
                size_t node =
                    ((size_t)k * (size_t)f->n[1] + (size_t)j) * (size_t)f->n[0] + (size_t)i;
                if (f->value[node] == 0)
                    continue;
                double point[3] = {0};
                for (int d = 0; d < dim; d++)
                    point[d] = m->preview->low[d] + (at[d] + 0.5) * h;
                double d = m->preview->distance(m->preview->distance_user, point) / m->width;
                float mend = 1 / free_part((float)(d < 9 ? d : 9));
                f->value[node] *= mend;
                if (f->speed)
                    f->speed[node] *= mend;
            }
        }
    }
}

static void mend_range(void *args, size_t begin, size_t end, int worker)
{
    enum { SIDE = 8 };
    (void)worker;
    const mender *m = args;
    const int *n = m->field->n;
    int across = (n[0] + SIDE - 1) / SIDE, up = (n[1] + SIDE - 1) / SIDE;
    for (size_t k = begin; k < end; k++) {
        int b[3] = {(int)(k % (size_t)across), (int)(k / (size_t)across % (size_t)up),
                    (int)(k / (size_t)across / (size_t)up)};
        int low[3], high[3];
        for (int d = 0; d < 3; d++) {
            low[d] = b[d] * SIDE;
            high[d] = low[d] + SIDE < n[d] ? low[d] + SIDE : n[d];
        }
        mend_block(m, low, high);
    }
}

static void mend_at_solids(const sp_field *field, const sp_preview *preview, int passes)
{
    if (!preview->distance)
        return;
    mender m = {field, preview, sqrtf(1 / 6.0f + (float)passes / 2) * field->h};
    size_t blocks = 1;
    for (int d = 0; d < 3; d++)
        blocks *= (size_t)(field->n[d] + 7) / 8;
    sp_parallel_for(preview->pool, blocks, 16, mend_range, &m);
}

/* ------------------------------------------------------------------ blocks */

/* leap[k] = 1 where a ray in air (k = 0) or in the liquid (1) meets no surface in a block. */
static void mark_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sp_field *f = args;
    const int *n = f->n, *blocks = f->blocks;
    for (size_t b = begin; b < end; b++) {
        int at[3] = {(int)(b % (size_t)blocks[0]), (int)(b / (size_t)blocks[0] % (size_t)blocks[1]),
                     (int)(b / (size_t)blocks[0] / (size_t)blocks[1])};
        int low[3], high[3]; /* nodes, both included */
        for (int d = 0; d < 3; d++) {
            low[d] = at[d] * SP_FIELD_BLOCK;
            low[d] = low[d] < n[d] ? low[d] : n[d] - 1;
            high[d] = low[d] + SP_FIELD_BLOCK < n[d] ? low[d] + SP_FIELD_BLOCK : n[d] - 1;
        }
        float least = HUGE_VALF, most = -HUGE_VALF;
        for (int k = low[2]; k <= high[2]; k++) {
            for (int j = low[1]; j <= high[1]; j++) {
                const float *row = f->value + ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0];
                for (int i = low[0]; i <= high[0]; i++) {
                    least = row[i] < least ? row[i] : least;
                    most = row[i] > most ? row[i] : most;
                }
            }
        }
        f->leap[0][b] = most <= SP_FIELD_LEVEL ? 255 : 0;
        f->leap[1][b] = least > SP_FIELD_LEVEL ? 255 : 0;
    }
}

/* One sweep of the distance to the nearest 0, the largest of the three axes counting; `back` from
 * the far corner. A block looks at the 13 around it that the sweep has passed. Outside the domain
 * there is nothing to meet. */
static void sweep(const sp_field *f, uint8_t *leap, bool back)
{
    const int *n = f->blocks;
    int count = n[0] * n[1] * n[2], sign = back ? -1 : 1;
    for (int m = 0; m < count; m++) {
        int index = back ? count - 1 - m : m;
        if (leap[index] == 0)
            continue;
        int i = index % n[0], j = index / n[0] % n[1], k = index / n[0] / n[1], least = leap[index];
        for (int c = 0; c < 13; c++) { /* the first 13 of 27 places: those before the middle */
            int a = i + sign * (c % 3 - 1), b = j + sign * (c / 3 % 3 - 1),
                d = k + sign * (c / 9 - 1);
            if (a < 0 || b < 0 || d < 0 || a >= n[0] || b >= n[1] || d >= n[2])
                continue;
            int near = leap[(d * n[1] + b) * n[0] + a] + 1;
            least = near < least ? near : least;
        }
        leap[index] = (uint8_t)least;
    }
}

static void sweep_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sp_field *f = args;
    for (size_t k = begin; k < end; k++) {
        sweep(f, f->leap[k], false);
        sweep(f, f->leap[k], true);
    }
}

static spate_status make_blocks(sp_field *field, sp_pool *pool, spate_error *error)
{
    size_t blocks = 1;
    for (int d = 0; d < 3; d++) {
        field->blocks[d] = field->n[d] / SP_FIELD_BLOCK + 1;
        blocks *= (size_t)field->blocks[d];
    }
    for (int k = 0; k < 2; k++) {
        field->leap[k] = sp_alloc(blocks, 1);
        if (!field->leap[k])
            return sp_fail_memory(error, "the liquid of a picture", blocks);
    }
    sp_parallel_for(pool, blocks, 1024, mark_range, field);
    sp_parallel_for(pool, 2, 1, sweep_range, field);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ nodes */

/* `fine` nodes per cell and axis. */
static void lay_nodes(sp_field *field, const sp_preview *preview, int fine)
{
    int dim = preview->size[2] > 0 ? 3 : 2;
    for (int d = 0; d < 3; d++) { /* the walls are where nodes end, to half of their distance */
        double n = d < dim ? floor(preview->size[d] / preview->dx * fine + 0.5) : 1;
        field->n[d] = n > 1 ? (int)n : 1;
    }
    field->h = (float)preview->dx / (float)fine;
    field->reach = 0.75f * (float)fine;
}

static bool fits(const sp_preview *preview, int fine, double limit)
{
    double nodes = 1;
    for (int d = 0; d < 3 && preview->size[d] > 0; d++)
        nodes *= ceil(preview->size[d] / preview->dx - SP_FITS) * fine;
    return nodes <= limit;
}

static size_t count_nodes(const sp_field *field)
{
    return (size_t)field->n[0] * (size_t)field->n[1] * (size_t)field->n[2];
}

/* Value and, in 2D, speed at all nodes, 0. */
static spate_status clear(sp_field *field, spate_error *error)
{
    size_t nodes = count_nodes(field);
    bool flat = field->n[2] == 1;
    if (!field->value)
        field->value = sp_alloc(nodes, sizeof *field->value);
    else
        memset(field->value, 0, nodes * sizeof *field->value);
    if (flat && !field->speed)
        field->speed = sp_alloc(nodes, sizeof *field->speed);
    else if (flat)
        memset(field->speed, 0, nodes * sizeof *field->speed);
    if (!field->value || (flat && !field->speed))
        return sp_fail_memory(error, "the liquid of a picture", nodes * sizeof *field->value);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ thick and thin */

/* Particles by `weight`, smoothed, in place of what is there. */
static spate_status gather(sp_field *field, const sp_field_order *order, const float *weight,
                           int passes, spate_error *error)
{
    const sp_preview *preview = order->preview;
    TRY(clear(field, error));
    sp_field_add(order, weight, field->value, field->speed);
    TRY(smooth(field, field->value, passes, preview, error));
    return field->speed ? smooth(field, field->speed, passes, preview, error) : SPATE_OK;
}

typedef struct weigher {
    const sp_field *field;
    const sp_preview *preview;
    float *thick, *thin; /* per particle: what it counts in the two bells */
} weigher;

static float value_at_particle(const weigher *w, size_t k)
{
    const spate_particles_view *p = &w->preview->particles->view;
    float scale = (float)w->preview->dx / w->field->h;
    sp_vec g = {p->x[0][k] * scale - 0.5f, p->x[1][k] * scale - 0.5f,
                p->x[2] ? p->x[2][k] * scale - 0.5f : 0};
    return sp_field_at(w->field, g);
}

static void weigh_thick_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const weigher *w = args;
    for (size_t k = begin; k < end; k++)
        w->thick[k] = sp_smoothstep(0.3f, 0.5f, value_at_particle(w, k));
}

static void weigh_thin_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const weigher *w = args;
    for (size_t k = begin; k < end; k++) {
        float m = fmaxf(value_at_particle(w, k), 1e-3f);
        w->thin[k] = (1 - w->thick[k]) * fminf(THIN / m, SP_FIELD_MOST);
    }
}

typedef struct summands {
    float *value;
    const float *more;
} summands;

static void add_up_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const summands *s = args;
    for (size_t k = begin; k < end; k++)
        s->value[k] += s->more[k];
}

static void add_field(sp_field *field, const sp_field *more, sp_pool *pool)
{
    size_t nodes = count_nodes(field);
    summands value = {field->value, more->value}, speed = {field->speed, more->speed};
    sp_parallel_for(pool, nodes, 65536, add_up_range, &value);
    if (field->speed)
        sp_parallel_for(pool, nodes, 65536, add_up_range, &speed);
}

/* ------------------------------------------------------------------ all of it */

/* What fill needs on the way. */
typedef struct scratch {
    sp_field all;
    sp_field_order order;
    weigher w;
} scratch;

static spate_status fill(sp_field *field, scratch *s, const sp_preview *preview, spate_error *error)
{
    size_t count = preview->particles->view.count;
    int fine = preview->per_axis > 1 && fits(preview, 2, NODE_LIMIT) ? 2 : 1;
    int wide = fine + 1, narrow = fine - 1; /* passes */
    lay_nodes(&s->all, preview, fine);
    lay_nodes(field, preview, fine);
    TRY(sp_field_order_create(&s->order, field, preview, error));
    s->w = (weigher){&s->all, preview, sp_alloc(count, sizeof *s->w.thick),
                     sp_alloc(count, sizeof *s->w.thin)};
    if (!s->w.thick || !s->w.thin)
        return sp_fail_memory(error, "the liquid of a picture", 2 * count * sizeof *s->w.thick);
    TRY(gather(&s->all, &s->order, NULL, wide, error));
    mend_at_solids(&s->all, preview, wide);
    sp_parallel_for(preview->pool, count, 4096, weigh_thick_range, &s->w);
    TRY(gather(&s->all, &s->order, NULL, narrow + 1, error));
    sp_parallel_for(preview->pool, count, 4096, weigh_thin_range, &s->w);
    TRY(gather(&s->all, &s->order, s->w.thin, narrow, error));
    TRY(gather(field, &s->order, s->w.thick, wide, error));
    mend_at_solids(field, preview, wide);
    add_field(field, &s->all, preview->pool);
    return field->speed ? SPATE_OK : make_blocks(field, preview->pool, error);
}

spate_status sp_field_create(sp_field *field, const sp_preview *preview, spate_error *error)
{
    scratch s = {.all = {.h = 0}};
    *field = (sp_field){.h = 0};
    spate_status status = fill(field, &s, preview, error);
    sp_field_destroy(&s.all);
    sp_field_order_destroy(&s.order);
    sp_free(s.w.thick);
    sp_free(s.w.thin);
    return status;
}

void sp_field_destroy(sp_field *field)
{
    sp_free(field->value);
    sp_free(field->speed);
    sp_free(field->leap[0]);
    sp_free(field->leap[1]);
    *field = (sp_field){.h = 0};
}
