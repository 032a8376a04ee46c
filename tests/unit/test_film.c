/* test_film.c -- films and what they are made of: the field of the liquid and its rays, moments of
 * a run, the process that encodes, and charts. */
#include "test.h"

#include <spate/spate_io.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/background.h"
#include "base/memory.h"
#include "io/chart.h"
#include "io/file.h"
#include "render/drops.h"
#include "render/field.h"
#include "render/film.h"
#include "render/frame.h"
#include "render/text.h"
#include "render/water.h"

static char folder[] = "/tmp/spate_film_XXXXXX";
static char path[128], encoder[128];

static double floor_below(const void *user, const double point[3])
{
    (void)user;
    return point[1] - 0.3;
}

/* Particles on a lattice, 2 per cell and axis, in the lower part of 16 x 12 (x 8) cells of 0.1 m.
 */
typedef struct lattice {
    sp_preview preview;
    sp_particles particles;
    float *x[3], *v[3];
} lattice;

static void make_lattice(lattice *l, spate_scene *scene, int dim, double from, double to,
                         sp_pool *pool)
{
    *l = (lattice){.preview = {.scene = scene,
                               .particles = &l->particles,
                               .dx = 0.1,
                               .size = {1.6, 1.2, dim == 3 ? 0.8 : 0},
                               .pool = pool}};
    int n[3] = {32, 24, dim == 3 ? 16 : 1};
    size_t room = 32 * 24 * 16, count = 0;
    for (int d = 0; d < dim; d++) {
        l->x[d] = calloc(room, sizeof(float));
        l->v[d] = calloc(room, sizeof(float));
    }
    for (int k = 0; k < n[0] * n[1] * n[2]; k++) {
        int at[3] = {k % n[0], k / n[0] % n[1], k / n[0] / n[1]};
        double y = (at[1] + 0.5) * 0.05;
        if (y < from || y > to)
            continue;
        for (int d = 0; d < dim; d++)
            l->x[d][count] = ((float)at[d] + 0.5f) / 2;
        l->v[0][count++] = 3;
    }
    l->particles.view.count = count;
    for (int d = 0; d < dim; d++) {
        l->particles.view.x[d] = l->x[d];
        l->particles.view.v[d] = l->v[d];
    }
    sp_preview_complete(&l->preview);
}

static void free_lattice(lattice *l)
{
    for (int d = 0; d < 3; d++) {
        free(l->x[d]);
        free(l->v[d]);
    }
}

static void a_field_is_1_inside_and_0_outside(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = spate_scene_create();
        spate_scene_settle(scene, NULL);
        sp_pool *pool = sp_pool_create(2, NULL, NULL);
        lattice l;
        make_lattice(&l, scene, dim, 0, 0.6, pool);
        sp_field f;
        CHECK(sp_field_create(&f, &l.preview, NULL) == SPATE_OK);
        CHECK_NEAR(f.h, 0.05, 1e-6);
        /* up to the walls and into the corners, a good way below the surface */
        for (int c = 0; c < 4; c++) {
            sp_vec g = {c & 1 ? 31.4f : -0.4f, 2, c & 2 && dim == 3 ? 15.4f : -0.4f};
            CHECK_NEAR(sp_field_at(&f, g), 1, 0.01);
            g.y = 21;
            CHECK_NEAR(sp_field_at(&f, g), 0, 1e-6);
        }
        /* the surface lies where the liquid ends, y = 0.6 m, and a little outside of that */
        float low = 8, high = 16;
        for (int k = 0; k < 30; k++) {
            float middle = (low + high) / 2;
            sp_vec g = {10, middle, dim == 3 ? 5 : 0};
            *(sp_field_at(&f, g) > SP_FIELD_LEVEL ? &low : &high) = middle;
        }
        CHECK_NEAR((low + 0.5) * 0.05, 0.6 + 0.01, 0.012);
        if (dim == 2) {
            float look[2];
            sp_field_look(&f, 10, 4, look);
            CHECK_NEAR(look[0], 1, 0.01);
            CHECK_NEAR(look[1] * l.preview.speed, 3, 0.05);
        }
        sp_field_destroy(&f);
        free_lattice(&l);
        sp_pool_destroy(pool);
        spate_scene_destroy(scene);
    }
}

