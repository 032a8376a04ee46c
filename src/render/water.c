/* water.c -- see water.h.
 *
 * At a surface a ray splits after Snell (index 1.33) and Fresnel. The mirrored part shows sky,
 * floor or solids. The other part goes on inside the liquid, is mirrored at its surface where that
 * is total, and ends on the floor, on a solid, or outside again; of every metre it loses exp(-a),
 * a by colour, and gains the light that the liquid scatters. The panes of the tank are surfaces of
 * the liquid like any other, the glass itself is not there. */
#include "water.h"

#include <math.h>

#include "solids3d.h"

#define INDEX 1.33f
#define BOUNCES 3
#define NUDGE 0.2f /* nodes, off a surface: the next search starts on the right side of it */

static sp_vec grid_place(const sp_water *w, sp_vec p)
{
    const float *half = w->studio->half;
    float h = w->field->h;
    return (sp_vec){(p.x + half[0]) / h - 0.5f, (p.y + half[1]) / h - 0.5f,
                    (p.z + half[2]) / h - 0.5f};
}

/* Normal, into the domain, of the face of it that a point is nearest to. */
static sp_vec pane_normal(const sp_studio *s, sp_vec p)
{
    float v[3] = {p.x, p.y, p.z}, n[3] = {0, 0, 0};
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (fabsf(v[d]) - s->half[d] > fabsf(v[axis]) - s->half[axis])
            axis = d;
    n[axis] = v[axis] > 0 ? -1 : 1;
    return (sp_vec){n[0], n[1], n[2]};
}

static sp_vec against(sp_vec normal, sp_vec along)
{
    return sp_vec_dot(normal, along) > 0 ? sp_vec_scale(normal, -1) : normal;
}

sp_event sp_water_follow(const sp_water *w, const sp_ray *ray, float *t, sp_vec *normal)
{
    float in, out, h = w->field->h;
    const sp_studio *s = w->studio;
    *t = 0;
    *normal = sp_vec_scale(ray->along, -1);
    if (!sp_ray_box(ray->from, ray->along, s->half, &in, &out))
        return SP_EVENT_PANE;
    sp_vec g = grid_place(w, ray->from), d = sp_vec_scale(ray->along, 1 / h);
    if (ray->air && in > 0) { /* from outside: the liquid may stand at the pane */
        sp_vec entry = sp_vec_madd(ray->from, in, ray->along);
        if (sp_field_at(w->field, grid_place(w, entry)) > SP_FIELD_LEVEL) {
            *t = in;
            *normal = against(pane_normal(s, entry), ray->along);
            return SP_EVENT_SIDE;
        }
    }
    float found = sp_field_cross(w->field, g, d, in, out, !ray->air);
    if (found <= out) {
        *t = found;
        *normal = against(sp_field_normal(w->field, sp_vec_madd(g, found, d)), ray->along);
        return SP_EVENT_SURFACE;
    }
    *t = out;
    sp_vec exit = sp_vec_madd(ray->from, out, ray->along);
    *normal = pane_normal(s, exit);
    if (ray->air)
        return SP_EVENT_PANE;
    bool floor = sp_vec_dot(*normal, s->stand.above) > 0.5f;
    return floor ? SP_EVENT_FLOOR : SP_EVENT_SIDE;
}

sp_ray sp_water_reflect(const sp_ray *ray, sp_vec point, sp_vec normal)
{
    float cosine = -sp_vec_dot(ray->along, normal);
    return (sp_ray){point, sp_vec_madd(ray->along, 2 * cosine, normal), ray->air};
}

bool sp_water_refract(const sp_ray *ray, sp_vec point, sp_vec normal, sp_ray *behind, float *share)
{
    float eta = ray->air ? 1 / INDEX : INDEX;
    float cosine = fminf(fmaxf(-sp_vec_dot(ray->along, normal), 0), 1);
    float inside = 1 - eta * eta * (1 - cosine * cosine);
    *share = 1;
    if (inside <= 0)
        return false;
    inside = sqrtf(inside);
    float s = (eta * cosine - inside) / (eta * cosine + inside);
    float p = (eta * inside - cosine) / (eta * inside + cosine);
    *share = 0.5f * (s * s + p * p);
    sp_vec along = sp_vec_madd(sp_vec_scale(ray->along, eta), eta * cosine - inside, normal);
    *behind = (sp_ray){point, sp_vec_unit(along), !ray->air};
    return true;
}

/* The colour of the first solid on a ray, *t becoming the way to it; false if there is none before
 * *t. */
static bool solid_on_the_way(const sp_water *w, const sp_ray *ray, float *t, sp_color *color)
{
    sp_solid_hit hit;
    if (!sp_solids_meet(w->studio, w->preview, ray->from, ray->along, 0, *t, &hit))
        return false;
    *t = (float)hit.t;
    *color = sp_solids_color(w->studio, w->preview, ray->from, ray->along, &hit);
    return true;
}

