/* film.h -- a film (MP4, H.264) from pictures, made by the ffmpeg program.
 *
 * ffmpeg is a process of its own that gets the pictures through a socket; no shell is involved. It
 * is the program that the variable SPATE_FFMPEG of the environment names, else the one in PATH. */
#ifndef SPATE_RENDER_FILM_H
#define SPATE_RENDER_FILM_H

#include "image.h"

typedef struct sp_film sp_film;

/* NULL on failure; without ffmpeg the error has the status SPATE_ERROR_DEVICE, and says what to
 * install. Every picture must have this size. */
sp_film *sp_film_create(const char *path, int width, int height, double fps, spate_error *error);
spate_status sp_film_add(sp_film *film, const sp_image *image, spate_error *error);
/* Waits until the film is complete and gives it its name; frees `film` in every case. On failure
 * there is no file. NULL is fine. */
spate_status sp_film_close(sp_film *film, spate_error *error);
/* Stops ffmpeg, removes what it has written and frees `film`; NULL is fine. */
void sp_film_abandon(sp_film *film);

#endif
