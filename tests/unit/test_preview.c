/* test_preview.c -- pictures: what is drawn, where, and what happens when that is not possible.
 *
 * Pictures are compared with the picture of the same scene without the thing in question: a pixel
 * that differs shows it, one that is equal does not. */
#include "test.h"
#include "values.h"

#include <png.h>
#include <spate/spate_io.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "render/camera.h"
#include "render/image.h"
#include "render/png.h"
#include "render/preview.h"

static void set(double v[3], double x, double y, double z)
{
    v[0] = x;
    v[1] = y;
    v[2] = z;
}

/* A domain of 2 x 1 (x 1) m in cells of 1/12 m, empty. */
static spate_scene *tank(int dim)
{
    spate_scene *scene = spate_scene_create();
    spate_scene_settle(scene, NULL);
    scene->dim = dim;
    set(scene->domain.size, 2, 1, dim == 3 ? 1 : 0);
    scene->domain.cells = 24;
    return scene;
}

static void add_water(spate_scene *scene, double x0, double y0, double z0, double x1, double y1,
                      double z1)
{
    spate_shape *box = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    box->shape = SPATE_SHAPE_BOX;
    set(box->min, x0, y0, z0);
    set(box->max, x1, y1, z1);
}

static void add_ball(spate_scene *scene, double x, double y, double z, double radius)
{
    spate_shape *ball = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    ball->shape = SPATE_SHAPE_SPHERE;
    set(ball->center, x, y, z);
    ball->radius = radius;
}

/* Destroys the scene. */
static spate_sim *start(spate_scene *scene)
{
    spate_error error = {0};
    spate_options options = sample_options();
    options.threads = 1;
    spate_sim *sim = spate_sim_create(scene, &options, &error);
    if (!sim)
        printf("  %s: %s\n", error.where, error.message);
    CHECK(sim != NULL);
    spate_scene_destroy(scene);
    return sim;
}

/* Destroys the scene. */
static sp_image picture(spate_scene *scene, int width, int height)
{
    sp_image image = {0};
    spate_sim *sim = start(scene);
    if (!sim)
        exit(1);
    CHECK(sp_image_create(&image, width, height, NULL) == SPATE_OK);
    CHECK(sp_preview_draw(sim, &image, NULL) == SPATE_OK);
    spate_sim_destroy(sim);
    size_t wrong = 0;
    for (size_t k = 0; k < (size_t)width * height; k++) {
        sp_color c = image.pixels[k];
        wrong += !(c.r >= 0 && c.g >= 0 && c.b >= 0 && c.r < 10 && c.g < 10 && c.b < 10);
    }
    CHECK(wrong == 0);
    return image;
}

static sp_color pixel(const sp_image *image, int x, int y)
{
    return image->pixels[(size_t)y * image->width + x];
}

static bool differs(const sp_image *a, const sp_image *b, int x, int y)
{
    sp_color p = pixel(a, x, y), q = pixel(b, x, y);
    return fabsf(p.r - q.r) + fabsf(p.g - q.g) + fabsf(p.b - q.b) > 0.02f;
}

/* Pixels in a part of the picture, given in hundredths of its sides, that differ. */
static int count_changes(const sp_image *a, const sp_image *b, int x0, int y0, int x1, int y1)
{
    int count = 0;
    for (int y = y0 * a->height / 100; y < y1 * a->height / 100; y++)
        for (int x = x0 * a->width / 100; x < x1 * a->width / 100; x++)
            count += differs(a, b, x, y);
    return count;
}

/* The picture of 240 x 120 pixels shows the 2 m of the tank between its margins of 6 pixels. */
static int column(double x)
{
    return (int)(12 + x * 108);
}

static int row(double y)
{
    return (int)(114 - y * 108);
}

