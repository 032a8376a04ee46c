/* text.h -- letters on a picture: the time, and the legends of field views. */
#ifndef SPATE_RENDER_TEXT_H
#define SPATE_RENDER_TEXT_H

#include "image.h"

/* Text from (x, y), the lower left corner of its first letter; `size` is the height of a digit in
 * pixels. Characters it does not know are blanks. */
void sp_text_draw(sp_image *image, float x, float y, float size, const char *text, sp_color color);
/* Pixels that a text is long. */
float sp_text_width(const char *text, float size);

/* "t = 1.233 s" in the lower left corner. */
void sp_text_draw_time(sp_image *image, double seconds);

#endif
