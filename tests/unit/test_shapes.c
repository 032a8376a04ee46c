/* test_shapes.c -- distances, normals, poses and the trigonometry of shapes.
 *
 * That a distance d is exact follows from four things, tested at random points: it has the sign of
 * an inside test written another way; the foot p - d n lies on the surface (so |d| is not too
 * small); no two points differ by more than they lie apart (so |d| is not too large); and n has
 * length 1. */
#include "test.h"
#include "values.h"

#include <spate/spate.h>
#include <stdlib.h>

#include "scene/mesh.h"
#include "scene/shapes.h"

static uint64_t state = 1;

static double random_in(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(state >> 33) / (double)(1u << 31));
}

static void random_point(double reach, double p[3])
{
    for (int d = 0; d < 3; d++)
        p[d] = random_in(-reach, reach);
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void set(double v[3], double x, double y, double z)
{
    v[0] = x;
    v[1] = y;
    v[2] = z;
}

static spate_mesh *cube_mesh(double half)
{
    double v[24];
    uint32_t t[36];
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 8; i++)
        set(&v[3 * i], i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    for (int q = 0; q < 6; q++) {
        const uint32_t corners[6] = {quads[q][0], quads[q][1], quads[q][2],
                                     quads[q][0], quads[q][2], quads[q][3]};
        memcpy(&t[6 * q], corners, sizeof corners);
    }
    return spate_mesh_create(v, 8, t, 12, NULL);
}

static spate_shape make(spate_shape_kind kind)
{
    spate_shape s = sample_shape();
    s.shape = kind;
    set(s.min, -0.3, 0.1, 0.2);
    set(s.max, 0.5, 0.4, 0.9);
    set(s.center, 0.2, -0.1, 0.3);
    set(s.from, -0.2, 0.1, 0.4);
    set(s.to, 0.3, 0.35, 0.1);
    set(s.point, 0.1, 0.2, -0.1);
    set(s.normal, 2, -1, 0.5);
    set(s.position, 0.4, 0.2, 0.1);
    s.radius = 0.17;
    return s;
}

/* World distance and normal of a shape at rest. */
static double at_rest(const sp_shape *shape, const double world[3], double normal[3])
{
    double local[3], n[3];
    sp_pose_to_local(&shape->rest, world, local);
    double distance = sp_shape_distance(shape, local, normal ? n : NULL);
    if (normal)
        sp_pose_rotate_to_world(&shape->rest, n, normal);
    return distance;
}

/* ------------------------------------------------------------------ exactness */

/* Whether a world point is inside, from the scene's own numbers and not by distances; unrotated
 * shapes only. */
static bool is_inside(const spate_shape *s, int dim, const double p[3])
{
    double axis[3] = {0, 0, 0}, from[3] = {0, 0, 0}, squared = 0, along = 0, across = 0,
           q[3] = {p[0], p[1], dim == 3 ? p[2] : 0};
    switch (s->shape) {
    case SPATE_SHAPE_BOX:
        for (int d = 0; d < dim; d++)
            if (p[d] < s->min[d] || p[d] > s->max[d])
                return false;
        return true;
    case SPATE_SHAPE_SPHERE:
        for (int d = 0; d < dim; d++)
            squared += (p[d] - s->center[d]) * (p[d] - s->center[d]);
        return squared < s->radius * s->radius;
    case SPATE_SHAPE_PLANE:
        for (int d = 0; d < dim; d++)
            along += (p[d] - s->point[d]) * s->normal[d];
        return along < 0;
    case SPATE_SHAPE_MESH:
        return fabs(q[0] - 0.4) < 0.25 && fabs(q[1] - 0.2) < 0.25 && fabs(q[2] - 0.1) < 0.25;
    case SPATE_SHAPE_CAPSULE:
    case SPATE_SHAPE_CYLINDER:
    case SPATE_SHAPE_PARTICLES: break;
    }
    for (int d = 0; d < dim; d++) {
        axis[d] = s->to[d] - s->from[d];
        from[d] = q[d] - s->from[d];
        squared += axis[d] * axis[d];
        along += from[d] * axis[d];
    }
    double t = along / squared;
    if (s->shape == SPATE_SHAPE_CYLINDER && (t < 0 || t > 1))
        return false;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int d = 0; d < dim; d++)
        across += (from[d] - t * axis[d]) * (from[d] - t * axis[d]);
    return across < s->radius * s->radius;
}

