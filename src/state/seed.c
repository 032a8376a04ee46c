/* seed.c -- the particles at the start.
 *
 * Every cell is cut into n^DIM sub-cells, and each sub-cell holds one particle, moved from its
 * middle by at most jitter / 2 of a sub-cell along each axis. The random numbers are a hash of
 * (seed, cell, sub-cell), so they depend on nothing else. A particle is there if its own place (not
 * its cell) is inside a fill, outside all solids, and inside the domain. Fills are united: the
 * first one that holds the place gives velocity and source.
 *
 * The cells are taken in blocks of a tile's size. A block that a fill's distance shows to be
 * outside is passed over, and one that is inside and far from everything else needs no look at its
 * particles: counting stays cheap for huge scenes. Threads share the blocks: each block is counted,
 * its particles' places follow, and then it is filled. */
#include "state.h"

#include "kernels/particle.h"
#include "kernels/random.h"
#include "scene/points.h"

#include <math.h>

typedef void seed_sink(void *user, const float x[DIM], const float v[DIM], const float *initial);

typedef struct seeder {
    const spate_scene *scene;
    const X(grid) *g;
    const sp_solids *solids;
    seed_sink *sink; /* called for each particle; may be NULL */
    void *user;
    uint64_t count;
    sp_shape *forms; /* of the fills so far */
    sp_pose *poses;
    float initial[CHANNEL_COLUMNS]; /* of the channels, in the fill at hand */
} seeder;

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

static bool inside_shape(const sp_shape *form, const sp_pose *pose, const X(grid) *g,
                         const float x[DIM])
{
    double world[3] = {0, 0, 0};
    FOR_DIM(d)
        world[d] = (double)x[d] * g->dx;
    return sp_shape_holds(form, pose, world);
}

static void offer(seeder *s, const float x[DIM], const float v[DIM])
{
    s->count++;
    if (s->sink)
        s->sink(s->user, x, v, s->initial);
}

static void seed_points(seeder *s, int fill)
{
    const spate_points *points = s->scene->fill.items[fill].points;
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
        if (s->scene->fill.items[f].shape == SPATE_SHAPE_PARTICLES)
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

/* All sub-cells of a cell against one fill; those inside an earlier fill are left to it. */
static void seed_cell(seeder *s, const int cell[3], int fill, bool sure)
{
    const spate_scene *scene = s->scene;
    const spate_shape *shape = &scene->fill.items[fill];
    int n = scene->fluid.particles_per_axis;
    uint64_t key = sp_mix(scene->fluid.seed);
    for (int d = 0; d < 3; d++)
        key = sp_hash2(key, (uint64_t)cell[d]);
    float v[DIM];
    FOR_DIM(d)
        v[d] = (float)shape->velocity[d];
    int sub_count = n * n * LAST(n);
    for (int sub = 0; sub < sub_count; sub++) {
        int k[3] = {sub % n, sub / n % n, sub / n / n};
        float x[DIM];
        FOR_DIM(d) {
            float jitter = (float)scene->fluid.jitter *
                           (sp_uniform(sp_hash2(key, (uint64_t)(3 * sub + d))) - 0.5f);
            x[d] = (float)cell[d] + ((float)k[d] + 0.5f + jitter) / (float)n;
        }
        bool taken = !sure && !inside_shape(&s->forms[fill], &s->poses[fill], s->g, x);
        for (int earlier = 0; earlier < fill && !taken && !sure; earlier++)
            taken = scene->fill.items[earlier].shape != SPATE_SHAPE_PARTICLES &&
                    inside_shape(&s->forms[earlier], &s->poses[earlier], s->g, x);
        if (!taken && (sure || is_free(s, x)))
            offer(s, x, v);
    }
}

/* The cells [low, high) against one fill. */
static void seed_block(seeder *s, const int low[3], const int high[3], int fill)
{
    block kind = judge_block(s, low, high, fill);
    if (kind == BLOCK_OUTSIDE)
        return;
    if (kind == BLOCK_SURE && !s->sink) {
        uint64_t count = 1;
        FOR_DIM(d)
            count *= (uint64_t)(high[d] - low[d]) * (uint64_t)s->scene->fluid.particles_per_axis;
        s->count += count;
        return;
    }
    int cell[3];
    for (cell[2] = low[2]; cell[2] < high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] < high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] < high[0]; cell[0]++)
                seed_cell(s, cell, fill, kind == BLOCK_SURE);
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
    uint64_t *place; /* per block: how many it has; then where they begin */
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
        layer l = {args->p, (uint32_t)args->place[k]};
        seeder one = *args->all;
        one.count = 0;
        one.sink = args->lay ? lay_one : NULL;
        one.user = &l;
        seed_number(&one, &args->b, k, args->fill);
        if (!args->lay)
            args->place[k] = one.count;
    }
}

