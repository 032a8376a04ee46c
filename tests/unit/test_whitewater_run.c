/* test_whitewater_run.c -- what whitewater promises in whole runs, in 2D and 3D: the liquid is the
 * same to the bit with and without it; the same bits for any number of threads and after a resume;
 * every particle is in the ledger; none is inside a solid or outside the domain. */
#include "sample.h"

#include "state/particle_set.h"

/* A dam that breaks over a turning bar, with an inflow, an outflow and an open or periodic side. */
static spate_scene *wild_scene(int dim, bool periodic)
{
    spate_scene *scene = sample_scene(dim, 1, 0.75, 0.3, dim == 2 ? 64 : 24);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.4, 0.5, 0.3);
    spate_shape *bar = sample_box(scene, SPATE_LIST_SOLIDS, 0.55, 0.1, -1, 0.75, 0.16, 1);
    sample_key(bar, 0, 0, 0, 0);
    sample_key(bar, 1, 0, 0, 170);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.9, 0.05, 0.15, 0.08);
    spate_shape *jet = sample_box(scene, SPATE_LIST_INFLOWS, 0.05, 0.6, 0.1, 0.1, 0.68, 0.2);
    sample_velocity(jet, 3, 0.5, 0);
    sample_box(scene, SPATE_LIST_OUTFLOWS, 0.95, 0.0, 0, 1, 0.05, 0.3);
    sample_box(scene, SPATE_LIST_KILL, 0.3, 0.6, 0, 0.4, 0.75, 0.3);
    int axis = periodic ? 0 : 1;
    scene->domain.sides[axis][1] = periodic ? SPATE_SIDE_PERIODIC : SPATE_SIDE_OPEN;
    if (periodic)
        scene->domain.sides[axis][0] = SPATE_SIDE_PERIODIC;
    scene->whitewater.on = true;
    scene->whitewater.rate = dim == 2 ? 100 : 60;
    scene->whitewater.strain_low = 5;
    scene->whitewater.life_min = 0.1;
    scene->whitewater.life_max = 0.5;
    scene->whitewater.foam.ageing = 2;
    scene->whitewater.dust.on = true;
    scene->fps = 60;
    return scene;
}

static spate_sim *start(const spate_scene *scene, int threads)
{
    spate_error error = {.status = SPATE_OK};
    spate_options options = sample_options();
    options.threads = threads;
    spate_sim *sim = spate_sim_create(scene, &options, &error);
    if (!sim)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(sim != NULL);
    return sim;
}

static void run_frames(spate_sim *sim, int frames)
{
    spate_error error = {.status = SPATE_OK};
    for (int k = 0; k < frames; k++)
        if (spate_sim_step_frame(sim, &error) != SPATE_OK) {
            printf("  %s: %s\n", error.where, error.message);
            CHECK(error.status == SPATE_OK);
            return;
        }
}

static uint64_t hash_of(spate_sim *sim)
{
    return spate_sim_particles_hash(sim, "whitewater");
}

#define FRAMES (TEST_IS_SLOW ? 8 : 24)

static void liquid_is_untouched(void)
{
    for (int n = 0; n < 4; n += test_full() ? 1 : 3) {
        spate_scene *scene = wild_scene(2 + n / 2, n % 2);
        spate_sim *with = start(scene, 2);
        scene->whitewater.on = false;
        spate_sim *without = start(scene, 2);
        run_frames(with, FRAMES);
        run_frames(without, FRAMES);
        CHECK(spate_sim_hash(with) == spate_sim_hash(without));
        CHECK(spate_sim_particles_count(with, "whitewater") > (TEST_IS_SLOW ? 20 : 200));
        CHECK(spate_sim_particles_count(without, "whitewater") == 0);
        CHECK(spate_sim_particle_set_count(with) == 2 &&
              spate_sim_particle_set_count(without) == 1);
        CHECK(spate_sim_particle_set_name(without, 1) == NULL);
        spate_sim_destroy(with);
        spate_sim_destroy(without);
        spate_scene_destroy(scene);
    }
}

