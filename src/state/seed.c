/* seed.c -- the particles at the start: as much liquid as the fills hold, to half a particle.
 *
 * Every cell is cut into n^DIM sub-cells, and a particle stands for the volume of one. A sub-cell
 * that is full of liquid holds one, moved from its middle by at most jitter / 2 of a sub-cell along
 * each axis; the random numbers are a hash of (seed, cell, sub-cell), so they depend on nothing
 * else. Of the sub-cells that the border of the liquid cuts, some hold one: shares of volume are
 * added up along a curve that stays near itself (Morton's), and whenever the sum passes the middle
 * between two whole numbers there is a particle, in the middle of what is liquid there. So the
 * numbers are right on every stretch of a surface, whatever its place against the grid. Shares are
 * whole multiples of 1 / WHOLE: sums do not depend on who adds.
 *
 * Liquid is what is inside a fill, outside all solids, and inside the domain. Fills are united: the
 * first one that holds a place gives velocity and source. A gas is wherever there is room: one box
 * around the whole domain is filled, and the fills of the scene only say how the gas in them moves.
 *
 * The cells are taken in blocks of a tile's size. A block that a fill's distance shows to be
 * outside is passed over, and one that is inside and far from everything else needs no look at its
 * particles: counting stays cheap for huge scenes. Threads share the blocks: each block is
 * measured, its particles' places follow, and then it is filled. */
#include "state.h"

#include "kernels/particle.h"
#include "kernels/random.h"
#include "scene/initial.h"
#include "scene/medium.h"
#include "scene/points.h"
#include "scene/sampling.h"

#include <math.h>

typedef struct seeder {
    const spate_scene *scene;
    const X(grid) *g;
    const sp_solids *solids;
    X(seed_fn) *sink; /* called for each particle; may be NULL */
    void *user;
    const spate_shape *shapes; /* what is filled: the fills, of a gas the whole domain */
    int shape_count;
    sp_shape *forms; /* of these shapes so far */
    sp_pose *poses;
    sp_shape *contents; /* of a gas: the fills, which say what is in it; NULL: of a liquid */
    uint64_t count;     /* particles that points have given */
    uint64_t volume;    /* of shapes so far, in particles times WHOLE */
    float initial[CHANNEL_COLUMNS]; /* of the channels, in the fill at hand */
    int only;                       /* 1 + the one fill that comes now; 0: those of the start */
    double gravity;                 /* m/s^2, its size */
} seeder;

/* Whether a fill is united with those of the start: what is given as particles is added as it is.
 */
static bool is_united(const seeder *s, int fill)
{
    const spate_shape *shape = &s->shapes[fill];
    return shape->shape != SPATE_SHAPE_PARTICLES && !sp_is_sampled(shape) &&
           (s->only ? s->only == fill + 1 : shape->start == 0);
}

#define WHOLE 65536u

/* How many particles a volume is. */
static uint64_t particles_of(uint64_t volume)
{
    return (volume + WHOLE / 2) / WHOLE;
}

/* Whether a particle may be at x (cells); clear of solids. */
static bool is_free(const seeder *s, const float x[DIM])
{
    double world[3] = {0, 0, 0};
    FOR_DIM(d) {
        if (!(x[d] >= CLEARANCE && x[d] <= (float)s->g->n[d] - CLEARANCE))
            return false;
        world[d] = (double)x[d] * s->g->dx;
    }
    return s->solids->live == 0 ||
           sp_solids_distance(s->solids, world, NULL, NULL) >= CLEARANCE * s->g->dx;
}

static void offer(seeder *s, const float x[DIM], const float v[DIM])
{
    s->count++;
    if (s->sink)
        s->sink(s->user, x, v, s->initial);
}

/* Velocity of a shape's fluid at x (cells). */
static void velocity_at(const seeder *s, const spate_shape *shape, const float x[DIM], float v[DIM])
{
    double world[3] = {0, 0, 0}, velocity[3];
    FOR_DIM(d)
        world[d] = (double)x[d] * s->g->dx;
    sp_initial_velocity(shape, s->gravity, world, velocity);
    FOR_DIM(d)
        v[d] = (float)velocity[d];
}

