/* loners.c -- see loners.h.
 *
 * Particles are counted per cell; a particle is alone when few are in the 27 cells around it. At
 * the walls the cells beside them count for those behind, or every particle in a corner would look
 * lonely. */
#include "loners.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"

static int clamp_cell(int cell, int count)
{
    return cell < 0 ? 0 : cell < count ? cell : count - 1;
}

static int cell_of(const sp_loners *loners, const spate_particles_view_data *particles, size_t k,
                   int axis)
{
    float x = particles->x[axis][k];
    return x > 0 ? clamp_cell(x < loners->cells[axis] ? (int)x : loners->cells[axis],
                              loners->cells[axis])
                 : 0;
}

static uint8_t *counter(const sp_loners *loners, int i, int j, int k)
{
    size_t index = i + (size_t)loners->cells[0] * (j + (size_t)loners->cells[1] * k);
    return &loners->count[index & loners->mask];
}

spate_status sp_loners_create(sp_loners *loners, const sp_preview *preview, spate_error *error)
{
    *loners = (sp_loners){0};
    size_t cells = 1, counters = 1;
    for (int d = 0; d < 3; d++) {
        loners->cells[d] = (int)lround(preview->size[d] / preview->dx);
        cells *= (size_t)loners->cells[d];
    }
    while (counters < cells && counters < (size_t)1 << 23)
        counters *= 2;
    loners->mask = counters - 1;
    float full = (float)preview->per_axis * preview->per_axis * preview->per_axis;
    loners->dense = 0.6f * full;
    loners->few = 0.35f * full;
    loners->many = 2.5f * full;
    loners->count = sp_alloc(counters, 1);
    if (!loners->count)
        return sp_fail_memory(error, "the spray of a picture", counters);
    const spate_particles_view_data *p = &preview->particles;
    for (size_t k = 0; k < p->count; k++) {
        uint8_t *c = counter(loners, cell_of(loners, p, k, 0), cell_of(loners, p, k, 1),
                             cell_of(loners, p, k, 2));
        *c += *c < 255;
    }
    return SPATE_OK;
}

void sp_loners_destroy(sp_loners *loners)
{
    sp_free(loners->count);
    loners->count = NULL;
}

float sp_loners_at(const sp_loners *loners, const spate_particles_view_data *particles, size_t k)
{
    int c[3];
    for (int d = 0; d < 3; d++)
        c[d] = cell_of(loners, particles, k, d);
    float around = *counter(loners, c[0], c[1], c[2]);
    if (around >= loners->dense)
        return 0;
    for (int n = 0; n < 27; n++) {
        int i = clamp_cell(c[0] + n % 3 - 1, loners->cells[0]);
        int j = clamp_cell(c[1] + n / 3 % 3 - 1, loners->cells[1]);
        int l = clamp_cell(c[2] + n / 9 - 1, loners->cells[2]);
        if (i != c[0] || j != c[1] || l != c[2]) /* a particle is no company to itself */
            around += *counter(loners, i, j, l);
    }
    return 1 - sp_smoothstep(loners->few, loners->many, around);
}