static void water_is_blue_in_2d(void)
{
    spate_scene *scene = tank(2);
    add_water(scene, 0, 0, 0, 0.75, 0.5, 0);
    sp_image wet = picture(scene, 240, 120), dry = picture(tank(2), 240, 120);
    int missing = 0, stray = 0;
    for (double x = 0.1; x < 1.95; x += 0.05) {
        for (double y = 0.05; y < 0.95; y += 0.05) {
            bool inside = x < 0.70 && y<0.45, outside = x> 0.80 || y > 0.55;
            sp_color c = pixel(&wet, column(x), row(y));
            missing += inside && !(c.b > 0.15f && c.b > 3 * c.r);
            stray += outside && differs(&wet, &dry, column(x), row(y));
        }
    }
    CHECK(missing == 0);
    CHECK(stray == 0);
    sp_image_destroy(&wet);
    sp_image_destroy(&dry);
}

static void fast_water_is_bright(void)
{
    spate_scene *slow = tank(2), *fast = tank(2);
    add_water(slow, 0.5, 0.2, 0, 1.5, 0.8, 0);
    add_water(fast, 0.5, 0.2, 0, 1.5, 0.8, 0);
    set(fast->fill.items[0].velocity, 4, 0, 0);
    sp_image a = picture(slow, 240, 120), b = picture(fast, 240, 120);
    CHECK_LESS(pixel(&a, column(1), row(0.5)).r * 5, pixel(&b, column(1), row(0.5)).r);
    sp_image_destroy(&a);
    sp_image_destroy(&b);
}

static void solids_are_drawn_in_2d(void)
{
    spate_scene *scene = tank(2);
    add_ball(scene, 1.4, 0.4, 0, 0.25);
    sp_image with = picture(scene, 240, 120), without = picture(tank(2), 240, 120);
    int wrong = 0;
    for (double x = 0.1; x < 1.95; x += 0.05) {
        for (double y = 0.05; y < 0.95; y += 0.05) {
            double d = sqrt((x - 1.4) * (x - 1.4) + (y - 0.4) * (y - 0.4)) - 0.25;
            if (fabs(d) > 0.03)
                wrong += differs(&with, &without, column(x), row(y)) != (d < 0);
        }
    }
    CHECK(wrong == 0);
    sp_image_destroy(&with);
    sp_image_destroy(&without);
}

/* Sides: a wall is a bar, an open side is not. */
static void open_sides_look_open(void)
{
    spate_scene *scene = tank(2);
    scene->domain.sides[1][1] = SPATE_SIDE_OPEN;
    sp_image open = picture(scene, 240, 120), closed = picture(tank(2), 240, 120);
    CHECK(count_changes(&open, &closed, 0, 0, 100, 10) > 50);
    CHECK(count_changes(&open, &closed, 0, 20, 100, 100) == 0);
    sp_image_destroy(&open);
    sp_image_destroy(&closed);
}

static void water_stands_in_the_tank_in_3d(void)
{
    spate_scene *scene = tank(3);
    add_water(scene, 0, 0, 0, 0.75, 0.6, 1);
    sp_image wet = picture(scene, 240, 135), dry = picture(tank(3), 240, 135);
    int left = count_changes(&wet, &dry, 0, 0, 50, 100);
    CHECK(left > 240 * 135 / 10);
    CHECK(count_changes(&wet, &dry, 0, 0, 100, 8) == 0);
    CHECK(count_changes(&wet, &dry, 88, 0, 100, 60) == 0);
    int blue = 0;
    for (int y = 0; y < 135; y++)
        for (int x = 0; x < 120; x++)
            if (differs(&wet, &dry, x, y))
                blue += pixel(&wet, x, y).b > 1.3f * pixel(&wet, x, y).r;
    CHECK_LESS(0.7 * left, blue);
    sp_image_destroy(&wet);
    sp_image_destroy(&dry);
}

/* Whichever way is down, what lies on the ground is in the lower part of the picture. */
static void down_is_down(void)
{
    for (int k = 0; k < 6; k++) {
        sp_image image[2];
        for (int wet = 0; wet < 2; wet++) {
            spate_scene *scene = tank(3);
            set(scene->domain.size, 1, 1, 1);
            scene->domain.cells = 12;
            set(scene->gravity, 0, 0, 0);
            scene->gravity[k / 2] = k & 1 ? 9.81 : -9.81;
            double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
            if (k & 1)
                low[k / 2] = 0.75;
            else
                high[k / 2] = 0.25;
            if (wet)
                add_water(scene, low[0], low[1], low[2], high[0], high[1], high[2]);
            image[wet] = picture(scene, 120, 120);
        }
        CHECK(count_changes(&image[1], &image[0], 0, 50, 100, 100) > 1000);
        CHECK(count_changes(&image[1], &image[0], 0, 0, 100, 40) == 0);
        sp_image_destroy(&image[0]);
        sp_image_destroy(&image[1]);
    }
}

