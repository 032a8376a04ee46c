/* test_gpu.c -- a device beside the CPU gives the CPU's results. */
#include "device_test.h"

#include <math.h>

/* How far apart the particles of two simulations are. */
typedef struct apart {
    double most, rest; /* cells: the largest difference of two places, of all and but for some */
    double speed;      /* the largest difference of velocities, m/s */
    size_t far;        /* particles with more than FAR */
} apart;

#define FAR 1e-4

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Of particles with the same id; `rest` without the `exempt` that differ most. A difference that is
 * no number is infinite. */
static apart difference(spate_sim *a, spate_sim *b, const char *set, size_t exempt)
{
    size_t count = spate_sim_particles_count(a, set);
    double scale = sample_view(a).scale;
    apart result = {HUGE_VAL, HUGE_VAL, HUGE_VAL, 0};
    if (count != spate_sim_particles_count(b, set))
        return result;
    float *x[2], *v[2];
    uint32_t *id[2];
    size_t *place = malloc((count + 1) * 2 * sizeof *place);
    double *gaps = malloc((count + exempt + 1) * sizeof *gaps);
    spate_sim *sims[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        x[k] = malloc((count + 1) * 12);
        v[k] = malloc((count + 1) * 12);
        id[k] = malloc((count + 1) * 4);
        spate_sim_particles_read(sims[k], set, x[k], v[k], id[k]);
    }
    for (size_t k = 0; k < count; k++)
        if (id[0][k] < 2 * count)
            place[id[0][k]] = k;
    result.speed = 0;
    for (size_t k = 0; k < count + exempt + 1; k++) {
        gaps[k] = 0;
        if (k >= count || id[1][k] >= 2 * count)
            continue;
        size_t other = place[id[1][k]];
        for (int d = 0; d < 3; d++) {
            double gap = fabs((double)x[0][3 * other + d] - (double)x[1][3 * k + d]) / scale;
            double faster = fabs((double)v[0][3 * other + d] - (double)v[1][3 * k + d]);
            gaps[k] = gap > gaps[k] ? gap : gap == gap ? gaps[k] : HUGE_VAL;
            result.speed = faster > result.speed || faster != faster ? faster : result.speed;
        }
        result.far += gaps[k] > FAR;
    }
    qsort(gaps, count + exempt + 1, sizeof *gaps, larger_first);
    result.most = gaps[0];
    result.rest = gaps[exempt];
    for (int k = 0; k < 2; k++) {
        free(x[k]);
        free(v[k]);
        free(id[k]);
    }
    free(place);
    free(gaps);
    return result;
}

static spate_shape *add_sphere(spate_scene *scene, spate_list list, double x, double y,
                               double radius)
{
    spate_shape *ball = spate_scene_add_shape(scene, list);
    ball->shape = SPATE_SHAPE_SPHERE;
    ball->center[0] = x;
    ball->center[1] = y;
    ball->center[2] = 0.5;
    ball->radius = radius;
    return ball;
}

static void add_ball(spate_scene *scene, double speed)
{
    add_sphere(scene, SPATE_LIST_SOLIDS, 1.0, 0.2, 0.21)->velocity[0] = speed;
}

static spate_gauge *add_gauge(spate_scene *scene, spate_gauge_kind kind)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = kind;
    for (int d = 0; d < 3; d++)
        gauge->at[d] = 0.31;
    return gauge;
}

/* A window across the flow. */
static void set_window(spate_gauge *gauge)
{
    for (int d = 0; d < 3; d++) {
        gauge->min[d] = d == 0 ? 0.6 : 0.1;
        gauge->max[d] = d == 0 ? 0.6 : 0.7;
    }
}

/* One of each kind; there is a solid. A pointer is good until the next gauge is added. */
static void add_gauges(spate_scene *scene)
{
    add_gauge(scene, SPATE_GAUGE_HEIGHT);
    add_gauge(scene, SPATE_GAUGE_PRESSURE)->radius = 0.1;
    add_gauge(scene, SPATE_GAUGE_VELOCITY);
    snprintf(add_gauge(scene, SPATE_GAUGE_FORCE)->solid, 16, "solids[0]");
    set_window(add_gauge(scene, SPATE_GAUGE_FLUX));
    snprintf(add_gauge(scene, SPATE_GAUGE_MOMENT)->solid, 16, "solids[0]");
    add_gauge(scene, SPATE_GAUGE_FRONT)->depth = 0.1;
    add_gauge(scene, SPATE_GAUGE_FRONT)->axis = SPATE_DIRECTION_MINUS_X;
    set_window(add_gauge(scene, SPATE_GAUGE_SLICE));
}

static void compare_gauges(spate_sim *cpu, spate_sim *gpu)
{
    for (int k = 0; k < spate_sim_gauge_count(cpu); k++) {
        double one[3], two[3];
        CHECK(spate_sim_gauge_read(cpu, k, one) == spate_sim_gauge_read(gpu, k, two));
        for (int d = 0; d < 3; d++)
            CHECK_NEAR(two[d], one[d], 1e-3 * fabs(one[0]) + 1e-3);
    }
}

/* Water that runs out through the open side on the right. */
static void run_out(spate_scene *scene, spate_shape *fill)
{
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    scene->time.advection = SPATE_ADVECTION_RK2;
    fill->min[0] = 1.2;
    fill->max[0] = 2;
    fill->velocity[0] = 3;
}

