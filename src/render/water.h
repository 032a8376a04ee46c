/* water.h -- the liquid of a 3D simulation as the camera sees it: its surface and its thickness. */
#ifndef SPATE_RENDER_WATER_H
#define SPATE_RENDER_WATER_H

#include "studio.h"

typedef struct sp_bulk {
    float thickness; /* m of liquid behind the pixel */
    float speed;     /* mean, 1 = fast */
} sp_bulk;

typedef struct sp_water {
    int samples;       /* per pixel and axis, against jagged edges */
    int width, height; /* in samples */
    float *nearness;   /* 1/m, 1 / depth of the surface per sample; 0: no liquid */
    uint8_t *spray;    /* per sample: 0 the liquid .. 255 a drop that flies alone */
    float spacing;     /* m, between particles */
    float range;       /* m, steps in depth below this are one surface */
    int bulk_width, bulk_height;
    sp_bulk *bulk; /* per SP_BULK_PIXELS^2 pixels; speed times thickness */
} sp_water;

#define SP_BULK_PIXELS 2

spate_status sp_water_create(sp_water *water, const sp_studio *studio, const sp_camera *camera,
                             const sp_preview *preview, int width, int height, spate_error *error);
void sp_water_destroy(sp_water *water);

/* Step 3 of water.c: takes the bumps of single balls out of `nearness`. */
spate_status sp_water_smooth(sp_water *water, const sp_camera *camera, spate_error *error);

/* What is behind a place of the picture (pixels). */
sp_bulk sp_water_bulk(const sp_water *water, float x, float y);

#endif