/* Liquid that stands on a solid has the full value there, not the half that its particles give. */
static void liquid_reaches_solids(void)
{
    spate_scene *scene = spate_scene_create();
    spate_scene_settle(scene, NULL);
    sp_pool *pool = sp_pool_create(1, NULL, NULL);
    lattice l;
    make_lattice(&l, scene, 3, 0.3, 0.9, pool);
    float value[2];
    for (int k = 0; k < 2; k++) {
        l.preview.distance = k ? floor_below : NULL;
        sp_preview_complete(&l.preview);
        sp_field f;
        CHECK(sp_field_create(&f, &l.preview, NULL) == SPATE_OK);
        value[k] = sp_field_at(&f, (sp_vec){10, 5.5f, 5}); /* y = 0.3 m */
        sp_field_destroy(&f);
    }
    CHECK_NEAR(value[0], 0.5, 0.03);
    CHECK_NEAR(value[1], 1, 0.12);
    free_lattice(&l);
    sp_pool_destroy(pool);
    spate_scene_destroy(scene);
}

/* Thin liquid, and the least value of the field in it, over places against the grid. `axes`: 2, a
 * sheet one particle thick; 1, a thread. `apart`: of the particles, in those of a full cell. */
static float least_of_thin(int dim, int axes, float apart, spate_scene *scene, sp_pool *pool)
{
    float least = 9;
    for (int shift = 0; shift < 4; shift++) {
        lattice l;
        make_lattice(&l, scene, dim, 9, 9, pool);
        float step = 0.5f * apart, off = 0.125f * (float)shift;
        int across = axes == 2 ? 9 : 1;
        size_t count = 0;
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < across; j++) {
                l.x[0][count] = 4 + off + step * (float)i;
                l.x[1][count] = 6 + off;
                if (dim == 3)
                    l.x[2][count] = 2 + off + step * (float)j;
                count++;
            }
        l.particles.view.count = count;
        sp_field f;
        CHECK(sp_field_create(&f, &l.preview, NULL) == SPATE_OK);
        /* away from the rim: on particles, and between them */
        for (int i = 6; i < 18; i++)
            for (int j = 4; j <= (axes == 2 ? 12 : 4); j++) {
                sp_vec cells = {4 + off + step * 0.5f * (float)i, 6 + off,
                                2 + off + (axes == 2 ? step * 0.5f * (float)j : 0)};
                sp_vec g = sp_vec_sub(sp_vec_scale(cells, 2), (sp_vec){0.5f, 0.5f, 0.5f});
                g.z = dim == 3 ? g.z : 0;
                least = fminf(least, sp_field_at(&f, g));
            }
        sp_field_destroy(&f);
        free_lattice(&l);
    }
    return least;
}

static void sheets_and_threads_are_whole(void)
{
    spate_scene *scene = spate_scene_create();
    spate_scene_settle(scene, NULL);
    sp_pool *pool = sp_pool_create(2, NULL, NULL);
    for (int n = 0; n < 6; n++) {
        float apart = 0.85f + 0.1f * (float)n;
        float value[3] = {least_of_thin(3, 2, apart, scene, pool),
                          least_of_thin(2, 1, apart, scene, pool),
                          least_of_thin(3, 1, apart, scene, pool)};
        printf("  %.2f apart: sheet %.2f, 2D thread %.2f, 3D thread %.2f\n", (double)apart,
               (double)value[0], (double)value[1], (double)value[2]);
        CHECK_LESS(SP_FIELD_LEVEL, value[0]);
        CHECK_LESS(SP_FIELD_LEVEL, value[1]);
        CHECK(n > 2 || value[2] > SP_FIELD_LEVEL);
    }
    sp_pool_destroy(pool);
    spate_scene_destroy(scene);
}

/* Pixels that differ from those of the empty tank, with `side`^3 particles side by side, `shift`
 * cells from where the first is else. */
