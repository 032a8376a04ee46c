/* test_gaps.c -- narrow gaps between solids, at five positions against the grid: a dry gap stays
 * dry, a full gap of half a cell or more has the pressure of the water around it, and gaps below
 * 0.3 cells are closed. */
#include "device_test.h"
#include "sample.h"

#include <math.h>
#include <spate/spate_io.h>

#define DX 0.05

static const double places[5] = {0, 0.2, 0.37, 0.5, 0.8}; /* cells: where the gap begins */
static const double dry_widths[] = {0.1, 0.2, 0.3, 0.4, 0.56, 0.75, 1, 2};
static const double full_widths[] = {0.1, 0.2, 0.5, 0.56, 0.75, 1, 1.5, 2};
#define WIDTHS 8

typedef enum gap_kind { BOXES, DISC_BOX, DISCS, MESHES, LYING_BOXES, TILTED_BOXES } gap_kind;
static const char *const kind_names[] = {"boxes",  "disc and box", "discs",
                                         "meshes", "lying boxes",  "tilted boxes"};

typedef struct gap {
    int dim;
    gap_kind kind;
    bool full;
    double width, place; /* cells */
} gap;

/* ---- the scene, in cells: the gap is in the middle of a tank */

enum { WIDE = 24, HIGH = 20, DEEP = 4, WATER = 16, MIDDLE = 8 };

static void add_gauge(spate_scene *scene, spate_gauge_kind kind, double x, double y)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = kind;
    gauge->at[0] = x * DX;
    gauge->at[1] = y * DX;
    gauge->at[2] = 0.5 * DEEP * DX;
}

static void add_force(spate_scene *scene, const char *solid)
{
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = SPATE_GAUGE_FORCE;
    strcpy(gauge->solid, solid);
}

static void add_block(spate_scene *scene, bool mesh, double x0, double y0, double x1, double y1)
{
    const double thick = (DEEP + 4) * DX;
    spate_shape *block = sample_box(scene, SPATE_LIST_SOLIDS, x0 * DX, y0 * DX, -2 * DX, x1 * DX,
                                    y1 * DX, thick - 2 * DX);
    if (!mesh)
        return;
    *block = sample_shape();
    block->shape = SPATE_SHAPE_MESH;
    block->mesh = sample_mesh((x1 - x0) * DX, (y1 - y0) * DX, thick);
    block->position[0] = x0 * DX;
    block->position[1] = y0 * DX;
    block->position[2] = -2 * DX;
}

/* One of two plates side by side, turned by 30 degrees about the middle of the gap at x. */
static void add_tilted(spate_scene *scene, double x, double width, int side)
{
    const double turn = M_PI / 6, half = 2.5, way = side * (0.5 * width + half);
    double at[2] = {x + way * cos(turn), MIDDLE + way * sin(turn)};
    add_block(scene, false, at[0] - half, at[1] - 3, at[0] + half, at[1] + 3);
    scene->solids.items[scene->solids.count - 1].rotation[2] = 30;
}

/* In 3D a ball. */
static void add_disc(spate_scene *scene, double x)
{
    sample_sphere(scene, SPATE_LIST_SOLIDS, x * DX, MIDDLE * DX, 0.5 * DEEP * DX, 4 * DX);
}

/* A dry gap is 8 cells away from the water, and in the tiles beside it. Gauges: height along the
 * gap, or through a lying one; pressure in its middle; forces on both solids. */
