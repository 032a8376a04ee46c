/* test_embed.c -- what a program that embeds spate relies on: structs of other sizes, the version,
 * the allocator, solids by id, callbacks, inflows, and values, forces and surfaces at run time. */
#include "sample.h"

#include <math.h>
#include <stddef.h>

/* ---- memory; first, while the library holds none */

typedef struct ledger {
    size_t blocks, bytes, calls;
    bool empty; /* gives nothing more */
} ledger;

static void *count_alloc(void *user, size_t size)
{
    ledger *l = user;
    if (l->empty)
        return NULL;
    l->blocks++;
    l->calls++;
    l->bytes += size;
    return calloc(1, size);
}

static void count_release(void *user, void *memory, size_t size)
{
    ledger *l = user;
    l->blocks--;
    l->bytes -= size;
    free(memory);
}

static void allocator(void)
{
    ledger l = {0};
    spate_error error = {0};
    CHECK(spate_set_allocator(count_alloc, NULL, &l, &error) == SPATE_ERROR_USAGE);
    CHECK(spate_set_allocator(count_alloc, count_release, &l, &error) == SPATE_OK);
    spate_scene *scene = sample_scene(2, 0.4, 0.4, 0, 16);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.2, 0.2, 0);
    spate_options options = sample_options();
    options.threads = 1;
    spate_sim *sim = spate_sim_create(scene, &options, &error);
    CHECK(sim && l.calls > 20 && l.bytes > 100000);
    CHECK(sample_step(sim, 0));
    CHECK(spate_set_allocator(NULL, NULL, NULL, &error) == SPATE_ERROR_USAGE);
    CHECK(strstr(error.message, "holds no memory") != NULL);
    l.empty = true;
    CHECK(spate_sim_create(scene, &options, &error) == NULL && error.status == SPATE_ERROR_MEMORY);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
    CHECK(l.blocks == 0 && l.bytes == 0);
    spate_free(NULL);
    CHECK(spate_set_allocator(NULL, NULL, NULL, &error) == SPATE_OK);
}

/* ---- sizes and versions */

static spate_scene *pool(int dim)
{
    spate_scene *scene = sample_scene(dim, 0.6, 0.4, 0.3, 24);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.6, 0.2, 0.3);
    return scene;
}