/* What a ray shows that leaves the liquid: a solid in the domain, or what is around it. */
static sp_color outside(const sp_water *w, const sp_ray *ray, float spread, float widening)
{
    float in, out;
    sp_color color;
    if (w->preview->rays && sp_ray_box(ray->from, ray->along, w->studio->half, &in, &out) &&
        solid_on_the_way(w, ray, &out, &color))
        return color;
    color = sp_studio_seen(w->studio, ray->from, ray->along, spread, widening);
    float up = sp_vec_dot(ray->along, w->studio->stand.above);
    if (up > 0)
        color = sp_color_mix(color, sp_studio_sky(w->studio, ray->along),
                             0.8f * sp_smoothstep(0, 0.35f, up));
    return color;
}

static sp_color mirrored(const sp_water *w, const sp_ray *ray, float spread, float widening)
{
    float up = sp_vec_dot(ray->along, w->studio->stand.above);
    float in, out;
    sp_color color;
    if (w->preview->rays && sp_ray_box(ray->from, ray->along, w->studio->half, &in, &out) &&
        solid_on_the_way(w, ray, &out, &color))
        return color;
    if (up > 0.12f)
        return sp_studio_sky(w->studio, ray->along);
    sp_color low = sp_studio_seen(w->studio, ray->from, ray->along, spread, widening);
    if (up <= 0)
        return low;
    return sp_color_mix(low, sp_studio_sky(w->studio, ray->along), sp_smoothstep(0, 0.12f, up));
}

/* What is left of light after a way through the liquid. */
static sp_color pass(const sp_water *w, float way)
{
    float t = way / w->unit;
    return (sp_color){expf(-1.6f * t), expf(-0.50f * t), expf(-0.22f * t)};
}

/* Light that the liquid itself sends, from deep water. */
static const sp_color deep = {0.008f, 0.088f, 0.190f};
/* The mean of all that is around, for rays that are not followed to their end. */
static const sp_color room = {0.30f, 0.36f, 0.42f};

static sp_color add_part(sp_color sum, sp_color weight, sp_color color)
{
    return sp_color_add(sum, sp_color_times(weight, color));
}

sp_color sp_water_inside(const sp_water *w, sp_ray ray, float spread, float widening)
{
    sp_color sum = {0, 0, 0}, left = {1, 1, 1};
    for (int k = 0; k < BOUNCES; k++) {
        float t, share;
        sp_vec normal;
        sp_event event = sp_water_follow(w, &ray, &t, &normal);
        if (event == SP_EVENT_PANE) /* it starts on a pane and leaves at once */
            break;
        sp_color solid;
        bool hit = solid_on_the_way(w, &ray, &t, &solid);
        sp_color kept = pass(w, t);
        const sp_color all = {1, 1, 1};
        sum =
            add_part(sum, left, sp_color_times(deep, sp_color_add(all, sp_color_scale(kept, -1))));
        left = sp_color_times(left, kept);
        sp_vec point = sp_vec_madd(ray.from, t, ray.along);
        spread += t * widening;
        /* what is small is a strong lens: a pixel sees a wide part of what is behind it */
        widening += 0.5f * spread / (t + 0.2f * w->field->h);
        if (hit)
            return add_part(sum, left, solid);
        if (event == SP_EVENT_FLOOR)
            return add_part(sum, left,
                            sp_studio_seen(w->studio, ray.from, ray.along, spread, widening));
        sp_ray behind;
        sp_vec start = sp_vec_madd(point, NUDGE * w->field->h, normal);
        if (sp_water_refract(&ray, point, normal, &behind, &share) && share < 0.5f) {
            behind.from = sp_vec_madd(point, -NUDGE * w->field->h, normal);
            sum = add_part(sum, sp_color_scale(left, 1 - share),
                           outside(w, &behind, spread, widening));
            return add_part(sum, sp_color_scale(left, share), room);
        }
        ray = sp_water_reflect(&ray, start, normal);
    }
    return add_part(sum, left, room);
}

sp_color sp_water_color(const sp_water *w, const sp_ray *ray, sp_vec point, sp_vec normal,
                        float spread, float widening)
{
    sp_ray behind;
    float share;
    sp_ray mirror = sp_water_reflect(ray, sp_vec_madd(point, NUDGE * w->field->h, normal), normal);
    sp_color color = mirrored(w, &mirror, spread, widening);
    if (sp_water_refract(ray, point, normal, &behind, &share)) {
        behind.from = sp_vec_madd(point, -NUDGE * w->field->h, normal);
        color = sp_color_mix(sp_water_inside(w, behind, spread, widening), color, share);
    }
    float glint = sp_vec_dot(mirror.along, w->studio->light);
    if (glint > 0.9f) {
        glint = 0.8f * powf(glint, 300);
        color = sp_color_add(color, (sp_color){glint, glint, glint});
    }
    return color;
}
