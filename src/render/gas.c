/* gas.c -- see gas.h.
 *
 * All colour maps are made the same way: along them the lightness L* of CIELAB falls evenly, so
 * that equal steps of the number look equally large, in print without colour and to the
 * colour-blind too. Nothing is light and much is dark, as ink on paper. Hue and chroma go along a
 * straight line in CIELCh; from there a colour goes to CIELAB, to XYZ (D65) and to linear sRGB:
 *
 *     a = C cos h, b = C sin h,    fy = (L + 16) / 116, fx = fy + a / 500, fz = fy - b / 200,
 *     X / Xn = fx^3 and so on (below 6/29: (f - 16/116) * 108/841). */
#include "gas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "canvas2d.h"
#include "text.h"

/* ------------------------------------------------------------------ colours */

typedef struct lch {
    float l, c, h; /* 0 .. 100, chroma, degrees */
} lch;

/* From the low end to the high end; a centred map has its middle first and then both ends. */
static const struct {
    lch ends[3];
} maps[] = {
    [SP_MAP_SMOKE] = {{{97, 1, 240}, {20, 16, 262}}},
    [SP_MAP_HEAT] = {{{97, 8, 95}, {28, 62, 25}}},
    [SP_MAP_PLAIN] = {{{96, 12, 105}, {22, 34, 285}}},
    [SP_MAP_CENTRED] = {{{97, 0, 0}, {38, 50, 275}, {42, 62, 45}}},
};

static float uncurve(float f)
{
    return f > 6.0f / 29 ? f * f * f : (f - 16.0f / 116) * (108.0f / 841);
}

static float clip(float value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

static sp_color color_between(lch from, lch to, float t)
{
    float l = from.l + t * (to.l - from.l), c = from.c + t * (to.c - from.c);
    float h = (from.c > 0 ? from.h + t * (to.h - from.h) : to.h) * (float)M_PI / 180;
    float fy = (l + 16) / 116, fx = fy + c * cosf(h) / 500, fz = fy - c * sinf(h) / 200;
    float x = 0.95047f * uncurve(fx), y = uncurve(fy), z = 1.08883f * uncurve(fz);
    return (sp_color){clip(3.2406f * x - 1.5372f * y - 0.4986f * z),
                      clip(-0.9689f * x + 1.8758f * y + 0.0415f * z),
                      clip(0.0557f * x - 0.2040f * y + 1.0570f * z)};
}

static void make_ramp(sp_ramp *ramp, sp_gas_map map)
{
    const lch *ends = maps[map].ends;
    for (int k = 0; k < SP_RAMP; k++) {
        float t = (float)k / (SP_RAMP - 1);
        if (map != SP_MAP_CENTRED)
            ramp->colors[k] = color_between(ends[0], ends[1], t);
        else
            ramp->colors[k] = color_between(ends[0], ends[t < 0.5f ? 1 : 2], fabsf(2 * t - 1));
    }
}

/* ------------------------------------------------------------------ which field */

/* Fields that are made of the velocity. */
#define VORTICITY "vorticity"
#define SPEED "velocity"

static bool is_channel(const sp_cell_field *field)
{
    static const char *const others[] = {"surface", "vel", "pressure", "type", "open"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(field->name, others[k]) == 0)
            return false;
    return true;
}

static const char *telling_field(const sp_field_set *fields)
{
    if (sp_field_set_find(fields, SP_SMOKE))
        return SP_SMOKE;
    if (sp_field_set_find(fields, SP_TEMPERATURE))
        return SP_TEMPERATURE;
    for (int k = 0; k < fields->field_count; k++)
        if (is_channel(&fields->fields[k]))
            return fields->fields[k].name;
    return VORTICITY;
}

void sp_gas_field_names(const sp_field_set *fields, char names[256])
{
    names[0] = 0;
    for (int k = 0; k < fields->field_count; k++)
        if (is_channel(&fields->fields[k]) && strlen(names) < 200)
            snprintf(names + strlen(names), 256 - strlen(names), "%s, ", fields->fields[k].name);
    snprintf(names + strlen(names), 256 - strlen(names), SPEED ", " VORTICITY ", pressure");
}

/* How the field is called, its unit and its colours. */
static void describe(sp_gas_plane *plane, const char *name)
{
    static const struct {
        const char *name, *label;
        sp_gas_map map;
    } known[] = {{SP_SMOKE, "smoke (kg/m^3)", SP_MAP_SMOKE},
                 {SP_TEMPERATURE, "temperature (K)", SP_MAP_HEAT},
                 {VORTICITY, "vorticity (1/s)", SP_MAP_CENTRED},
                 {SPEED, "speed (m/s)", SP_MAP_PLAIN},
                 {"pressure", "pressure (Pa)", SP_MAP_PLAIN}};
    snprintf(plane->label, sizeof plane->label, "%s", name);
    plane->map = SP_MAP_PLAIN;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name, known[k].name) == 0) {
            snprintf(plane->label, sizeof plane->label, "%s", known[k].label);
            plane->map = known[k].map;
        }
}

