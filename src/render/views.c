/* views.c -- see views.h. */
#include "views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "canvas2d.h"
#include "text.h"

const char *const sp_view_names[SP_VIEW_COUNT] = {"liquid",   "cells",      "pressure",
                                                  "velocity", "divergence", "ppc"};

bool sp_view_find(const char *name, sp_view *view)
{
    for (int k = 0; k < SP_VIEW_COUNT; k++) {
        if (strcmp(sp_view_names[k], name) == 0) {
            *view = (sp_view)k;
            return true;
        }
    }
    return false;
}

/* The numbers of one plane of cells, x fastest; NaN where there is nothing to show. */
typedef struct plane {
    int n[2];
    float *values, *arrows; /* arrows: two components per cell, only of velocity */
    uint8_t *types;         /* spate_cell */
} plane;

static const struct {
    const char *label;
    bool centred; /* 0 in the middle of the colours */
    int stops;
    unsigned colors[6];
} kinds[SP_VIEW_COUNT] = {
    [SP_VIEW_CELLS] = {"", false, 2, {0, 0}},
    [SP_VIEW_PRESSURE] = {"pressure (Pa)",
                          false,
                          6,
                          {0x2a2060, 0x2f4f9f, 0x1f8f8f, 0x62bf5f, 0xd8d850, 0xfff6c8}},
    [SP_VIEW_VELOCITY] = {"speed (m/s)",
                          false,
                          6,
                          {0x16224f, 0x1f4fa0, 0x2391de, 0x62c8f0, 0xc4effb, 0xffffff}},
    [SP_VIEW_DIVERGENCE] = {"divergence (1/s)",
                            true,
                            5,
                            {0x1f4fd8, 0x7fa8f0, 0xf0f0ee, 0xf09a80, 0xc8281f}},
    [SP_VIEW_PPC] = {"particles per cell",
                     false,
                     6,
                     {0x30125f, 0x7a1f7f, 0xc83f6f, 0xf07f4f, 0xfac05f, 0xfff8c0}},
};

/* ------------------------------------------------------------------ the grid, made again */

/* The scene as it is at `time`: that moment becomes 0. */
static void shift_time(spate_scene *scene, double time, bool *memory)
{
    for (int k = 0; k < scene->solids.count; k++) {
        spate_shape *shape = &scene->solids.items[k];
        bool drifts = shape->velocity[0] != 0 || shape->velocity[1] != 0 || shape->velocity[2] != 0;
        if (drifts && shape->motion_count == 0 && !spate_shape_add_keyframe(shape))
            *memory = false;
        for (int i = 0; i < shape->motion_count; i++) {
            shape->motion[i].time -= time;
            for (int d = 0; d < 3; d++)
                shape->motion[i].position[d] += shape->velocity[d] * time;
        }
    }
}

static spate_sim *make_sim(const sp_frame *frame, int threads, spate_error *error)
{
    spate_scene *scene = spate_scene_copy(frame->scene);
    bool memory = scene != NULL;
    if (scene)
        shift_time(scene, frame->particles.time, &memory);
    if (!memory) {
        spate_scene_destroy(scene);
        sp_fail_memory(error, "the grid of a picture", 0);
        return NULL;
    }
    int fills = scene->fill.count;
    scene->fill.count = 0; /* the particles come from the file */
    spate_options options;
    spate_options_default(&options);
    options.threads = threads;
    spate_sim *sim = spate_sim_create(scene, &options, error);
    scene->fill.count = fills;
    spate_scene_destroy(scene);
    return sim;
}

static spate_status add_particles(spate_sim *sim, const sp_frame *frame, spate_error *error)
{
    size_t count = frame->particles.view.count;
    float *numbers = sp_alloc(6 * count, sizeof *numbers);
    if (!numbers)
        return sp_fail_memory(error, "the particles of a picture", 6 * count * sizeof *numbers);
    sp_particles_positions(&frame->particles, 0, count, numbers);
    sp_particles_velocities(&frame->particles, 0, count, numbers + 3 * count);
    spate_status status =
        spate_sim_add_particles(sim, numbers, numbers + 3 * count, count, NULL, error);
    sp_free(numbers);
    return status;
}

static spate_status run_stages(spate_sim *sim, int last, spate_error *error)
{
    double dt = spate_sim_next_dt(sim);
    for (int k = 0; k <= last; k++)
        TRY(spate_sim_run_stage(sim, k, dt, error));
    return SPATE_OK;
}