/* Of a gas: what is in it at x (cells), as the first fill says that holds the place. */
static void find_content(seeder *s, const float x[DIM], float v[DIM])
{
    const spate_shape_list *fills = &s->scene->fill;
    double world[3] = {0, 0, 0};
    int fill = 0;
    FOR_DIM(d) {
        world[d] = (double)x[d] * s->g->dx;
        v[d] = 0;
    }
    while (fill < fills->count &&
           !sp_shape_holds(&s->contents[fill], &s->contents[fill].rest, world))
        fill++;
    bool found = fill < fills->count;
    if (found)
        velocity_at(s, &fills->items[fill], x, v);
    X(initial_channels)(s->scene, found ? fill : -1, s->initial);
}

/* A box with a number of particles. */
static spate_status seed_sampled(seeder *s, int fill, spate_error *error)
{
    float *positions;
    size_t count;
    spate_status status = sp_sample_points(&s->shapes[fill], DIM, &positions, &count, error);
    for (size_t k = 0; k < count && status == SPATE_OK; k++) {
        float x[DIM], v[DIM];
        FOR_DIM(d)
            x[d] = positions[3 * k + (size_t)d] / s->g->dx;
        velocity_at(s, &s->shapes[fill], x, v);
        if (is_free(s, x))
            offer(s, x, v);
    }
    sp_free(positions);
    return status;
}

static void seed_points(seeder *s, int fill)
{
    const spate_points *points = s->shapes[fill].points;
    size_t count = points ? sp_points_count(points) : 0;
    const float *positions = points ? sp_points_positions(points) : NULL;
    const float *velocities = points ? sp_points_velocities(points) : NULL;
    for (size_t k = 0; k < count; k++) {
        float x[DIM], v[DIM];
        FOR_DIM(d) {
            x[d] = positions[3 * k + (size_t)d] / s->g->dx;
            v[d] = velocities[3 * k + (size_t)d];
        }
        if (is_free(s, x))
            offer(s, x, v);
    }
}

/* Cells [low, high) that a fill can touch. */
static void fill_range(const X(grid) *g, const sp_shape *form, const sp_pose *pose, int low[3],
                       int high[3])
{
    double least[3], most[3];
    sp_shape_bounds_at(form, pose, least, most);
    low[2] = 0;
    high[2] = 1;
    FOR_DIM(d) {
        low[d] = (int)fmin(fmax(least[d] / g->dx, 0), g->n[d]);
        high[d] = (int)fmin(fmax(most[d] / g->dx + 1, 0), g->n[d]);
    }
}

typedef enum block { BLOCK_OUTSIDE, BLOCK_MIXED, BLOCK_SURE } block;

/* What the distances at the middle of a block of cells say of all its particles. */
static block judge_block(const seeder *s, const int low[3], const int high[3], int fill)
{
    double middle[3] = {0, 0, 0}, local[3], square = 0;
    bool sure = true;
    FOR_DIM(d) {
        middle[d] = 0.5 * (low[d] + high[d]) * s->g->dx;
        square += 0.25 * (high[d] - low[d]) * (high[d] - low[d]);
        sure = sure && low[d] > 0 && high[d] < s->g->n[d];
    }
    double spread = (sqrt(square) + CLEARANCE) * s->g->dx;
    for (int f = 0; f <= fill; f++) {
        if (!is_united(s, f))
            continue;
        sp_pose_to_local(&s->poses[f], middle, local);
        double distance = sp_shape_distance(&s->forms[f], local, NULL);
        if (f == fill ? distance > spread : distance < -spread)
            return BLOCK_OUTSIDE;
        sure = sure && (f == fill ? distance < -spread : distance > spread);
    }
    sure = sure &&
           (s->solids->live == 0 || sp_solids_distance(s->solids, middle, NULL, NULL) > spread);
    return sure ? BLOCK_SURE : BLOCK_MIXED;
}

/* ---- sub-cells that the border of the liquid cuts */

/* Of a cube of which a border at this distance of its middle, m, cuts off what is beyond. */
static double share_inside(double distance, double half)
{
    return fmin(fmax(0.5 - 0.5 * distance / half, 0), 1);
}

/* Distance of x (m) to fill k; that after `fill` are the solids. What is outside of a border is
 * positive for the fill itself, negative for the others. normal may be NULL. */
