/* field_add.c -- particles leave their volume at the nodes of a field.
 *
 * Each particle gives the volume that it stands for to the nodes around it (linear weights), in
 * units of a node's cube. Particles are added slab by slab, each slab in the order of the
 * particles, so the field does not depend on the number of threads. */
#include "field_add.h"

#include "base/memory.h"
#include "base/status.h"

#define SLAB 8 /* rows (2D) or layers (3D) of nodes; a particle reaches into the next one */

typedef struct adder {
    const sp_field_order *order;
    const float *weight;
    float *value, *speed;
    size_t odd; /* whether odd slabs are at work, or even ones */
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

static size_t slab_of(const sp_field_order *o, size_t k)
{
    int above;
    float share;
    return (size_t)node_below(o->preview->particles->view.x[o->axis][k], o->scale,
                              o->field->n[o->axis], &above, &share) /
           SLAB;
}

static void sort_by_slab(sp_field_order *o)
{
    size_t count = o->preview->particles->view.count;
    for (size_t k = 0; k < count; k++)
        o->first[slab_of(o, k) + 2]++;
    for (size_t s = 2; s < o->slabs + 2; s++)
        o->first[s] += o->first[s - 1];
    for (size_t k = 0; k < count; k++) /* first[s + 1] becomes the end of slab s */
        o->particles[o->first[slab_of(o, k) + 1]++] = (uint32_t)k;
}

static void add_particle(const adder *a, size_t k, float amount)
{
    const sp_field_order *o = a->order;
    const spate_particles_view *p = &o->preview->particles->view;
    const sp_field *f = o->field;
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    float share[3] = {0, 0, 0};
    for (int d = 0; d < 3 && p->x[d]; d++)
        low[d] = node_below(p->x[d][k], o->scale, f->n[d], &high[d], &share[d]);
    float speed = a->speed ? sp_preview_speed(o->preview, k) / (float)o->preview->speed : 0;
    for (int c = 0; c < (p->x[2] ? 8 : 4); c++) {
        int i = c & 1 ? high[0] : low[0], j = c & 2 ? high[1] : low[1];
        int l = c & 4 ? high[2] : low[2];
        float part = amount * (c & 1 ? share[0] : 1 - share[0]) *
                     (c & 2 ? share[1] : 1 - share[1]) * (c & 4 ? share[2] : 1 - share[2]);
        size_t node = ((size_t)l * (size_t)f->n[1] + (size_t)j) * (size_t)f->n[0] + (size_t)i;
        a->value[node] += part;
        if (a->speed)
            a->speed[node] += part * speed;
    }
}

static void add_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const adder *a = args;
    const sp_field_order *o = a->order;
    for (size_t half = begin; half < end; half++) {
        size_t s = 2 * half + a->odd;
        for (size_t n = o->first[s]; n < o->first[s + 1] && s < o->slabs; n++) {
            size_t k = o->particles[n];
            float amount = a->weight ? a->weight[k] * o->amount : o->amount;
            if (amount > 0)
                add_particle(a, k, amount);
        }
    }
}

spate_status sp_field_order_create(sp_field_order *o, const sp_field *field,
                                   const sp_preview *preview, spate_error *error)
{
    size_t count = preview->particles->view.count;
    *o = (sp_field_order){.field = field, .preview = preview, .axis = field->n[2] > 1 ? 2 : 1};
    o->slabs = ((size_t)field->n[o->axis] + SLAB - 1) / SLAB;
    o->scale = (float)preview->dx / field->h;
    float ratio = (float)preview->dx / (float)preview->per_axis / field->h;
    o->amount = preview->particles->view.x[2] ? ratio * ratio * ratio : ratio * ratio;
    o->particles = sp_alloc(count, sizeof *o->particles);
    o->first = sp_alloc(o->slabs + 2, sizeof *o->first);
    if (!o->particles || !o->first) {
        sp_field_order_destroy(o);
        return sp_fail_memory(error, "the liquid of a picture", count * sizeof *o->particles);
    }
    sort_by_slab(o);
    return SPATE_OK;
}

void sp_field_order_destroy(sp_field_order *o)
{
    sp_free(o->particles);
    sp_free(o->first);
    *o = (sp_field_order){.slabs = 0};
}

void sp_field_add(const sp_field_order *o, const float *weight, float *value, float *speed)
{
    adder a = {.order = o, .weight = weight, .value = value, .speed = speed};
    for (a.odd = 0; a.odd < 2; a.odd++)
        sp_parallel_for(o->preview->pool, (o->slabs + 1) / 2, 1, add_range, &a);
}