static int seen_of(int side, float speed, float shift, sp_pool *pool, spate_scene *scene)
{
    int count = 0;
    sp_image image[2];
    for (int k = 0; k < 2; k++) {
        lattice l;
        make_lattice(&l, scene, 3, 9, 9, pool);
        for (int n = 0; n < side * side * side && k; n++) {
            const int at[3] = {n % side, n / side % side, n / side / side};
            for (int d = 0; d < 3; d++)
                l.x[d][n] = (d == 0 ? 8 : d == 1 ? 7 : 4) + 0.5f * (float)at[d] + shift;
            l.v[0][n] = speed;
            l.particles.view.count++;
        }
        CHECK(sp_image_create(&image[k], 640, 360, NULL) == SPATE_OK);
        CHECK(sp_preview_draw_3d(&l.preview, &image[k], NULL) == SPATE_OK);
        free_lattice(&l);
    }
    for (int y = 0; y < 220; y++) /* above the shadow */
        for (int x = 0; x < 640; x++) {
            sp_color a = image[0].pixels[640 * y + x], b = image[1].pixels[640 * y + x];
            count += fabsf(a.r - b.r) + fabsf(a.g - b.g) + fabsf(a.b - b.b) > 0.02f;
        }
    sp_image_destroy(&image[0]);
    sp_image_destroy(&image[1]);
    return count;
}

/* The picture of a drop goes with its volume to the power 2/3: 8 particles 4 times that of one, and
 * 64 16 times; a drop that flies leaves a streak. */
static void drops_have_the_size_of_what_they_hold(void)
{
    spate_scene *scene = spate_scene_create();
    spate_scene_settle(scene, NULL);
    sp_pool *pool = sp_pool_create(2, NULL, NULL);
    int one = seen_of(1, 0, 0.07f, pool, scene), eight = seen_of(2, 0, 0.07f, pool, scene),
        many = seen_of(4, 0, 0.07f, pool, scene), fast = seen_of(1, 6, 0.07f, pool, scene);
    printf("  pixels of 1, 8, 64 particles: %d, %d, %d; of one that flies: %d\n", one, eight, many,
           fast);
    CHECK(one > 60);
    CHECK_NEAR((double)eight / one, 4, 1.25);
    CHECK_NEAR((double)many / one, 16, 4);
    CHECK(fast > one * 3 / 2);
    sp_pool_destroy(pool);
    spate_scene_destroy(scene);
}

/* Volume (in particles) inside the surface of 8 particles side by side, `shift` cells from a node.
 */
static double volume_of_eight(float shift, sp_pool *pool, spate_scene *scene)
{
    lattice l;
    make_lattice(&l, scene, 3, 9, 9, pool);
    for (int n = 0; n < 8; n++)
        for (int d = 0; d < 3; d++)
            l.x[d][n] = 4 + shift + 0.5f * (float)(n >> d & 1);
    l.particles.view.count = 8;
    sp_field f;
    CHECK(sp_field_create(&f, &l.preview, NULL) == SPATE_OK);
    int count = 0;
    for (int k = 0; k < 64 * 64 * 64; k++) {
        sp_vec g = {4 + (float)(k % 64) / 8, 4 + (float)(k / 64 % 64) / 8,
                    4 + (float)(k / 4096) / 8};
        count += sp_field_at(&f, g) > SP_FIELD_LEVEL;
    }
    sp_field_destroy(&f);
    free_lattice(&l);
    return count / 512.0;
}

/* What drifts through the cells keeps its size: nothing flickers. */
static void drops_do_not_flicker(void)
{
    spate_scene *scene = spate_scene_create();
    spate_scene_settle(scene, NULL);
    sp_pool *pool = sp_pool_create(2, NULL, NULL);
    double least[2] = {1e9, 1e9}, most[2] = {0, 0};
    for (int k = 0; k < 9; k++) {
        double seen[2] = {seen_of(1, 0, (float)k / 16, pool, scene),
                          volume_of_eight((float)k / 16, pool, scene)};
        for (int n = 0; n < 2; n++) {
            least[n] = fmin(least[n], seen[n]);
            most[n] = fmax(most[n], seen[n]);
        }
    }
    printf("  pixels of a particle: %.0f to %.0f; volume of eight: %.1f to %.1f\n", least[0],
           most[0], least[1], most[1]);
    CHECK_LESS(most[0], 1.15 * least[0]);
    CHECK_LESS(most[1], 1.6 * least[1]);
    CHECK(least[1] > 6 && most[1] < 13);
    sp_pool_destroy(pool);
    spate_scene_destroy(scene);
}