static void check_exact(const spate_shape *shape, int dim, bool rotated)
{
    sp_shape s;
    sp_shape_prepare(&s, shape, dim);
    double last[3] = {0, 0, 0}, last_distance = at_rest(&s, last, NULL);
    int insides = 0;
    for (int i = 0; i < 3000; i++) {
        double p[3], n[3], foot[3], step[3];
        random_point(i % 2 ? 0.7 : 3, p);
        double d = at_rest(&s, p, n);
        insides += d < 0;
        CHECK(d == at_rest(&s, p, NULL));
        CHECK_NEAR(length(n), 1, 1e-13);
        if (dim == 2)
            CHECK(n[2] == 0);
        for (int k = 0; k < 3; k++) {
            foot[k] = p[k] - d * n[k];
            step[k] = k < dim ? p[k] - last[k] : 0;
        }
        CHECK_NEAR(at_rest(&s, foot, NULL), 0, 1e-13);
        CHECK_LESS(fabs(d - last_distance), length(step) + 1e-13);
        if (!rotated && fabs(d) > 1e-12)
            CHECK((d < 0) == is_inside(shape, dim, p));
        memcpy(last, p, sizeof last);
        last_distance = d;
    }
    CHECK(insides > 10);
}

static void distances_are_exact(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = SPATE_SHAPE_BOX; kind <= SPATE_SHAPE_PLANE; kind++) {
            spate_shape s = make((spate_shape_kind)kind);
            check_exact(&s, dim, false);
            set(s.rotation, 20, -130, 75);
            check_exact(&s, dim, true);
        }
}

static void mesh_distances_follow_the_scale(void)
{
    spate_shape s = make(SPATE_SHAPE_MESH);
    s.mesh = cube_mesh(10);
    s.scale = 0.025; /* half a metre wide */
    CHECK(s.mesh != NULL);
    check_exact(&s, 3, false);
    set(s.rotation, 20, -130, 75);
    check_exact(&s, 3, true);
    sp_shape prepared;
    double low[3], high[3];
    sp_shape_prepare(&prepared, &s, 3);
    sp_shape_bounds(&prepared, low, high);
    CHECK_NEAR(low[1], -0.25, 1e-15);
    CHECK_NEAR(high[2], 0.25, 1e-15);
    spate_mesh_destroy(s.mesh);
}

static void distances_by_hand(void)
{
    spate_shape box = make(SPATE_SHAPE_BOX), disc = make(SPATE_SHAPE_SPHERE),
                post = make(SPATE_SHAPE_CYLINDER);
    sp_shape s;
    double n[3];
    set(box.min, 0, 0, 0);
    set(box.max, 2, 4, 6);
    sp_shape_prepare(&s, &box, 3);
    CHECK_NEAR(at_rest(&s, (double[3]){1, 2, 3}, n), -1, 0);
    CHECK_NEAR(at_rest(&s, (double[3]){5, 8, 3}, n), 5, 0);
    CHECK_NEAR(n[0], 0.6, 1e-15);
    CHECK_NEAR(n[1], 0.8, 1e-15);
    CHECK_NEAR(at_rest(&s, (double[3]){2, 2, 3}, n), 0, 0);
    CHECK_NEAR(n[0], 1, 0);
    sp_shape_prepare(&s, &box, 2);
    CHECK_NEAR(at_rest(&s, (double[3]){1, 2, 1000}, n), -1, 0);
    sp_shape_prepare(&s, &disc, 2);
    CHECK_NEAR(at_rest(&s, (double[3]){0.2, 0.9, -50}, n), 1 - 0.17, 1e-15);
    set(post.from, 0, 0, 0);
    set(post.to, 0, 1, 0);
    sp_shape_prepare(&s, &post, 3);
    CHECK_NEAR(at_rest(&s, (double[3]){0.17 + 0.3, 1.4, 0}, n), 0.5, 1e-15);
    CHECK_NEAR(at_rest(&s, (double[3]){0.5, 0.5, 0}, n), 0.33, 1e-15);
    sp_shape_prepare(&s, &post, 2);
    CHECK_NEAR(at_rest(&s, (double[3]){0.17 + 0.3, 1.4, 0}, n), 0.5, 1e-15);
}