static void bits_do_not_depend_on_threads(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = wild_scene(dim, false);
        spate_sim *one = start(scene, 1), *many = start(scene, 5);
        run_frames(one, FRAMES);
        run_frames(many, FRAMES);
        CHECK(hash_of(one) == hash_of(many) && hash_of(one) != 0);
        spate_sim_destroy(one);
        spate_sim_destroy(many);
        spate_scene_destroy(scene);
    }
}

/* Also from the middle of a frame. */
static void resume_gives_the_same_bits(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_error error;
        spate_scene *scene = wild_scene(dim, dim == 3);
        scene->whitewater.max_particles = dim == 2 ? 400 : 1500;
        spate_sim *whole = start(scene, 2), *later = start(scene, 3);
        run_frames(whole, FRAMES / 2);
        CHECK(spate_sim_step(whole, 0, &error) == SPATE_OK);
        static sample_memory stream;
        memset(&stream, 0, sizeof stream);
        CHECK(spate_sim_save(whole, sample_write, &stream, &error) == SPATE_OK);
        CHECK(spate_sim_load(later, sample_read, &stream, &error) == SPATE_OK);
        CHECK(hash_of(whole) == hash_of(later));
        run_frames(whole, FRAMES / 2);
        run_frames(later, FRAMES / 2);
        CHECK(hash_of(whole) == hash_of(later));
        CHECK(spate_sim_hash(whole) == spate_sim_hash(later));
        spate_whitewater_ledger a, b;
        CHECK(spate_sim_whitewater(whole, &a) && spate_sim_whitewater(later, &b));
        CHECK(memcmp(&a, &b, sizeof a) == 0);
        free(stream.bytes);
        spate_sim_destroy(whole);
        spate_sim_destroy(later);
        spate_scene_destroy(scene);
    }
}

static uint64_t sum_of(const uint64_t *removed)
{
    uint64_t sum = 0;
    for (int cause = 0; cause < SPATE_WHITEWATER_CAUSES; cause++)
        sum += removed[cause];
    return sum;
}

/* The numbers of the set are the rows of stats.h, in their order. */
static void check_stats(const spate_sim *sim, const spate_stats *stats)
{
    char name[SPATE_STAT_NAME];
    uint64_t value;
    int row = spate_stat_find("spray"), count = 0;
    for (; spate_sim_particles_stat(sim, "whitewater", count, name, sizeof name, &value); count++) {
        CHECK_TEXT(name, spate_stat_info(row + count)->name);
        CHECK((double)value == spate_stats_value(stats, row + count));
    }
    CHECK(count == spate_stat_find("whitewater_off") - row + 1);
    CHECK(!spate_sim_particles_stat(sim, "whitewater", -1, name, sizeof name, &value));
    CHECK(!spate_sim_particles_stat(sim, "fluid", 0, name, sizeof name, &value));
    CHECK(!spate_sim_particles_stat(sim, "none", 0, name, sizeof name, &value));
}

/* All columns by name, with the bits that output sees. */
static void check_columns(spate_sim *sim)
{
    static const char *const names[4] = {"type", "age", "life", "radius"};
    static const char *const classes[4] = {"spray", "foam", "bubbles", "dust"};
    sp_particles now;
    spate_column_view view;
    sp_sim_particles(sim, "whitewater", &now);
    for (int k = 0; k < 4; k++) {
        sp_column column = sp_particles_column(&now, names[k]);
        CHECK_TEXT(spate_sim_particles_column_name(sim, "whitewater", k), names[k]);
        CHECK_TEXT(spate_sim_particles_class_name(sim, "whitewater", k), classes[k]);
        CHECK(spate_sim_particles_column(sim, "whitewater", names[k], &view));
        CHECK(view.count == now.view.count && view.components == 1 && view.origin == 0);
        CHECK(view.integer == (k == 0) && view.values[0] == column.values[0] && !view.values[1]);
    }
    CHECK(!spate_sim_particles_column_name(sim, "whitewater", 4));
    CHECK(!spate_sim_particles_column_name(sim, "whitewater", -1));
    CHECK(!spate_sim_particles_class_name(sim, "whitewater", 4));
    CHECK(!spate_sim_particles_class_name(sim, "whitewater", -1));
    CHECK(!spate_sim_particles_class_name(sim, "fluid", 0));
    CHECK(!spate_sim_particles_column_name(sim, "none", 0));
    CHECK(!spate_sim_particles_column(sim, "whitewater", "rests", &view) && view.components == 0);
    CHECK(!spate_sim_particles_column(sim, "whitewater", "velocity", &view));
    CHECK(!spate_sim_particles_column(sim, "none", "age", &view) && !view.values[0]);
}