/* A header of yesterday knows fewer members, one of tomorrow more. */
static void other_sizes(void)
{
    typedef struct older_options {
        uint32_t size;
        int threads;
        const char *device;
    } older_options;
    struct {
        older_options options;
        unsigned char guard[64];
    } old;
    memset(&old, 0xAB, sizeof old);
    spate_options_default_sized((spate_options *)&old.options, sizeof old.options);
    CHECK(old.options.size == sizeof old.options && old.options.threads == 0);
    CHECK_TEXT(old.options.device, "cpu");
    old.options.threads = 1;
    spate_error error = {0};
    spate_scene *scene = pool(2);
    spate_sim *sim = spate_sim_create(scene, (spate_options *)&old.options, &error);
    CHECK(sim != NULL && spate_sim_threads(sim) == 1);
    for (size_t k = 0; k < sizeof old.guard; k++)
        CHECK(old.guard[k] == 0xAB);

    spate_options unset = {0};
    CHECK(spate_sim_create(scene, &unset, &error) == NULL && error.status == SPATE_ERROR_USAGE);
    CHECK(strstr(error.message, "spate_options_default") != NULL);

    struct {
        spate_stats stats;
        unsigned char more[32];
    } wide;
    spate_stats whole;
    size_t shorter = offsetof(spate_stats, seeded);
    memset(&wide, 0xAB, sizeof wide);
    CHECK(spate_sim_stats_sized(sim, &wide.stats, shorter));
    CHECK(spate_sim_stats(sim, &whole) && whole.size == sizeof whole && whole.seeded > 0);
    CHECK(wide.stats.size == shorter && wide.stats.particles == whole.particles);
    CHECK(((unsigned char *)&wide)[shorter] == 0xAB);
    CHECK(spate_sim_stats_sized(sim, &wide.stats, sizeof wide));
    CHECK(wide.stats.size == sizeof wide && wide.stats.seeded == whole.seeded);
    for (size_t k = 0; k < sizeof wide.more; k++)
        CHECK(wide.more[k] == 0);

    spate_surface_options none = {0};
    CHECK(spate_sim_surface(sim, &none, &error) == NULL && error.status == SPATE_ERROR_USAGE);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

static void versions(void)
{
    spate_error error = {0};
    spate_scene *scene = pool(2);
    CHECK(spate_version_number() == SPATE_VERSION_NUMBER);
    CHECK_TEXT(spate_version(), SPATE_VERSION);
    spate_sim *sim =
        spate_sim_create_versioned(SPATE_VERSION_NUMBER / 100 * 100 + 77, scene, NULL, &error);
    CHECK(sim != NULL); /* a patch changes nothing that a program sees */
    spate_sim_destroy(sim);
    CHECK(spate_sim_create_versioned(SPATE_VERSION_NUMBER + 100, scene, NULL, &error) == NULL);
    CHECK(error.status == SPATE_ERROR_USAGE && strstr(error.message, SPATE_VERSION) != NULL);
    CHECK(spate_sim_create_versioned(100, scene, NULL, &error) == NULL);
    CHECK(strstr(error.message, "0.1.0") != NULL);
    spate_scene_destroy(scene);
}

/* ---- lists */

static void lists(void)
{
    spate_sim *sim = sample_sim(pool(2), 1);
    CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
    spate_stats stats = sample_stats(sim);
    for (int k = 0; k < spate_stat_count(); k++) {
        const spate_stat *info = spate_stat_info(k);
        CHECK(info->name[0] && info->help[0] && info->offset < sizeof stats);
        CHECK(spate_stat_find(info->name) == k);
    }
    CHECK(spate_stat_info(-1) == NULL && spate_stat_info(spate_stat_count()) == NULL);
    CHECK(spate_stat_find("speed") == -1 && spate_stats_value(&stats, -1) == 0);
    CHECK(spate_stats_value(&stats, spate_stat_find("particles")) == (double)stats.particles);
    CHECK(spate_stats_value(&stats, spate_stat_find("substeps")) == stats.substeps);
    CHECK(spate_stats_value(&stats, spate_stat_find("volume")) == stats.volume);
    CHECK(stats.converged == 1);
    /* without a look at the particles: the same but for what is measured */
    spate_stats progress = sample_progress(sim);
    for (int k = 0; k < spate_stat_count(); k++)
        CHECK(spate_stats_value(&progress, k) ==
              (spate_stat_info(k)->when == SPATE_STAT_MEASURED ? 0 : spate_stats_value(&stats, k)));
    CHECK(spate_stage_find("pressure") > spate_stage_find("p2g") && spate_stage_find("") == -1);
    CHECK_TEXT(spate_stage_name(spate_stage_count()), "");
    CHECK(spate_sim_stage_seconds(sim, spate_stage_find("sort")) > 0);
    CHECK(spate_sim_stage_seconds(sim, -1) == 0);
    CHECK(spate_sim_particle_set_count(sim) == 1);
    CHECK_TEXT(spate_sim_particle_set_name(sim, 0), "fluid");
    CHECK(spate_sim_particle_set_name(sim, 1) == NULL);
    spate_particles_view view;
    CHECK(!spate_sim_particles_view(sim, "foam", &view) && view.count == 0);
    CHECK(!spate_sim_particles_read(sim, NULL, NULL, NULL, NULL));
    CHECK(spate_sim_particles_count(sim, "foam") == 0);
    spate_sim_destroy(sim);
}

/* ---- numbers that are none */

static void refuses_nan(void)
{
    for (int k = 0; k < 3; k++) {
        const double wrong = k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY;
        const double bad[3] = {0, wrong, 0}, good[3] = {0.1, 0.1, 0};
        const float bad_floats[3] = {0.1f, (float)wrong, 0}, good_floats[3] = {0.1f, 0.1f, 0};
        spate_sim *sim = sample_sim(pool(2), 1);
        spate_shape box = sample_box_shape(0.3, 0.3, 0, 0.35, 0.35, 0);
        spate_error error = {0};
        spate_solid_id id;
        double value[3];
        uint64_t hash = spate_sim_hash(sim);
        CHECK(spate_sim_add_solid(sim, &box, &id, &error) == SPATE_OK);
#define REFUSED(call, what)                 \
    do {                                    \
        CHECK((call) == SPATE_ERROR_USAGE); \
        CHECK_TEXT(error.where, what);      \
    } while (0)
        REFUSED(spate_sim_set_gravity(sim, bad, &error), "gravity");
        REFUSED(spate_sim_add_impulse(sim, bad, 0.1, good, &error), "center");
        REFUSED(spate_sim_add_impulse(sim, good, wrong, good, &error), "radius");
        REFUSED(spate_sim_add_impulse(sim, good, 0.1, bad, &error), "velocity");
        REFUSED(spate_sim_add_particles(sim, bad_floats, NULL, 1, NULL, &error), "positions");
        REFUSED(spate_sim_add_particles(sim, good_floats, bad_floats, 1, NULL, &error),
                "velocities");
        REFUSED(spate_sim_move_solid(sim, id, bad, good, &error), "position");
        REFUSED(spate_sim_move_solid(sim, id, good, bad, &error), "rotation");
        REFUSED(spate_sim_sample(sim, bad, 1, NULL, value, NULL, &error), "positions");
        REFUSED(spate_sim_solid_force(sim, id, bad, value, NULL, &error), "about");
        CHECK(spate_sim_step(sim, wrong, &error) == SPATE_ERROR_USAGE);
        box.min[0] = wrong;
        CHECK(spate_sim_add_solid(sim, &box, NULL, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_hash(sim) == hash);
        spate_sim_destroy(sim);
    }
}

/* ---- solids by id */

static void solid_ids(void)
{
    spate_scene *scene = pool(2);
    strcpy(sample_sphere(scene, SPATE_LIST_SOLIDS, 0.1, 0.3, 0, 0.03)->name, "ball");
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.2, 0.3, 0, 0.03);
    spate_sim *sim = sample_sim(scene, 1);
    spate_error error = {0};
    spate_solid_id ball, second, bar, later, found;
    CHECK(spate_sim_solid_count(sim) == 2);
    CHECK(spate_sim_solid_find(sim, "ball", &ball) && ball.index == 0 && ball.generation == 1);
    CHECK(spate_sim_solid_at(sim, 1, &second) && second.index == 1);
    CHECK(!spate_sim_solid_find(sim, "bar", &found) && found.generation == 0);
    CHECK(!spate_sim_solid_find(sim, "", &found) && !spate_sim_solid_at(sim, 2, &found));
    spate_shape box = sample_box_shape(0.3, 0.3, 0, 0.35, 0.35, 0);
    strcpy(box.name, "bar");
    CHECK(spate_sim_add_solid(sim, &box, &bar, &error) == SPATE_OK && bar.index == 2);
    CHECK(spate_sim_solid_find(sim, "bar", &found) && found.index == 2);
    CHECK(spate_sim_remove_solid(sim, second, &error) == SPATE_OK);
    CHECK(spate_sim_add_solid(sim, &box, &later, &error) == SPATE_OK);
    CHECK(later.index == second.index && later.generation == 2); /* its place, not its id */
    double at[3] = {0, 0, 0};
    CHECK(spate_sim_move_solid(sim, second, at, at, &error) == SPATE_ERROR_USAGE);
    CHECK(strstr(error.message, "was removed") != NULL);
    CHECK(spate_sim_solid_force(sim, second, NULL, at, NULL, &error) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_remove_solid(sim, second, &error) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_remove_solid(sim, (spate_solid_id){9, 1}, &error) == SPATE_ERROR_USAGE);
    CHECK(strstr(error.message, "has had no solid") != NULL);
    CHECK(spate_sim_move_solid(sim, later, at, at, &error) == SPATE_OK);
    CHECK(sample_step(sim, 0));
    CHECK(spate_sim_solid_count(sim) == 3);
    spate_sim_destroy(sim);
}

/* A checkpoint fits a simulation to which the same solids came and went. */
static void checkpoints_know_generations(void)
{
    sample_memory memory = {0};
    spate_error error = {0};
    uint64_t expected = 0;
    for (int turn = 0; turn < 3; turn++) {
        spate_sim *sim = sample_sim(pool(2), 1);
        spate_shape box = sample_box_shape(0.3, 0.1, 0, 0.35, 0.35, 0);
        spate_solid_id id;
        CHECK(spate_sim_add_solid(sim, &box, &id, &error) == SPATE_OK);
        if (turn < 2) {
            CHECK(spate_sim_remove_solid(sim, id, &error) == SPATE_OK);
            CHECK(spate_sim_add_solid(sim, &box, &id, &error) == SPATE_OK && id.generation == 2);
        }
        memory.at = 0;
        if (turn == 0) {
            CHECK(sample_step(sim, 0));
            CHECK(spate_sim_save(sim, sample_write, &memory, &error) == SPATE_OK);
            CHECK(sample_step(sim, 0));
            expected = spate_sim_hash(sim);
        } else if (turn == 1) {
            CHECK(spate_sim_load(sim, sample_read, &memory, &error) == SPATE_OK);
            CHECK(sample_step(sim, 0) && spate_sim_hash(sim) == expected);
        } else {
            CHECK(spate_sim_load(sim, sample_read, &memory, &error) == SPATE_ERROR_FILE);
            CHECK(strstr(error.message, "another number of times") != NULL);
        }
        spate_sim_destroy(sim);
    }
    free(memory.bytes);
}

/* ---- callbacks */

typedef struct watcher {
    int next, stop_at, calls;
    uint64_t steps;
} watcher;

static int watch(void *user, spate_sim *sim, int stage)
{
    watcher *w = user;
    spate_error error = {0};
    double gravity[3] = {0, 0, 0}, point[3] = {0.3, 0.05, 0.1}, pressure = -1;
    spate_particles_view view;
    spate_field_view u;
    spate_stats stats;
    CHECK(stage == w->next && spate_sim_steps(sim) == w->steps);
    w->next = (stage + 1) % spate_stage_count();
    w->calls++;
    CHECK(spate_sim_particles_view(sim, "fluid", &view) && view.count > 0);
    CHECK(spate_sim_field_view(sim, "u", &u) && u.values != NULL);
    CHECK(spate_sim_sample(sim, point, 1, NULL, &pressure, NULL, &error) == SPATE_OK);
    if (stage == spate_stage_find("pressure") && w->steps > 2)
        CHECK_NEAR(pressure, 9810 * 0.15, 9810 * 0.02);
    CHECK(spate_sim_set_gravity(sim, gravity, &error) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_step(sim, 0, &error) == SPATE_ERROR_USAGE);
    CHECK(strstr(error.message, "callback") != NULL);
    CHECK(spate_sim_add_impulse(sim, point, 1, gravity, NULL) == SPATE_ERROR_USAGE);
    CHECK(!spate_sim_stats(sim, &stats) && stats.particles == 0 && stats.seeded > 0);
    return stage == w->stop_at ? 7 : 0;
}

static void stage_callback(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *plain = sample_sim(pool(dim), 1), *watched = sample_sim(pool(dim), 1);
        watcher w = {.stop_at = -1};
        spate_error error = {0};
        spate_sim_set_stage_callback(watched, watch, &w);
        for (int step = 0; step < 6; step++) {
            CHECK(sample_step(plain, 0.004) && sample_step(watched, 0.004));
            w.steps++;
        }
        CHECK(w.calls == 6 * spate_stage_count() && w.next == 0);
        CHECK(spate_sim_hash(plain) == spate_sim_hash(watched));
        w.stop_at = spate_stage_find("forces");
        CHECK(spate_sim_step(watched, 0.004, &error) == SPATE_ERROR_STOPPED);
        CHECK_TEXT(error.where, "forces");
        CHECK(spate_sim_steps(watched) == 6);
        spate_sim_set_stage_callback(plain, watch, &w);
        spate_sim_set_stage_callback(plain, NULL, NULL);
        CHECK(sample_step(plain, 0));
        spate_sim_destroy(plain);
        spate_sim_destroy(watched);
    }
}

