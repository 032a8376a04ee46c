/* water.h -- rays that meet the liquid: where they enter it, and what is seen there.
 *
 * Points are in metres from the centre of the domain, directions have length 1. */
#ifndef SPATE_RENDER_WATER_H
#define SPATE_RENDER_WATER_H

#include "field.h"
#include "studio.h"

typedef struct sp_water {
    const sp_preview *preview;
    const sp_studio *studio;
    const sp_field *field;
    float unit; /* m, on which the liquid's colour changes */
} sp_water;

/* A ray that a surface bends. `air`: it is outside of the liquid. */
typedef struct sp_ray {
    sp_vec from, along;
    bool air;
} sp_ray;

typedef enum sp_event {
    SP_EVENT_SURFACE, /* the free surface */
    SP_EVENT_SIDE,    /* the liquid at a pane */
    SP_EVENT_PANE,    /* the ray leaves the domain, from air */
    SP_EVENT_FLOOR    /* the ray meets the bottom of the domain, in the liquid */
} sp_event;

/* Follows a ray that is inside the domain, or outside and on its way into it; *t is the way to the
 * event, *normal that of the surface, against the ray. */
sp_event sp_water_follow(const sp_water *water, const sp_ray *ray, float *t, sp_vec *normal);

/* The ray behind a surface, and the share of light that is mirrored; false: all of it (total
 * reflection). */
bool sp_water_refract(const sp_ray *ray, sp_vec point, sp_vec normal, sp_ray *behind, float *share);
sp_ray sp_water_reflect(const sp_ray *ray, sp_vec point, sp_vec normal);

/* What a ray shows that has come to a surface of the liquid from air, at `point`. `spread` (m) is
 * the width of a pixel there, `widening` its growth per metre. */
sp_color sp_water_color(const sp_water *water, const sp_ray *ray, sp_vec point, sp_vec normal,
                        float spread, float widening);
/* The same for a ray that starts inside the liquid. */
sp_color sp_water_inside(const sp_water *water, sp_ray ray, float spread, float widening);

#endif