/* The particles that are there against those that came and went, class by class. */
static void check_ledger(spate_sim *sim)
{
    sp_particles now;
    spate_whitewater_ledger l;
    uint64_t found[SPATE_WHITEWATER_CLASSES] = {0}, booked[SPATE_WHITEWATER_CLASSES];
    CHECK(sp_sim_particles(sim, "whitewater", &now) && spate_sim_whitewater(sim, &l));
    const uint32_t *kinds = sp_particles_column(&now, "type").values[0];
    for (size_t k = 0; k < now.view.count; k++)
        found[kinds[k]]++;
    for (int kind = 0; kind < SPATE_WHITEWATER_CLASSES; kind++)
        booked[kind] = l.emitted[kind] - sum_of(l.removed[kind]);
    booked[SPATE_WHITEWATER_SPRAY] += l.lifted - l.landed;
    booked[SPATE_WHITEWATER_FOAM] += l.landed + l.risen - l.lifted - l.dragged;
    booked[SPATE_WHITEWATER_BUBBLE] += l.dragged - l.risen;
    CHECK(memcmp(found, booked, sizeof found) == 0);
    spate_stats stats = sample_progress(sim);
    check_stats(sim, &stats);
    CHECK(stats.spray == found[SPATE_WHITEWATER_SPRAY] &&
          stats.foam == found[SPATE_WHITEWATER_FOAM] &&
          stats.bubbles == found[SPATE_WHITEWATER_BUBBLE] &&
          stats.dust == found[SPATE_WHITEWATER_DUST]);
}

static void ledger_is_exact(void)
{
    uint64_t causes[SPATE_WHITEWATER_CAUSES] = {0}, turns[4] = {0};
    for (int n = 0; n < 4; n += test_full() ? 1 : 3) {
        spate_scene *scene = wild_scene(2 + n / 2, n % 2);
        spate_sim *sim = start(scene, 2);
        for (int frame = 0; frame < FRAMES; frame++) {
            run_frames(sim, 1);
            check_ledger(sim);
            check_columns(sim);
        }
        spate_whitewater_ledger l;
        spate_sim_whitewater(sim, &l);
        for (int kind = 0; kind < SPATE_WHITEWATER_CLASSES; kind++)
            for (int cause = 0; cause < SPATE_WHITEWATER_CAUSES; cause++)
                causes[cause] += l.removed[kind][cause];
        turns[0] += l.lifted;
        turns[1] += l.landed;
        turns[2] += l.risen;
        turns[3] += l.dragged;
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
    }
    for (int n = 0; n < 4 && !TEST_IS_SLOW; n++)
        CHECK(turns[n] > 0);
    for (int cause = 0; cause < SPATE_WHITEWATER_CAUSES && !TEST_IS_SLOW; cause++)
        if (cause != SPATE_WHITEWATER_CRUSHED && cause != SPATE_WHITEWATER_THINNED &&
            cause != SPATE_WHITEWATER_OFF)
            CHECK(causes[cause] > 0);
}