/* ---- inflows */

static spate_scene *jet(int dim)
{
    spate_scene *scene = sample_scene(dim, 0.6, 0.4, 0.3, 24);
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0, 0.2, 0.1, 0.05, 0.3, 0.2), 1, 0, 0);
    sample_velocity(sample_box(scene, SPATE_LIST_INFLOWS, 0.5, 0.3, 0.1, 0.55, 0.35, 0.2), 0, -1,
                    0);
    return scene;
}

static void run(spate_sim *sim, int steps)
{
    for (int k = 0; k < steps; k++)
        CHECK(sample_step(sim, 0.01));
}

static void inflows(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        sample_memory memory = {0};
        spate_error error = {0};
        spate_sim *sim = sample_sim(jet(dim), 1), *other = sample_sim(jet(dim), 1);
        CHECK(spate_sim_inflow_is_on(sim, 0) && !spate_sim_inflow_is_on(sim, 2));
        CHECK(spate_sim_set_inflow(sim, 2, false, &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_set_inflow(sim, -1, false, &error) == SPATE_ERROR_USAGE);
        run(sim, 10);
        uint64_t both = sample_stats(sim).added;
        CHECK(spate_sim_set_inflow(sim, 0, false, &error) == SPATE_OK);
        CHECK(spate_sim_set_inflow(sim, 1, false, &error) == SPATE_OK);
        CHECK(!spate_sim_inflow_is_on(sim, 0));
        run(sim, 10);
        CHECK(sample_stats(sim).added == both);
        spate_field_view type;
        CHECK(spate_sim_field_view(sim, "type", &type));
        for (int j = 0; j < type.count[1]; j++) /* the cells of a closed inflow are like others */
            CHECK(type.bytes[j * type.stride[1] + (dim == 3 ? 6 * type.stride[2] : 0)] !=
                  SPATE_CELL_INFLOW);
        /* a checkpoint keeps it */
        CHECK(spate_sim_set_inflow(sim, 1, true, &error) == SPATE_OK);
        CHECK(spate_sim_save(sim, sample_write, &memory, &error) == SPATE_OK);
        CHECK(spate_sim_load(other, sample_read, &memory, &error) == SPATE_OK);
        CHECK(!spate_sim_inflow_is_on(other, 0) && spate_sim_inflow_is_on(other, 1));
        run(sim, 5);
        run(other, 5);
        CHECK(spate_sim_hash(sim) == spate_sim_hash(other));
        uint64_t one = sample_stats(sim).added - both;
        CHECK(one > 0 && one < both);
        CHECK(spate_sim_set_inflow(sim, 0, true, &error) == SPATE_OK);
        run(sim, 5);
        CHECK(sample_stats(sim).added > both + one);
        CHECK(sample_ledger(sim));
        spate_sim_destroy(sim);
        spate_sim_destroy(other);
        free(memory.bytes);
    }
}

