/* usd.h -- USD layers: a tree of prims whose attributes have samples over time, as text (.usda) or
 * as crate (.usdc).
 *
 *     sp_usd *usd = sp_usd_create("water.usdc", 30, error);
 *     int prim = sp_usd_prim(usd, -1, "Points", "water");
 *     int points = sp_usd_attribute(usd, prim, "points", SP_USD_POINT3F, NULL);
 *     for each time: sp_usd_sample_begin, sp_usd_sample_put (as often as needed)
 *     sp_usd_close(usd, error);
 *
 * Samples go to the disk as they come: a layer with many frames takes no more memory than one. Any
 * failure is remembered and reported by sp_usd_close. */
#ifndef SPATE_IO_USD_H
#define SPATE_IO_USD_H

#include <spate/spate.h>

#include <math.h>

/* Arrays, all of them but the matrix. */
typedef enum sp_usd_type {
    SP_USD_FLOAT,
    SP_USD_FLOAT2,
    SP_USD_FLOAT3,
    SP_USD_FLOAT4,
    SP_USD_POINT3F,
    SP_USD_VECTOR3F,
    SP_USD_NORMAL3F,
    SP_USD_INT,
    SP_USD_INT64,
    SP_USD_MATRIX4D /* rows, which points are multiplied with from the left */
} sp_usd_type;

#define SP_USD_ALWAYS ((double)NAN) /* the time of a value that does not change */

typedef struct sp_usd sp_usd;

/* Whether a path has an ending of USD: .usd, .usda or .usdc. */
bool sp_usd_is_name(const char *path);
/* The ending of the path says which kind: .usdc, and .usd, of which readers look at the content, as
 * crate; everything else is text. `fps`: time codes per
 * second. NULL on failure. */
sp_usd *sp_usd_create(const char *path, double fps, spate_error *error);
/* Below `parent` (-1: at the top). The first one is the layer's default prim. Returns its number.
 */
int sp_usd_prim(sp_usd *usd, int parent, const char *type, const char *name);
/* `interpolation` of a primvar; NULL if there is none to be named. Returns its number. */
int sp_usd_attribute(sp_usd *usd, int prim, const char *name, sp_usd_type type,
                     const char *interpolation);
/* A token that does not change over time ("subdivisionScheme", "none"). */
void sp_usd_token(sp_usd *usd, int prim, const char *name, const char *value);
/* The same, as a list of that one token ("xformOpOrder"). */
void sp_usd_token_list(sp_usd *usd, int prim, const char *name, const char *value);
/* A sample of `count` elements, whose values follow; times of an attribute must grow. At
 * SP_USD_ALWAYS it is the attribute's only one. */
void sp_usd_sample_begin(sp_usd *usd, int attribute, double time, uint64_t count);
/* Elements as they lie in memory: floats, int32_t, int64_t or doubles. */
void sp_usd_sample_put(sp_usd *usd, const void *values, size_t count);
/* The caller has no memory: sp_usd_close reports it. */
void sp_usd_fail_memory(sp_usd *usd);
/* Writes what is left and frees `usd`. */
spate_status sp_usd_close(sp_usd *usd, spate_error *error);
void sp_usd_abandon(sp_usd *usd); /* NULL is fine */

const char *sp_usd_type_name(sp_usd_type type); /* "point3f[]" */

#endif