/* The particles of a shape into the simulation's columns, which have room for them. */
static spate_status lay_shape(seeder *s, X(sim) *sim, int fill, spate_error *error)
{
    X(particles) *p = &sim->particles;
    lay_args args = {.all = s, .p = p, .b = blocks_of(s, fill), .fill = fill};
    args.place = sp_alloc(args.b.total, sizeof *args.place);
    if (!args.place)
        return sp_fail_memory(error, "the fills", 0);
    sp_parallel_for(sim->common->pool, args.b.total, 8, lay_range, &args);
    uint64_t sum = p->count;
    for (size_t k = 0; k < args.b.total; k++) {
        uint64_t count = args.place[k];
        args.place[k] = sum;
        sum += count;
    }
    args.lay = true;
    sp_parallel_for(sim->common->pool, args.b.total, 8, lay_range, &args);
    s->count += sum - p->count;
    p->count = p->next_id = (uint32_t)sum;
    p->sorted = false;
    p->fastest = -1.0f;
    sp_free(args.place);
    return SPATE_OK;
}

static void append_one(void *user, const float x[DIM], const float v[DIM], const float *initial)
{
    X(particles_append)(user, x, v, initial);
}

static spate_status seed_fill(seeder *s, X(sim) *sim, int fill, spate_error *error)
{
    X(initial_channels)(s->scene, fill, s->initial);
    if (s->scene->fill.items[fill].shape == SPATE_SHAPE_PARTICLES) {
        seed_points(s, fill);
        return SPATE_OK;
    }
    sp_shape_prepare(&s->forms[fill], &s->scene->fill.items[fill], DIM);
    s->poses[fill] = s->forms[fill].rest;
    if (sim)
        return lay_shape(s, sim, fill, error);
    blocks b = blocks_of(s, fill);
    for (size_t k = 0; k < b.total; k++)
        seed_number(s, &b, k, fill);
    return SPATE_OK;
}

/* Counts the particles, and with `sim` makes them. */
static spate_status seed(const spate_scene *scene, const X(grid) *g, const sp_solids *solids,
                         X(sim) *sim, uint64_t *count, spate_error *error)
{
    int fills = scene->fill.count;
    sp_shape *forms = sp_alloc((size_t)fills + 1, sizeof *forms);
    sp_pose *poses = sp_alloc((size_t)fills + 1, sizeof *poses);
    spate_status status = forms && poses ? SPATE_OK : sp_fail_memory(error, "the fills", 0);
    seeder s = {.scene = scene, .g = g, .solids = solids, .forms = forms, .poses = poses};
    if (sim) {
        s.sink = append_one;
        s.user = &sim->particles;
    }
    for (int fill = 0; fill < fills && status == SPATE_OK; fill++)
        status = seed_fill(&s, sim, fill, error);
    sp_free(forms);
    sp_free(poses);
    *count = s.count;
    return status;
}

spate_status X(seed_count)(const spate_scene *scene, const X(grid) *g, const sp_solids *solids,
                           uint64_t *count, spate_error *error)
{
    return seed(scene, g, solids, NULL, count, error);
}

spate_status X(seed)(X(sim) *s, uint64_t *count, spate_error *error)
{
    return seed(s->common->scene, &s->grid, &s->solids, s, count, error);
}
