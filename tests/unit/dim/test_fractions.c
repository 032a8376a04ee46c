/* test_fractions.c -- how much of each face and cell is free of solids (src/kernels/fractions.h).
 *
 * Planes: the distance is linear, so the open part of a face is known exactly; here it is taken by
 * clipping the face (a polygon) at the plane. Balls: faces and cells add up to its surface and
 * volume. Plates thinner than a cell: no way through open faces leads from one side to the other.
 */
#include "fixture.h"

#define DX 0.07

static fixture *with_solids(spate_scene *scene)
{
    fixture *f = fixture_create(scene);
    if (f)
        run_stage(f, SP_STAGE_SOLIDS, 0.01);
    return f;
}

/* ---- planes */

typedef struct polygon {
    double at[8][2];
    int count;
} polygon;

static double height(const double at[2], const double slope[2], double offset)
{
    return at[0] * slope[0] + at[1] * slope[1] + offset;
}

/* Area of the unit square where slope . x + offset > 0 (Sutherland and Hodgman). */
static double clipped_square(const double slope[2], double offset)
{
    const polygon square = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 4};
    polygon out = {.count = 0};
    for (int k = 0; k < square.count; k++) {
        const double *a = square.at[k], *b = square.at[(k + 1) % 4];
        double ha = height(a, slope, offset), hb = height(b, slope, offset);
        if (ha > 0)
            memcpy(out.at[out.count++], a, sizeof square.at[0]);
        if ((ha > 0) != (hb > 0)) {
            double t = ha / (ha - hb);
            out.at[out.count][0] = a[0] + t * (b[0] - a[0]);
            out.at[out.count++][1] = a[1] + t * (b[1] - a[1]);
        }
    }
    double twice = 0;
    for (int k = 0; k < out.count; k++) {
        const double *a = out.at[k], *b = out.at[(k + 1) % out.count];
        twice += a[0] * b[1] - a[1] * b[0];
    }
    return 0.5 * fabs(twice);
}

/* Exact open share of face d of a cell, everything in cells. In 2D the face is a square with no
 * slope along z. */
static double exact_share(const int c[DIM], int d, const double normal[3], const double point[3])
{
    double slope[2] = {0, 0}, offset = 0;
    for (int a = 0, k = 0; a < DIM; a++) {
        offset += normal[a] * (c[a] - point[a]);
        if (a != d)
            slope[k++] = normal[a];
    }
    return clipped_square(slope, offset);
}

static void check_plane(const double direction[3], const double point[3])
{
    spate_scene *scene = scene_of_cells(DX, 20, 18, 12);
    spate_shape *plane = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
    double normal[3] = {0, 0, 0}, length = 0, worst = 0;
    plane->shape = SPATE_SHAPE_PLANE;
    for (int d = 0; d < DIM; d++)
        length += direction[d] * direction[d];
    for (int d = 0; d < DIM; d++) {
        plane->normal[d] = direction[d];
        plane->point[d] = point[d] * DX;
        normal[d] = direction[d] / sqrt(length);
    }
    fixture *f = with_solids(scene);
    if (!f)
        return;
    int c[DIM] = {0}, cut = 0;
    do
        FOR_DIM(d) {
            double w = f->s->w[d][X(index)(&f->s->grid, c)],
                   exact = exact_share(c, d, normal, point);
            CHECK(w * 1048576 == floor(w * 1048576)); /* sums of shares are exact */
            cut += exact > 0.01 && exact < 0.99;
            worst = fmax(worst, w == 0 && exact < 1.01e-3 ? 0 : fabs(w - exact));
        }
    while (next_cell(c, f->s->grid.n));
    CHECK(cut > 10);
    CHECK_LESS(worst, 2e-5); /* distances at the nodes are fp32 */
    if (test_failures)
        printf("  normal %g %g %g\n", direction[0], direction[1], direction[2]);
    fixture_destroy(f);
}

