/* shadow.h -- the light that reaches the floor of the perspective picture. */
#ifndef SPATE_RENDER_SHADOW_H
#define SPATE_RENDER_SHADOW_H

#include "water.h"

/* Fills the `lit` members of the studio, whose other members are set; sp_studio_destroy frees.
 * width: pixels, of the picture, which the map need not be finer than. */
spate_status sp_shadow_create(sp_studio *studio, const sp_water *water, int width,
                              spate_error *error);

/* Light of the lamp at a place of the floor (m along side and front): 1 in the open, less in a
 * shadow, more where the liquid gathers it. */
float sp_shadow_lit(const sp_studio *studio, float side, float front);

#endif
