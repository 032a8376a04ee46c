/* views.h -- what the grid holds, drawn flat: cell types, pressure, velocity, divergence, particles
 * per cell.
 *
 * A run leaves particles, not grids. A view makes the grid again: a simulation of the same scene
 * without liquid of its own, its solids as they are at that frame, gets the particles and runs the
 * stages of the step that starts there, up to the pressure. So the views show what that step
 * computes from the particles; a run itself starts its solves from the pressure before and may take
 * another dt, which changes its pressure by as much as the tolerance of the solver allows. */
#ifndef SPATE_RENDER_VIEWS_H
#define SPATE_RENDER_VIEWS_H

#include "frame.h"

typedef enum sp_view {
    SP_VIEW_LIQUID, /* the picture of preview.h */
    SP_VIEW_CELLS,
    SP_VIEW_PRESSURE,
    SP_VIEW_VELOCITY,   /* after the pressure */
    SP_VIEW_DIVERGENCE, /* before the pressure: what it has to remove */
    SP_VIEW_PPC,
    SP_VIEW_COUNT
} sp_view;

extern const char *const sp_view_names[SP_VIEW_COUNT];
/* false if there is no such view. */
bool sp_view_find(const char *name, sp_view *view);

typedef struct sp_views {
    sp_view view;
    bool slice_given, range_given;
    double slice;    /* m, 3D: z of the plane; default: the middle */
    double range[2]; /* ends of the colours; default: those of each picture */
} sp_views;

spate_status sp_views_paint(const sp_views *views, const sp_frame *frame, int threads, bool stamp,
                            sp_image *image, spate_error *error);

#endif