static spate_scene *scene_of(const gap *g)
{
    spate_scene *scene = sample_scene(g->dim, WIDE * DX, HIGH * DX, DEEP * DX, 1);
    double bottom = g->full ? 4 : -2, low = 12 + g->place, high = low + g->width;
    double x = 0.5 * (low + high), y = MIDDLE, foot = g->full ? 4.01 : 0;
    scene->domain.cell_size = DX;
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, (g->full ? WIDE : 4) * DX,
               (g->full ? WATER : 6) * DX, DEEP * DX);
    if (g->kind == LYING_BOXES) {
        low = foot = MIDDLE + g->place;
        high = low + g->width;
        x = 13;
        y = 0.5 * (low + high);
        add_block(scene, false, 8, bottom, 18, low);
        add_block(scene, false, 8, high, 18, 12);
    } else if (g->kind == TILTED_BOXES) {
        add_tilted(scene, x, g->width, -1);
        add_tilted(scene, x, g->width, 1);
    } else {
        if (g->kind == BOXES || g->kind == MESHES)
            add_block(scene, g->kind == MESHES, 8, bottom, low, 12);
        else
            add_disc(scene, low - 4);
        if (g->kind != DISCS)
            add_block(scene, g->kind == MESHES, high, bottom, 18, 12);
        else
            add_disc(scene, high + 4);
    }
    add_gauge(scene, SPATE_GAUGE_HEIGHT, x, foot);
    add_gauge(scene, SPATE_GAUGE_PRESSURE, x, y);
    add_force(scene, "solids[0]");
    add_force(scene, "solids[1]");
    return scene;
}

/* ---- what is looked at */

/* Cells right of x = 7, below y = 12, of one type. */
static int count_cells(spate_sim *sim, spate_cell type)
{
    spate_field_view view;
    int count = 0;
    CHECK(spate_sim_field_view(sim, "type", &view));
    for (int z = 0; z < view.count[2]; z++)
        for (int y = 0; y < 12; y++)
            for (int x = 7; x < WIDE; x++)
                count += view.bytes[x * view.stride[0] + y * view.stride[1] + z * view.stride[2]] ==
                         type;
    return count;
}

static double read_gauge(spate_sim *sim, int gauge, int value)
{
    double values[3] = {NAN, NAN, NAN};
    CHECK(spate_sim_gauge_read(sim, gauge, values) > value);
    return values[value];
}

static void check_dry(const gap *g, spate_sim *sim)
{
    CHECK(count_cells(sim, SPATE_CELL_LIQUID) == 0);
    for (int k = 0; k < 2; k++)
        CHECK(read_gauge(sim, k, 0) == 0);
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < g->dim; d++)
            CHECK(read_gauge(sim, 2 + k, d) == 0);
}

/* The forces across a gap that is open balance those from outside. */
static void check_full(const gap *g, spate_sim *sim)
{
    bool lying = g->kind == LYING_BOXES, round = g->kind == DISCS || g->kind == DISC_BOX;
    bool open = g->width >= 0.3;
    double depth = lying ? WATER - MIDDLE - g->place - 0.5 * g->width : WATER - MIDDLE;
    double weight = 1000 * 9.81 * DX,
           side = weight * depth * 8 * DX * (g->dim == 3 ? DEEP * DX : 1);
    double height = !open && !lying ? WATER - 12 : lying ? WATER - 12 + open * g->width : WATER - 4;
    CHECK(count_cells(sim, SPATE_CELL_AIR) == 0);
    if (open)
        CHECK_NEAR(read_gauge(sim, 1, 0) / weight, depth, 0.02 * depth);
    if (round || g->kind == TILTED_BOXES) /* beside its narrowest part a cell may be open */
        return;
    if (!open)
        CHECK(read_gauge(sim, 1, 0) == 0);
    CHECK_NEAR(read_gauge(sim, 0, 0) / DX, height, 0.2);
    for (int k = 0; k < 2 && open && !lying; k++)
        CHECK_NEAR(read_gauge(sim, 2 + k, 0) / side, 0, 0.05);
}

static void run_gap(const gap *g, const char *device)
{
    int before = test_failures;
    spate_scene *scene = scene_of(g);
    spate_sim *sim = start(scene, device);
    spate_scene_destroy(scene);
    for (int k = 0; sim && k < (g->full ? 6 : 2); k++)
        if (!sample_step(sim, 1.0 / 60))
            break;
    if (sim)
        (g->full ? check_full : check_dry)(g, sim);
    if (test_failures > before)
        printf("  in the %s gap of %g cells at %g between %s in %dD on %s\n",
               g->full ? "full" : "dry", g->width, g->place, kind_names[g->kind], g->dim, device);
    spate_sim_destroy(sim);
}