/* A paddle that turns and rubs; in 3D a triangle mesh. */
static void add_paddle(spate_scene *scene)
{
    static const double corners[24] = {-0.06, -0.3,  -0.3, 0.06, -0.3,  -0.3,  0.06, 0.3,
                                       -0.3,  -0.06, 0.3,  -0.3, -0.06, -0.3,  0.3,  0.06,
                                       -0.3,  0.3,   0.06, 0.3,  0.3,   -0.06, 0.3,  0.3};
    static const uint32_t triangles[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                           2, 3, 7, 2, 7, 6, 1, 2, 6, 1, 6, 5, 0, 4, 7, 0, 7, 3};
    spate_shape *paddle = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    paddle->shape = scene->dim == 3 ? SPATE_SHAPE_MESH : SPATE_SHAPE_CAPSULE;
    paddle->position[0] = 0.9;
    paddle->position[1] = 0.4;
    paddle->position[2] = 0.5;
    paddle->from[0] = paddle->to[0] = 0.9;
    paddle->from[1] = 0.1;
    paddle->to[1] = 0.7;
    paddle->from[2] = paddle->to[2] = 0;
    paddle->radius = 0.06;
    paddle->wall = SPATE_WALL_ROUGH;
    paddle->roughness = 0.002;
    if (scene->dim == 3)
        paddle->mesh = spate_mesh_create(corners, 8, triangles, 12, NULL);
    for (int k = 0; k < 2; k++) {
        spate_keyframe *key = spate_shape_add_keyframe(paddle);
        key->time = k;
        key->position[0] = -0.4 * k;
        key->rotation[2] = 360 * k;
    }
}

/* Two thin plates in the liquid, at 20 degrees. */
static void add_plates(spate_scene *scene)
{
    for (int k = 0; k < 2; k++) {
        spate_shape *plate = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
        plate->shape = SPATE_SHAPE_BOX;
        plate->min[0] = 0.3 + 0.3 * k;
        plate->max[0] = plate->min[0] + 0.012;
        plate->min[1] = plate->min[2] = -0.5;
        plate->max[1] = plate->max[2] = 1.5;
        plate->rotation[2] = 20;
    }
}

static void add_inflow(spate_scene *scene)
{
    spate_shape *pipe = spate_scene_add_shape(scene, SPATE_LIST_INFLOWS);
    pipe->shape = SPATE_SHAPE_BOX;
    pipe->min[0] = 0;
    pipe->max[0] = 0.2;
    pipe->min[1] = pipe->min[2] = 0.5;
    pipe->max[1] = pipe->max[2] = 0.8;
    pipe->velocity[0] = 2;
}

/* A kernel to the grid of its own, nobody flies, and so many sweeps from zero. */
static void use_textbook(spate_scene *scene)
{
    scene->fluid.kernel_to_grid = SPATE_KERNEL_TO_GRID_QUADRATIC;
    scene->fluid.free_flight = false;
    scene->time.advection = SPATE_ADVECTION_EULER;
    scene->pressure.solver = SPATE_SOLVER_GAUSS_SEIDEL;
    scene->pressure.max_iterations = 60;
    scene->pressure.fixed_iterations = true;
    scene->pressure.warm_start = false;
}

/* All of it between the second and the tenth step. */
static void add_times(spate_scene *scene)
{
    static const char *const settings[] = {"inflows[0].flow", "inflows[0].flow", "gravity"};
    static const double values[] = {0.05, 0.4, -8};
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    fill->shape = SPATE_SHAPE_BOX;
    fill->start = 0.02;
    for (int d = 0; d < 3; d++) {
        fill->min[d] = d == 0 ? 1.5 : 0.1;
        fill->max[d] = d == 0 ? 1.8 : 0.6;
    }
    add_inflow(scene);
    scene->inflows.items[0].start = 0.01;
    scene->inflows.items[0].flow = 0.1;
    add_sphere(scene, SPATE_LIST_OUTFLOWS, 0.4, 0.1, 0.15);
    scene->outflows.items[0].start = 0.03;
    for (int k = 0; k < 3; k++) {
        spate_key *key = spate_scene_add_key(scene);
        strcpy(key->setting, settings[k]);
        key->time = 0.02 * k;
        key->value[k == 2] = values[k];
    }
}

/* Drops of few particles over the water, on their way down to it. */
static void add_spray(spate_scene *scene)
{
    scene->gravity[1] = -3; /* some are still on their way after twenty steps */
    for (int k = 0; k < 24; k++) {
        spate_shape *drop = add_sphere(scene, SPATE_LIST_FILL, 0.09 + 0.17 * (k % 11),
                                       0.86 + 0.017 * (k % 7), 0.02 + 0.002 * k);
        drop->center[2] = 0.11 + 0.21 * (k % 4);
        drop->velocity[0] = 1.5 - 0.2 * k;
        drop->velocity[1] = 0.1 * k - 1;
    }
}

/* Drops that fall on a thin shelf, which lies in the last cells before a tile without solids: what
 * particles bring to the faces between the two depends on cells of both. */
static void add_shelf(spate_scene *scene)
{
    double dx = scene->domain.size[0] / scene->domain.cells;
    spate_shape *shelf = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    shelf->shape = SPATE_SHAPE_BOX;
    shelf->min[0] = 1;
    shelf->max[0] = 3;
    shelf->min[1] = 7.2 * dx;
    shelf->max[1] = 7.4 * dx;
    shelf->min[2] = -1;
    shelf->max[2] = 2;
    for (int k = 0; k < 12; k++) {
        spate_shape *drop =
            add_sphere(scene, SPATE_LIST_FILL, 1.1 + 0.07 * k, (8 + 0.2 * k) * dx, 0.8 * dx);
        drop->center[2] = 0.11 + 0.21 * (k % 4);
        drop->velocity[1] = 0.1 * k;
    }
}

static void add_channel(spate_scene *scene, const char *name, bool pic)
{
    spate_channel *channel = spate_scene_add_channel(scene);
    snprintf(channel->name, sizeof channel->name, "%s", name);
    channel->pic = pic;
    channel->initial[0] = 0.25;
}