/* ---- values, forces, surfaces */

#define DX 0.02

/* Water at rest, `top` deep. */
static spate_sim *tank(int dim, double top)
{
    double width = (dim == 2 ? 32 : 20) * DX;
    spate_scene *scene = sample_scene(dim, width, width, width, 1);
    scene->domain.cell_size = DX;
    scene->fluid.jitter = 0;
    scene->volume.method = SPATE_VOLUME_NONE;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, width, top, width);
    return sample_sim(scene, 2);
}

static void sample_at_rest(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        const double top = 14.5 * DX;
        spate_sim *sim = tank(dim, top);
        double points[3 * 40], velocity[3 * 40], pressure[40], phi[40];
        for (int k = 0; k < 40; k++) {
            points[3 * k] = (1.3 + 0.37 * k) * DX;
            points[3 * k + 1] = 0.4 * k * DX;
            points[3 * k + 2] = 7.7 * DX;
        }
        CHECK(spate_sim_sample(sim, points, 40, velocity, pressure, phi, NULL) == SPATE_OK);
        for (int k = 0; k < 40; k++) /* before the first step */
            CHECK(pressure[k] == 0 && velocity[3 * k + 1] == 0 && (k > 33 || phi[k] < 0));
        for (int frame = 0; frame < 3; frame++)
            CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
        for (int turn = 0; turn < 2; turn++) { /* as the step left it; after statistics */
            CHECK(spate_sim_sample(sim, points, 40, velocity, pressure, phi, NULL) == SPATE_OK);
            for (int k = 0; k < 40; k++) {
                double depth = top - points[3 * k + 1];
                CHECK_NEAR(pressure[k], depth > 0.1 * DX ? 9810 * depth : pressure[k],
                           9810 * 0.25 * DX);
                CHECK(depth > -0.5 * DX || pressure[k] == 0);
                CHECK_NEAR(phi[k], fmax(-DX, fmin(DX, -depth)), 0.4 * DX);
                for (int d = 0; d < 3; d++)
                    CHECK_LESS(fabs(velocity[3 * k + d]), 0.02);
            }
            CHECK(sample_stats(sim).particles > 0);
        }
        double outside[3] = {-1, 0.1, 0.1};
        CHECK(spate_sim_sample(sim, outside, 1, velocity, pressure, phi, NULL) == SPATE_OK);
        CHECK(pressure[0] == 0);
        CHECK_NEAR(phi[0], DX, 1e-8);
        spate_field_view view;
        CHECK(spate_sim_field_view(sim, "phi", &view) && view.count[0] == (dim == 2 ? 32 : 20));
        CHECK(view.values[2 * view.stride[1]] < 0);
        spate_sim_destroy(sim);
    }
}