/* Every width at every place; the short form takes every `stride`-th of them from the first. */
static void sweep(int dim, gap_kind kind, bool full, int first, int stride)
{
    for (int k = test_full() ? 0 : first; k < WIDTHS * 5;
         k += test_full() ? 1 : stride * TEST_STRIDE(3)) {
        gap g = {dim, kind, full, (full ? full_widths : dry_widths)[k / 5], places[k % 5]};
        run_gap(&g, "cpu");
    }
}

static void dry_gaps_2d(void)
{
    sweep(2, BOXES, false, 0, 1);
    sweep(2, LYING_BOXES, false, 0, 1);
    sweep(2, TILTED_BOXES, false, 0, 1);
    sweep(2, DISC_BOX, false, 0, 1);
    sweep(2, DISCS, false, 0, 1);
}

static void dry_gaps_3d(void)
{
    sweep(3, BOXES, false, 0, 6);
    sweep(3, LYING_BOXES, false, 1, 7);
    sweep(3, TILTED_BOXES, false, 2, 13);
    sweep(3, DISCS, false, 3, 9);
}

static void dry_gaps_between_meshes(void)
{
    sweep(3, MESHES, false, 2, 6);
}

static void full_gaps_2d(void)
{
    sweep(2, BOXES, true, 0, 1);
    sweep(2, LYING_BOXES, true, 0, 1);
    sweep(2, TILTED_BOXES, true, 0, 3);
    sweep(2, DISC_BOX, true, 1, 3);
    sweep(2, DISCS, true, 2, 3);
}

static void full_gaps_3d(void)
{
    sweep(3, BOXES, true, 11, 12);
    sweep(3, LYING_BOXES, true, 17, 14);
}

static void full_gaps_between_meshes(void)
{
    sweep(3, MESHES, true, 12, 17);
}

static void gaps_on_a_device(void)
{
    static const double widths[] = {0.2, 0.56, 1};
    for (int k = 0; k < 9; k++) {
        gap g = {k < 6 ? 2 : 3, k < 6 ? BOXES : MESHES, k % 2, widths[(k / 2 + 1) % 3],
                 places[k % 3]};
        run_gap(&g, device_name());
    }
}

/* ---- what the check says */

static void keep_line(void *user, spate_log_level level, const char *where, const char *message)
{
    char *lines = user;
    if (level == SPATE_LOG_WARNING && strstr(message, "is closed"))
        snprintf(lines + strlen(lines), 400 - strlen(lines), "%s %s\n", where, message);
}

static void check_names(gap g, bool named)
{
    char lines[400] = "";
    spate_error error = {0};
    spate_scene *scene = scene_of(&g);
    CHECK(spate_scene_check(scene, keep_line, lines, &error) == SPATE_OK);
    spate_scene_destroy(scene);
    if ((lines[0] != 0) != named)
        printf("  %g cells between %s in %dD: %s\n", g.width, kind_names[g.kind], g.dim, lines);
    CHECK((lines[0] != 0) == named);
    if (named)
        CHECK_TEXT(lines, "solids[1] is less than 0.3 cells (0.015 m) from solids[0]: a gap so "
                          "narrow is closed; use smaller cells, or leave none\n");
}

static void a_check_names_closed_gaps(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (gap_kind kind = BOXES; kind <= TILTED_BOXES; kind++) {
            static const double widths[] = {-0.2, 0, 0.1, 0.29, 0.31, 1};
            for (int k = 0; k < 6; k++)
                if (kind != MESHES || dim == 3)
                    check_names((gap){dim, kind, true, widths[k], 0.37}, k == 2 || k == 3);
        }
}

TESTS(gaps)
{
    SETUP(add_check_device);
    TEST(dry_gaps_2d);
    TEST(dry_gaps_3d);
    TEST(dry_gaps_between_meshes);
    TEST(full_gaps_2d);
    TEST(full_gaps_3d);
    TEST(full_gaps_between_meshes);
    TEST(gaps_on_a_device);
    TEST(a_check_names_closed_gaps);
}