static void solids_and_water_hide_each_other(void)
{
    /* a ball; the same in front of, and behind, a sheet of water across the tank */
    sp_image image[4];
    for (int k = 0; k < 4; k++) {
        spate_scene *scene = tank(3);
        if (k > 0)
            add_ball(scene, 1, 0.5, k == 3 ? 0.25 : 0.75, 0.2);
        if (k > 1)
            add_water(scene, 0, 0, 0.42, 2, 1, 0.55);
        image[k] = picture(scene, 240, 135);
    }
    CHECK(count_changes(&image[1], &image[0], 0, 0, 100, 100) > 600);
    /* where the ball is drawn before the water nothing of the water is seen: stone, not blue */
    int stone[4] = {0};
    for (int k = 0; k < 4; k++) {
        for (int n = 0; n < 240 * 135; n++) {
            sp_color c = image[k].pixels[n];
            stone[k] += c.r > 1.15f * c.b;
        }
    }
    CHECK(stone[0] == 0);
    CHECK(stone[1] > 300);
    CHECK(stone[2] > stone[1] * 9 / 10);
    CHECK(stone[3] < stone[1] / 4);
    for (int k = 0; k < 4; k++)
        sp_image_destroy(&image[k]);
}

/* The inside of an inverted solid is to be seen, with what is in it. */
static void vessels_are_open_to_the_eye(void)
{
    sp_image image[2];
    for (int wet = 0; wet < 2; wet++) {
        spate_scene *scene = tank(3);
        add_ball(scene, 1, 0.5, 0.5, 0.45);
        scene->solids.items[0].invert = true;
        if (wet)
            add_water(scene, 0.6, 0.1, 0.1, 1.4, 0.5, 0.9);
        image[wet] = picture(scene, 240, 135);
    }
    CHECK(count_changes(&image[1], &image[0], 30, 30, 70, 90) > 500);
    sp_image_destroy(&image[0]);
    sp_image_destroy(&image[1]);
}

static void a_lone_drop_is_seen(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        sp_image image[2];
        for (int wet = 0; wet < 2; wet++) {
            spate_sim *sim = start(tank(dim));
            if (!sim)
                return;
            float position[3] = {1.03f, 0.52f, dim == 3 ? 0.51f : 0};
            if (wet)
                CHECK(spate_sim_add_particles(sim, position, NULL, 1, NULL, NULL) == SPATE_OK);
            CHECK(sp_image_create(&image[wet], 240, 135, NULL) == SPATE_OK);
            CHECK(sp_preview_draw(sim, &image[wet], NULL) == SPATE_OK);
            spate_sim_destroy(sim);
        }
        int seen = count_changes(&image[1], &image[0], 40, 30, 60, 70);
        CHECK(seen >= 4 && seen < 150);
        sp_image_destroy(&image[0]);
        sp_image_destroy(&image[1]);
    }
}

/* Flat, tall, thin and tiny domains in flat, tall and tiny pictures, with and without water. */
static void any_shape_is_drawn(void)
{
    static const double sizes[][3] = {{1, 1, 1}, {30, 1, 1}, {1, 30, 1}, {1, 1, 30}, {8, 1, 8}};
    static const int pixels[][2] = {{1, 1}, {2, 3}, {1, 90}, {90, 1}, {64, 48}};
    for (int dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < 5 * 5 * 2; k++) {
            const double *size = sizes[k % 5];
            spate_scene *scene = tank(dim);
            set(scene->domain.size, size[0], size[1], dim == 3 ? size[2] : 0);
            scene->domain.cell_size = 1;
            if (k < 25)
                add_water(scene, 0, 0, 0, size[0], size[1], size[2]);
            sp_image image = picture(scene, pixels[k / 5 % 5][0], pixels[k / 5 % 5][1]);
            sp_image_destroy(&image);
        }
    }
}