/* Some in the water or around it from the start, and some that come. */
static void add_tracers(spate_scene *scene)
{
    spate_shape *box = spate_scene_add_shape(scene, SPATE_LIST_TRACERS);
    box->shape = SPATE_SHAPE_BOX;
    for (int d = 0; d < 3; d++) {
        box->min[d] = 0.2;
        box->max[d] = 0.9;
    }
    box->spacing = 0.06;
    add_sphere(scene, SPATE_LIST_TRACERS, 1.3, 0.5, 0.2)->rate = 20;
    scene->tracers.items[1].spacing = 0.1;
}

/* The fill says how it moves at the start. */
static void make_gas(spate_scene *scene, spate_shape *fill)
{
    scene->fluid.kind = SPATE_FLUID_GAS;
    fill->velocity[0] = 1.5;
    fill->velocity[1] = 0.4;
}

enum {
    DAM,
    BALL,
    APIC_OPEN,
    QUADRATIC,
    PIC,
    CUBIC,
    APIC_BALL,
    AFLIP_OPEN,
    AFLIP_BALL,
    AFLIP_RESEED,
    RUN_OUT,
    MOVING,
    INFLOW,
    AGE,
    AVERAGE,
    PUSHED,
    VOXEL,
    PADDLE,
    VOXEL_PADDLE,
    FLOWS,
    RESEED,
    PUSH_BALL,
    PUSH_ROUND,
    SPRAY,
    APIC_SPRAY,
    PLATES,
    SHELF,
    ROUGH,
    ODD,
    TEXTBOOK,
    TIMES,
    GAS,
    GAS_ROUND,
    GAS_BLOWN,
    VARIANTS
};
static const char *const variants[VARIANTS] = {"dam",
                                               "ball",
                                               "apic and open",
                                               "quadratic and periodic",
                                               "pic and euler",
                                               "cubic and rk4",
                                               "apic, quadratic and ball",
                                               "aflip and open",
                                               "aflip, quadratic and ball",
                                               "aflip and reseeding",
                                               "out of an open side",
                                               "moving ball",
                                               "inflow",
                                               "age",
                                               "an averaged channel",
                                               "pushed apart and projected",
                                               "voxels and a rough floor",
                                               "turning paddle",
                                               "turning paddle of voxels",
                                               "in past a ball and out",
                                               "reseeding",
                                               "pushed apart at a moving ball",
                                               "pushed apart across periodic sides",
                                               "spray past a ball",
                                               "spray with apic across periodic sides",
                                               "thin plates",
                                               "drops on a thin shelf",
                                               "rough walls, a rough ball, periodic sides",
                                               "walls between faces, one of them rough",
                                               "as in a textbook",
                                               "a flow, a late fill, a late outflow, keyframes",
                                               "a gas past a ball",
                                               "a gas across periodic sides past a ball",
                                               "a gas that blows in and out"};

/* The variants in groups that a test each takes in 3D, ended by VARIANTS. */
static const int transfers[] = {DAM,   APIC_OPEN, QUADRATIC,  PIC,
                                CUBIC, TEXTBOOK,  AFLIP_OPEN, VARIANTS},
                 solids[] = {BALL, APIC_BALL, MOVING, PADDLE, AFLIP_BALL, GAS, VARIANTS},
                 walls[] = {VOXEL, VOXEL_PADDLE, PLATES, SHELF, ROUGH, ODD, GAS_ROUND, VARIANTS},
                 flows[] = {RUN_OUT, INFLOW,       FLOWS,     RESEED,
                            TIMES,   AFLIP_RESEED, GAS_BLOWN, VARIANTS},
                 sprays[] = {AGE, AVERAGE, SPRAY, APIC_SPRAY, VARIANTS},
                 pushes[] = {PUSHED, PUSH_BALL, PUSH_ROUND, VARIANTS};

/* Devices other than check are tested in full. */
static bool is_full(void)
{
    return test_full() || strcmp(device_name(), "check") != 0;
}

static void make_rough(spate_scene *scene)
{
    scene->domain.wall[1][0] = SPATE_WALL_ROUGH;
    scene->domain.roughness[1][0] = 0.01;
}