static void inversion_flips_both(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = SPATE_SHAPE_BOX; kind <= SPATE_SHAPE_PLANE; kind++) {
            spate_shape shape = make((spate_shape_kind)kind);
            sp_shape plain, inverted;
            double p[3], n[3], m[3], low[3], high[3];
            sp_shape_prepare(&plain, &shape, dim);
            shape.invert = true;
            sp_shape_prepare(&inverted, &shape, dim);
            random_point(1, p);
            CHECK(sp_shape_distance(&plain, p, n) == -sp_shape_distance(&inverted, p, m));
            CHECK(n[0] == -m[0] && n[1] == -m[1] && n[2] == -m[2]);
            sp_shape_bounds(&inverted, low, high);
            CHECK(low[0] == -HUGE_VAL && high[dim - 1] == HUGE_VAL);
        }
}

static void degenerate_points_have_unit_normals(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = SPATE_SHAPE_BOX; kind <= SPATE_SHAPE_PLANE; kind++)
            for (int flat = 0; flat < 2; flat++) {
                spate_shape shape = make((spate_shape_kind)kind);
                sp_shape s;
                if (flat) { /* no thickness, no length, no radius */
                    memcpy(shape.max, shape.min, sizeof shape.max);
                    memcpy(shape.to, shape.from, sizeof shape.to);
                    shape.radius = 0;
                }
                sp_shape_prepare(&s, &shape, dim);
                double h = s.half[0], r = s.radius;
                const double points[][3] = {{0, 0, 0},
                                            {h, 0, 0},
                                            {h, r, 0},
                                            {-h, 0, -r},
                                            {0, 1e-200, 0},
                                            {h + 1e-170, 1e-300, 1e-300},
                                            {h, s.half[1], 0},
                                            {h, s.half[1], s.half[2]},
                                            {1e150, -1e150, 1e150}};
                for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
                    double n[3], d = sp_shape_distance(&s, points[i], n);
                    CHECK(isfinite(d));
                    CHECK_NEAR(length(n), 1, 1e-13);
                }
            }
}

static void bounds_hold_the_inside(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = SPATE_SHAPE_BOX; kind <= SPATE_SHAPE_CYLINDER; kind++) {
            spate_shape shape = make((spate_shape_kind)kind);
            sp_shape s;
            double low[3], high[3], reach[3] = {0, 0, 0};
            sp_shape_prepare(&s, &shape, dim);
            sp_shape_bounds(&s, low, high);
            for (int i = 0; i < 20000; i++) {
                double p[3];
                random_point(0.7, p);
                if (sp_shape_distance(&s, p, NULL) > 0)
                    continue;
                for (int d = 0; d < dim; d++) {
                    CHECK(p[d] >= low[d] && p[d] <= high[d]);
                    reach[d] = p[d] > reach[d] ? p[d] : reach[d];
                }
            }
            for (int d = 0; d < dim; d++)
                CHECK_NEAR(reach[d], high[d], 0.06); /* and are not much wider */
        }
}

/* ------------------------------------------------------------------ poses */

static void sine_and_cosine(void)
{
    double s, c;
    for (int k = -8; k <= 8; k++) {
        static const double sines[4] = {0, 1, 0, -1};
        sp_sincos_degrees(90.0 * k, &s, &c);
        CHECK(s == sines[(k + 8) & 3] && c == sines[(k + 9) & 3]);
    }
    sp_sincos_degrees(3600000090.0, &s, &c);
    CHECK(s == 1 && c == 0);
    for (int i = 0; i < 20000; i++) {
        double degrees = random_in(-180, 180);
        long double radians = degrees * 0.017453292519943295769236907684886L;
        sp_sincos_degrees(degrees, &s, &c);
        CHECK_NEAR(s, (double)sinl(radians), 4e-16);
        CHECK_NEAR(c, (double)cosl(radians), 4e-16);
        CHECK_NEAR(s * s + c * c, 1, 1e-15);
    }
    sp_sincos_degrees(NAN, &s, &c);
    CHECK(isnan(s) && isnan(c));
}

static void rotation_order_and_pivot(void)
{
    spate_shape shape = make(SPATE_SHAPE_BOX);
    sp_shape s;
    double world[3], back[3];
    set(shape.min, 1, 1, 1);
    set(shape.max, 3, 3, 3);
    set(shape.rotation, 90, 90, 0);
    sp_shape_prepare(&s, &shape, 3);
    /* (0, 1, 0) goes to (0, 0, 1) about x, then to (1, 0, 0) about y */
    sp_pose_to_world(&s.rest, (double[3]){0, 1, 0}, world);
    CHECK(world[0] == 3 && world[1] == 2 && world[2] == 2);
    sp_pose_to_local(&s.rest, world, back);
    CHECK(back[0] == 0 && back[1] == 1 && back[2] == 0);
    set(shape.rotation, 90, 90, 90);
    sp_shape_prepare(&s, &shape, 2);
    sp_pose_rotate_to_world(&s.rest, (double[3]){1, 0, 0}, world);
    CHECK(world[0] == 0 && world[1] == 1 && world[2] == 0);
}