/* ------------------------------------------------------------------ numbers of a plane */

static float value_at(const spate_field_view *f, int i, int j, int k)
{
    return f->values[i * f->stride[0] + j * f->stride[1] + k * f->stride[2]];
}

static bool is_cut(const spate_field_view *solid, int i, int j, int k, int dim)
{
    for (int c = 0; c < 1 << dim; c++)
        if (value_at(solid, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1)) < 0)
            return true;
    return false;
}

/* Velocity through a face; none through a wall. */
static float face(const spate_field_view *u, const spate_scene *scene, int axis, const int at[3],
                  int end)
{
    int c[3] = {at[0], at[1], at[2]};
    c[axis] += end;
    bool border = c[axis] == 0 || c[axis] == u->count[axis] - 1;
    if (border && scene->domain.sides[axis][end] == SPATE_SIDE_WALL)
        return 0;
    return value_at(u, c[0], c[1], c[2]);
}

static void look_at_cells(spate_sim *sim, sp_view view, int layer, plane *p)
{
    static const char *const axes[] = {"u", "v", "w"};
    spate_field_view u[3], pressure, solid, type;
    int dim = spate_sim_dim(sim);
    const spate_scene *scene = spate_sim_scene(sim);
    for (int d = 0; d < dim; d++)
        spate_sim_field_view(sim, axes[d], &u[d]);
    spate_sim_field_view(sim, "p", &pressure);
    spate_sim_field_view(sim, "solid", &solid);
    spate_sim_field_view(sim, "type", &type);
    for (int k = 0; k < p->n[0] * p->n[1]; k++) {
        int at[3] = {k % p->n[0], k / p->n[0], layer};
        p->types[k] =
            type.bytes[at[0] * type.stride[0] + at[1] * type.stride[1] + at[2] * type.stride[2]];
        if (p->types[k] != SPATE_CELL_LIQUID)
            continue;
        float sum = 0, square = 0;
        for (int d = 0; d < dim; d++) {
            float low = face(&u[d], scene, d, at, 0), high = face(&u[d], scene, d, at, 1);
            sum += (high - low) / (float)type.cell_size;
            square += 0.25f * (low + high) * (low + high);
            if (d < 2 && p->arrows)
                p->arrows[2 * k + d] = 0.5f * (low + high);
        }
        if (view == SP_VIEW_PRESSURE)
            p->values[k] = value_at(&pressure, at[0], at[1], at[2]);
        else if (view == SP_VIEW_VELOCITY)
            p->values[k] = sqrtf(square);
        else if (view == SP_VIEW_DIVERGENCE && !is_cut(&solid, at[0], at[1], at[2], dim))
            p->values[k] = sum;
    }
}

static void count_particles(const sp_frame *frame, int layer, plane *p)
{
    const spate_particles_view *view = &frame->particles.view;
    for (size_t k = 0; k < view->count; k++) {
        int i = (int)view->x[0][k], j = (int)view->x[1][k];
        if (i < 0 || j < 0 || i >= p->n[0] || j >= p->n[1] ||
            (view->x[2] && (int)view->x[2][k] != layer))
            continue;
        float *value = &p->values[j * p->n[0] + i];
        *value = isnan(*value) ? 1 : *value + 1;
    }
}

/* ------------------------------------------------------------------ drawing */

static void find_range(const sp_views *views, const plane *p, float range[2])
{
    float low = HUGE_VALF, high = -HUGE_VALF;
    double squares = 0, count = 0;
    for (int k = 0; k < p->n[0] * p->n[1]; k++) {
        if (isnan(p->values[k]))
            continue;
        squares += (double)p->values[k] * p->values[k];
        count++;
        low = fminf(low, p->values[k]);
        high = fmaxf(high, p->values[k]);
    }
    if (low > high)
        low = high = 0;
    if (kinds[views->view].centred) {
        /* single cells of spray would leave no colour for all the others */
        high = count > 0 ? 3 * (float)sqrt(squares / count) : 0;
        low = -high;
    } else if (views->view != SP_VIEW_PRESSURE) {
        low = 0;
    }
    if (!(high > low))
        high = low + 1;
    range[0] = views->range_given ? (float)views->range[0] : low;
    range[1] = views->range_given ? (float)views->range[1] : high;
}

static sp_color type_color(uint8_t type)
{
    static const unsigned colors[] = {0x232c3a, 0x2391de, 0x8a6f5a, 0x4fbf6f};
    return sp_color_hex(colors[type < 4 ? type : 0]);
}

