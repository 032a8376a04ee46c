/* image.h -- a picture in memory, and the few things drawn on it.
 *
 * Colours are linear light, so that blending and averaging are those of light; sp_image_row turns a
 * row into the 8-bit sRGB that files hold. Coordinates are pixels from the top left corner; pixel
 * (x, y) covers [x, x + 1) times [y, y + 1), so its centre is at (x + 0.5, y + 0.5). */
#ifndef SPATE_RENDER_IMAGE_H
#define SPATE_RENDER_IMAGE_H

#include <spate/spate.h>

/* More than this along a side is refused: a wrong number, not a picture. */
#define SP_IMAGE_LIMIT 16384

typedef struct sp_color {
    float r, g, b; /* linear light, 1 = white */
} sp_color;

typedef struct sp_image {
    int width, height;
    sp_color *pixels; /* height rows of width */
} sp_image;

/* Black. width and height must be 1 .. SP_IMAGE_LIMIT. */
spate_status sp_image_create(sp_image *image, int width, int height, spate_error *error);
void sp_image_destroy(sp_image *image);

/* 0xRRGGBB in sRGB. */
sp_color sp_color_hex(unsigned hex);
static inline sp_color sp_color_scale(sp_color c, float s)
{
    return (sp_color){c.r * s, c.g * s, c.b * s};
}
static inline sp_color sp_color_add(sp_color a, sp_color b)
{
    return (sp_color){a.r + b.r, a.g + b.g, a.b + b.b};
}
static inline sp_color sp_color_times(sp_color a, sp_color b)
{
    return (sp_color){a.r * b.r, a.g * b.g, a.b * b.b};
}
static inline sp_color sp_color_mix(sp_color a, sp_color b, float t)
{
    return (sp_color){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

/* Lays `color` over a pixel of the picture, `cover` 0 .. 1. */
static inline void sp_image_blend(sp_image *image, int x, int y, sp_color color, float cover)
{
    sp_color *pixel = &image->pixels[(size_t)y * image->width + x];
    *pixel = sp_color_mix(*pixel, color, cover);
}
/* Bilinear; outside, the nearest pixel of the border. */
sp_color sp_image_sample(const sp_image *image, float x, float y);

/* Antialiased; parts outside the picture are left out. A disc smaller than a pixel covers its area
 * of one. */
void sp_image_disc(sp_image *image, float x, float y, float radius, sp_color color, float cover);
/* A line with flat ends, `width` pixels wide; dash > 0: dashes and gaps of that length. */
void sp_image_line(sp_image *image, const float from[2], const float to[2], float width, float dash,
                   sp_color color, float cover);

/* Row y as sRGB, 3 bytes per pixel; a fixed pattern of half a step hides the bands of soft
 * gradients. */
void sp_image_row(const sp_image *image, int y, uint8_t *bytes);

/* 0 below low, 1 above high, smooth between. */
static inline float sp_smoothstep(float low, float high, float x)
{
    float t = (x - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

#endif