/* The camera keeps every corner of the domain in the picture, and uses the room there is. */
static void the_whole_tank_is_in_view(void)
{
    static const double sizes[][3] = {{2, 1, 1}, {1, 1, 1}, {1, 9, 1}, {40, 1, 2}, {1, 1, 7}};
    static const int pixels[][2] = {{1280, 720}, {300, 900}, {50, 50}};
    for (int k = 0; k < 15 * 6; k++) {
        double gravity[3] = {0, 0, 0};
        gravity[k / 15 / 2] = k / 15 % 2 ? 9.81 : -9.81;
        int width = pixels[k % 3][0], height = pixels[k % 3][1];
        sp_stand stand = sp_stand_choose(sizes[k / 3 % 5], gravity);
        sp_camera camera = sp_camera_fit(&stand, width, height);
        float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
        for (int c = 0; c < 8; c++) {
            sp_vec p = sp_vec_scale(stand.side, (c & 1 ? 1 : -1) * stand.half[0]);
            p = sp_vec_madd(p, (c & 2 ? 1 : -1) * stand.half[1], stand.above);
            p = sp_vec_madd(p, (c & 4 ? 1 : -1) * stand.half[2], stand.front);
            sp_vec q = sp_camera_project(&camera, p);
            CHECK(q.z > 0);
            low[0] = fminf(low[0], q.x);
            low[1] = fminf(low[1], q.y);
            high[0] = fmaxf(high[0], q.x);
            high[1] = fmaxf(high[1], q.y);
        }
        CHECK(low[0] > 0 && low[1] > 0 && high[0] < width && high[1] < height);
        CHECK(high[0] - low[0] > 0.8f * width || high[1] - low[1] > 0.8f * height);
    }
}

static void same_state_same_picture(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        sp_image image[2];
        for (int k = 0; k < 2; k++) {
            spate_scene *scene = tank(dim);
            add_water(scene, 0, 0, 0, 0.75, 0.6, 1);
            add_ball(scene, 1.3, 0.3, 0.5, 0.2);
            image[k] = picture(scene, 160, 90);
        }
        CHECK(memcmp(image[0].pixels, image[1].pixels, 160 * 90 * sizeof(sp_color)) == 0);
        sp_image_destroy(&image[0]);
        sp_image_destroy(&image[1]);
    }
}