/* A dam that breaks, dx = 0.05 or so; `variant` changes the method or what is in the way. */
static spate_scene *make_scene(int dim, int variant)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    scene->domain.size[0] = 2;
    scene->domain.size[1] = 1;
    scene->domain.size[2] = dim == 3 ? 1 : 0;
    scene->domain.cells = dim == 3 && !is_full() ? 24 : 32;
    scene->gravity[1] = -9.81;
    scene->pressure.tolerance = 1e-6;
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    fill->shape = SPATE_SHAPE_BOX;
    fill->min[0] = fill->min[1] = fill->min[2] = 0;
    fill->max[0] = 0.8;
    fill->max[1] = 0.8;
    fill->max[2] = 1;
    switch (variant) {
    case BALL:
        add_ball(scene, 0);
        add_gauges(scene);
        break;
    case APIC_OPEN:
        scene->fluid.transfer = SPATE_TRANSFER_APIC;
        scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
        break;
    case QUADRATIC:
        scene->fluid.kernel = SPATE_KERNEL_QUADRATIC;
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
        fill->min[0] = 0.3;
        break;
    case PIC:
        scene->fluid.transfer = SPATE_TRANSFER_PIC;
        scene->time.advection = SPATE_ADVECTION_EULER;
        break;
    case CUBIC:
        scene->fluid.kernel = SPATE_KERNEL_CUBIC;
        scene->time.advection = SPATE_ADVECTION_RK4;
        break;
    case APIC_BALL:
        scene->fluid.transfer = SPATE_TRANSFER_APIC;
        scene->fluid.kernel = SPATE_KERNEL_QUADRATIC;
        add_ball(scene, 0);
        break;
    case AFLIP_OPEN:
        scene->fluid.transfer = SPATE_TRANSFER_AFLIP;
        scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
        break;
    case AFLIP_BALL:
        scene->fluid.transfer = SPATE_TRANSFER_AFLIP;
        scene->fluid.kernel = SPATE_KERNEL_QUADRATIC;
        add_ball(scene, 0);
        break;
    case RUN_OUT: run_out(scene, fill); break;
    case ODD:
        scene->domain.cell_size = 2.0 / scene->domain.cells;
        scene->domain.size[0] = fill->max[0] = 1.79;
        scene->domain.size[1] = 0.97;
        scene->domain.size[2] = dim == 3 ? 0.9 : 0;
        fill->max[2] = 0.9;
        fill->min[0] = 0.9;
        scene->domain.wall[0][1] = SPATE_WALL_ROUGH;
        scene->domain.roughness[0][1] = 0.01;
        break;
    case MOVING: add_ball(scene, -1); break;
    case INFLOW: add_inflow(scene); break;
    case AGE: add_channel(scene, "age", false); break;
    case AVERAGE:
        add_channel(scene, "age", false);
        add_channel(scene, "source", true);
        break;
    case PUSHED: scene->volume.method = SPATE_VOLUME_BOTH; break;
    case VOXEL:
        scene->pressure.solids = SPATE_SOLID_MODEL_VOXEL;
        scene->pressure.surface = SPATE_SURFACE_MODEL_VOXEL;
        make_rough(scene);
        add_ball(scene, 0);
        add_gauges(scene);
        break;
    case PADDLE:
        add_paddle(scene);
        scene->domain.wall[0][1] = scene->domain.wall[1][0] = SPATE_WALL_NO_SLIP;
        break;
    case VOXEL_PADDLE:
        add_paddle(scene);
        scene->pressure.solids = SPATE_SOLID_MODEL_VOXEL;
        scene->fluid.kernel = SPATE_KERNEL_QUADRATIC;
        break;
    case FLOWS:
        add_inflow(scene);
        add_sphere(scene, SPATE_LIST_OUTFLOWS, 0.4, 0.1, 0.15);
        add_ball(scene, 0);
        add_channel(scene, "source", false);
        break;
    case PUSH_BALL:
        scene->fluid.seed = 2; /* in which rounding decides about few pairs */
        scene->volume.method = SPATE_VOLUME_PUSH;
        add_ball(scene, -1);
        break;
    case PUSH_ROUND:
        scene->volume.method = SPATE_VOLUME_PUSH;
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
        break;
    case SPRAY:
        add_spray(scene);
        add_ball(scene, 0);
        add_channel(scene, "age", false);
        add_channel(scene, "source", true);
        break;
    case APIC_SPRAY:
        add_spray(scene);
        scene->fluid.transfer = SPATE_TRANSFER_APIC;
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
        break;
    case PLATES: add_plates(scene); break;
    case SHELF: add_shelf(scene); break;
    case RESEED:
    case AFLIP_RESEED:
        scene->fluid.transfer = variant == RESEED ? SPATE_TRANSFER_FLIP : SPATE_TRANSFER_AFLIP;
        scene->fluid.reseed = true;
        scene->fluid.jitter = 1;
        scene->fluid.seed = 3; /* in which rounding lets none cross into another cell */
        scene->fluid.reseed_min = 4;
        scene->fluid.reseed_max = dim == 3 ? 9 : 5;
        add_channel(scene, "age", false);
        break;
    case ROUGH:
        make_rough(scene);
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
        add_ball(scene, 0);
        scene->solids.items[0].wall = SPATE_WALL_ROUGH;
        scene->solids.items[0].roughness = 0.02;
        break;
    case TEXTBOOK: use_textbook(scene); break;
    case TIMES: add_times(scene); break;
    case GAS:
        make_gas(scene, fill);
        add_ball(scene, 0);
        break;
    case GAS_ROUND:
        make_gas(scene, fill);
        scene->fluid.kernel = SPATE_KERNEL_QUADRATIC;
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
        add_ball(scene, 0);
        break;
    case GAS_BLOWN:
        make_gas(scene, fill);
        scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
        add_inflow(scene);
        break;
    default: break;
    }
    if (variant == BALL || variant == QUADRATIC || variant == CUBIC || variant == MOVING ||
        variant == PADDLE || variant == SPRAY || variant == GAS_BLOWN || variant == GAS_ROUND)
        add_tracers(scene);
    return scene;
}

/* How many particles may be elsewhere because something is yes or no, which rounding decides: pairs
 * that are pushed apart count or not, and each of them pulls at those in the cells around it; a
 * particle that leaves the liquid flies or not; a cell parts from a wall or not. */
static size_t decided(int variant, const spate_scene *scene, size_t count)
{
    if (variant == PADDLE || variant == VOXEL_PADDLE || variant == APIC_SPRAY || variant == PLATES)
        return count / 2000 + 1;
    bool pushed = scene->volume.method != SPATE_VOLUME_DENSITY;
    return pushed && scene->fluid.kind != SPATE_FLUID_GAS ? count / 100 + 20 : 0;
}

static void must(spate_status status, const spate_error *error)
{
    CHECK(status == SPATE_OK);
    if (status != SPATE_OK)
        printf("  %s: %s\n", error->where, error->message);
}

