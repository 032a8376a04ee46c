/* canvas2d.c -- see page.h. */
#include "canvas2d.h"

#include <math.h>

void sp_canvas_init(sp_canvas *page, const sp_preview *preview, sp_image *image, float below)
{
    float width = (float)image->width, height = (float)image->height - below;
    float margin = 0.05f * (width < height ? width : height);
    const double *size = preview->size;
    *page = (sp_canvas){.preview = preview, .image = image};
    page->scale =
        fminf((width - 2 * margin) / (float)size[0], (height - 2 * margin) / (float)size[1]);
    page->left = (width - page->scale * (float)size[0]) / 2;
    page->bottom = (height + page->scale * (float)size[1]) / 2;
}

void sp_canvas_ground(const sp_canvas *p)
{
    sp_color outside = sp_color_hex(0x10141b), top = sp_color_hex(0x1b222d),
             low = sp_color_hex(0x232c3a);
    const double *size = p->preview->size;
    for (int y = 0; y < p->image->height; y++) {
        float up = (p->bottom - (y + 0.5f)) / (p->scale * (float)size[1]);
        for (int x = 0; x < p->image->width; x++) {
            float right = (x + 0.5f - p->left) / (p->scale * (float)size[0]);
            bool inside = up >= 0 && up <= 1 && right >= 0 && right <= 1;
            p->image->pixels[(size_t)y * p->image->width + x] =
                inside ? sp_color_mix(low, top, up) : outside;
        }
    }
}

static float solid_distance(const sp_canvas *p, float x, float y)
{
    double point[3] = {p->preview->low[0] + (x - p->left) / p->scale,
                       p->preview->low[1] + (p->bottom - y) / p->scale, p->z};
    double pixels = p->preview->distance(p->preview->distance_user, point) * p->scale;
    return pixels < 1e9 ? (float)pixels : 1e9f;
}

/* Solids in squares of pixels: the distance at the centre of a square says at once when none of it
 * is near an edge. */
void sp_canvas_solids(const sp_canvas *p)
{
    enum { SQUARE = 16 };
    const sp_color fill = sp_color_hex(0x59616d), rim = sp_color_hex(0xa7b0bd);
    float right = p->left + p->scale * (float)p->preview->size[0];
    float top = p->bottom - p->scale * (float)p->preview->size[1];
    for (int y0 = 0; y0 < p->image->height; y0 += SQUARE) {
        for (int x0 = 0; x0 < p->image->width; x0 += SQUARE) {
            float middle = solid_distance(p, x0 + SQUARE / 2, y0 + SQUARE / 2);
            if (middle > SQUARE)
                continue;
            for (int y = y0; y < y0 + SQUARE && y < p->image->height; y++) {
                for (int x = x0; x < x0 + SQUARE && x < p->image->width; x++) {
                    float px = x + 0.5f, py = y + 0.5f;
                    if (px < p->left || px > right || py < top || py > p->bottom)
                        continue;
                    float d = middle < -SQUARE ? middle : solid_distance(p, px, py);
                    float cover = 0.5f - d;
                    if (cover <= 0)
                        continue;
                    float edge = sp_smoothstep(-3, -1.5f, d);
                    sp_image_blend(p->image, x, y, sp_color_mix(fill, rim, edge),
                                   cover < 1 ? cover : 1);
                }
            }
        }
    }
}

/* Walls are bars along the outside of the domain, open sides faint dashes, periodic ones faint
 * dots. */
void sp_canvas_sides(const sp_canvas *p)
{
    float smaller = p->image->width < p->image->height ? p->image->width : p->image->height;
    float width = fmaxf(smaller * 0.006f, 1);
    float low[2] = {p->left, p->bottom}, high[2];
    high[0] = p->left + p->scale * (float)p->preview->size[0];
    high[1] = p->bottom - p->scale * (float)p->preview->size[1];
    const sp_color wall = sp_color_hex(0xa7b0bd), gap = sp_color_hex(0x6f7a8a);
    for (int axis = 0; axis < 2; axis++) {
        for (int end = 0; end < 2; end++) {
            spate_side side = p->preview->scene->domain.sides[axis][end];
            float away = (end ? 1 : -1) * (axis ? -1 : 1) * width / 2;
            float from[2], to[2];
            from[axis] = to[axis] = (end ? high : low)[axis] + away;
            int other = 1 - axis;
            float over = side == SPATE_SIDE_WALL ? (other ? -1 : 1) * width : 0;
            from[other] = low[other] - over;
            to[other] = high[other] + over;
            if (side == SPATE_SIDE_WALL)
                sp_image_line(p->image, from, to, width, 0, wall, 1);
            else
                sp_image_line(p->image, from, to, width / 2,
                              side == SPATE_SIDE_OPEN ? 4 * width : width, gap, 1);
        }
    }
}

void sp_ramp_init(sp_ramp *ramp, const unsigned *stops, int count)
{
    for (int k = 0; k < SP_RAMP; k++) {
        float t = (float)k / (SP_RAMP - 1) * (float)(count - 1);
        int low = (int)t < count - 1 ? (int)t : count - 2;
        ramp->colors[k] =
            sp_color_mix(sp_color_hex(stops[low]), sp_color_hex(stops[low + 1]), t - (float)low);
    }
}

void sp_ramp_init_speed(sp_ramp *ramp)
{
    static const unsigned stops[] = {0x123f8c, 0x1763bd, 0x2391de, 0x62c8f0, 0xa6e2f7, 0xcdf0fb};
    sp_ramp_init(ramp, stops, (int)(sizeof stops / sizeof *stops));
}
