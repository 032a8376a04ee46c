/* field.c -- from particles to a smooth field.
 *
 * Each particle leaves the volume that it stands for at the nodes around it (linear weights), in
 * units of a node's cube, so that the sum is 1 inside the liquid. Passes of the binomial filter (1,
 * 2, 1)/4 along each axis then smooth it: p of them and the linear weights are a bell of variance
 * (1/6 + p/2) h^2 along each axis. That takes the bumps of single particles away and costs a few
 * operations per node, whatever the number of particles. Walls mirror what is before them. Where
 * solids take part of the bell, the sum is divided by the part that is left: the liquid reaches up
 * to the solid instead of turning away from it.
 *
 * Particles are added slab by slab, each slab in the order of the particles, so the field does not
 * depend on the number of threads. */
#include "field.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/sides.h"

#define SLAB 8 /* rows (2D) or layers (3D) of nodes; a particle reaches into the next one */
#define NODE_LIMIT ((size_t)1 << 25) /* with more nodes, they are a cell apart */

/* ------------------------------------------------------------------ adding particles */

typedef struct adder {
    sp_field *field;
    const sp_preview *preview;
    uint32_t *order; /* particles by slab */
    size_t *first;   /* per slab, and the end */
    size_t slabs;
    int axis;     /* along which the slabs lie */
    float scale;  /* nodes per cell */
    float amount; /* of a particle */
    size_t odd;   /* whether odd slabs are at work, or even ones */
} adder;

/* The node below a place, and the share of the node above; both folded back at the walls. */
static int node_below(float x, float scale, int n, int *above, float *share)
{
    float g = x * scale - 0.5f;
    g = g > -0.5f ? (g < (float)n - 0.5f ? g : (float)n - 0.5f) : -0.5f;
    int i = (int)(g + 1) - 1;
    *share = g - (float)i;
    *above = i + 1 < n ? i + 1 : n - 1;
    return i > 0 ? i : 0;
}

static size_t slab_of(const adder *a, size_t k)
{
    int above;
    float share;
    return (size_t)node_below(a->preview->particles->view.x[a->axis][k], a->scale,
                              a->field->n[a->axis], &above, &share) /
           SLAB;
}

static void sort_by_slab(adder *a)
{
    size_t count = a->preview->particles->view.count;
    for (size_t k = 0; k < count; k++)
        a->first[slab_of(a, k) + 2]++;
    for (size_t s = 2; s < a->slabs + 2; s++)
        a->first[s] += a->first[s - 1];
    for (size_t k = 0; k < count; k++) /* first[s + 1] becomes the end of slab s */
        a->order[a->first[slab_of(a, k) + 1]++] = (uint32_t)k;
}

static void add_particle(const adder *a, size_t k)
{
    const spate_particles_view *p = &a->preview->particles->view;
    sp_field *f = a->field;
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    float share[3] = {0, 0, 0};
    for (int d = 0; d < 3 && p->x[d]; d++)
        low[d] = node_below(p->x[d][k], a->scale, f->n[d], &high[d], &share[d]);
    float speed = f->speed ? sp_preview_speed(a->preview, k) / (float)a->preview->speed : 0;
    for (int c = 0; c < (p->x[2] ? 8 : 4); c++) {
        int i = c & 1 ? high[0] : low[0], j = c & 2 ? high[1] : low[1];
        int l = c & 4 ? high[2] : low[2];
        float part = a->amount * (c & 1 ? share[0] : 1 - share[0]) *
                     (c & 2 ? share[1] : 1 - share[1]) * (c & 4 ? share[2] : 1 - share[2]);
        size_t node = ((size_t)l * (size_t)f->n[1] + (size_t)j) * (size_t)f->n[0] + (size_t)i;
        f->value[node] += part;
        if (f->speed)
            f->speed[node] += part * speed;
    }
}