static void ten_steps(int dim, int variant)
{
    spate_scene *scene = make_scene(dim, variant);
    spate_sim *cpu = start(scene, "cpu"), *gpu = start(scene, device_name());
    spate_error error = {0};
    if (cpu && gpu) /* which lays the solids on the host */
        CHECK(sample_stats(cpu).particles == sample_stats(gpu).particles);
    enum { STEPS = 10 };
    for (int step = 0; step < STEPS && cpu && gpu; step++) {
        double dt = spate_sim_next_dt(cpu);
        CHECK_NEAR(spate_sim_next_dt(gpu), dt, 1e-3 * dt);
        must(spate_sim_step(cpu, dt, &error), &error);
        must(spate_sim_step(gpu, dt, &error), &error);
    }
    if (cpu && gpu) {
        size_t count = spate_sim_particles_count(cpu, "fluid"),
               some = decided(variant, scene, count);
        apart gap = difference(cpu, gpu, "fluid", some);
        printf("  %dD %s: after %d steps places differ by %.2g cells, %zu of %zu by more than %g\n",
               dim, variants[variant], STEPS, gap.most, gap.far, count, FAR);
        CHECK_LESS(gap.rest, FAR);
        CHECK_LESS(gap.most, some > 0 ? 0.01 : FAR);
        spate_stats one = sample_stats(cpu), two = sample_stats(gpu);
        CHECK(one.particles == two.particles && one.removed == two.removed);
        CHECK(one.added == two.added);
        bool reseeds = variant == RESEED || variant == AFLIP_RESEED;
        bool given = variant == FLOWS || variant == TIMES || variant == GAS_BLOWN || reseeds;
        bool net = variant == GAS || variant == GAS_ROUND; /* at times beside the ball */
        CHECK((one.removed > 0) == (variant == RUN_OUT || given) || net);
        CHECK((one.added > 0) == (variant == INFLOW || given) || net);
        /* rounding may decide whether a cell that was given particles is liquid */
        double cell = pow(sample_view(cpu).scale, dim);
        CHECK_NEAR(two.volume, one.volume, 1e-3 * one.volume + (reseeds ? cell : 0));
        CHECK_NEAR(two.kinetic_energy, one.kinetic_energy, 1e-3 * one.kinetic_energy);
        if (some == 0) { /* a percentile may be in the next bin */
            CHECK_NEAR(two.slip_max, one.slip_max, 1e-3 * one.max_speed);
            CHECK_NEAR(two.slip_p999, one.slip_p999, 0.13 * one.slip_p999 + 1e-9);
        }
    }
    spate_sim_destroy(cpu);
    spate_sim_destroy(gpu);
    spate_scene_destroy(scene);
}

/* A gas from which somebody takes all particles of a place: the net mends it, or the rule that is
 * taught, in the same cells. */
static void a_hole_in_a_gas(int dim, bool taught)
{
    spate_scene *scene = make_scene(dim, GAS);
    scene->fluid.reseed = taught;
    scene->fluid.reseed_min = taught ? 1 : 0;
    spate_sim *sims[2] = {start(scene, "cpu"), start(scene, device_name())};
    spate_shape hole = sample_shape();
    for (int d = 0; d < 3; d++) {
        hole.min[d] = 0.2;
        hole.max[d] = 0.7;
    }
    spate_stats stats[2] = {{0}};
    spate_error error = {0};
    for (int k = 0; k < 2 && sims[0] && sims[1]; k++) {
        size_t removed;
        must(spate_sim_remove_particles(sims[k], &hole, &removed, &error), &error);
        for (int step = 0; step < 3; step++)
            must(spate_sim_step(sims[k], 1e-4, &error), &error);
        stats[k] = sample_stats(sims[k]);
        CHECK(stats[k].added_reseed > (taught ? removed / 2 : 3));
    }
    CHECK(stats[0].added_reseed == stats[1].added_reseed);
    CHECK(stats[0].removed_reseed == stats[1].removed_reseed);
    CHECK(stats[0].particles == stats[1].particles);
    spate_sim_destroy(sims[0]);
    spate_sim_destroy(sims[1]);
    spate_scene_destroy(scene);
}

static void holes_in_a_gas(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int taught = 0; taught <= 1; taught++)
            a_hole_in_a_gas(dim, taught);
}

static void ten_steps_2d(void)
{
    for (int variant = 0; variant < VARIANTS; variant++)
        ten_steps(2, variant);
}

/* In the short form in 3D a part of each group: stages_3d_... has all of them. */
static void ten_steps_of(int dim, const int *group)
{
    for (int k = 0; group[k] < VARIANTS; k++)
        if (is_full() || k % 2 == 0)
            ten_steps(dim, group[k]);
}

static void ten_steps_3d_transfers(void)
{
    ten_steps_of(3, transfers);
}

static void ten_steps_3d_solids(void)
{
    ten_steps_of(3, solids);
}

static void ten_steps_3d_walls(void)
{
    ten_steps_of(3, walls);
}

static void ten_steps_3d_flows(void)
{
    ten_steps_of(3, flows);
}

static void ten_steps_3d_sprays(void)
{
    ten_steps_of(3, sprays);
}

static void ten_steps_3d_pushes(void)
{
    ten_steps_of(3, pushes);
}

/* ---- a second: the same water, if not the same particles */

/* How far along x the water has come, m: all but one particle in 200 are before it. */
static double front(spate_sim *sim)
{
    size_t count = spate_sim_particles_count(sim, "fluid");
    float *x = malloc((count + 1) * 12);
    double *along = malloc((count + 1) * sizeof *along), result = 0;
    spate_sim_particles_read(sim, "fluid", x, NULL, NULL);
    for (size_t k = 0; k < count; k++)
        along[k] = (double)x[3 * k];
    qsort(along, count, sizeof *along, larger_first);
    result = along[count / 200];
    free(x);
    free(along);
    return result;
}