/* Looking changes nothing. */
static void looking_is_free(void)
{
    spate_sim *plain = sample_sim(jet(2), 1), *seen = sample_sim(jet(2), 1);
    for (int k = 0; k < 2; k++) {
        spate_shape ball = sample_shape();
        ball.shape = SPATE_SHAPE_SPHERE;
        ball.center[0] = 0.3, ball.center[1] = 0.1, ball.radius = 0.06;
        sample_velocity(&ball, 0.1, 0.05, 0);
        CHECK(spate_sim_add_solid(k ? seen : plain, &ball, NULL, NULL) == SPATE_OK);
    }
    for (int step = 0; step < 30; step++) {
        double point[3] = {0.3, 0.1, 0}, value[3], torque[3];
        spate_solid_id id;
        CHECK(sample_step(plain, 0.008) && sample_step(seen, 0.008));
        if (step % 3 == 0)
            CHECK(sample_stats(seen).particles > 0);
        CHECK(spate_sim_solid_at(seen, 0, &id));
        CHECK(spate_sim_sample(seen, point, 1, value, NULL, NULL, NULL) == SPATE_OK);
        CHECK(spate_sim_solid_force(seen, id, point, value, torque, NULL) == SPATE_OK);
        spate_surface_destroy(spate_sim_surface(seen, NULL, NULL));
    }
    CHECK(spate_sim_hash(plain) == spate_sim_hash(seen));
    spate_sim_destroy(plain);
    spate_sim_destroy(seen);
}