/* Spray: the drops of a particle share its volume, are the same every time, and not all alike. */
static void spray_is_of_many_sizes(void)
{
    double sum = 0, squares = 0;
    int drops = 0;
    for (uint32_t id = 0; id < 1000; id++) {
        sp_droplet a[SP_DROPS_MOST], b[SP_DROPS_MOST];
        int count = sp_drops_split(id, a);
        double whole = 0;
        CHECK(count >= 1 && count <= SP_DROPS_MOST && sp_drops_split(id, b) == count);
        for (int k = 0; k < count; k++) {
            CHECK(a[k].share == b[k].share && a[k].place[1] == b[k].place[1]);
            double radius = cbrt(a[k].share);
            whole += a[k].share;
            sum += radius;
            squares += radius * radius;
            drops++;
        }
        CHECK_NEAR(whole, 1, 1e-5);
    }
    double mean = sum / drops;
    CHECK(sqrt(squares / drops - mean * mean) > 0.1 * mean);
}

/* Rays of many directions against the surface, which is level. */
static void rays_find_the_surface(void)
{
    spate_scene *scene = spate_scene_create();
    spate_scene_settle(scene, NULL);
    sp_pool *pool = sp_pool_create(2, NULL, NULL);
    lattice l;
    make_lattice(&l, scene, 3, 0, 0.6, pool);
    sp_field f;
    CHECK(sp_field_create(&f, &l.preview, NULL) == SPATE_OK);
    float level = 11.5f + 0.2f;
    int wrong = 0, missed = 0;
    for (int k = 0; k < 400; k++) {
        bool inside = k % 2;
        sp_vec from = {2 + (float)(k % 27), inside ? 1.0f : 20.0f, 1 + (float)(k % 13)};
        sp_vec along = {(float)(k % 7 - 3) * 0.2f, inside ? 1.0f : -1.0f,
                        (float)(k % 5 - 2) * 0.2f};
        float end = 18, t = sp_field_cross(&f, from, along, 0, end, inside);
        sp_vec at = sp_vec_madd(from, t, along);
        bool leaves = false;
        for (int d = 0; d < 3;
             d++) { /* the walls come first: rays along which nothing is promised */
            float x = d == 0 ? from.x + along.x * 11 : d == 2 ? from.z + along.z * 11 : 5;
            leaves = leaves || x < 0 || x > (float)f.n[d] - 1;
        }
        if (leaves)
            continue;
        missed += t > end;
        if (t > end)
            continue;
        wrong += fabsf(at.y - level) > 0.25f;
        wrong += sp_field_normal(&f, at).y < 0.999f;
    }
    CHECK(missed == 0);
    CHECK(wrong == 0);
    /* along the surface, above it: nothing */
    CHECK(sp_field_cross(&f, (sp_vec){0, 15, 5}, (sp_vec){1, 0, 0}, 0, 31, false) > 31);
    CHECK(sp_field_cross(&f, (sp_vec){0, 5, 5}, (sp_vec){1, 0, 0}, 0, 31, true) > 31);
    sp_field_destroy(&f);
    free_lattice(&l);
    sp_pool_destroy(pool);
    spate_scene_destroy(scene);
}

/* Snell and Fresnel against the textbook: 45 degrees into water, and back out of it. */
static void light_bends_as_it_should(void)
{
    sp_ray behind, ray = {{0, 0, 0}, {0.70710678f, -0.70710678f, 0}, true};
    const sp_vec up = {0, 1, 0}, none = {0, 0, 0};
    float share;
    CHECK(sp_water_refract(&ray, none, up, &behind, &share));
    CHECK_NEAR(behind.along.x, 0.70710678 / 1.33, 1e-5);
    CHECK(!behind.air && behind.along.y < 0);
    CHECK_NEAR(share, 0.0278, 0.0005);
    sp_ray out;
    CHECK(sp_water_refract(&behind, none, up, &out, &share));
    CHECK_NEAR(out.along.x, 0.70710678, 1e-5);
    sp_ray flat = {{0, 0, 0}, {0.8f, -0.6f, 0}, false}; /* 53 degrees: beyond 48.8 */
    CHECK(!sp_water_refract(&flat, none, up, &out, &share) && share == 1);
    sp_ray back = sp_water_reflect(&flat, none, up);
    CHECK_NEAR(back.along.y, 0.6, 1e-6);
}

