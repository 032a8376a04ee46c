/* draw_projection.c -- draws what the pressure stage sees in 2D: cells, cut faces, particles, level
 * set and the points at which the ghost fluid puts p = 0. Writes an SVG to stdout, for
 * docs/projection.md; scripts/make-images.sh compiles it against libspate.a and runs it.
 *
 * The fields are those of the simulation itself, after the stages SORT to PRESSURE of its first
 * step: a tilted surface, a disc in the way, cells of 0.1 m. */
#include "state/device.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELLS_X 18
#define CELLS_Y 9
#define SCALE 52.0  /* pixels per cell */
#define MARGIN 14.0 /* pixels around the domain */
#define LEGEND 78.0 /* pixels below it */

typedef struct point {
    double x, y; /* cells from the corner of the domain */
} point;

static double px(double x)
{
    return MARGIN + SCALE * x;
}

static double py(double y)
{
    return MARGIN + SCALE * (CELLS_Y - y);
}

static void line(point a, point b, const char *style)
{
    printf("<path class='%s' d='M%.1f %.1fL%.1f %.1f'/>\n", style, px(a.x), py(a.y), px(b.x),
           py(b.y));
}

static void dot(point a, double radius, const char *style)
{
    printf("<circle class='%s' cx='%.1f' cy='%.1f' r='%.1f'/>\n", style, px(a.x), py(a.y), radius);
}

static size_t at(const X(sim) *s, int i, int j)
{
    return X(index)(&s->grid, (int[DIM]){i, j});
}