/* Adds the whitewater that is inside solids, and outside of the domain. */
static void count_wrong_places(spate_sim *sim, int *inside, int *outside)
{
    const spate_scene *scene = spate_sim_scene(sim);
    size_t count = spate_sim_particles_count(sim, "whitewater");
    float *x = malloc((3 * count + 1) * sizeof *x);
    CHECK(spate_sim_particles_read(sim, "whitewater", x, NULL, NULL));
    for (size_t k = 0; k < count; k++) {
        double at[3] = {x[3 * k], x[3 * k + 1], x[3 * k + 2]};
        *inside += spate_sim_solid_distance(sim, at, NULL) < 0;
        for (int d = 0; d < scene->dim; d++)
            *outside += !(at[d] >= 0 && at[d] <= scene->domain.size[d] + 1e-6);
    }
    free(x);
}

static void nothing_is_in_solids_or_outside(void)
{
    for (int n = 0; n < 4; n += test_full() ? 1 : 3) {
        spate_scene *scene = wild_scene(2 + n / 2, n % 2);
        spate_sim *sim = start(scene, 2);
        int inside = 0, outside = 0;
        for (int frame = 0; frame < FRAMES; frame++) {
            run_frames(sim, 1);
            count_wrong_places(sim, &inside, &outside);
        }
        CHECK(inside == 0 && outside == 0);
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
    }
}

/* A solid that is added moves the whitewater in its way out, as it does with the liquid; what has
 * no place left is removed, and booked. */
static void added_solid_leaves_none_inside(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = wild_scene(dim, false);
        spate_sim *sim = start(scene, 2);
        spate_whitewater_ledger l;
        uint64_t crushed = 0;
        int inside = 0, outside = 0;
        run_frames(sim, dim == 2 ? 12 : 6);
        size_t before = spate_sim_particles_count(sim, "whitewater");
        spate_shape box = sample_box_shape(0.2, 0.05, -1, 0.5, 0.4, 1);
        CHECK(spate_sim_add_solid(sim, &box, NULL, NULL) == SPATE_OK);
        count_wrong_places(sim, &inside, &outside);
        check_ledger(sim);
        CHECK(before > 20 && spate_sim_particles_count(sim, "whitewater") > before / 2);
        spate_shape all = sample_box_shape(-1, -1, -1, 2, 2, 2);
        CHECK(spate_sim_add_solid(sim, &all, NULL, NULL) == SPATE_OK);
        count_wrong_places(sim, &inside, &outside);
        check_ledger(sim);
        CHECK(spate_sim_particles_count(sim, "whitewater") == 0);
        for (int kind = 0; kind < SPATE_WHITEWATER_CLASSES && spate_sim_whitewater(sim, &l); kind++)
            crushed += l.removed[kind][SPATE_WHITEWATER_CRUSHED];
        CHECK(crushed > 20);
        CHECK(inside == 0 && outside == 0);
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
    }
}

static int warnings;
static void count_warnings(void *user, spate_log_level level, const char *where,
                           const char *message)
{
    (void)user, (void)message;
    warnings += level == SPATE_LOG_WARNING && strcmp(where, "whitewater.max_particles") == 0;
}

/* Those beyond the limit are taken evenly, from all of the liquid, and it is said once. */
static void limit_thins_evenly(void)
{
    spate_scene *scene = wild_scene(2, false);
    spate_error error;
    spate_options options = sample_options();
    options.log = count_warnings;
    spate_sim *all = start(scene, 2);
    scene->whitewater.max_particles = 600;
    spate_sim *few = spate_sim_create(scene, &options, &error);
    double left[2] = {0, 0};
    warnings = 0;
    for (int frame = 0; frame < 40; frame++) {
        run_frames(all, 1);
        run_frames(few, 1);
        CHECK(spate_sim_particles_count(few, "whitewater") <= 600);
    }
    CHECK(warnings == 1);
    spate_whitewater_ledger l;
    CHECK(spate_sim_whitewater(few, &l) && l.keep < 1);
    spate_sim *sims[2] = {all, few};
    size_t counts[2];
    for (int n = 0; n < 2; n++) {
        spate_particles_view view;
        CHECK(spate_sim_particles_view(sims[n], "whitewater", &view));
        counts[n] = view.count;
        for (size_t k = 0; k < view.count; k++)
            left[n] += view.x[0][k] < 32;
        left[n] /= (double)(view.count + !view.count);
    }
    CHECK(counts[1] > 100);
    CHECK_NEAR((double)counts[1] / (double)counts[0], l.keep, 0.15 * l.keep);
    CHECK_NEAR(left[1], left[0], 0.1);
    spate_sim_destroy(all);
    spate_sim_destroy(few);
    spate_scene_destroy(scene);
}