/* Nor does it inside a step that is run stage by stage. */
static void looking_between_stages(void)
{
    spate_sim *plain = sample_sim(pool(2), 1), *seen = sample_sim(pool(2), 1);
    for (int step = 0; step < 3; step++) {
        CHECK(sample_step(plain, 0.005));
        for (int stage = 0; stage < spate_stage_count(); stage++) {
            double point[3] = {0.3, 0.1, 0}, value[3], pressure;
            CHECK(spate_sim_run_stage(seen, stage, 0.005, NULL) == SPATE_OK);
            CHECK(spate_sim_sample(seen, point, 1, value, &pressure, NULL, NULL) == SPATE_OK);
            CHECK(sample_stats(seen).particles > 0); /* sorts, and makes the level set anew */
        }
    }
    CHECK(spate_sim_hash(plain) == spate_sim_hash(seen));
    spate_sim_destroy(plain);
    spate_sim_destroy(seen);
}

/* A solid that comes at run time carries the weight of the water it displaces, and the torque of
 * that about any point. */
static void buoyancy(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int shift = 0; shift < 4; shift++) {
            const double top = (dim == 2 ? 22.5 : 14.5) * DX, radius = (dim == 2 ? 5.3 : 4.2) * DX;
            const double volume = (dim == 2 ? 1 : 4.0 / 3 * radius) * M_PI * radius * radius;
            const double half = (dim == 2 ? 16 : 10) * DX, weight = 9810 * volume;
            spate_sim *sim = tank(dim, top);
            spate_shape ball = sample_shape();
            spate_solid_id id;
            ball.shape = SPATE_SHAPE_SPHERE;
            ball.center[0] = half + 0.25 * shift * DX;
            ball.center[1] = (dim == 2 ? 12.1 : 7.7) * DX + 0.25 * shift * DX;
            ball.center[2] = half;
            ball.radius = radius;
            CHECK(spate_sim_add_solid(sim, &ball, &id, NULL) == SPATE_OK);
            for (int frame = 0; frame < 12; frame++)
                CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
            double about[3] = {0.1, 0.05, 0.2}, force[3], torque[3], own[3];
            CHECK(spate_sim_solid_force(sim, id, about, force, torque, NULL) == SPATE_OK);
            CHECK(spate_sim_solid_force(sim, id, ball.center, NULL, own, NULL) == SPATE_OK);
            for (int d = 0; d < 3; d++) {
                int a = (d + 1) % 3, b = (d + 2) % 3;
                double arm_a = ball.center[a] - about[a], arm_b = ball.center[b] - about[b];
                CHECK_NEAR(force[d] / weight, d == 1, 0.04);
                CHECK_LESS(fabs(own[d]) / (weight * radius), 0.03);
                if (dim == 3 || d == 2)
                    CHECK_NEAR(torque[d], own[d] + arm_a * force[b] - arm_b * force[a],
                               1e-6 * weight);
                else
                    CHECK(torque[d] == 0);
            }
            spate_sim_destroy(sim);
        }
}