static double border_distance(const seeder *s, int fill, int k, const double x[3], double normal[3])
{
    double local[3], distance, turned[3], sign = k == fill ? 1 : -1;
    if (k <= fill) {
        sp_pose_to_local(&s->poses[k], x, local);
        distance = sp_shape_distance(&s->forms[k], local, normal ? turned : NULL);
        if (normal)
            sp_turn_out(&s->poses[k], turned, normal);
    } else {
        distance = s->solids->live > 0 ? sp_solids_distance(s->solids, x, normal, NULL) : HUGE_VAL;
    }
    for (int d = 0; d < 3 && normal; d++)
        normal[d] *= sign;
    return sign * distance;
}

/* Whether the border of k is that of the fill: a fill that ends at a wall, at a solid or where
 * another one begins. Together they cut off what one of them does. */
static bool is_same_border(const seeder *s, int fill, int k, const double x[3])
{
    double own[3], other[3];
    border_distance(s, fill, fill, x, own);
    border_distance(s, fill, k, x, other);
    return sp_dot(own, other) > 1 - 1e-9;
}

/* Distance to the border of what one fill gives, m; negative inside. share: of a cube around x with
 * sides of 2 half (m), may be NULL. */
static double liquid_distance(const seeder *s, int fill, const double x[3], double half,
                              double *share)
{
    double own = border_distance(s, fill, fill, x, NULL), most = own, inside = 1;
    for (int k = 0; k <= fill + 1; k++) { /* the fills up to this one, and the solids */
        if (k <= fill && !is_united(s, k))
            continue;
        double distance = k == fill ? own : border_distance(s, fill, k, x, NULL);
        most = fmax(most, distance);
        bool twice = share && k != fill && fabs(distance - own) < 1e-9 * half && fabs(own) < half &&
                     is_same_border(s, fill, k, x);
        inside *= twice ? 1 : share_inside(distance, half);
    }
    if (share)
        *share = inside;
    return most;
}

/* What is liquid in a cube. */
typedef struct filling {
    double volume, moment[DIM];  /* m^DIM; volume times place, cells */
    double deepest, refuge[DIM]; /* the least distance that was met, m, and where, cells */
} filling;

/* Adds what is liquid in a cube around x (m), cut in halves `levels` times where its border is. */
static void measure(const seeder *s, int fill, const double x[3], double half, int levels,
                    filling *sum)
{
    double reach = half * sqrt((double)DIM), volume;
    double distance = liquid_distance(s, fill, x, half, &volume);
    FOR_DIM(d)
        volume *= 2 * half;
    if (distance < sum->deepest) {
        sum->deepest = distance;
        FOR_DIM(d)
            sum->refuge[d] = x[d] / s->g->dx;
    }
    if (distance >= reach)
        return;
    if (distance > -reach && levels > 0) {
        for (int corner = 0; corner < (1 << DIM); corner++) {
            double middle[3] = {0, 0, 0};
            FOR_DIM(d)
                middle[d] = x[d] + (corner >> d & 1 ? 0.5 : -0.5) * half;
            measure(s, fill, middle, 0.5 * half, levels - 1, sum);
        }
        return;
    }
    sum->volume += volume;
    FOR_DIM(d)
        sum->moment[d] += volume * x[d] / s->g->dx;
}

/* The place of a particle in a sub-cell, and the volume that it is to stand for. */
typedef struct seat {
    float x[DIM];    /* cells */
    uint32_t volume; /* of WHOLE */
} seat;

/* The place nearest to x (m) that is clear of walls and, as far as their nearest one goes, of
 * solids; in cells. */
static void put_clear(const seeder *s, const double x[3], float to[DIM])
{
    double normal[3] = {0, 0, 0}, distance = HUGE_VAL, clear = 2.0 * CLEARANCE * s->g->dx;
    if (s->solids->live > 0)
        distance = sp_solids_distance(s->solids, x, normal, NULL);
    FOR_DIM(d) {
        float high = (float)s->g->n[d] - CLEARANCE;
        to[d] = (float)((x[d] + fmax(clear - distance, 0) * normal[d]) / s->g->dx);
        to[d] = to[d] < CLEARANCE ? CLEARANCE : to[d] > high ? high : to[d];
    }
}