static void planes_at_any_tilt(void)
{
    const double fixed[4][3] = {{1, 2, 0.5}, {-1, 3, 0.1}, {0.01, 1, 0.02}, {1, 1, 1}};
    test_random_state = 3;
    for (int k = 0; k < 16; k++) {
        double direction[3], point[3];
        for (int d = 0; d < 3; d++) {
            direction[d] = k < 4 ? fixed[k][d] : random_in(-1, 1);
            point[d] = random_in(5, 7);
        }
        check_plane(direction, point);
    }
}

/* A face that lies on a solid's surface is closed, whatever rounding says of its corners, and what
 * is beside it whole. */
static void faces_on_a_surface_are_closed(void)
{
    const double low[3] = {3, 5, 2}, high[3] = {11, 9, 7};
    spate_scene *scene = scene_of_cells(DX, 16, 16, 12);
    add_box(scene, SPATE_LIST_SOLIDS, low, high);
    fixture *f = with_solids(scene);
    if (!f)
        return;
    int c[DIM] = {0}, wrong = 0, closed = 0;
    do
        FOR_DIM(d) {
            bool touches = c[d] >= low[d] && c[d] <= high[d];
            FOR_DIM(a)
                touches = touches && (a == d || (c[a] >= low[a] && c[a] < high[a]));
            float w = f->s->w[d][X(index)(&f->s->grid, c)];
            wrong += touches ? w != 0.0f : fabsf(w - 1.0f) > 1e-4f;
            closed += touches;
        }
    while (next_cell(c, f->s->grid.n));
    CHECK(wrong == 0);
    CHECK(closed > 50);
    fixture_destroy(f);
}

/* How much of the unit interval from c on is outside of [low, high]. */
static double outside(double c, double low, double high)
{
    return 1 - fmax(fmin(c + 1, high) - fmax(c, low), 0);
}

/* Beside the corners of boxes distances at the nodes do not say where an edge is cut: nodes just
 * below the top and just beside a side are as near to the solid. In 3D a corner inside a face is
 * cut off as a triangle; such faces do not count. */
static void edges_at_corners_are_cut_where_they_are(void)
{
    for (int k = 0; k < 20; k++) {
        const double o = k < 2 ? 0.01 + 0.98 * k : 0.05 * k, low[3] = {3 + o, 5 - o, 2},
                     high[3] = {11 + o, 9 + o, 7};
        spate_scene *scene = scene_of_cells(DX, 16, 16, 12);
        add_box(scene, SPATE_LIST_SOLIDS, low, high);
        fixture *f = with_solids(scene);
        if (!f)
            return;
        int c[DIM] = {0}, count = 0;
        double worst = 0;
        do
            for (int d = 0; d < DIM; d++) {
                int cut = 0;
                double share = 1, solid = 1;
                FOR_DIM(a) {
                    double open = outside(c[a], low[a], high[a]);
                    solid *= a == d ? (c[d] > low[d] && c[d] < high[d]) : 1 - open;
                    cut += a != d && open > 0 && open < 1;
                }
                share -= solid;
                if (cut != 1 || c[d] == low[d] || c[d] == high[d])
                    continue;
                worst = fmax(worst, fabs(f->s->w[d][X(index)(&f->s->grid, c)] - share));
                count++;
            }
        while (next_cell(c, f->s->grid.n));
        CHECK(count > 4);
        CHECK_LESS(worst, 0.12);
        if (worst > 0.12)
            printf("  a box %g cells off the grid\n", o);
        fixture_destroy(f);
    }
}

/* ---- balls */