/* ------------------------------------------------------------------ its numbers */

static float speed_of(const float *v)
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool is_solid(const sp_cell_field *type, size_t cell)
{
    return type && type->bytes[cell] == SPATE_CELL_SOLID;
}

/* The slope of velocity component d along an axis, from the neighbours that are there. */
static float slope(const sp_field_set *fields, size_t cell, int at, int axis, int d)
{
    const sp_cell_field *type = sp_field_set_find(fields, "type");
    const float *v = sp_field_set_find(fields, "vel")->values + d;
    size_t step = axis == 0 ? 1 : (size_t)fields->cells[0];
    bool low = at > 0 && !is_solid(type, cell - step);
    bool high = at < fields->cells[axis] - 1 && !is_solid(type, cell + step);
    size_t from = low ? cell - step : cell, to = high ? cell + step : cell;
    return low || high ? (v[3 * to] - v[3 * from]) / (float)(low + high) : 0;
}

static void fill_plane(sp_gas_plane *plane, const sp_field_set *fields, const char *name, int layer)
{
    const sp_cell_field *field = sp_field_set_find(fields, name),
                        *type = sp_field_set_find(fields, "type"),
                        *vel = sp_field_set_find(fields, "vel");
    bool turns = strcmp(name, VORTICITY) == 0;
    for (int j = 0; j < plane->n[1]; j++)
        for (int i = 0; i < plane->n[0]; i++) {
            size_t k = (size_t)j * (size_t)plane->n[0] + (size_t)i;
            size_t cell = (size_t)layer * (size_t)plane->n[0] * (size_t)plane->n[1] + k;
            float value = field   ? field->values[cell * (size_t)field->components]
                          : turns ? (slope(fields, cell, i, 0, 1) - slope(fields, cell, j, 1, 0)) /
                                        (float)fields->cell_size
                                  : speed_of(vel->values + 3 * cell);
            plane->values[k] = is_solid(type, cell) || !isfinite(value) ? NAN : value;
        }
}

/* The ends of the colours for this frame: all numbers, or, of the vorticity, four times the root
 * mean square: single eddies would leave no colour for all the others. */
static void widen_range(sp_gas_plane *plane)
{
    float low = HUGE_VALF, high = -HUGE_VALF;
    double squares = 0, count = 0;
    for (size_t k = 0; k < (size_t)plane->n[0] * (size_t)plane->n[1]; k++) {
        if (isnan(plane->values[k]))
            continue;
        low = fminf(low, plane->values[k]);
        high = fmaxf(high, plane->values[k]);
        squares += (double)plane->values[k] * (double)plane->values[k];
        count++;
    }
    if (!(low <= high))
        return;
    if (plane->map == SP_MAP_CENTRED) {
        high = 4 * (float)sqrt(squares / count);
        low = -high;
    } else if (plane->map != SP_MAP_HEAT && low >= 0) {
        low = 0;
    }
    plane->range[0] = plane->ranged ? fminf(plane->range[0], low) : low;
    plane->range[1] = plane->ranged ? fmaxf(plane->range[1], high) : high;
    plane->ranged = true;
}