static void a_moment_is_what_the_run_wrote(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = spate_scene_create();
        spate_scene_settle(scene, NULL);
        scene->dim = dim;
        for (int d = 0; d < dim; d++)
            scene->domain.size[d] = d ? 0.75 : 1.5;
        scene->domain.cells = 10;
        spate_shape *box = spate_scene_add_shape(scene, SPATE_LIST_FILL);
        for (int d = 0; d < dim; d++) {
            box->min[d] = 0;
            box->max[d] = 0.6;
        }
        spate_shape *ball = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
        ball->shape = SPATE_SHAPE_SPHERE;
        ball->center[0] = 1.2;
        ball->center[1] = 0.3;
        ball->center[2] = dim == 3 ? 0.3 : 0;
        ball->radius = 0.1;
        ball->velocity[0] = -0.5;
        spate_error error = {0};
        spate_sim *sim = spate_sim_create(scene, NULL, &error);
        CHECK_TEXT(error.message, "");
        if (!sim)
            return;
        CHECK(spate_sim_step_frame(sim, NULL) == SPATE_OK);
        CHECK(spate_sim_particles_write_ply(sim, path, NULL) == SPATE_OK);
        sp_frame taken, read;
        CHECK(sp_frame_create(&taken, scene, NULL) == SPATE_OK);
        CHECK(sp_frame_create(&read, scene, NULL) == SPATE_OK);
        sp_particles now;
        CHECK(sp_sim_particles(sim, "fluid", &now));
        CHECK(sp_frame_copy(&taken, &now, NULL) == SPATE_OK);
        CHECK(sp_frame_read(&read, spate_sim_frame(sim), path, NULL) == SPATE_OK);
        const spate_particles_view *a = &taken.particles.view, *b = &read.particles.view;
        CHECK(a->count > 0 && a->count == b->count);
        CHECK(taken.particles.time == read.particles.time);
        double worst = 0;
        for (size_t k = 0; k < a->count; k++)
            for (int d = 0; d < dim; d++)
                worst = fmax(worst, fabs(a->x[d][k] - b->x[d][k]) + fabs(a->v[d][k] - b->v[d][k]));
        CHECK_LESS(worst, 1e-5);
        /* the ball has moved with the time */
        double point[3] = {1.2 - 0.5 / scene->fps, 0.3, dim == 3 ? 0.3 : 0};
        CHECK_NEAR(sp_solids_distance(&read.solids, point, NULL, NULL), -0.1, 1e-9);
        CHECK_NEAR(spate_sim_solid_distance(sim, point, NULL), -0.1, 1e-9);
        size_t size;
        char *bytes;
        CHECK(sp_file_read_all(path, &bytes, &size, NULL) == SPATE_OK);
        int file = open(path, O_WRONLY); /* y of the first particle becomes NaN */
        off_t place = strstr(bytes, "end_header\n") - bytes + 11 + 4;
        CHECK(pwrite(file, &(float){NAN}, 4, place) == 4);
        close(file);
        sp_free(bytes);
        CHECK(sp_frame_read(&read, 0, path, &error) == SPATE_ERROR_FILE && b->count == 0);
        CHECK_TEXT(error.message, "the position of particle 1 is not a finite number");
        CHECK(truncate(path, 400) == 0);
        CHECK(sp_frame_read(&read, 0, path, NULL) == SPATE_ERROR_FILE && b->count == 0);
        sp_frame_destroy(&taken);
        sp_frame_destroy(&read);
        spate_sim_destroy(sim);
        spate_scene_destroy(scene);
        unlink(path);
    }
}

