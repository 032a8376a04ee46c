/* field.h -- the liquid as a smooth function of place, for pictures: 1 inside, 0 outside, its
 * surface where it passes SP_FIELD_LEVEL.
 *
 * Nodes are the centres of cubes of size h that fill the domain. Inside this file and for rays,
 * places are *grid coordinates*: node (i, j, k) is at (i, j, k), the walls are at -1/2 and n - 1/2.
 */
#ifndef SPATE_RENDER_FIELD_H
#define SPATE_RENDER_FIELD_H

#include "preview.h"
#include "vec.h"

#define SP_FIELD_LEVEL 0.4f
#define SP_FIELD_MOST 3.1f /* what a particle that is alone counts */
#define SP_FIELD_BLOCK 4   /* nodes along a side of a block */

typedef struct sp_field {
    int n[3];      /* nodes; n[2] = 1 in 2D */
    float h;       /* m */
    float reach;   /* nodes, over which a normal is taken: 3/4 of a cell */
    float *value;  /* x fastest */
    float *speed;  /* 2D: value times speed (1 = fast); NULL in 3D */
    int blocks[3]; /* 3D: of SP_FIELD_BLOCK cubes between nodes along a side */
    /* 3D, per block, for rays in air (0) and in the liquid (1): 0 if the surface may be in it, else
     * how many layers of blocks around it, itself included, have none of it. */
    uint8_t *leap[2];
} sp_field;

spate_status sp_field_create(sp_field *field, const sp_preview *preview, spate_error *error);
void sp_field_destroy(sp_field *field);

/* Trilinear; outside the nodes, the nearest place among them. */
static inline float sp_field_at(const sp_field *f, sp_vec g)
{
    float top[3] = {(float)(f->n[0] - 1), (float)(f->n[1] - 1), (float)(f->n[2] - 1)};
    float x = g.x > 0 ? (g.x < top[0] ? g.x : top[0]) : 0;
    float y = g.y > 0 ? (g.y < top[1] ? g.y : top[1]) : 0;
    float z = g.z > 0 ? (g.z < top[2] ? g.z : top[2]) : 0;
    int i = (int)x, j = (int)y, k = (int)z;
    size_t row = (size_t)f->n[0], layer = row * (size_t)f->n[1];
    const float *v = f->value + (size_t)k * layer + (size_t)j * row + (size_t)i;
    size_t a = i + 1 < f->n[0], b = j + 1 < f->n[1] ? row : 0, c = k + 1 < f->n[2] ? layer : 0;
    x -= (float)i;
    y -= (float)j;
    z -= (float)k;
    float v00 = v[0] + x * (v[a] - v[0]), v10 = v[b] + x * (v[b + a] - v[b]);
    float v01 = v[c] + x * (v[c + a] - v[c]), v11 = v[c + b] + x * (v[c + b + a] - v[c + b]);
    float v0 = v00 + y * (v10 - v00), v1 = v01 + y * (v11 - v01);
    return v0 + z * (v1 - v0);
}

/* Unit normal out of the liquid. */
sp_vec sp_field_normal(const sp_field *field, sp_vec g);

/* Follows the ray g + t d (grid coordinates) from t to `end`, inside the liquid or outside of it,
 * until it crosses the surface. Returns t there, or a t above `end`. */
float sp_field_cross(const sp_field *field, sp_vec g, sp_vec d, float t, float end, bool inside);

/* Value, and value times speed, by a smooth kernel (quadratic B-spline); for 2D. */
void sp_field_look(const sp_field *field, float x, float y, float result[2]);

#endif