static void add_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const adder *a = args;
    for (size_t half = begin; half < end; half++) {
        size_t s = 2 * half + a->odd;
        for (size_t k = a->first[s]; k < a->first[s + 1] && s < a->slabs; k++)
            add_particle(a, a->order[k]);
    }
}

static spate_status add_particles(sp_field *field, const sp_preview *preview, spate_error *error)
{
    adder a = {.field = field, .preview = preview, .axis = field->n[2] > 1 ? 2 : 1};
    a.slabs = ((size_t)field->n[a.axis] + SLAB - 1) / SLAB;
    a.scale = (float)preview->dx / field->h;
    float ratio = (float)preview->dx / (float)preview->per_axis / field->h;
    a.amount = preview->particles->view.x[2] ? ratio * ratio * ratio : ratio * ratio;
    a.order = sp_alloc(preview->particles->view.count, sizeof *a.order);
    a.first = sp_alloc(a.slabs + 2, sizeof *a.first);
    spate_status status = SPATE_OK;
    if (a.order && a.first) {
        sort_by_slab(&a);
        for (a.odd = 0; a.odd < 2; a.odd++)
            sp_parallel_for(preview->pool, (a.slabs + 1) / 2, 1, add_range, &a);
    } else {
        status = sp_fail_memory(error, "the liquid of a picture",
                                preview->particles->view.count * sizeof *a.order);
    }
    sp_free(a.order);
    sp_free(a.first);
    return status;
}

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
    if (fabs(sp_preview_distance(m->preview, middle, NULL)) > limit)
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
                double d = sp_preview_distance(m->preview, point, NULL) / m->width;
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

static void mend_at_solids(const sp_field *field, const sp_preview *preview, float width)
{
    mender m = {field, preview, width};
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

/* ------------------------------------------------------------------ all of it */

static void choose_nodes(sp_field *field, const sp_preview *preview, int *passes)
{
    int fine = preview->per_axis > 1 ? 2 : 1;
    double cells = 1;
    int dim = preview->size[2] > 0 ? 3 : 2;
    for (int d = 0; d < dim; d++)
        cells *= ceil(preview->size[d] / preview->dx - SP_FITS);
    if (cells * (1 << dim) > NODE_LIMIT)
        fine = 1;
    for (int d = 0; d < 3; d++) { /* the walls are where nodes end, to half of their distance */
        double n = d < dim ? floor(preview->size[d] / preview->dx * fine + 0.5) : 1;
        field->n[d] = n > 1 ? (int)n : 1;
    }
    field->h = (float)preview->dx / (float)fine;
    *passes = fine + 1;
}

static spate_status fill(sp_field *field, const sp_preview *preview, spate_error *error)
{
    int passes;
    choose_nodes(field, preview, &passes);
    size_t nodes = (size_t)field->n[0] * (size_t)field->n[1] * (size_t)field->n[2];
    bool flat = field->n[2] == 1;
    field->value = sp_alloc(nodes, sizeof *field->value);
    if (!field->value)
        return sp_fail_memory(error, "the liquid of a picture", nodes * sizeof *field->value);
    if (flat && !(field->speed = sp_alloc(nodes, sizeof *field->speed)))
        return sp_fail_memory(error, "the liquid of a picture", nodes * sizeof *field->speed);
    TRY(add_particles(field, preview, error));
    TRY(smooth(field, field->value, passes, preview, error));
    if (flat)
        TRY(smooth(field, field->speed, passes, preview, error));
    if (preview->solids)
        mend_at_solids(field, preview, sqrtf(1 / 6.0f + (float)passes / 2) * field->h);
    return flat ? SPATE_OK : make_blocks(field, preview->pool, error);
}

spate_status sp_field_create(sp_field *field, const sp_preview *preview, spate_error *error)
{
    *field = (sp_field){.h = 0};
    return fill(field, preview, error);
}

void sp_field_destroy(sp_field *field)
{
    sp_free(field->value);
    sp_free(field->speed);
    sp_free(field->leap[0]);
    sp_free(field->leap[1]);
    *field = (sp_field){.h = 0};
}
