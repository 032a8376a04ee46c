/* image.c -- see image.h.
 *
 * Edges are antialiased by distance: a pixel whose centre lies d pixels inside an edge is covered
 * by d + 1/2, clamped to 0 .. 1, which is exact for straight edges along an axis and close for all
 * others. */
#include "image.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"

spate_status sp_image_create(sp_image *image, int width, int height, spate_error *error)
{
    *image = (sp_image){0};
    if (width < 1 || height < 1 || width > SP_IMAGE_LIMIT || height > SP_IMAGE_LIMIT)
        return sp_fail(
            error, SPATE_ERROR_USAGE, "picture",
            "a picture of %d x %d pixels is not possible; width and height must be 1 to %d", width,
            height, SP_IMAGE_LIMIT);
    size_t count = (size_t)width * height;
    image->pixels = sp_alloc(count, sizeof *image->pixels);
    if (!image->pixels)
        return sp_fail_memory(error, "a picture", count * sizeof *image->pixels);
    image->width = width;
    image->height = height;
    return SPATE_OK;
}

void sp_image_destroy(sp_image *image)
{
    sp_free(image->pixels);
    *image = (sp_image){0};
}

static float linear_from_srgb(float s)
{
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static float srgb_from_linear(float l)
{
    return l <= 0.0031308f ? l * 12.92f : 1.055f * powf(l, 1 / 2.4f) - 0.055f;
}

sp_color sp_color_hex(unsigned hex)
{
    return (sp_color){linear_from_srgb((hex >> 16 & 255) / 255.0f),
                      linear_from_srgb((hex >> 8 & 255) / 255.0f),
                      linear_from_srgb((hex & 255) / 255.0f)};
}

/* A float that may be far outside the range of int, or NaN, as a pixel number. */
static int clamp_pixel(float value, int count)
{
    return !(value > 0) ? 0 : value >= (float)count ? count - 1 : (int)value;
}

sp_color sp_image_sample(const sp_image *image, float x, float y)
{
    float fx = floorf(x - 0.5f), fy = floorf(y - 0.5f);
    float tx = x - 0.5f - fx, ty = y - 0.5f - fy;
    int x0 = clamp_pixel(fx, image->width), x1 = clamp_pixel(fx + 1, image->width);
    int y0 = clamp_pixel(fy, image->height), y1 = clamp_pixel(fy + 1, image->height);
    const sp_color *low = image->pixels + (size_t)y0 * image->width;
    const sp_color *high = image->pixels + (size_t)y1 * image->width;
    return sp_color_mix(sp_color_mix(low[x0], low[x1], tx), sp_color_mix(high[x0], high[x1], tx),
                        ty);
}

void sp_image_disc(sp_image *image, float x, float y, float radius, sp_color color, float cover)
{
    float reach = radius + 0.5f;
    if (!(x + reach > 0 && y + reach > 0 && x - reach < image->width && y - reach < image->height))
        return;
    if (radius < 0.5f) {
        cover *= 4 * radius * radius;
        reach = 1;
        radius = 0.5f;
    }
    int x0 = clamp_pixel(x - reach, image->width), x1 = clamp_pixel(x + reach, image->width);
    int y0 = clamp_pixel(y - reach, image->height), y1 = clamp_pixel(y + reach, image->height);
    for (int j = y0; j <= y1; j++) {
        for (int i = x0; i <= x1; i++) {
            float dx = i + 0.5f - x, dy = j + 0.5f - y;
            float inside = radius + 0.5f - sqrtf(dx * dx + dy * dy);
            if (inside > 0)
                sp_image_blend(image, i, j, color, inside < 1 ? inside * cover : cover);
        }
    }
}

void sp_image_line(sp_image *image, const float from[2], const float to[2], float width, float dash,
                   sp_color color, float cover)
{
    float along[2] = {to[0] - from[0], to[1] - from[1]};
    float length = sqrtf(along[0] * along[0] + along[1] * along[1]);
    if (!(length > 0))
        return;
    along[0] /= length;
    along[1] /= length;
    float reach = width / 2 + 1;
    int y0 = clamp_pixel(fminf(from[1], to[1]) - reach, image->height);
    int y1 = clamp_pixel(fmaxf(from[1], to[1]) + reach, image->height);
    for (int j = y0; j <= y1; j++) {
        /* the part of the line within reach of this row, so that a long slanted line costs only its
         * own pixels */
        float low = fminf(from[0], to[0]) - reach, high = fmaxf(from[0], to[0]) + reach;
        if (fabsf(along[1]) > 1e-3f) {
            float middle = from[0] + (j + 0.5f - from[1]) * along[0] / along[1];
            float half = reach / fabsf(along[1]) + 1;
            low = fmaxf(low, middle - half);
            high = fminf(high, middle + half);
        }
        if (high < 0 || low > image->width || high < low)
            continue;
        int x1 = clamp_pixel(high, image->width);
        for (int i = clamp_pixel(low, image->width); i <= x1; i++) {
            float dx = i + 0.5f - from[0], dy = j + 0.5f - from[1];
            float s = dx * along[0] + dy * along[1], across = fabsf(dy * along[0] - dx * along[1]);
            float inside = fminf(width / 2 - across, fminf(s, length - s)) + 0.5f;
            if (dash > 0)
                inside = fminf(inside,
                               dash / 2 - fabsf(fmodf(s + 2 * dash, 2 * dash) - dash / 2) + 0.5f);
            inside = fminf(inside, width); /* a hair line is faint, not as dark as a full pixel */
            if (inside > 0)
                sp_image_blend(image, i, j, color, inside < 1 ? inside * cover : cover);
        }
    }
}

/* Ordered dither, 4 x 4, centred on 0. */
static const signed char dither[4][4] = {
    {-15, 1, -11, 5}, {9, -7, 13, -3}, {-9, 7, -13, 3}, {15, -1, 11, -5}};

static uint8_t byte_from_linear(float value, float shift)
{
    if (!(value > 0)) /* also NaN */
        return 0;
    float byte = srgb_from_linear(value < 1 ? value : 1) * 255 + shift + 0.5f;
    return byte <= 0 ? 0 : byte >= 255 ? 255 : (uint8_t)byte;
}

void sp_image_row(const sp_image *image, int y, uint8_t *bytes)
{
    const sp_color *row = image->pixels + (size_t)y * image->width;
    for (int x = 0; x < image->width; x++) {
        float shift = dither[y & 3][x & 3] / 32.0f;
        bytes[3 * x] = byte_from_linear(row[x].r, shift);
        bytes[3 * x + 1] = byte_from_linear(row[x].g, shift);
        bytes[3 * x + 2] = byte_from_linear(row[x].b, shift);
    }
}