static void frames_are_rotations(void)
{
    for (int i = 0; i < 200; i++) {
        spate_shape shape = make(i % 2 ? SPATE_SHAPE_CAPSULE : SPATE_SHAPE_PLANE);
        sp_shape s;
        random_point(1, shape.to);
        random_point(i % 3 ? 1e-3 : 1, shape.normal);
        if (i == 7)
            set(shape.normal, 0, 0, -3);
        random_point(400, shape.rotation);
        sp_shape_prepare(&s, &shape, 2 + i % 4 / 2);
        const double *a = s.rest.axes;
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
                CHECK_NEAR(a[3 * r] * a[3 * q] + a[3 * r + 1] * a[3 * q + 1] +
                               a[3 * r + 2] * a[3 * q + 2],
                           r == q, 1e-14);
        double determinant = a[0] * (a[4] * a[8] - a[5] * a[7]) -
                             a[1] * (a[3] * a[8] - a[5] * a[6]) +
                             a[2] * (a[3] * a[7] - a[4] * a[6]);
        CHECK_NEAR(determinant, 1, 1e-14);
    }
}

static void keyframes_move(void)
{
    spate_keyframe keys[3] = {
        {1, {0, 0, 0}, {0, 0, 0}}, {3, {2, 4, 6}, {0, 0, 720}}, {3, {5, 5, 5}, {0, 0, 90}}};
    spate_shape shape = make(SPATE_SHAPE_SPHERE);
    sp_shape s;
    set(shape.center, 1, 1, 1);
    sp_shape_prepare(&s, &shape, 3);
    CHECK(!sp_shape_moves(&s));
    shape.motion = keys;
    shape.motion_count = 3;
    sp_shape_prepare(&s, &shape, 3);
    CHECK(sp_shape_moves(&s));
    sp_pose before = sp_shape_pose(&s, 0), middle = sp_shape_pose(&s, 1.5),
            after = sp_shape_pose(&s, 3);
    CHECK(before.origin[0] == 1 && before.axes[0] == 1);
    CHECK(middle.origin[0] == 1.5 && middle.origin[1] == 2 && middle.origin[2] == 2.5);
    CHECK(middle.axes[0] == -1 && middle.axes[4] == -1); /* half a turn of two */
    CHECK(after.origin[0] == 6 && after.axes[0] == 0 &&
          after.axes[3] == 1); /* the later of two keys at one time */
    sp_shape_prepare(&s, &shape, 2);
    CHECK(sp_shape_pose(&s, 1.5).origin[2] == 0);

    shape.motion_count = 0;
    set(shape.velocity, 0, 0, 0.5);
    sp_shape_prepare(&s, &shape, 3);
    CHECK(sp_shape_moves(&s));
    CHECK(sp_shape_pose(&s, 4).origin[2] == 3);
    sp_shape_prepare(&s, &shape, 2);
    CHECK(!sp_shape_moves(&s)); /* a 2D shape has no way to go in z */
}

static void poses_turn_on_top_of_the_shapes_own_rotation(void)
{
    spate_shape shape = make(SPATE_SHAPE_BOX);
    sp_shape s;
    double world[3];
    set(shape.min, -1, -1, -1);
    set(shape.max, 1, 1, 1);
    set(shape.rotation, 0, 0, 90);
    sp_shape_prepare(&s, &shape, 3);
    sp_pose pose = sp_shape_pose_at(&s, (double[3]){5, 0, 0}, (double[3]){90, 0, 0});
    sp_pose_to_world(&pose, (double[3]){1, 0, 0},
                     world); /* to y by its own, then to z by the motion */
    CHECK(world[0] == 5 && world[1] == 0 && world[2] == 1);
}

/* In WebAssembly the tests share a process. */
static void seed(void)
{
    state = 1;
}

TESTS(shapes)
{
    SETUP(seed);
    TEST(distances_are_exact);
    TEST(mesh_distances_follow_the_scale);
    TEST(distances_by_hand);
    TEST(inversion_flips_both);
    TEST(degenerate_points_have_unit_normals);
    TEST(bounds_hold_the_inside);
    TEST(sine_and_cosine);
    TEST(rotation_order_and_pivot);
    TEST(frames_are_rotations);
    TEST(keyframes_move);
    TEST(poses_turn_on_top_of_the_shapes_own_rotation);
}
