/* png.h -- a picture as a PNG file. */
#ifndef SPATE_RENDER_PNG_H
#define SPATE_RENDER_PNG_H

#include "image.h"

/* 8-bit RGB, sRGB. Complete under its name or not there at all. */
spate_status sp_png_write(const sp_image *image, const char *path, spate_error *error);

#endif
