/* studio.h -- what stands around the liquid in the perspective picture: light, sky, floor, shadows,
 * the tank.
 *
 * Points are in metres from the centre of the domain. */
#ifndef SPATE_RENDER_STUDIO_H
#define SPATE_RENDER_STUDIO_H

#include "camera.h"
#include "preview.h"

typedef struct sp_studio {
    sp_stand stand;
    sp_vec light;     /* unit, towards the lamp */
    sp_vec center;    /* m, of the domain, to find the exact solids */
    float half[3];    /* m, half sizes of the domain along x, y, z */
    float reach;      /* m, half the diagonal of the domain */
    float tile;       /* m, of the floor */
    float *lit;       /* share of the lamp's light that reaches the floor; rows along `side` */
    int lit_count[2]; /* along side, front */
    float lit_low[2]; /* m */
    float lit_cell;   /* m */
} sp_studio;

/* All but the light on the floor (shadow.h). */
void sp_studio_init(sp_studio *studio, const sp_preview *preview);
void sp_studio_destroy(sp_studio *studio);

/* What a mirror would show in a direction above the horizon. */
sp_color sp_studio_sky(const sp_studio *studio, sp_vec direction);
/* What a ray that meets nothing in the domain shows: the floor, or what is behind everything.
 * `direction` is of length 1; `spread` (m) is the width of what the ray stands for, at its start,
 * and `widening` how much it grows per metre. */
sp_color sp_studio_seen(const sp_studio *studio, sp_vec from, sp_vec direction, float spread,
                        float widening);

/* Sky, floor with shadows, and the edges of the tank that everything inside is before. */
void sp_studio_draw_back(const sp_studio *studio, const sp_camera *camera,
                         const sp_preview *preview, sp_image *image);
/* The other edges, which are before everything inside. */
void sp_studio_draw_front(const sp_studio *studio, const sp_camera *camera,
                          const sp_preview *preview, sp_image *image);

/* A point in the coordinates of the scene. */
static inline void sp_studio_world(const sp_studio *studio, sp_vec p, double world[3])
{
    world[0] = (double)studio->center.x + p.x;
    world[1] = (double)studio->center.y + p.y;
    world[2] = (double)studio->center.z + p.z;
}
/* Signed distance (m) to the solids. */
static inline float sp_studio_distance(const sp_studio *studio, const sp_preview *preview, sp_vec p)
{
    double point[3];
    sp_studio_world(studio, p, point);
    return (float)preview->distance(preview->distance_user, point);
}

#endif