static void draw_cells(const sp_canvas *page, const plane *p, sp_view view, const sp_ramp *ramp,
                       const float range[2])
{
    const sp_preview *preview = page->preview;
    float cell = page->scale * (float)preview->dx;
    float end[2] = {(float)(preview->size[0] / preview->dx),
                    (float)(preview->size[1] / preview->dx)};
    for (int y = 0; y < page->image->height; y++) {
        float b = (page->bottom - ((float)y + 0.5f)) / cell;
        if (b < 0 || b >= end[1])
            continue;
        for (int x = 0; x < page->image->width; x++) {
            float a = ((float)x + 0.5f - page->left) / cell;
            if (a < 0 || a >= end[0])
                continue;
            int k = (int)b * p->n[0] + (int)a;
            if (view == SP_VIEW_CELLS) {
                float line = fminf(fminf(a - floorf(a), b - floorf(b)) * cell, 1);
                sp_image_blend(page->image, x, y, type_color(p->types[k]),
                               cell > 5 && line < 1 ? 0.75f : 1);
            } else if (!isnan(p->values[k])) {
                float t = (p->values[k] - range[0]) / (range[1] - range[0]);
                sp_image_blend(page->image, x, y, sp_ramp_at(ramp, t), 1);
            }
        }
    }
}

/* An arrow every few cells, as long as the distance between two at the end of the range. */
static void draw_arrows(const sp_canvas *page, const plane *p, float fastest)
{
    const sp_color dark = {0.01f, 0.02f, 0.04f};
    float cell = page->scale * (float)page->preview->dx;
    int step = (int)fmaxf(ceilf(0.03f * (float)page->image->height / cell), 1);
    float full = 1.1f * cell * (float)step, width = fmaxf(0.0022f * (float)page->image->height, 1);
    for (int j = step / 2; j < p->n[1]; j += step) {
        for (int i = step / 2; i < p->n[0]; i += step) {
            int k = j * p->n[0] + i;
            if (p->types[k] != SPATE_CELL_LIQUID)
                continue;
            float u = p->arrows[2 * k] / fastest, v = p->arrows[2 * k + 1] / fastest;
            float from[2] = {page->left + ((float)i + 0.5f) * cell,
                             page->bottom - ((float)j + 0.5f) * cell};
            float to[2] = {from[0] + u * full, from[1] - v * full};
            sp_image_line(page->image, from, to, width, 0, dark, 0.9f);
            for (int side = -1; side <= 1; side += 2) {
                float ear[2] = {to[0] - full * (0.28f * u + 0.16f * (float)side * v),
                                to[1] + full * (0.28f * v - 0.16f * (float)side * u)};
                sp_image_line(page->image, to, ear, width, 0, dark, 0.9f);
            }
        }
    }
}

static void draw_legend(sp_image *image, float below, sp_view view, const sp_ramp *ramp,
                        const float range[2])
{
    const sp_color ink = {0.75f, 0.79f, 0.84f};
    float size = 0.26f * below, y = (float)image->height - 0.45f * below;
    float x = 0.05f * (float)image->width;
    if (view == SP_VIEW_CELLS) {
        static const char *const names[] = {"air", "liquid", "solid", "inflow"};
        for (int k = 0; k < 4; k++) {
            float from[2] = {x, y - size / 2}, to[2] = {x + size, y - size / 2};
            sp_image_line(image, from, to, size, 0, type_color((uint8_t)k), 1);
            sp_text_draw(image, x + 1.5f * size, y, size, names[k], ink);
            x += 3.5f * size + sp_text_width(names[k], size);
        }
        return;
    }
    char low[32], high[32];
    snprintf(low, sizeof low, "%.3g", (double)range[0]);
    snprintf(high, sizeof high, "%.3g", (double)range[1]);
    sp_text_draw(image, x, y, size, low, ink);
    x += sp_text_width(low, size) + size;
    int length = (int)(0.25f * (float)image->width), top = (int)(y - size);
    for (int i = 0; i < length; i++)
        for (int j = 0; j < (int)size; j++)
            if (x + (float)i < (float)image->width && top + j >= 0 && top + j < image->height)
                sp_image_blend(image, (int)x + i, top + j,
                               sp_ramp_at(ramp, (float)i / (float)length), 1);
    x += (float)length + size;
    sp_text_draw(image, x, y, size, high, ink);
    x += sp_text_width(high, size) + 2 * size;
    sp_text_draw(image, x, y, size, kinds[view].label, ink);
}

