/* png.c -- see png.h. libpng reports errors by a jump: everything that must survive it lives in one
 * struct. */
#include "png.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"
#include "io/file.h"

typedef struct writer {
    const sp_image *image;
    sp_file *file;
    uint8_t *row;
    bool file_failed; /* sp_file_close has the reason */
    bool memory_failed;
    char message[128];
} writer;

static void on_error(png_structp png, png_const_charp message)
{
    writer *w = png_get_error_ptr(png);
    snprintf(w->message, sizeof w->message, "%s", message);
    png_longjmp(png, 1);
}

/* The library never prints, and nothing libpng warns of can be acted on by the user. */
static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t size)
{
    writer *w = png_get_mem_ptr(png);
    void *block = sp_alloc(size, 1);
    if (!block)
        w->memory_failed = true;
    return block;
}

static void on_free(png_structp png, png_voidp block)
{
    (void)png;
    sp_free(block);
}

static void on_write(png_structp png, png_bytep bytes, png_size_t size)
{
    writer *w = png_get_io_ptr(png);
    if (sp_file_write(w->file, bytes, size) == SPATE_OK)
        return;
    w->file_failed = true;
    png_error(png, "writing failed");
}

static void on_flush(png_structp png)
{
    (void)png; /* sp_file_close flushes */
}

/* false: one of the flags or the message of `w` says why. */
static bool encode(writer *w, png_structp png, png_infop info)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_write_fn(png, w, on_write, on_flush);
    png_set_IHDR(png, info, w->image->width, w->image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    /* pictures of a film are many: one filter instead of a choice of five takes half the time */
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_compression_level(png, 3);
    png_write_info(png, info);
    for (int y = 0; y < w->image->height; y++) {
        sp_image_row(w->image, y, w->row);
        png_write_row(png, w->row);
    }
    png_write_end(png, info);
    return true;
}

static bool write_picture(writer *w)
{
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, w, on_error, on_warning, w,
                                                on_malloc, on_free);
    if (!png)
        return false;
    png_infop info = png_create_info_struct(png);
    bool done = info && encode(w, png, info);
    png_destroy_write_struct(&png, &info);
    return done;
}

spate_status sp_png_write(const sp_image *image, const char *path, spate_error *error)
{
    writer w = {.image = image};
    spate_error unasked = {0}; /* sp_file_create tells its status only there */
    error = error ? error : &unasked;
    w.row = sp_alloc((size_t)image->width, 3);
    if (!w.row)
        return sp_fail_memory(error, "a row of a picture", (uint64_t)image->width * 3);
    w.file = sp_file_create(path, error);
    if (!w.file) {
        sp_free(w.row);
        return error->status;
    }
    bool done = write_picture(&w);
    sp_free(w.row);
    if (done || w.file_failed)
        return sp_file_close(w.file, error);
    sp_file_abandon(w.file);
    if (w.memory_failed)
        return sp_fail_memory(error, "the encoder of a PNG picture", 0);
    return sp_fail(error, SPATE_ERROR_FILE, path, "cannot be encoded as PNG: %s",
                   w.message[0] ? w.message : "libpng could not be started");
}