static void check_ball(const double center[3], double radius)
{
    spate_scene *scene = scene_of_cells(DX, 32, 30, 28);
    add_ball(scene, SPATE_LIST_SOLIDS, center, radius);
    fixture *f = with_solids(scene);
    if (!f)
        return;
    const double pi = acos(-1.0),
                 exact_volume = DIM == 3 ? 4 * pi / 3 * pow(radius, 3) : pi * radius * radius;
    const double exact_surface = DIM == 3 ? 4 * pi * radius * radius : 2 * pi * radius;
    double volume[DIM] = {0}, room = 0, surface = 0;
    bool sound = true;
    int c[DIM] = {0};
    do {
        size_t at = X(index)(&f->s->grid, c);
        double square = 0, distance = -radius, from = 0;
        FOR_DIM(d) {
            double low = f->s->w[d][at], high = f->s->w[d][at + f->s->grid.stride[d]];
            volume[d] += 1 - low;
            square += (high - low) * (high - low);
            from += (c[d] + 0.5 - center[d]) * (c[d] + 0.5 - center[d]);
            sound = sound && low >= 0 && low <= 1;
        }
        double free = f->s->room[at];
        distance += sqrt(from);
        surface += sqrt(square); /* what a cell's faces lack is the solid's surface in it */
        room += 1 - free;
        sound = sound && free >= -1e-6 && free <= 1 + 1e-6 && (distance > -3 || free < 1e-5) &&
                (distance < 3 || free > 1 - 1e-5);
    } while (next_cell(c, f->s->grid.n));
    CHECK(sound);
    FOR_DIM(d)
        CHECK_NEAR(volume[d] / exact_volume, 1, 0.01);
    CHECK_NEAR(room / exact_volume, 1, 0.01);
    CHECK_NEAR(surface / exact_surface, 1, 0.01);
    fixture_destroy(f);
}

static void balls_add_up(void)
{
    const double a[3] = {15.3, 14.6, 13.9}, b[3] = {16, 15, 14}, c[3] = {15.8, 14.3, 13.6};
    check_ball(a, 9.7);
    check_ball(b, 10.2);
    check_ball(c, 8.6);
}

/* A way that grazes a thick solid is not closed: near the pole of a ball faces are open as far as
 * their corners say. */
static void grazing_does_not_close(void)
{
    const double center[3] = {16, 15.03, 14};
    spate_scene *scene = scene_of_cells(DX, 32, 30, 28);
    add_ball(scene, SPATE_LIST_SOLIDS, center, 10);
    fixture *f = with_solids(scene);
    int c[DIM];
    if (!f)
        return;
    FOR_DIM(d)
        c[d] = (int)center[d];
    c[1] =
        25; /* the faces along x above the pole, cut at y = 25.03 - 1/2 (1/2)^2/10 and the like */
    float w = f->s->w[0][X(index)(&f->s->grid, c)];
    CHECK(w > 0.9f && w < 1.0f);
    fixture_destroy(f);
}

/* ---- room */

/* What is free of the linear kernel's volume around the middle of a cell, by points. */
static double sampled_room(const fixture *f, const int c[DIM])
{
    enum { POINTS = DIM == 3 ? 24 : 64 };
    int count[DIM], k[DIM] = {0};
    double sum = 0, all = 0;
    FOR_DIM(d)
        count[d] = POINTS;
    do {
        double x[3] = {0, 0, 0}, weight = 1;
        FOR_DIM(d) {
            double from = 2 * (k[d] + 0.5) / POINTS - 1;
            weight *= 1 - fabs(from);
            x[d] = (c[d] + 0.5 + from) * DX;
        }
        all += weight;
        sum += sp_solids_distance(&f->s->solids, x, NULL, NULL) > 0 ? weight : 0;
    } while (next_cell(k, count));
    return sum / all;
}

/* The room that particles of a full cell need: errors of it are errors of their density. */
static void check_room(spate_scene *scene, const char *what, double most, double bias)
{
    fixture *f = with_solids(scene);
    if (!f)
        return;
    int c[DIM] = {0}, cells = 0;
    double worst = 0, mean = 0;
    do {
        double room = f->s->room[X(index)(&f->s->grid, c)];
        if (room <= 0 || room >= 1)
            continue;
        double error = room - sampled_room(f, c);
        worst = fmax(worst, fabs(error));
        mean += error;
        cells++;
    } while (next_cell(c, f->s->grid.n));
    printf("  %s: room off by %.4f at most, %+.5f in the mean of %d cells\n", what, worst,
           mean / cells, cells);
    CHECK(cells > 10);
    CHECK_LESS(worst, most);
    CHECK_LESS(fabs(mean / cells), bias);
    fixture_destroy(f);
}