/* A class that is off has no particles; solids and margins keep their distance. */
static void classes_can_be_off(void)
{
    for (int off = 0; off < 3; off++) {
        spate_scene *scene = wild_scene(2, false);
        bool *on[3] = {&scene->whitewater.spray.on, &scene->whitewater.foam.on,
                       &scene->whitewater.bubbles.on};
        *on[off] = false;
        spate_sim *sim = start(scene, 2);
        run_frames(sim, 16);
        spate_stats stats = sample_progress(sim);
        uint64_t counts[3] = {stats.spray, stats.foam, stats.bubbles};
        CHECK(counts[off] == 0 && stats.whitewater_emitted > 0);
        CHECK(stats.whitewater_off > 0);
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
    }
}

static void refuses(const char *path, double value, const char *message)
{
    spate_scene *scene = wild_scene(2, false);
    spate_error error = {.status = SPATE_OK};
    spate_value number = {.kind = SPATE_VALUE_NUMBER, .number = value};
    if (spate_scene_set(scene, path, &number, &error) == SPATE_OK)
        CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, path);
    CHECK_TEXT(error.message, message);
    spate_scene_destroy(scene);
}

static void wrong_settings_are_refused(void)
{
    refuses("whitewater.rate", -1, "must be at least 0 (got -1)");
    refuses("whitewater.speed_high", 0.1, "must be above speed_low (0.2; got 0.1)");
    refuses("whitewater.strain_high", 5, "must be above strain_low (5; got 5)");
    refuses("whitewater.life_max", 0.05, "must not be below life_min (0.1; got 0.05)");
    refuses("whitewater.radius_max", 1e-4, "must not be below radius_min (0.0002; got 0.0001)");
    refuses("whitewater.max_particles", 0, "must be at least 1 (got 0)");
    spate_scene *scene = wild_scene(2, false);
    spate_error error;
    scene->whitewater.spray.on = scene->whitewater.foam.on = false;
    scene->whitewater.bubbles.on = scene->whitewater.dust.on = false;
    CHECK(spate_scene_check(scene, NULL, NULL, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.message, "is on, but spray, foam, bubbles and dust are all off");
    spate_scene_destroy(scene);
}

static void forecast_counts_it(void)
{
    spate_scene *scene = wild_scene(3, false);
    spate_forecast with, without;
    spate_error error;
    CHECK(spate_scene_forecast(scene, NULL, &with, &error) == SPATE_OK);
    scene->whitewater.on = false;
    CHECK(spate_scene_forecast(scene, NULL, &without, &error) == SPATE_OK);
    CHECK(with.whitewater > 0 && without.whitewater == 0);
    CHECK(with.memory > without.memory + 70 * with.whitewater);
    CHECK(with.particles == without.particles);
    spate_scene_destroy(scene);
}

TESTS(whitewater_run)
{
    TEST(liquid_is_untouched);
    TEST(bits_do_not_depend_on_threads);
    TEST(resume_gives_the_same_bits);
    TEST(ledger_is_exact);
    TEST(nothing_is_in_solids_or_outside);
    TEST(added_solid_leaves_none_inside);
    TEST(limit_thins_evenly);
    TEST(classes_can_be_off);
    TEST(wrong_settings_are_refused);
    TEST(forecast_counts_it);
}