static void discs_and_lines_cover_their_area(void)
{
    sp_image image;
    CHECK(sp_image_create(&image, 80, 60, NULL) == SPATE_OK);
    const sp_color white = {1, 1, 1};
    struct {
        float disc[3];        /* x, y, radius; radius 0: a line */
        float from[2], to[2]; /* line */
        float width, dash, area, error;
    } cases[] = {
        {{30.3f, 25.7f, 10}, {0}, {0}, 0, 0, 314.2f, 2},
        {{30.3f, 25.7f, 0.3f}, {0}, {0}, 0, 0, 0.283f, 0.15f},
        {{0, 30, 10}, {0}, {0}, 0, 0, 157.1f, 2},
        {{-50, 30, 10}, {0}, {0}, 0, 0, 0, 0},
        {{NAN, 30, 10}, {0}, {0}, 0, 0, 0, 0},
        {{0}, {10, 20.5f}, {50, 20.5f}, 3, 0, 120, 3},
        {{0}, {10, 10}, {50, 40}, 2, 0, 100, 4},
        {{0}, {10, 20.5f}, {50, 20.5f}, 3, 5, 60, 3},
        {{0}, {-1000, 30}, {1000, 30}, 2, 0, 160, 3},
        {{0}, {-50, 10}, {-20, 40}, 2, 0, 0, 0},
        {{0}, {20, 20}, {20, 20}, 2, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memset(image.pixels, 0, 80 * 60 * sizeof(sp_color));
        if (cases[k].width > 0)
            sp_image_line(&image, cases[k].from, cases[k].to, cases[k].width, cases[k].dash, white,
                          1);
        else
            sp_image_disc(&image, cases[k].disc[0], cases[k].disc[1], cases[k].disc[2], white, 1);
        double area = 0;
        for (int n = 0; n < 80 * 60; n++)
            area += image.pixels[n].g;
        CHECK_NEAR(area, cases[k].area, cases[k].error);
    }
    sp_image_destroy(&image);
}

/* A fresh name in a fresh folder. */
static char folder[] = "/tmp/spate_preview_XXXXXX";
static char path[sizeof folder + 32], temporary[sizeof path + 8];

static void make_folder(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/preview.png", folder);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
}

static void png_holds_the_picture(void)
{
    spate_scene *scene = tank(3);
    add_water(scene, 0, 0, 0, 0.75, 0.6, 1);
    spate_sim *sim = start(scene);
    spate_error error = {0};
    CHECK(spate_sim_preview_write_png(sim, path, 101, 57, &error) == SPATE_OK);
    CHECK_TEXT(error.message, "");
    sp_image image;
    CHECK(sp_image_create(&image, 101, 57, NULL) == SPATE_OK);
    CHECK(sp_preview_draw(sim, &image, NULL) == SPATE_OK);
    spate_sim_destroy(sim);

    png_image file = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_file(&file, path) != 0);
    CHECK(file.width == 101 && file.height == 57);
    file.format = PNG_FORMAT_RGB;
    uint8_t *bytes = calloc(PNG_IMAGE_SIZE(file), 1), expected[3 * 101];
    CHECK(png_image_finish_read(&file, NULL, bytes, 0, NULL) != 0);
    for (int y = 0; y < 57; y++) {
        sp_image_row(&image, y, expected);
        CHECK(memcmp(bytes + (size_t)y * sizeof expected, expected, sizeof expected) == 0);
    }
    free(bytes);
    sp_image_destroy(&image);
    CHECK(access(temporary, F_OK) != 0);
    CHECK(unlink(path) == 0);
}

static void colours_survive_the_file(void)
{
    sp_image image;
    CHECK(sp_image_create(&image, 4, 4, NULL) == SPATE_OK);
    uint8_t bytes[12];
    int sum[3] = {0, 0, 0};
    for (int k = 0; k < 16; k++)
        image.pixels[k] = sp_color_hex(0x123fc8);
    for (int y = 0; y < 4; y++) {
        sp_image_row(&image, y, bytes);
        for (int k = 0; k < 12; k++)
            sum[k % 3] += bytes[k];
    }
    CHECK_NEAR(sum[0] / 16.0, 0x12, 0.2);
    CHECK_NEAR(sum[1] / 16.0, 0x3f, 0.2);
    CHECK_NEAR(sum[2] / 16.0, 0xc8, 0.2);
    image.pixels[0] = (sp_color){NAN, -1, INFINITY};
    sp_image_row(&image, 0, bytes);
    CHECK(bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 255);
    sp_image_destroy(&image);
}

static void wrong_sizes_are_refused(void)
{
    spate_sim *sim = start(tank(2));
    static const int sizes[][2] = {{0, 10},  {10, 0},       {-1, 10},
                                   {10, -5}, {1 << 30, 10}, {10, 16385}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        spate_error error = {0};
        spate_status status =
            spate_sim_preview_write_png(sim, path, sizes[k][0], sizes[k][1], &error);
        CHECK(status == SPATE_ERROR_USAGE && error.status == SPATE_ERROR_USAGE);
        CHECK(strstr(error.message, "pixels") != NULL);
    }
    CHECK(spate_sim_preview_write_png(sim, "", 10, 10, NULL) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_preview_write_png(sim, NULL, 10, 10, NULL) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_preview_write_png(NULL, path, 10, 10, NULL) == SPATE_ERROR_USAGE);
    CHECK(access(path, F_OK) != 0);
    spate_sim_destroy(sim);
}

