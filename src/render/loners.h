/* loners.h -- which particles fly alone: spray, drawn white and small. */
#ifndef SPATE_RENDER_LONERS_H
#define SPATE_RENDER_LONERS_H

#include "preview.h"

typedef struct sp_loners {
    uint8_t *count; /* particles per cell, at most 255 */
    size_t mask;    /* cells share a counter in domains of more cells than this */
    int cells[3];
    float dense;     /* particles in one cell that are liquid, whatever is around */
    float few, many; /* particles around one that is alone, and one that is not */
} sp_loners;

spate_status sp_loners_create(sp_loners *loners, const sp_preview *preview, spate_error *error);
void sp_loners_destroy(sp_loners *loners);

/* 1 alone .. 0 inside the liquid. */
float sp_loners_at(const sp_loners *loners, const spate_particles_view_data *particles, size_t k);

#endif