static void room_is_what_the_kernel_sees(void)
{
    const double point[3] = {7.3, 6.8, 6.1}, low[3] = {-20, -20, -20}, high[3] = {26, 5.3, 24};
    for (int turn = 1; turn < 4; turn++) {
        spate_scene *scene = scene_of_cells(DX, 14, 14, 12);
        spate_shape *box = add_box(scene, SPATE_LIST_SOLIDS, low, high);
        box->rotation[2] = 11.0 * turn;
        box->rotation[0] = DIM == 3 ? 7.0 * turn : 0;
        check_room(scene, "slope", 0.01, 0.001);
    }
    spate_scene *scene = scene_of_cells(DX, 14, 14, 12);
    add_ball(scene, SPATE_LIST_SOLIDS, point, 3.7);
    /* where the surface is curved, the distance between the corners of half cells is too large by
     * up to (1/2)^2 / 8 of the curvature, here (DIM - 1) / 3.7 */
    check_room(scene, "ball", 0.02 * (DIM - 1), 0.01);
}

/* ---- plates */

/* Whether open faces lead from one corner of the domain to the opposite one. */
static bool leads_through(const fixture *f)
{
    const X(grid) *g = &f->s->grid;
    int c[DIM] = {0};
    bool changed = true;
    uint8_t *wet = calloc(g->size, 1);
    wet[X(index)(g, c)] = 1;
    while (changed) {
        changed = false;
        memset(c, 0, sizeof c);
        do
            FOR_DIM(d) {
                size_t here = X(index)(g, c), low = here - g->stride[d];
                if (c[d] > 0 && wet[here] != wet[low] && f->s->w[d][here] > 0.0f)
                    wet[here] = wet[low] = changed = true;
            }
        while (next_cell(c, g->n));
    }
    FOR_DIM(d)
        c[d] = g->n[d] - 1;
    bool through = wet[X(index)(g, c)];
    free(wet);
    return through;
}

static void check_plate(double x, double thickness, double turn, spate_solid_model model)
{
    const double low[3] = {x, -30, -30}, high[3] = {x + thickness, 50, 50};
    spate_scene *scene = scene_of_cells(DX, 20, 18, 6);
    scene->pressure.solids = model;
    add_box(scene, SPATE_LIST_SOLIDS, low, high)->rotation[2] = turn;
    fixture *f = with_solids(scene);
    if (!f)
        return;
    CHECK(!leads_through(f));
    if (leads_through(f))
        printf("  plate at %g, %g thick, turned by %g\n", x, thickness, turn);
    fixture_destroy(f);
}

static void thin_plates_close_faces(void)
{
    const double thickness[4] = {0.02, 0.2, 0.7, 1.2}, turns[4] = {0, 12, 30, 45};
    for (int k = 0; k < 4; k++)
        for (int turn = 0; turn < 4; turn++)
            for (int place = 0; place < 4; place++) {
                check_plate(9 + 0.27 * place, thickness[k], turns[turn], SPATE_SOLID_MODEL_CUT);
                check_plate(9 + 0.27 * place, thickness[k], turns[turn], SPATE_SOLID_MODEL_VOXEL);
            }
    /* and without a plate there is a way */
    const double corner[3] = {10, 9, 3};
    spate_scene *scene = scene_of_cells(DX, 20, 18, 6);
    add_ball(scene, SPATE_LIST_SOLIDS, corner, 2);
    fixture *f = with_solids(scene);
    CHECK(f && leads_through(f));
    fixture_destroy(f);
}

TESTS(fractions)
{
    TEST(planes_at_any_tilt);
    TEST(faces_on_a_surface_are_closed);
    TEST(edges_at_corners_are_cut_where_they_are);
    TEST(balls_add_up);
    TEST(grazing_does_not_close);
    TEST(room_is_what_the_kernel_sees);
    TEST(thin_plates_close_faces);
}