/* Every allocation of reading and drawing a moment fails once. */
static void without_memory_there_is_an_error(void)
{
    spate_scene *scene = spate_scene_create();
    spate_scene_settle(scene, NULL);
    scene->dim = 3;
    for (int d = 0; d < 3; d++)
        scene->domain.size[d] = 1;
    scene->domain.cells = 8;
    spate_shape *box = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    for (int d = 0; d < 3; d++) {
        box->min[d] = 0;
        box->max[d] = 0.5;
    }
    spate_sim *sim = spate_sim_create(scene, NULL, NULL);
    sp_particles now;
    CHECK(sp_sim_particles(sim, "fluid", &now));
    int failures = 0;
    sp_pool *pool = sp_pool_create(1, NULL, NULL);
    for (int n = 1; n < 200; n++) {
        spate_error error = {0};
        sp_image image = {0};
        sp_frame frame;
        const sp_look look = {.stamp = true};
        sp_alloc_fail_at((uint64_t)n);
        spate_status status = sp_frame_create(&frame, scene, &error);
        bool made = status == SPATE_OK;
        if (status == SPATE_OK)
            status = sp_frame_copy(&frame, &now, &error);
        if (status == SPATE_OK)
            status = sp_image_create(&image, 40, 30, &error);
        if (status == SPATE_OK)
            status = sp_frame_paint(&frame, &look, pool, &image, &error);
        sp_alloc_fail_at(0);
        if (made)
            sp_frame_destroy(&frame);
        sp_image_destroy(&image);
        if (status == SPATE_OK)
            break;
        failures++;
        CHECK(status == SPATE_ERROR_MEMORY && error.message[0]);
    }
    CHECK(failures > 5 && failures < 199);
    sp_pool_destroy(pool);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
}

/* An "ffmpeg" that is a shell script. */
static void write_encoder(const char *script)
{
    FILE *file = fopen(encoder, "w");
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod(encoder, 0700);
}

static void films_reach_the_encoder(void)
{
    char line[512];
    spate_error error = {0};
    sp_image image;
    CHECK(sp_image_create(&image, 30, 20, NULL) == SPATE_OK);
    for (int k = 0; k < 600; k++)
        image.pixels[k] = (sp_color){1, 0, 1};
    setenv("SPATE_FFMPEG", encoder, 1);
    /* the last argument is the file to write */
    write_encoder("for last; do :; done\necho \"$*\" >\"$last\"\nwc -c >>\"$last\"");
    sp_film *film = sp_film_create(path, 30, 20, 12.5, &error);
    CHECK(film != NULL);
    for (int k = 0; k < 3 && film; k++)
        CHECK(sp_film_add(film, &image, &error) == SPATE_OK);
    CHECK(access(path, F_OK) != 0); /* not before it is complete */
    CHECK(sp_film_close(film, &error) == SPATE_OK);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(line, sizeof line, file) && strstr(line, "-s 30x20 -r 12.5 -i pipe:0"));
    CHECK(file && fgets(line, sizeof line, file) && atoi(line) == 3 * 30 * 20 * 3);
    if (file)
        fclose(file);
    unlink(path);

    /* one that says why it stops, at the start and at the end */
    static const char *const scripts[] = {"echo first >&2; echo why >&2; exit 1",
                                          "cat >/dev/null; echo first >&2; echo why >&2; exit 1",
                                          "kill -9 $$"};
    for (int k = 0; k < 3; k++) {
        write_encoder(scripts[k]);
        error = (spate_error){0};
        film = sp_film_create(path, 30, 20, 30, &error);
        spate_status status = film ? SPATE_OK : SPATE_ERROR_FILE;
        for (int n = 0; n < 2000 && status == SPATE_OK; n++)
            status = sp_film_add(film, &image, &error);
        spate_error last = error;
        if (status == SPATE_OK)
            status = sp_film_close(film, &last);
        else
            sp_film_abandon(film);
        CHECK(status == SPATE_ERROR_FILE);
        CHECK(strstr(last.message, k < 2 ? ": why" : "signal 9") != NULL);
        CHECK(access(path, F_OK) != 0);
    }
    unlink(encoder);
    error = (spate_error){0};
    CHECK(sp_film_create(path, 30, 20, 30, &error) == NULL && error.status == SPATE_ERROR_DEVICE);
    CHECK(strstr(error.message, "install ffmpeg") != NULL);
    sp_film_abandon(NULL);
    CHECK(sp_film_close(NULL, NULL) == SPATE_OK);
    sp_image_destroy(&image);
}

