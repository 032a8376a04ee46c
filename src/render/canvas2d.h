/* canvas2d.h -- the flat picture of a domain: where it lies, ground, solids and sides. */
#ifndef SPATE_RENDER_CANVAS2D_H
#define SPATE_RENDER_CANVAS2D_H

#include "preview.h"

typedef struct sp_canvas {
    const sp_preview *preview;
    sp_image *image;
    float scale;        /* pixels per m */
    float left, bottom; /* pixels, of the low corner of the domain */
    double z;           /* m, 3D: of the plane that is shown */
} sp_canvas;

/* As large as the picture allows, `below` pixels left free under it. */
void sp_canvas_init(sp_canvas *page, const sp_preview *preview, sp_image *image, float below);

void sp_canvas_ground(const sp_canvas *page);
void sp_canvas_solids(const sp_canvas *page);
/* Walls are bars along the outside of the domain, open sides faint dashes, periodic ones faint
 * dots. */
void sp_canvas_sides(const sp_canvas *page);

/* Colours of a number from 0 to 1. */
#define SP_RAMP 256
typedef struct sp_ramp {
    sp_color colors[SP_RAMP];
} sp_ramp;

/* Between colours 0xRRGGBB at equal distances. */
void sp_ramp_init(sp_ramp *ramp, const unsigned *stops, int count);
static inline sp_color sp_ramp_at(const sp_ramp *ramp, float t)
{
    return ramp->colors[t > 0 ? (t < 1 ? (int)(t * (SP_RAMP - 1)) : SP_RAMP - 1) : 0];
}
/* Of speed: blue to white. */
void sp_ramp_init_speed(sp_ramp *ramp);

#endif