/* That of a sub-cell around `middle` (cells) that is cut, or wholly liquid. */
static seat cut_seat(const seeder *s, int fill, const double middle[3], double half)
{
    bool mesh = s->shapes[fill].shape == SPATE_SHAPE_MESH; /* whose distance is dear */
    double world[3] = {0, 0, 0}, whole = 1;
    filling sum = {.deepest = HUGE_VAL};
    seat found = {.volume = 0};
    FOR_DIM(d) {
        world[d] = middle[d] * s->g->dx;
        whole *= 2 * half * s->g->dx;
    }
    measure(s, fill, world, half * s->g->dx, mesh ? 2 : 3, &sum);
    if (!(sum.volume > 0))
        return found;
    for (int turn = 0; turn < 2; turn++) {
        FOR_DIM(d)
            world[d] = (turn == 0 ? sum.moment[d] / sum.volume : sum.refuge[d]) * s->g->dx;
        put_clear(s, world, found.x);
        if (is_free(s, found.x)) {
            found.volume = (uint32_t)(fmin(sum.volume / whole, 1) * WHOLE + 0.5);
            break;
        }
    }
    return found; /* without a free place nothing */
}

/* What the distance at the middle of a cell says of its sub-cells. */
static block judge_cell(const seeder *s, const int cell[3], int fill)
{
    double middle[3] = {0, 0, 0}, reach = (0.5 * sqrt((double)DIM) + CLEARANCE) * s->g->dx;
    FOR_DIM(d)
        middle[d] = (cell[d] + 0.5) * s->g->dx;
    double distance = liquid_distance(s, fill, middle, reach, NULL);
    return distance > reach ? BLOCK_OUTSIDE : distance < -reach ? BLOCK_SURE : BLOCK_MIXED;
}

/* Sub-cell `sub` (its number along each axis) of a cell. */
static seat find_seat(const seeder *s, const int cell[3], const int sub[3], int fill, block kind)
{
    const spate_scene *scene = s->scene;
    int n = scene->fluid.particles_per_axis;
    uint64_t key = sp_mix(scene->fluid.seed),
             number = (uint64_t)(sub[0] + n * (sub[1] + n * sub[2]));
    double middle[3] = {0, 0, 0}, half = 0.5 / n;
    seat found = {.volume = WHOLE};
    for (int d = 0; d < 3; d++)
        key = sp_hash2(key, (uint64_t)cell[d]);
    FOR_DIM(d) {
        middle[d] = cell[d] + (sub[d] + 0.5) / n;
        found.x[d] = (float)middle[d];
    }
    if (kind != BLOCK_SURE)
        found = cut_seat(s, fill, middle, half);
    FOR_DIM(d)
        middle[d] = (double)found.x[d] * s->g->dx;
    double above = sp_initial_surface(&s->shapes[fill], middle) - middle[1];
    if (above < half * s->g->dx) /* a wave's surface is in it or below */
        found.volume = (uint32_t)(found.volume * share_inside(-above, half * s->g->dx) + 0.5);
    float way = (float)scene->fluid.jitter * ((float)found.volume / WHOLE) / (float)n;
    seat moved = found;
    FOR_DIM(d)
        moved.x[d] += way * (sp_uniform(sp_hash2(key, 3 * number + (uint64_t)d)) - 0.5f);
    return kind == BLOCK_SURE || is_free(s, moved.x) ? moved : found;
}

/* Number `place` of the curve through the sub-cells of a block, along each axis: the bits of the
 * three numbers by turns. */
static void curve_place(uint32_t place, int at[3])
{
    at[0] = at[1] = at[2] = 0;
    for (int bit = 0; place; bit++)
        FOR_DIM(d) {
            at[d] |= (int)(place & 1) << bit;
            place >>= 1;
        }
}

/* The cells [low, high) against one fill: adds their volume, and with a sink gives the particles.
 */
