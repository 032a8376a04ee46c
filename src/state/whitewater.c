/* whitewater.c -- whitewater: its set of particles, and what the scene says of it in the numbers
 * that the stage works with (kernels/whitewater.h). */
#include "whitewater.h"

#include "kernels/exp.h"
#include "kernels/whitewater.h"

#include <assert.h>
#include <math.h>

_Static_assert(WHITE_KINDS <= SP_SET_CLASSES && WHITE_COUNTS <= SP_SET_COUNTS, "the ledger");

#define COLUMN(name, shape, type, ...) \
    _Static_assert(sizeof(type) == 4, #name ": values of a column have 4 bytes");
#include "kernels/whitewater.def"

#define DEFAULT_RATE 8.0 /* of whitewater.rate */
#define MOST_REACH 4     /* cells: half of the longest `detail` */

/* Water and air. */
#define VISCOSITY 1e-6       /* m^2/s */
#define TENSION 0.072        /* N/m */
#define AIR_DENSITY 1.2      /* kg/m^3 */
#define WATER_DENSITY 1000.0 /* kg/m^3: of the laws of drops and bubbles, which are measured */
#define GRAIN_EXCESS 1.65    /* quartz: its density against that of water, less 1 */

/* ---- the definition: the rows of whitewater.def */

static const sp_set_column columns[] = {
#define COLUMN(name, shape, type, output, ...) SET_COLUMN(shape, type, output),
#include "kernels/whitewater.def"
};

/* Of own[], the first and the last of each column. */
enum {
#define COLUMN(name, shape, ...) AT_##name, END_##name = AT_##name + POINTERS_##shape - 1,
#include "kernels/whitewater.def"
};

static const char *const classes[WHITE_KINDS] = {
#define CLASS(NAME, stat, ...) stat,
#include "kernels/whitewater.def"
};

static const sp_set_look looks[] = {
#define CLASS(NAME, stat, ...) SET_LOOK(__VA_ARGS__),
#include "kernels/whitewater.def"
};

static const sp_set_count counts[WHITE_COUNTS] = {
#define COUNT(NAME, sign, stat, ...) {stat, sign},
#include "kernels/whitewater.def"
};

/* ---- memory */

static spate_status make_kill_zones(X(sim) *s, X(white_state) *w, spate_error *error)
{
    const spate_shape_list *list = &s->common->scene->whitewater.kill;
    w->kill = sp_alloc((size_t)list->count + 1, sizeof *w->kill);
    w->kill_bounds = sp_alloc((size_t)list->count + 1, 2 * DIM * sizeof *w->kill_bounds);
    if (!w->kill || !w->kill_bounds)
        return sp_fail_memory(error, "whitewater.kill", 0);
    for (int k = 0; k < list->count; k++) {
        sp_shape_prepare(&w->kill[k], &list->items[k], DIM);
        X(bound_shape)(s->grid.dx, &w->kill[k], w->kill_bounds + (size_t)k * 2 * DIM);
    }
    w->kill_count = list->count;
    return SPATE_OK;
}

static spate_status create(X(sim) *s, X(set) *set, spate_error *error)
{
    size_t tiles = (size_t)s->grid.tile_count;
    X(white_state) *w = set->state = sp_alloc(1, sizeof *w);
    if (!w)
        return sp_fail_memory(error, "whitewater", sizeof *w);
    w->kept.keep = 1;
    w->tabled_for = -1;
    w->how = sp_alloc(1, sizeof *w->how);
    w->tile_births = sp_alloc(tiles, sizeof *w->tile_births);
    if (!w->how || !w->tile_births)
        return sp_fail_memory(error, "whitewater", tiles * sizeof *w->tile_births);
    return make_kill_zones(s, w, error);
}

static void destroy(X(set) *set)
{
    X(white_state) *w = set->state;
    if (!w)
        return;
    sp_free(w->tile_births);
    sp_free(w->kill);
    sp_free(w->kill_bounds);
    sp_free(w->how);
    sp_free(w);
}

static bool is_sound(const X(sim) *s, const X(set) *set)
{
    const X(white_state) *w = set->state;
    (void)s;
    return w->kept.keep > 0 && w->kept.keep <= 1; /* false for NaN */
}

/* m */
static double spacing_of(const spate_scene *scene, double dx)
{
    return scene->whitewater.spacing > 0 ? scene->whitewater.spacing : 0.5 * dx;
}

/* Nobody knows before: wild scenes with the default rate and spacing were seen to have up to a
 * fifth as many as particles of the liquid. */
static uint64_t estimate(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    double cells = (double)particles, spacing = spacing_of(scene, g->dx);
    FOR_DIM(d)
        cells *= 0.5 * g->dx / spacing;
    double count = 0.2 * cells * scene->whitewater.rate / DEFAULT_RATE;
    double most = scene->whitewater.max_particles;
    return (uint64_t)(count < most ? count : most);
}

const X(set_kind) X(whitewater_set) = {
    .base = {.name = SP_WHITEWATER,
             .columns = columns,
             .column_count = sizeof columns / sizeof *columns,
             .classes = classes,
             .looks = looks,
             .spacing = spacing_of,
             .class_count = WHITE_KINDS,
             .class_column = AT_kind,
             .counts = counts,
             .count_count = WHITE_COUNTS,
             .crushed = WHITE_CRUSHED,
             .saved_bytes = sizeof(sp_white)},
    .when = WHEN_WHITEWATER,
    .create = create,
    .destroy = destroy,
    .is_sound = is_sound,
    .estimate = estimate,
};

/* ---- laws */

/* Of a rigid sphere of air in water, by Schiller & Naumann's drag, and of one that is not rigid. */
static double rise_speed(double diameter, double pull)
{
    double w = pull * diameter * diameter / (18 * VISCOSITY); /* Stokes */
    for (int turn = 0; turn < 60; turn++) {
        double re = w * diameter / VISCOSITY;
        double drag = 1 + 0.15 * (re > 0 ? sp_pow(re, 0.687) : 0);
        double next = pull * diameter * diameter / (18 * VISCOSITY * drag);
        w = 0.5 * (w + next);
    }
    double wave = sqrt(2.14 * TENSION / (WATER_DENSITY * diameter) + 0.505 * pull * diameter);
    return w < wave ? w : wave;
}

/* C_d of drops in air from the speeds that Gunn & Kinzer (1949) measured; linear between. */
static double drop_drag(double diameter)
{
    static const double sizes[] = {0.1e-3, 0.2e-3, 0.5e-3, 1e-3, 2e-3, 3e-3, 5e-3};
    static const double drags[] = {14.9, 4.2, 1.28, 0.67, 0.52, 0.50, 0.66};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    if (diameter <= sizes[0]) /* Stokes: as 1 / (d v), v as d^2 */
        return drags[0] * sp_pow(sizes[0] / diameter, 3);
    for (int k = 1; k < COUNT; k++)
        if (diameter < sizes[k]) {
            double share = (diameter - sizes[k - 1]) / (sizes[k] - sizes[k - 1]);
            return drags[k - 1] + share * (drags[k] - drags[k - 1]);
        }
    return drags[COUNT - 1];
}

static void fill_tables(X(whitewater) *how)
{
    for (int k = 0; k < WHITE_TABLE; k++) {
        double radius = (double)X(white_table_radius)(k);
        how->rise[k] = how->pull > 0 ? (float)rise_speed(2 * radius, how->pull) : 0.0f;
        how->drag[k] =
            (float)(3.0 / 8 * AIR_DENSITY / WATER_DENSITY * drop_drag(2 * radius) / radius);
    }
}

/* Ferguson & Church (2004), natural grains. */
static double settling_speed(double size, double pull)
{
    double whole = 18 * VISCOSITY + sqrt(0.75 * GRAIN_EXCESS * pull * size * size * size);
    return GRAIN_EXCESS * pull * size * size / whole;
}

/* The law of radii (white_radius): as r^-3/2 up to 1 mm, as r^-10/3 beyond. */
static void prepare_sizes(double least, double most, double sizes[6])
{
    double hinge = least > 1e-3 ? least : most < 1e-3 ? most : 1e-3;
    sizes[0] = least;
    sizes[1] = hinge;
    sizes[2] = most;
    sizes[4] = sp_pow(least, -0.5) - sp_pow(hinge, -0.5);
    sizes[5] = sp_pow(hinge, -7.0 / 3) - sp_pow(most, -7.0 / 3);
    /* the two meet at 1 mm: r^-3/2 = 1e-3^(11/6) ... r^-10/3 */
    double first = 2 * sizes[4], second = 3.0 / 7 * sp_pow(1e-3, 11.0 / 6) * sizes[5];
    sizes[3] = first + second > 0 ? first / (first + second) : 1;
}

/* ---- settings */

static int filter_reach(const spate_scene *scene, double dx)
{
    double detail =
        scene->whitewater.detail > 0 ? scene->whitewater.detail : 4 * spacing_of(scene, dx);
    double reach = floor(detail / (2 * dx) + 0.5);
    return reach < 1 ? 1 : reach > MOST_REACH ? MOST_REACH : (int)reach;
}

static void set_ramp(float ramp[2], double low, double high, double scale)
{
    ramp[0] = (float)(low * scale);
    ramp[1] = (float)(1 / (high * scale - low * scale));
}

static void prepare_emission(const spate_scene *scene, double dx, X(whitewater) *how)
{
    double cells = 1, spacing = spacing_of(scene, dx);
    double low = scene->whitewater.speed_low, high = scene->whitewater.speed_high;
    double dust_low = scene->whitewater.dust.speed_low,
           dust_high = scene->whitewater.dust.speed_high;
    FOR_DIM(d)
        cells *= dx / spacing;
    how->reach = filter_reach(scene, dx);
    how->depth = 3.0f * (float)how->reach;
    how->width = how->depth + 1.0f > BAND_LEAST ? how->depth + 1.0f : BAND_LEAST;
    how->amount = (float)(scene->whitewater.rate * cells * how->dt);
    how->crest = (float)scene->whitewater.crest;
    how->air = (float)scene->whitewater.air;
    set_ramp(how->speed, low * low, high * high, 1);
    set_ramp(how->curvature, scene->whitewater.curvature_low, scene->whitewater.curvature_high,
             1 / (2.0 * how->reach));
    set_ramp(how->strain, scene->whitewater.strain_low, scene->whitewater.strain_high, 1);
    how->high[0] = (float)high;
    how->high[1] = (float)(scene->whitewater.curvature_high / (2.0 * how->reach));
    how->high[2] = (float)scene->whitewater.strain_high;
    how->dust =
        scene->whitewater.dust.on ? (float)(scene->whitewater.dust.rate * cells * how->dt) : 0.0f;
    set_ramp(how->dust_speed, dust_low * dust_low, dust_high * dust_high, 1);
    how->life[0] = (float)scene->whitewater.life_min;
    how->life[1] = (float)scene->whitewater.life_max;
    how->margin = scene->whitewater.margin;
    prepare_sizes(scene->whitewater.radius_min, scene->whitewater.radius_max, how->sizes);
    /* grains in a cell as those in a cube of two spacings; 2D: three times as many as in a square
     */
    how->crowd = (float)((DIM == 3 ? 8 : 12) / cells);
    how->crowd_low = (float)scene->whitewater.foam.crowd_low;
    how->crowd_scale =
        (float)(1 / (scene->whitewater.foam.crowd_high - scene->whitewater.foam.crowd_low));
}

static void prepare_classes(const spate_scene *scene, X(whitewater) *how)
{
    how->on[WHITE_SPRAY] = scene->whitewater.spray.on;
    how->on[WHITE_FOAM] = scene->whitewater.foam.on;
    how->on[WHITE_BUBBLE] = scene->whitewater.bubbles.on;
    how->on[WHITE_DUST] = scene->whitewater.dust.on;
    how->ageing[WHITE_SPRAY] = (float)scene->whitewater.spray.ageing;
    how->ageing[WHITE_FOAM] = (float)scene->whitewater.foam.ageing;
    how->ageing[WHITE_BUBBLE] = (float)scene->whitewater.bubbles.ageing;
    how->ageing[WHITE_DUST] = (float)scene->whitewater.dust.ageing;
    how->spray_drag = (float)scene->whitewater.spray.drag;
    how->bubble_drag = (float)scene->whitewater.bubbles.drag;
    how->buoyancy = (float)scene->whitewater.bubbles.buoyancy;
    how->approach = 1 - sp_exp(-how->dt / scene->whitewater.foam.adhesion);
}

/* Random numbers of a step: a step that is cut in halves has several with one number, which begin
 * at different times. */
static uint64_t step_key(const sp_common *common)
{
    uint64_t bits;
    memcpy(&bits, &common->inside, sizeof bits);
    return sp_hash2(sp_hash2(sp_mix(common->scene->whitewater.seed), common->steps), bits);
}

void X(whitewater_prepare)(X(sim) *s, double dt)
{
    X(white_state) *w = X(white_state_of)(s);
    X(whitewater) *how = w->how;
    const spate_scene *scene = s->common->scene;
    double square = 0;
    how->dt = dt;
    how->dx = (float)s->grid.dx;
    how->way = dt / s->grid.dx;
    how->h = (float)how->way;
    how->key = step_key(s->common);
    how->choice = sp_hash2(sp_mix(scene->whitewater.seed), 0x57);
    how->keep = w->kept.keep;
    FOR_DIM(d) {
        how->gravity[d] = s->common->gravity[d];
        how->wind[d] = scene->whitewater.wind[d];
        square += how->gravity[d] * how->gravity[d];
    }
    how->pull = sqrt(square);
    FOR_DIM(d)
        how->up[d] = how->pull > 0 ? -how->gravity[d] / how->pull : 0;
    how->settling = (float)settling_speed(scene->whitewater.dust.size, how->pull);
    if (how->pull != w->tabled_for)
        fill_tables(how);
    w->tabled_for = how->pull;
    prepare_classes(scene, how);
    prepare_emission(scene, s->grid.dx, how);
    how->outflows = X(outflows_of)(s);
    how->kill = (X(outflows)){.shapes = w->kill, .bounds = w->kill_bounds, .count = w->kill_count};
}