static void add_one(void *args)
{
    ++*(int *)args;
}

static void jobs_follow_each_other(void)
{
    sp_background *background = sp_background_create();
    int count = 0;
    for (int k = 0; k < 1000; k++)
        sp_background_start(background, add_one, &count);
    sp_background_wait(background);
    CHECK(count == 1000);
    sp_background_start(background, add_one, &count);
    sp_background_destroy(background); /* the last job is done before */
    CHECK(count == 1001);
    sp_background_destroy(NULL);
}

/* Every letter that a legend or a stamp uses leaves ink, and stays near its place. */
static void letters_are_drawn(void)
{
    static const char text[] = "0123456789.,:-+=/()%^Pabcdefghijklmnopqrstuvwxyz";
    sp_image image;
    CHECK(sp_image_create(&image, 60, 60, NULL) == SPATE_OK);
    double widest = 0;
    for (const char *c = text; *c; c++) {
        memset(image.pixels, 0, 3600 * sizeof *image.pixels);
        const char one[2] = {*c, 0};
        sp_text_draw(&image, 20, 40, 24, one, (sp_color){1, 1, 1});
        double ink = 0, outside = 0;
        for (int k = 0; k < 3600; k++) {
            ink += image.pixels[k].g;
            int x = k % 60, y = k / 60;
            if (x < 17 || x > 40 || y < 13 || y > 52)
                outside += image.pixels[k].g;
        }
        CHECK(ink > 5 && outside == 0);
        widest = fmax(widest, sp_text_width(one, 24));
    }
    CHECK_NEAR(widest, 16, 1e-4);
    CHECK(sp_text_width("", 24) == 0);
    sp_image_destroy(&image);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text++)
        count++;
    return count;
}

static void charts_hold_every_peak(void)
{
    enum { ROWS = 20000 };
    static double x[ROWS], y[ROWS];
    for (int k = 0; k < ROWS; k++) {
        x[k] = 0.001 * k;
        y[k] = k == 12345 ? 100 : k == 777 ? NAN : 0;
    }
    sp_chart chart = {.title = "a < b",
                      .x_label = "time (s)",
                      .y_label = "m",
                      .x = x,
                      .count = ROWS,
                      .series_count = 1,
                      .series = {{"one", y}}};
    sp_text text = {.size = 0};
    sp_chart_draw(&chart, &text);
    CHECK(!text.failed && text.size < 60000);
    CHECK(strstr(text.bytes, "a &lt; b") && !strstr(text.bytes, "nan"));
    CHECK(strstr(text.bytes, ",66.0 ") != NULL); /* the peak is at the top of the chart */
    sp_free(text.bytes);

    /* nothing, one point, and numbers that are all the same */
    for (int rows = 0; rows < 3; rows++) {
        y[0] = y[1] = 5;
        chart.count = rows;
        text = (sp_text){.size = 0};
        sp_chart_draw(&chart, &text);
        CHECK(count_of(text.bytes, "</svg>") == 1 && !strstr(text.bytes, "nan") &&
              !strstr(text.bytes, "inf"));
        sp_free(text.bytes);
    }
    sp_alloc_fail_at(1);
    text = (sp_text){.size = 0};
    sp_chart_draw(&chart, &text);
    sp_alloc_fail_at(0);
    CHECK(text.failed);
}

static void set_up(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/film", folder);
    snprintf(encoder, sizeof encoder, "%s/encoder", folder);
}

static void tear_down(void)
{
    rmdir(folder);
}

TESTS(film)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
    TEST(a_field_is_1_inside_and_0_outside);
    TEST(liquid_reaches_solids);
    TEST(sheets_and_threads_are_whole);
    TEST(drops_have_the_size_of_what_they_hold);
    TEST(drops_do_not_flicker);
    TEST(spray_is_of_many_sizes);
    TEST(rays_find_the_surface);
    TEST(light_bends_as_it_should);
    TEST(a_moment_is_what_the_run_wrote);
    TEST(without_memory_there_is_an_error);
    TEST(films_reach_the_encoder);
    TEST(jobs_follow_each_other);
    TEST(letters_are_drawn);
    TEST(charts_hold_every_peak);
}