static void seed_block(seeder *s, const int low[3], const int high[3], int fill)
{
    const spate_shape *shape = &s->shapes[fill];
    bool uniform = shape->initial.kind == SPATE_INITIAL_UNIFORM;
    int n = s->scene->fluid.particles_per_axis, last[3] = {-1, -1, -1};
    block kind = judge_block(s, low, high, fill), inside = kind;
    uint32_t places = 1;
    uint64_t count = 1;
    float v[DIM];
    if (kind == BLOCK_OUTSIDE)
        return;
    FOR_DIM(d) {
        v[d] = (float)shape->velocity[d];
        count *= (uint64_t)(high[d] - low[d]) * (uint64_t)n;
    }
    if (kind == BLOCK_SURE && !s->sink && uniform) {
        s->volume += count * WHOLE;
        return;
    }
    for (int side = 1; side < TILE * n; side *= 2)
        places <<= DIM;
    for (uint32_t place = 0; place < places; place++) {
        int at[3], cell[3], sub[3];
        bool there = true;
        curve_place(place, at);
        for (int d = 0; d < 3; d++) {
            cell[d] = low[d] + at[d] / n;
            sub[d] = at[d] % n;
            there = there && cell[d] < high[d];
        }
        if (!there)
            continue;
        if (kind == BLOCK_MIXED && memcmp(cell, last, sizeof last) != 0) {
            inside = judge_cell(s, cell, fill);
            memcpy(last, cell, sizeof last);
        }
        if (inside == BLOCK_OUTSIDE)
            continue;
        seat found = find_seat(s, cell, sub, fill, inside);
        uint64_t before = particles_of(s->volume);
        s->volume += found.volume;
        if (s->sink && particles_of(s->volume) > before && !uniform)
            velocity_at(s, shape, found.x, v);
        if (s->sink && particles_of(s->volume) > before && s->contents)
            find_content(s, found.x, v);
        if (s->sink && particles_of(s->volume) > before)
            s->sink(s->user, found.x, v, s->initial);
    }
}

/* ---- blocks of a fill: all of them in order, or by threads, with the same result */

typedef struct blocks {
    int low[3], count[3], high[3]; /* cells; blocks along each axis */
    size_t total;
} blocks;

static blocks blocks_of(const seeder *s, int fill)
{
    blocks b = {.total = 1};
    fill_range(s->g, &s->forms[fill], &s->poses[fill], b.low, b.high);
    for (int d = 0; d < 3; d++) {
        int cells = b.high[d] - b.low[d];
        b.count[d] = cells > 0 ? (cells + TILE - 1) / TILE : 0;
        b.total *= (size_t)b.count[d];
    }
    return b;
}

static void seed_number(seeder *s, const blocks *b, size_t number, int fill)
{
    int from[3], to[3];
    for (int d = 0; d < 3; d++) {
        from[d] = b->low[d] + (int)(number % (size_t)b->count[d]) * TILE;
        to[d] = from[d] + TILE < b->high[d] ? from[d] + TILE : b->high[d];
        number /= (size_t)b->count[d];
    }
    seed_block(s, from, to, fill);
}

typedef struct lay_args {
    const seeder *all;
    const X(particles) *p;
    blocks b;
    int fill;
    uint64_t *volume; /* per block: what it has; then of those before it */
    bool lay;
} lay_args;

typedef struct layer {
    const X(particles) *p;
    uint32_t place;
} layer;

/* At the start the id of a particle is its place. */
static void lay_one(void *user, const float x[DIM], const float v[DIM], const float *initial)
{
    layer *l = user;
    uint32_t k = l->place++;
    X(put_particle)(l->p, k, k, x, v, initial);
}

static void lay_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const lay_args *args = user;
    for (size_t k = begin; k < end; k++) {
        layer l = {args->p, (uint32_t)(args->all->count + particles_of(args->volume[k]))};
        seeder one = *args->all;
        one.volume = args->lay ? args->volume[k] : 0;
        one.sink = args->lay ? lay_one : NULL;
        one.user = &l;
        seed_number(&one, &args->b, k, args->fill);
        if (!args->lay)
            args->volume[k] = one.volume;
    }
}

/* The particles of a shape into the simulation's columns, which have room for them. */
static spate_status lay_shape(seeder *s, X(sim) *sim, int fill, spate_error *error)
{
    X(particles) *p = &sim->particles;
    lay_args args = {.all = s, .p = p, .b = blocks_of(s, fill), .fill = fill};
    args.volume = sp_alloc(args.b.total, sizeof *args.volume);
    if (!args.volume)
        return sp_fail_memory(error, "the fills", 0);
    sp_parallel_for(sim->common->pool, args.b.total, 8, lay_range, &args);
    for (size_t k = 0; k < args.b.total; k++) {
        uint64_t volume = args.volume[k];
        args.volume[k] = s->volume;
        s->volume += volume;
    }
    args.lay = true;
    sp_parallel_for(sim->common->pool, args.b.total, 8, lay_range, &args);
    p->count = p->next_id = (uint32_t)(s->count + particles_of(s->volume));
    p->sorted = false;
    p->fastest = -1.0f;
    sp_free(args.volume);
    return SPATE_OK;
}