static void one_second(int dim)
{
    spate_scene *scene = make_scene(dim, DAM);
    scene->fps = 25;
    spate_sim *cpu = start(scene, "cpu"), *gpu = start(scene, device_name());
    spate_error error = {0};
    double farthest = 0, front_gap = 0, volume = 0, energy = 0;
    int frames = dim == 2 || is_full() ? 25 : 20;
    for (int frame = 1; frame <= frames && cpu && gpu; frame++) {
        must(spate_sim_step_frame(cpu, &error), &error);
        must(spate_sim_step_frame(gpu, &error), &error);
        spate_stats one = sample_stats(cpu), two = sample_stats(gpu);
        double here = front(cpu), whole = one.kinetic_energy + one.potential_energy;
        farthest = fmax(farthest, here);
        front_gap = fmax(front_gap, fabs(front(gpu) / here - 1));
        volume = fmax(volume, fabs(two.volume / one.volume - 1));
        energy = fmax(energy, fabs((two.kinetic_energy + two.potential_energy) / whole - 1));
        CHECK(two.particles == one.particles && two.in_solid == 0);
    }
    printf("  %dD: front up to %.3g m, differs by %.2g %%, volume by %.2g %%, energy by %.2g %%\n",
           dim, farthest, 100 * front_gap, 100 * volume, 100 * energy);
    CHECK(farthest > 1.9); /* it has crossed the tank */
    CHECK_LESS(front_gap, 0.001);
    CHECK_LESS(volume, 0.001);
    CHECK_LESS(energy, 0.001);
    spate_sim_destroy(cpu);
    spate_sim_destroy(gpu);
    spate_scene_destroy(scene);
}

static void second_2d(void)
{
    one_second(2);
}

static void second_3d(void)
{
    one_second(3);
}

/* ---- stage by stage, from the same state */

/* The largest difference of a field in the domain, against its largest value. */
static double field_difference(spate_sim *a, spate_sim *b, const char *name)
{
    spate_field_view one, two;
    if (!spate_sim_field_view(a, name, &one) || !spate_sim_field_view(b, name, &two))
        return HUGE_VAL;
    double most = 0, largest = 1e-30;
    for (ptrdiff_t k = 0; k < one.count[2]; k++)
        for (ptrdiff_t j = 0; j < one.count[1]; j++)
            for (ptrdiff_t i = 0; i < one.count[0]; i++) {
                ptrdiff_t at = i * one.stride[0] + j * one.stride[1] + k * one.stride[2];
                double x = one.bytes ? one.bytes[at] : (double)one.values[at];
                double y = two.bytes ? two.bytes[at] : (double)two.values[at];
                double gap = fabs(x - y);
                most = gap > most || gap != gap ? gap : most;
                largest = fabs(x) > largest ? fabs(x) : largest;
            }
    return most / largest;
}

/* Whether the particles stand in the same order. */
static bool same_order(spate_sim *a, spate_sim *b)
{
    size_t count = spate_sim_particles_count(a, "fluid");
    if (count != spate_sim_particles_count(b, "fluid"))
        return false;
    uint32_t *id[2];
    spate_sim *sims[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        id[k] = malloc((count + 1) * sizeof *id[k]);
        spate_sim_particles_read(sims[k], "fluid", NULL, NULL, id[k]);
    }
    bool same = memcmp(id[0], id[1], count * sizeof *id[0]) == 0;
    free(id[0]);
    free(id[1]);
    return same;
}

/* The largest difference of a channel, of sorted particles; 0 if there is none. */
static double channel_difference(spate_sim *a, spate_sim *b, const char *name)
{
    float *one[4], *two[4];
    double most = 0;
    if (!spate_sim_channel_view(a, name, one) || !spate_sim_channel_view(b, name, two))
        return 0;
    for (size_t k = 0; k < spate_sim_particles_count(a, "fluid"); k++) {
        double gap = fabs((double)one[0][k] - (double)two[0][k]);
        most = gap > most || gap != gap ? gap : most;
    }
    return most;
}

/* What one stage may differ by, of the largest value: sums and solves, not maps. Returns whether
 * the particles do not. */
static bool compare_stage(spate_sim *cpu, spate_sim *gpu, sp_stage stage, double limit)
{
    static const char *const fields[] = {"u", "v", "w", "p", "solid"};
    int dim = spate_sim_dim(cpu);
    apart gap = difference(cpu, gpu, "fluid", 0), traced = difference(cpu, gpu, "tracers", 0);
    bool solved = stage >= SP_STAGE_PRESSURE; /* what a solve leaves differs more */
    CHECK_LESS(gap.most, limit);
    CHECK_LESS(gap.speed, 10 * limit);
    CHECK_LESS(traced.most, limit);
    CHECK_LESS(traced.speed, 10 * limit);
    CHECK(same_order(cpu, gpu));
    CHECK_LESS(channel_difference(cpu, gpu, "age"), limit);
    CHECK_LESS(channel_difference(cpu, gpu, "source"), limit);
    for (int k = 0; k < 5; k++) {
        bool made = stage >= (k == 4 ? SP_STAGE_SOLIDS : SP_STAGE_P2G); /* in this step */
        made = made || k == 3;
        if ((k == 2 && dim == 2) || !made)
            continue;
        double most = field_difference(cpu, gpu, fields[k]);
        if (!(most < (solved ? 10 : 1) * limit))
            printf("  %s after %s:\n", fields[k], spate_stage_name(stage));
        CHECK_LESS(most, (solved ? 10 : 1) * limit);
    }
    double type = field_difference(cpu, gpu, "type");
    if (stage >= SP_STAGE_SURFACE)
        CHECK_LESS(type, 1e-9);
    return gap.most < limit && gap.speed < 10 * limit;
}