/* The surface ends at a solid that was added and moved by the host: no vertex is inside. */
static void surface_knows_solids(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = tank(dim, 8 * DX);
        spate_shape ball = sample_shape();
        spate_solid_id id;
        spate_error error = {0};
        ball.shape = SPATE_SHAPE_SPHERE;
        ball.center[0] = ball.center[2] = 8 * DX;
        ball.center[1] = 7 * DX;
        ball.radius = 3.3 * DX;
        CHECK(spate_sim_add_solid(sim, &ball, &id, &error) == SPATE_OK);
        for (int step = 1; step <= 10; step++) {
            double way[3] = {0.2 * step * DX, 0, 0}, turn[3] = {0, 0, 0};
            CHECK(spate_sim_move_solid(sim, id, way, turn, &error) == SPATE_OK);
            CHECK(sample_step(sim, 0.01));
        }
        spate_surface_options options = sample_surface_options(NULL);
        options.resolution = 1;
        spate_surface *coarse = spate_sim_surface(sim, &options, &error);
        spate_surface *fine = spate_sim_surface(sim, NULL, &error);
        CHECK(coarse && fine && fine->dim == dim && fine->vertices > coarse->vertices);
        size_t on = 0;
        for (size_t k = 0; fine && k < fine->vertices; k++) {
            double x[3] = {fine->positions[3 * k], fine->positions[3 * k + 1],
                           fine->positions[3 * k + 2]};
            double distance = spate_sim_solid_distance(sim, x, NULL);
            CHECK(distance > -0.02 * DX);
            on += distance < 0.02 * DX;
        }
        CHECK(on > 10);
        spate_surface_destroy(coarse);
        spate_surface_destroy(fine);
        spate_sim_destroy(sim);
    }
}

TESTS(embed)
{
    TEST(allocator);
    TEST(other_sizes);
    TEST(versions);
    TEST(lists);
    TEST(refuses_nan);
    TEST(solid_ids);
    TEST(checkpoints_know_generations);
    TEST(stage_callback);
    TEST(inflows);
    TEST(sample_at_rest);
    TEST(looking_is_free);
    TEST(looking_between_stages);
    TEST(buoyancy);
    TEST(surface_knows_solids);
}