static spate_status find_layer(sp_gas_plane *plane, const sp_field_set *fields, const sp_look *look,
                               int *layer, spate_error *error)
{
    double depth = fields->cells[2] * fields->cell_size;
    plane->z = look->slice_given ? look->slice : depth / 2;
    *layer = 0;
    if (fields->dim == 2)
        return SPATE_OK;
    if (!(plane->z >= 0 && plane->z <= depth))
        return sp_fail(error, SPATE_ERROR_USAGE, "--slice",
                       "must be in the domain, 0 to %g m (got %g)", depth, plane->z);
    *layer = (int)(plane->z / fields->cell_size);
    *layer = *layer < fields->cells[2] ? *layer : fields->cells[2] - 1;
    return SPATE_OK;
}

spate_status sp_gas_plane_take(sp_gas_plane *plane, const sp_field_set *fields, const sp_look *look,
                               spate_error *error)
{
    const char *name = look->field ? look->field : telling_field(fields);
    const sp_cell_field *field = sp_field_set_find(fields, name),
                        *vel = sp_field_set_find(fields, "vel");
    bool made =
        vel && vel->components == 3 && (strcmp(name, VORTICITY) == 0 || strcmp(name, SPEED) == 0);
    int layer;
    if (!made && !(field && field->values)) {
        char names[256];
        sp_gas_field_names(fields, names);
        return sp_fail(error, SPATE_ERROR_USAGE, "--view",
                       "there is no '%.31s' in frame %d: there are %s", name, fields->frame, names);
    }
    TRY(find_layer(plane, fields, look, &layer, error));
    plane->n[0] = fields->cells[0];
    plane->n[1] = fields->cells[1];
    size_t cells = (size_t)plane->n[0] * (size_t)plane->n[1];
    if (cells > plane->capacity) {
        sp_free(plane->values);
        plane->values = sp_alloc(cells, sizeof *plane->values);
        plane->capacity = plane->values ? cells : 0;
    }
    if (!plane->values)
        return sp_fail_memory(error, "a plane of cells", cells * sizeof *plane->values);
    describe(plane, name);
    fill_plane(plane, fields, name, layer);
    widen_range(plane);
    return SPATE_OK;
}

void sp_gas_plane_clear(sp_gas_plane *plane)
{
    sp_free(plane->values);
    *plane = (sp_gas_plane){.values = NULL};
}

/* ------------------------------------------------------------------ drawing */

typedef struct sheet {
    sp_canvas page;
    const sp_gas_plane *plane;
    sp_ramp ramp;
    float range[2];
} sheet;

/* Linear between the middles of the four cells around, those without gas left out; NaN if all are.
 * (a, b) in cells. */
static float value_at(const sp_gas_plane *plane, float a, float b)
{
    float at[2] = {a - 0.5f, b - 0.5f}, part[2], sum = 0, weights = 0;
    int low[2], high[2];
    for (int d = 0; d < 2; d++) {
        float last = (float)(plane->n[d] - 1);
        at[d] = at[d] < 0 ? 0 : at[d] > last ? last : at[d];
        low[d] = (int)at[d];
        high[d] = low[d] < plane->n[d] - 1 ? low[d] + 1 : low[d];
        part[d] = at[d] - (float)low[d];
    }
    for (int c = 0; c < 4; c++) {
        int i = c & 1 ? high[0] : low[0], j = c & 2 ? high[1] : low[1];
        float weight = (c & 1 ? part[0] : 1 - part[0]) * (c & 2 ? part[1] : 1 - part[1]);
        float value = plane->values[(size_t)j * (size_t)plane->n[0] + (size_t)i];
        if (isnan(value) || weight <= 0)
            continue;
        sum += weight * value;
        weights += weight;
    }
    return weights > 0 ? sum / weights : NAN;
}