/* Of the same particles. */
static void compare_stats(spate_sim *cpu, spate_sim *gpu)
{
    spate_stats one = sample_stats(cpu), two = sample_stats(gpu);
    CHECK(one.particles == two.particles && one.liquid_cells == two.liquid_cells);
    CHECK(one.flying == two.flying && one.ppc_mean == two.ppc_mean);
    CHECK(one.ppc_max == two.ppc_max && one.interior_max == two.interior_max);
    CHECK(one.in_solid == two.in_solid && one.overlaps == two.overlaps);
    CHECK(one.interior_mean == two.interior_mean && one.max_speed == two.max_speed);
    CHECK_NEAR(two.min_distance, one.min_distance, 1e-7 * one.min_distance);
    for (int k = spate_stat_find("interior_empty"); k <= spate_stat_find("interior_crowded"); k++)
        CHECK(spate_stats_value(&one, k) == spate_stats_value(&two, k));
    CHECK_NEAR(two.volume, one.volume, 1e-6 * one.volume);
    CHECK_NEAR(two.volume_particles, one.volume_particles, 0);
    CHECK_NEAR(two.kinetic_energy, one.kinetic_energy, 1e-12 * one.kinetic_energy);
    CHECK_NEAR(two.potential_energy, one.potential_energy, 1e-12 * one.potential_energy);
    for (int d = 0; d < 3; d++)
        CHECK_NEAR(sample_momentum(&two, d), sample_momentum(&one, d),
                   1e-10 * fabs(one.momentum_x));
}

static void stages(int dim, int variant)
{
    spate_scene *scene = make_scene(dim, variant);
    spate_sim *cpu = start(scene, "cpu"), *gpu = start(scene, device_name());
    spate_error error = {0};
    buffer b = {0};
    int steps = dim == 2 || is_full() ? 24 : 16;
    for (int step = 0; step < steps && cpu && gpu; step++)
        must(spate_sim_step(cpu, 0, &error), &error);
    if (cpu && gpu) {
        must(spate_sim_save(cpu, put, &b, &error), &error);
        must(spate_sim_load(gpu, take, &b, &error), &error);
        double dt = spate_sim_next_dt(cpu);
        for (int stage = 0; stage < SP_STAGE_COUNT; stage++) {
            must(spate_sim_run_stage(cpu, stage, dt, &error), &error);
            must(spate_sim_run_stage(gpu, stage, dt, &error), &error);
            if (!compare_stage(cpu, gpu, stage, 1e-5))
                printf("  %dD %s: so after %s\n", dim, variants[variant], spate_stage_name(stage));
            if (stage == SP_STAGE_SOLIDS)
                compare_stats(cpu, gpu);
        }
        compare_gauges(cpu, gpu);
        spate_stats one = sample_stats(cpu), two = sample_stats(gpu);
        CHECK(one.collisions == two.collisions && two.in_solid == 0);
        CHECK(scene->tracers.count == 0 || spate_sim_particles_count(cpu, "tracers") > 20);
        bool hits = variant == BALL || variant == APIC_BALL || variant == AFLIP_BALL ||
                    variant == VOXEL || variant == PADDLE || variant == PUSH_BALL ||
                    variant == SPRAY || variant == ROUGH || variant == PLATES || variant == GAS ||
                    variant == GAS_ROUND;
        CHECK(one.flying > 0 || (variant != SPRAY && variant != APIC_SPRAY));
        bool may_hit = variant == FLOWS || variant == VOXEL_PADDLE || variant == ODD ||
                       variant == MOVING || variant == SHELF; /* water may have left it */
        CHECK((one.collisions > 0) == hits || may_hit);
    }
    free(b.bytes);
    spate_sim_destroy(cpu);
    spate_sim_destroy(gpu);
    spate_scene_destroy(scene);
}

static void stages_2d(void)
{
    for (int variant = 0; variant < VARIANTS; variant++)
        stages(2, variant);
}

static void stages_of(int dim, const int *group)
{
    for (int k = 0; group[k] < VARIANTS; k++)
        stages(dim, group[k]);
}

static void stages_3d_transfers(void)
{
    stages_of(3, transfers);
}

static void stages_3d_solids(void)
{
    stages_of(3, solids);
}

static void stages_3d_walls(void)
{
    stages_of(3, walls);
}

static void stages_3d_flows(void)
{
    stages_of(3, flows);
}

static void stages_3d_sprays(void)
{
    stages_of(3, sprays);
}

static void stages_3d_pushes(void)
{
    stages_of(3, pushes);
}

/* Thousands of particles in one cell, and some in its neighbours: SORT has another way for them.
 * Removing others takes the last ones to the front, so that ids are not in order. */
static void crowd(int dim)
{
    enum { COUNT = 5000 };
    spate_scene *scene = make_scene(dim, DAM);
    spate_sim *cpu = start(scene, "cpu"), *gpu = start(scene, device_name());
    spate_error error = {0};
    float *x = malloc(3 * COUNT * sizeof *x);
    for (int k = 0; k < COUNT; k++)
        for (int d = 0; d < 3; d++)
            x[3 * k + d] = 0.5f + 0.07f * (float)((k * (7919 + 104 * d)) % 1000) * 1e-3f;
    spate_sim *sims[2] = {cpu, gpu};
    spate_shape left = scene->fill.items[0];
    left.max[0] = 0.3;
    for (int k = 0; k < 2 && cpu && gpu; k++) {
        must(spate_sim_add_particles(sims[k], x, NULL, COUNT, NULL, &error), &error);
        must(spate_sim_remove_particles(sims[k], &left, NULL, &error), &error);
        must(spate_sim_run_stage(sims[k], SP_STAGE_SORT, 0.001, &error), &error);
    }
    if (cpu && gpu)
        CHECK(same_order(cpu, gpu));
    free(x);
    spate_sim_destroy(cpu);
    spate_sim_destroy(gpu);
    spate_scene_destroy(scene);
}