static double solid_distance(const void *user, const double point[3])
{
    return sp_solids_distance(user, point, NULL, NULL);
}

static void draw(const sp_views *views, const sp_frame *frame, const plane *p, double z, bool stamp,
                 sp_image *image)
{
    sp_preview preview = {.scene = frame->scene,
                          .dx = frame->domain.cell_size,
                          .distance = solid_distance,
                          .distance_user = &frame->solids};
    memcpy(preview.size, frame->domain.domain, sizeof preview.size);
    sp_canvas page;
    sp_ramp ramp;
    float range[2], below = 0.11f * (float)image->height;
    sp_canvas_init(&page, &preview, image, below);
    page.z = z;
    sp_ramp_init(&ramp, kinds[views->view].colors, kinds[views->view].stops);
    find_range(views, p, range);
    sp_canvas_ground(&page);
    draw_cells(&page, p, views->view, &ramp, range);
    if (p->arrows)
        draw_arrows(&page, p, range[1]);
    if (frame->solids.count > 0 && views->view != SP_VIEW_CELLS)
        sp_canvas_solids(&page);
    sp_canvas_sides(&page);
    draw_legend(image, below, views->view, &ramp, range);
    if (stamp) {
        char text[48];
        const sp_color ink = {0.75f, 0.79f, 0.84f};
        snprintf(text, sizeof text, "t = %.3f s", frame->particles.time);
        float size = 0.26f * below, length = sp_text_width(text, size);
        sp_text_draw(image, 0.95f * (float)image->width - length,
                     (float)image->height - 0.45f * below, size, text, ink);
    }
}

static spate_status fill(const sp_views *views, const sp_frame *frame, int threads, int layer,
                         plane *p, spate_error *error)
{
    if (views->view == SP_VIEW_PPC) {
        count_particles(frame, layer, p);
        return SPATE_OK;
    }
    spate_sim *sim = make_sim(frame, threads, error);
    if (!sim)
        return error->status;
    int last = spate_stage_find(views->view == SP_VIEW_CELLS        ? "surface"
                                : views->view == SP_VIEW_DIVERGENCE ? "forces"
                                                                    : "pressure");
    spate_status status = add_particles(sim, frame, error);
    if (status == SPATE_OK)
        status = run_stages(sim, last, error);
    if (status == SPATE_OK)
        look_at_cells(sim, views->view, layer, p);
    spate_sim_destroy(sim);
    return status;
}

spate_status sp_views_paint(const sp_views *views, const sp_frame *frame, int threads, bool stamp,
                            sp_image *image, spate_error *error)
{
    plane p = {.n = {frame->domain.cells[0], frame->domain.cells[1]}};
    size_t cells = (size_t)p.n[0] * (size_t)p.n[1];
    spate_error unasked = {0};
    error = error ? error : &unasked;
    double z = views->slice_given ? views->slice : frame->domain.domain[2] / 2;
    int layer = 0, layers = frame->domain.cells[2];
    if (frame->scene->dim == 3) {
        if (!(z >= 0 && z <= frame->domain.domain[2]))
            return sp_fail(error, SPATE_ERROR_USAGE, "--slice",
                           "must be in the domain, 0 to %g m (got %g)", frame->domain.domain[2], z);
        layer = (int)(z / frame->domain.cell_size);
        layer = layer < layers ? layer : layers - 1;
    }
    p.values = sp_alloc(cells, sizeof *p.values);
    p.types = sp_alloc(cells, sizeof *p.types);
    if (views->view == SP_VIEW_VELOCITY)
        p.arrows = sp_alloc(2 * cells, sizeof *p.arrows);
    spate_status status = SPATE_OK;
    if (!p.values || !p.types || (views->view == SP_VIEW_VELOCITY && !p.arrows))
        status = sp_fail_memory(error, "a plane of cells", cells * sizeof *p.values);
    for (size_t k = 0; k < cells && status == SPATE_OK; k++)
        p.values[k] = NAN;
    if (status == SPATE_OK)
        status = fill(views, frame, threads, layer, &p, error);
    if (status == SPATE_OK)
        draw(views, frame, &p, z, stamp, image);
    sp_free(p.values);
    sp_free(p.types);
    sp_free(p.arrows);
    return status;
}