static void field_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sheet *s = args;
    const sp_canvas *p = &s->page;
    float cells = 1 / (p->scale * (float)p->preview->dx); /* per pixel */
    float width = s->range[1] - s->range[0];
    for (size_t y = begin; y < end; y++) {
        float b = (p->bottom - ((float)y + 0.5f)) * cells;
        if (b < 0 || b > (float)s->plane->n[1])
            continue;
        for (int x = 0; x < p->image->width; x++) {
            float a = ((float)x + 0.5f - p->left) * cells;
            if (a < 0 || a > (float)s->plane->n[0])
                continue;
            float value = value_at(s->plane, a, b);
            if (!isnan(value))
                sp_image_blend(p->image, x, (int)y,
                               sp_ramp_at(&s->ramp, (value - s->range[0]) / width), 1);
        }
    }
}

/* "0 [colours] 0.01 smoke (kg/m^3)" under the domain, or, if that is narrower, in the middle. */
static void draw_scale(const sheet *s, float below, sp_color ink)
{
    sp_image *image = s->page.image;
    char low[32], high[32];
    snprintf(low, sizeof low, "%.3g", (double)s->range[0]);
    snprintf(high, sizeof high, "%.3g", (double)s->range[1]);
    float size = 0.28f * below, y = (float)image->height - 0.4f * below, gap = 0.6f * size;
    int length = (int)(0.18f * (float)image->width), top = (int)(y - size), tall = (int)size;
    float all = sp_text_width(low, size) + sp_text_width(high, size) + (float)length + 4 * gap +
                sp_text_width(s->plane->label, size);
    bool narrow = all > (float)image->width - 2 * s->page.left;
    float x = narrow ? fmaxf(((float)image->width - all) / 2, 0) : s->page.left;
    sp_text_draw(image, x, y, size, low, ink);
    x += sp_text_width(low, size) + gap;
    for (int i = -1; i <= length; i++)
        for (int j = -1; j <= tall; j++) {
            bool rim = i < 0 || j < 0 || i == length || j == tall;
            sp_color color = rim ? ink : sp_ramp_at(&s->ramp, (float)i / (float)(length - 1));
            int px = (int)x + i, py = top + j;
            if (px >= 0 && px < image->width && py >= 0 && py < image->height)
                sp_image_blend(image, px, py, color, rim ? 0.5f : 1);
        }
    x += (float)length + gap;
    sp_text_draw(image, x, y, size, high, ink);
    x += sp_text_width(high, size) + 2 * gap;
    sp_text_draw(image, x, y, size, s->plane->label, ink);
}

void sp_preview_draw_gas(const sp_preview *preview, sp_image *image)
{
    const sp_color paper = sp_color_hex(0xeceff3), ink = sp_color_hex(0x2b3440);
    float below = 0.09f * (float)image->height;
    sheet s = {.plane = preview->gas};
    s.range[0] = preview->look.range_given ? (float)preview->look.range[0] : s.plane->range[0];
    s.range[1] = preview->look.range_given ? (float)preview->look.range[1] : s.plane->range[1];
    if (!(s.range[1] > s.range[0]))
        s.range[1] = s.range[0] + 1;
    sp_canvas_init(&s.page, preview, image, below);
    s.page.z = preview->low[2] + s.plane->z;
    make_ramp(&s.ramp, s.plane->map);
    for (size_t k = 0; k < (size_t)image->width * (size_t)image->height; k++)
        image->pixels[k] = paper;
    sp_parallel_for(preview->pool, (size_t)image->height, 8, field_range, &s);
    if (preview->distance)
        sp_canvas_solids(&s.page);
    sp_canvas_sides(&s.page);
    draw_scale(&s, below, ink);
    if (preview->look.stamp) {
        char text[48];
        snprintf(text, sizeof text, "t = %.3f s", preview->particles->time);
        float size = 0.28f * below, length = sp_text_width(text, size);
        sp_text_draw(image, 0.95f * (float)image->width - length,
                     (float)image->height - 0.4f * below, size, text, ink);
    }
}