static point between(point a, point b, double share)
{
    return (point){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

/* ---- the layers of the picture */

static void draw_cells(const X(sim) *s)
{
    float most = 1e-30f;
    for (int j = 0; j < CELLS_Y; j++)
        for (int i = 0; i < CELLS_X; i++)
            most = s->p[at(s, i, j)] > most ? s->p[at(s, i, j)] : most;
    for (int j = 0; j < CELLS_Y; j++)
        for (int i = 0; i < CELLS_X; i++) {
            size_t c = at(s, i, j);
            double t = s->p[c] > 0.0f ? s->p[c] / most : 0;
            int red = (int)(226 - 120 * t), green = (int)(241 - 75 * t), blue = (int)(253 - 25 * t);
            if (s->type[c] != SPATE_CELL_LIQUID)
                red = green = blue = s->type[c] == SPATE_CELL_SOLID ? 205 : 255;
            printf(
                "<rect class='cell' x='%.1f' y='%.1f' width='%g' height='%g' fill='#%02x%02x%02x'/>\n",
                px(i), py(j + 1), SCALE, SCALE, red, green, blue);
        }
}

/* The part of a square where `value` (at its corners, in order around it) is negative. */
static int negative_part(const point corner[4], const double value[4], point part[8])
{
    int count = 0;
    for (int k = 0; k < 4; k++) {
        int next = (k + 1) % 4;
        if (value[k] < 0)
            part[count++] = corner[k];
        if ((value[k] < 0) != (value[next] < 0))
            part[count++] = between(corner[k], corner[next], value[k] / (value[k] - value[next]));
    }
    return count;
}

static void draw_solids(const X(sim) *s)
{
    for (int j = 0; j < CELLS_Y; j++)
        for (int i = 0; i < CELLS_X; i++) {
            const point corner[4] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
            double value[4];
            point part[8];
            for (int k = 0; k < 4; k++)
                value[k] = s->phi_solid[at(s, (int)corner[k].x, (int)corner[k].y)];
            int count = negative_part(corner, value, part);
            if (count < 3)
                continue;
            printf("<path class='solid' d='");
            for (int k = 0; k < count; k++)
                printf("%c%.1f %.1f", k == 0 ? 'M' : 'L', px(part[k].x), py(part[k].y));
            printf("Z'/>\n");
        }
}

/* The open part of every face that a solid cuts, at the end of the face that is farther from it. */
static void draw_cut_faces(const X(sim) *s)
{
    for (int j = 0; j < CELLS_Y; j++)
        for (int i = 0; i < CELLS_X; i++)
            FOR_DIM(d) {
                size_t f = at(s, i, j);
                point low = {i, j}, high = {i + (d == 1), j + (d == 0)};
                float w = s->w[d][f];
                if (!(w > 0.0f && w < 1.0f))
                    continue;
                if (s->phi_solid[f] > 0.0f)
                    line(low, between(low, high, w), "open");
                else
                    line(high, between(high, low, w), "open");
            }
}

static void draw_particles(const X(sim) *s)
{
    for (uint32_t k = 0; k < s->particles.count; k++)
        dot((point){s->particles.x[0][k], s->particles.x[1][k]}, 2.2, "particle");
}

/* phi = 0, between the middles of four cells. */
static void draw_surface(const X(sim) *s)
{
    for (int j = 0; j + 1 < CELLS_Y; j++)
        for (int i = 0; i + 1 < CELLS_X; i++) {
            const size_t cell[4] = {at(s, i, j), at(s, i + 1, j), at(s, i + 1, j + 1),
                                    at(s, i, j + 1)};
            const point corner[4] = {
                {i + 0.5, j + 0.5}, {i + 1.5, j + 0.5}, {i + 1.5, j + 1.5}, {i + 0.5, j + 1.5}};
            point end[4];
            int count = 0;
            bool solid = false;
            for (int k = 0; k < 4; k++) {
                double here = s->phi[cell[k]], next = s->phi[cell[(k + 1) % 4]];
                solid = solid || s->type[cell[k]] == SPATE_CELL_SOLID;
                if ((here < 0) != (next < 0))
                    end[count++] = between(corner[k], corner[(k + 1) % 4], here / (here - next));
            }
            for (int k = 0; k + 1 < count && !solid; k += 2)
                line(end[k], end[k + 1], "surface");
        }
}

/* Where the way from a liquid cell to an air cell meets the surface: the share theta of it. */
static void draw_ghost_points(const X(sim) *s)
{
    for (int j = 0; j < CELLS_Y; j++)
        for (int i = 0; i < CELLS_X; i++)
            FOR_DIM(d) {
                size_t here = at(s, i, j), low = here - s->grid.stride[d];
                point middle = {i + 0.5, j + 0.5},
                      before = {i + 0.5 - (d == 0), j + 0.5 - (d == 1)};
                bool wet = s->type[here] == SPATE_CELL_LIQUID,
                     wet_before = s->type[low] == SPATE_CELL_LIQUID;
                bool air = s->type[here] == SPATE_CELL_AIR,
                     air_before = s->type[low] == SPATE_CELL_AIR;
                if (s->w[d][here] == 0.0f || !((wet && air_before) || (air && wet_before)))
                    continue;
                double theta = s->phi[low] / (s->phi[low] - s->phi[here]);
                line(before, middle, "way");
                dot(between(before, middle, theta), 4.5, "zero");
            }
}

static void draw_legend(void)
{
    double y = 2 * MARGIN + SCALE * CELLS_Y + 8, x = MARGIN, step = SCALE * CELLS_X / 3;
    static const char *const shapes[] = {
        "<rect x='0' y='-13' width='26' height='16' fill='#b4d4f0' class='cell'/>",
        "<circle class='particle' cx='13' cy='-5' r='2.5'/>",
        "<path class='surface' d='M0 -5H26'/>",
        "<rect x='0' y='-13' width='26' height='16' fill='#cdcdcd' class='cell'/>",
        "<path class='open' d='M0 -5H26'/>",
        "<path class='way' d='M0 -5H26'/><circle class='zero' cx='13' cy='-5' r='4.5'/>",
    };
    static const char *const texts[] = {"liquid cell; darker: higher pressure",
                                        "particle",
                                        "level set, phi = 0",
                                        "solid cell: no face is open",
                                        "open share w of a cut face",
                                        "ghost fluid: p = 0 here"};
    for (int k = 0; k < 6; k++)
        printf("<g transform='translate(%.1f %.1f)'>%s<text x='36' y='0'>%s</text></g>\n",
               x + step * (k % 3), y + 14 + 28 * (k / 3), shapes[k], texts[k]);
}

static void draw(const X(sim) *s)
{
    double width = 2 * MARGIN + SCALE * CELLS_X, height = 2 * MARGIN + SCALE * CELLS_Y + LEGEND;
    printf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %g %g' width='%g' height='%g'>\n",
           width, height, width, height);
    printf(
        "<style>.cell{stroke:#c3c9d2}.solid{fill:#6b7280;fill-opacity:.55}.open{stroke:#e07b00;stroke-width:4.5}"
        ".particle{fill:#1c5d99}.surface{stroke:#c2185b;stroke-width:2.6;stroke-linecap:round}"
        ".way{stroke:#555;stroke-dasharray:2 3}.zero{fill:#fff;stroke:#c2185b;stroke-width:2}"
        ".wall{fill:none;stroke:#222;stroke-width:3}text{font:15px sans-serif;fill:#222}</style>\n");
    printf("<rect width='%g' height='%g' fill='#fff'/>\n", width, height);
    draw_cells(s);
    draw_solids(s);
    draw_cut_faces(s);
    draw_particles(s);
    draw_ghost_points(s);
    draw_surface(s);
    printf("<rect class='wall' x='%g' y='%g' width='%g' height='%g'/>\n", MARGIN, MARGIN,
           SCALE * CELLS_X, SCALE * CELLS_Y);
    draw_legend();
    printf("</svg>\n");
}

static spate_scene *make_scene(void)
{
    spate_scene *scene = spate_scene_create();
    spate_shape *water = scene ? spate_scene_add_shape(scene, SPATE_LIST_FILL) : NULL;
    spate_shape *disc = water ? spate_scene_add_shape(scene, SPATE_LIST_SOLIDS) : NULL;
    if (!disc)
        return NULL;
    double dx = scene->domain.cell_size = 0.1;
    scene->dim = DIM;
    scene->domain.size[0] = CELLS_X * dx;
    scene->domain.size[1] = CELLS_Y * dx;
    water->shape = SPATE_SHAPE_BOX;
    water->min[0] = -6 * dx;
    water->max[0] = (CELLS_X + 6) * dx;
    water->min[1] = -6 * dx;
    water->max[1] = 5.3 * dx;
    water->rotation[2] = 7;
    disc->shape = SPATE_SHAPE_SPHERE;
    disc->center[0] = 11.4 * dx;
    disc->center[1] = 3.3 * dx;
    disc->radius = 2.6 * dx;
    return scene;
}

int main(void)
{
    spate_error error = {.message = "out of memory"};
    sp_common common = {.scene = make_scene(), .pool = sp_pool_create(1, NULL, NULL)};
    X(sim) *s = NULL;
    if (common.scene && common.pool &&
        spate_scene_check(common.scene, NULL, NULL, &error) == SPATE_OK) {
        memcpy(common.gravity, common.scene->gravity, sizeof common.gravity);
        s = X(create)(&common, &error);
    }
    spate_status status = s ? SPATE_OK : SPATE_ERROR_MEMORY;
    for (int stage = 0; stage <= SP_STAGE_PRESSURE && status == SPATE_OK; stage++)
        status = X(run_stage)(s, stage, 1.0 / 60, &error);
    if (status == SPATE_OK)
        draw(s);
    else
        fprintf(stderr, "draw_projection: %s\n", error.message);
    X(destroy)(s);
    sp_pool_destroy(common.pool);
    spate_scene_destroy(common.scene);
    return status == SPATE_OK ? 0 : 1;
}