static void append_one(void *user, const float x[DIM], const float v[DIM], const float *initial)
{
    X(particles_append)(user, x, v, initial);
}

static spate_status seed_fill(seeder *s, X(sim) *sim, int fill, spate_error *error)
{
    X(initial_channels)(s->scene, fill, s->initial);
    if (s->shapes[fill].shape == SPATE_SHAPE_PARTICLES) {
        seed_points(s, fill);
        return SPATE_OK;
    }
    if (sp_is_sampled(&s->shapes[fill]))
        return seed_sampled(s, fill, error);
    sp_shape_prepare(&s->forms[fill], &s->shapes[fill], DIM);
    s->poses[fill] = s->forms[fill].rest;
    if (sim)
        return lay_shape(s, sim, fill, error);
    blocks b = blocks_of(s, fill);
    for (size_t k = 0; k < b.total; k++)
        seed_number(s, &b, k, fill);
    return SPATE_OK;
}

/* A box around the domain, so wide that its own sides cut no cell. */
static spate_shape whole_domain(const seeder *s)
{
    spate_shape whole;
    spate_shape_default(&whole);
    FOR_DIM(d) {
        whole.min[d] = -2 * TILE * s->g->dx;
        whole.max[d] = (s->g->n[d] + 2 * TILE) * s->g->dx;
    }
    return whole;
}

static spate_status prepare_contents(seeder *s, spate_error *error)
{
    const spate_shape_list *fills = &s->scene->fill;
    s->contents = sp_alloc((size_t)fills->count + 1, sizeof *s->contents);
    if (!s->contents)
        return sp_fail_memory(error, "the fills", 0);
    for (int fill = 0; fill < fills->count; fill++)
        sp_shape_prepare(&s->contents[fill], &fills->items[fill], DIM);
    return SPATE_OK;
}

/* Counts the particles of the fills that come now, and with `sim` makes them; a sink of the
 * caller's gets them one by one. */
static spate_status seed(seeder *s, X(sim) *sim, uint64_t *count, spate_error *error)
{
    const spate_scene *scene = s->scene;
    bool everywhere = sp_medium_of(scene)->fills_domain;
    spate_shape whole = everywhere ? whole_domain(s) : (spate_shape){0};
    s->shapes = everywhere ? &whole : scene->fill.items;
    s->shape_count = everywhere ? 1 : scene->fill.count;
    s->forms = sp_alloc((size_t)s->shape_count + 1, sizeof *s->forms);
    s->poses = sp_alloc((size_t)s->shape_count + 1, sizeof *s->poses);
    spate_status status = s->forms && s->poses ? SPATE_OK : sp_fail_memory(error, "the fills", 0);
    if (status == SPATE_OK && everywhere)
        status = prepare_contents(s, error);
    for (int d = 0; d < 3; d++)
        s->gravity += d < DIM ? scene->gravity[d] * scene->gravity[d] : 0;
    s->gravity = sqrt(s->gravity);
    if (sim) {
        s->sink = append_one;
        s->user = &sim->particles;
    }
    for (int fill = 0; fill < s->shape_count && status == SPATE_OK; fill++)
        if (s->only ? s->only == fill + 1 : s->shapes[fill].start == 0)
            status = seed_fill(s, sim, fill, error);
    sp_free(s->forms);
    sp_free(s->poses);
    sp_free(s->contents);
    *count = s->count + particles_of(s->volume);
    return status;
}

spate_status X(seed_count)(const spate_scene *scene, const X(grid) *g, const sp_solids *solids,
                           uint64_t *count, spate_error *error)
{
    seeder s = {.scene = scene, .g = g, .solids = solids};
    return seed(&s, NULL, count, error);
}

spate_status X(seed)(X(sim) *s, uint64_t *count, spate_error *error)
{
    seeder all = {.scene = s->common->scene, .g = &s->grid, .solids = &s->solids};
    return seed(&all, s, count, error);
}

spate_status X(seed_late)(X(sim) *s, int fill, X(seed_fn) *take, void *user, spate_error *error)
{
    uint64_t count;
    seeder one = {.scene = s->common->scene, .g = &s->grid, .solids = &s->solids};
    one.only = fill + 1;
    one.sink = take;
    one.user = user;
    return seed(&one, NULL, &count, error);
}