static void a_failed_write_leaves_no_file(void)
{
    spate_sim *sim = start(tank(2));
    char nowhere[sizeof path + 16];
    snprintf(nowhere, sizeof nowhere, "%s/no/preview.png", folder);
    spate_error error = {0};
    CHECK(spate_sim_preview_write_png(sim, nowhere, 60, 40, &error) == SPATE_ERROR_FILE);
    CHECK(error.status == SPATE_ERROR_FILE && strstr(error.where, "preview.png") != NULL);
    CHECK(spate_sim_preview_write_png(sim, nowhere, 60, 40, NULL) == SPATE_ERROR_FILE);
    int failures = 0;
    for (int n = 1; n < 100; n++) {
        sp_file_fail_at(n);
        error = (spate_error){0};
        spate_status status = spate_sim_preview_write_png(sim, path, 60, 40, &error);
        sp_file_fail_at(0);
        if (status == SPATE_OK)
            break;
        failures++;
        CHECK(status == SPATE_ERROR_FILE && error.message[0] != 0);
        CHECK(access(path, F_OK) != 0);
        CHECK(access(temporary, F_OK) != 0);
    }
    CHECK(failures > 0 && failures < 99);
    CHECK(unlink(path) == 0);
    spate_sim_destroy(sim);
}

static void without_memory_there_is_an_error(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = tank(dim);
        add_water(scene, 0, 0, 0, 0.75, 0.6, 1);
        spate_sim *sim = start(scene);
        int failures = 0;
        for (int n = 1; n < 200; n++) {
            spate_error error = {0};
            sp_alloc_fail_at(n);
            spate_status status = spate_sim_preview_write_png(sim, path, 60, 40, &error);
            sp_alloc_fail_at(0);
            if (status == SPATE_OK)
                break;
            failures++;
            CHECK(status == SPATE_ERROR_MEMORY && error.status == SPATE_ERROR_MEMORY);
            CHECK(access(path, F_OK) != 0);
            CHECK(access(temporary, F_OK) != 0);
        }
        CHECK(failures > 3 && failures < 199);
        CHECK(unlink(path) == 0);
        spate_sim_destroy(sim);
    }
}

static void remove_folder(void)
{
    rmdir(folder);
}

/* Points in the air and in the water, by their looks alone; empty sets change nothing. */
static void sets_are_drawn(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int empty = 0; empty < 2; empty++) {
            spate_scene *with = tank(dim), *without = tank(dim);
            add_water(with, 0, 0, 0, 1, 0.5, 1);
            add_water(without, 0, 0, 0, 1, 0.5, 1);
            spate_shape *points = spate_scene_add_shape(with, SPATE_LIST_TRACERS);
            points->shape = SPATE_SHAPE_BOX;
            points->start = empty ? 10 : 0;
            set(points->min, 0.2, 0.2, 0.2);
            set(points->max, 0.8, 0.48, 0.98);
            sp_image a = picture(with, 320, 180), b = picture(without, 320, 180);
            bool same = memcmp(a.pixels, b.pixels, 320 * 180 * sizeof *a.pixels) == 0;
            CHECK(same == (bool)empty);
            sp_image_destroy(&a);
            sp_image_destroy(&b);
        }
}

TESTS(preview)
{
    SETUP(make_folder);
    TEARDOWN(remove_folder);
    TEST(water_is_blue_in_2d);
    TEST(sets_are_drawn);
    TEST(fast_water_is_bright);
    TEST(solids_are_drawn_in_2d);
    TEST(open_sides_look_open);
    TEST(water_stands_in_the_tank_in_3d);
    TEST(down_is_down);
    TEST(solids_and_water_hide_each_other);
    TEST(vessels_are_open_to_the_eye);
    TEST(a_lone_drop_is_seen);
    TEST(any_shape_is_drawn);
    TEST(the_whole_tank_is_in_view);
    TEST(same_state_same_picture);
    TEST(discs_and_lines_cover_their_area);
    TEST(png_holds_the_picture);
    TEST(colours_survive_the_file);
    TEST(wrong_sizes_are_refused);
    TEST(a_failed_write_leaves_no_file);
    TEST(without_memory_there_is_an_error);
}
