/* shadow.h -- the light that reaches the floor of the perspective picture. */
#ifndef SPATE_RENDER_SHADOW_H
#define SPATE_RENDER_SHADOW_H

#include "studio.h"

/* Fills the `lit` members of a studio whose other members are set; sp_free(studio->lit). */
spate_status sp_shadow_create(sp_studio *studio, const sp_preview *preview, spate_error *error);

/* Share of the lamp's light at a place of the floor (m along side and front). */
float sp_shadow_lit(const sp_studio *studio, float side, float front);

#endif
