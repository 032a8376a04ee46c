/* preview2d.c -- a 2D simulation, seen flat.
 *
 * The liquid is where its field (field.c) passes the level, in the colour of its mean speed there;
 * a particle that is alone, outside of it, is a disc of its own area. */
#include <math.h>

#include "canvas2d.h"
#include "field.h"
#include "grains.h"

typedef struct sheet {
    sp_canvas page;
    sp_field field;
    sp_ramp colors;
} sheet;

/* Of a speed (1 = fast): steeper at the slow end, where most of a liquid is. */
static float place_on_ramp(float s)
{
    return 1.5f * s / (1 + 0.5f * s);
}

static void body_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sheet *s = args;
    const sp_canvas *p = &s->page;
    float nodes = 1 / (p->scale * s->field.h); /* per pixel */
    for (size_t y = begin; y < end; y++) {
        float gy = (p->bottom - ((float)y + 0.5f)) * nodes - 0.5f;
        if (gy < -0.5f || gy > (float)s->field.n[1] - 0.5f)
            continue;
        for (int x = 0; x < p->image->width; x++) {
            float gx = ((float)x + 0.5f - p->left) * nodes - 0.5f, here[2], right[2], up[2];
            if (gx < -0.5f || gx > (float)s->field.n[0] - 0.5f)
                continue;
            sp_field_look(&s->field, gx, gy, here);
            if (here[0] <= 0)
                continue;
            float cover = 1;
            if (here[0] < 2 * SP_FIELD_LEVEL) { /* the slope makes the rim one pixel wide */
                sp_field_look(&s->field, gx + nodes, gy, right);
                sp_field_look(&s->field, gx, gy + nodes, up);
                float slope = hypotf(right[0] - here[0], up[0] - here[0]);
                cover = (here[0] - SP_FIELD_LEVEL) / fmaxf(slope, 1e-4f) + 0.5f;
            }
            if (cover <= 0)
                continue;
            sp_color color = sp_ramp_at(&s->colors, place_on_ramp(here[1] / here[0]));
            sp_image_blend(p->image, x, (int)y, color, cover < 1 ? cover : 1);
        }
    }
}

/* Discs of the particles that the body does not show. */
static void draw_drops(const sheet *s)
{
    const sp_canvas *p = &s->page;
    const sp_preview *preview = p->preview;
    const spate_particles_view *v = &preview->particles->view;
    float cell = (float)preview->dx * p->scale, nodes = (float)preview->dx / s->field.h;
    float radius = cell / (float)preview->per_axis * sqrtf(1 / (float)M_PI);
    for (size_t k = 0; k < v->count; k++) {
        float here[2];
        sp_field_look(&s->field, v->x[0][k] * nodes - 0.5f, v->x[1][k] * nodes - 0.5f, here);
        if (here[0] > 1.1f * SP_FIELD_LEVEL)
            continue;
        float speed = sp_preview_speed(preview, k) / (float)preview->speed;
        sp_image_disc(p->image, p->left + v->x[0][k] * cell, p->bottom - v->x[1][k] * cell, radius,
                      sp_ramp_at(&s->colors, place_on_ramp(speed)), 1);
    }
}

spate_status sp_preview_draw_2d(const sp_preview *preview, sp_image *image, spate_error *error)
{
    sheet s;
    spate_status status = sp_field_create(&s.field, preview, error);
    if (status == SPATE_OK) {
        sp_canvas_init(&s.page, preview, image, 0);
        sp_ramp_init_speed(&s.colors);
        sp_canvas_ground(&s.page);
        sp_parallel_for(preview->pool, (size_t)image->height, 8, body_range, &s);
        draw_drops(&s);
        sp_grains_draw_flat(&s.page);
        if (preview->distance)
            sp_canvas_solids(&s.page);
        sp_canvas_sides(&s.page);
    }
    sp_field_destroy(&s.field);
    return status;
}