static void crowds(void)
{
    crowd(2);
    crowd(3);
}

/* The same bits from run to run, and with another number of threads. */
static void same_bits(void)
{
    spate_scene *scene = make_scene(3, 1);
    uint64_t hash[2] = {0, 1};
    for (int turn = 0; turn < 2; turn++) {
        spate_sim *sim = start(scene, device_name());
        spate_error error = {0};
        for (int step = 0; step < 6 && sim; step++)
            must(spate_sim_step(sim, 0, &error), &error);
        hash[turn] = sim ? spate_sim_hash(sim) : 0;
        spate_sim_destroy(sim);
    }
    CHECK(hash[0] == hash[1]);
    spate_scene_destroy(scene);
}

/* Gauges that the device takes: those of the CPU, also in steps of other lengths; in even ones, to
 * the bit, what the host reads from the fields of the device. */
static void gauges_on_the_device(int dim)
{
    static const double lengths[] = {1, 2, 2, 0.7, 1.4, 1.4};
    for (int k = 0; k < 2; k++) {
        spate_scene *scene = make_scene(dim, k ? VOXEL : BALL);
        scene->domain.cells = 32; /* moments are compared with their x component: not on 24 */
        scene->solids.items[0].center[0] = 0.6;
        add_gauge(scene, SPATE_GAUGE_PRESSURE);
        spate_sim *cpu = start(scene, "cpu"), *gpu = start(scene, device_name());
        spate_solid_id ball;
        spate_error error = {0};
        for (int step = 0; step < 6 && cpu && gpu; step++) {
            must(spate_sim_step(cpu, 0.004 * lengths[step], &error), &error);
            must(spate_sim_step(gpu, 0.004 * lengths[step], &error), &error);
            compare_gauges(cpu, gpu);
            if (step != 2 && step != 5)
                continue;
            double force[3], pressure, values[3], at[3] = {0.31, 0.31, 0.31};
            CHECK(spate_sim_solid_at(gpu, 0, &ball));
            must(spate_sim_solid_force(gpu, ball, NULL, force, NULL, &error), &error);
            must(spate_sim_sample(gpu, at, 1, NULL, &pressure, NULL, &error), &error);
            CHECK(spate_sim_gauge_read(gpu, spate_sim_gauge_count(gpu) - 1, values) == 1 &&
                  values[0] == pressure);
            CHECK(values[0] > 1000);
            spate_sim_gauge_read(gpu, 3, values);
            for (int d = 0; d < scene->dim; d++)
                CHECK(values[d] == force[d] && force[1] != 0);
        }
        spate_sim_destroy(cpu);
        spate_sim_destroy(gpu);
        spate_scene_destroy(scene);
    }
}

static void gauges_on_the_device_2d(void)
{
    gauges_on_the_device(2);
}

static void gauges_on_the_device_3d(void)
{
    gauges_on_the_device(3);
}

/* Whitewater beside a device that computes the liquid: it comes from the device's fields, the
 * liquid's bits stay as they are without it, and a checkpoint holds it. */
static void whitewater_beside_the_device(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = make_scene(dim, BALL);
        scene->domain.cells = 32;
        scene->whitewater.rate = dim == 2 ? 4000 : 200;
        scene->whitewater.strain_low = 1;
        scene->whitewater.speed_low = 0.01;
        spate_sim *plain = start(scene, device_name());
        scene->whitewater.on = true;
        spate_sim *white = start(scene, device_name()), *later = start(scene, device_name());
        spate_error error = {0};
        buffer checkpoint = {0};
        for (int step = 0; step < 8 && plain && white && later; step++) {
            must(spate_sim_step(plain, 0.01, &error), &error);
            must(spate_sim_step(white, 0.01, &error), &error);
            if (step == 3) {
                must(spate_sim_save(white, put, &checkpoint, &error), &error);
                must(spate_sim_load(later, take, &checkpoint, &error), &error);
            } else if (step > 3) {
                must(spate_sim_step(later, 0.01, &error), &error);
            }
        }
        CHECK(spate_sim_hash(plain) == spate_sim_hash(white));
        CHECK(spate_sim_particles_count(white, "whitewater") > 100);
        CHECK(spate_sim_particles_hash(white, "whitewater") ==
              spate_sim_particles_hash(later, "whitewater"));
        free(checkpoint.bytes);
        spate_sim_destroy(plain);
        spate_sim_destroy(white);
        spate_sim_destroy(later);
        spate_scene_destroy(scene);
    }
}

TESTS(gpu)
{
    SETUP(add_check_device);
    TEST(stages_2d);
    TEST(stages_3d_transfers);
    TEST(stages_3d_solids);
    TEST(stages_3d_walls);
    TEST(stages_3d_flows);
    TEST(stages_3d_sprays);
    TEST(stages_3d_pushes);
    TEST(ten_steps_2d);
    TEST(holes_in_a_gas);
    TEST(ten_steps_3d_transfers);
    TEST(ten_steps_3d_solids);
    TEST(ten_steps_3d_walls);
    TEST(ten_steps_3d_flows);
    TEST(ten_steps_3d_sprays);
    TEST(ten_steps_3d_pushes);
    TEST(second_2d);
    TEST(second_3d);
    TEST(crowds);
    TEST(same_bits);
    TEST(gauges_on_the_device_2d);
    TEST(gauges_on_the_device_3d);
    TEST(whitewater_beside_the_device);
}
