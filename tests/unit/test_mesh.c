/* test_mesh.c -- signed distances to meshes against brute force: every triangle for the distance,
 * and the winding number (the sum of the solid angles of all triangles) for the sign. */
#include "test.h"

#include <spate/spate.h>
#include <stdlib.h>

#include "base/memory.h"
#include "scene/mesh.h"

enum { MAX_VERTICES = 6000, MAX_TRIANGLES = 12000 };

static struct {
    double v[MAX_VERTICES][3];
    uint32_t t[MAX_TRIANGLES][3];
    uint32_t vertices, triangles;
} m;

static uint64_t state = 1;

static double random_in(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(state >> 33) / (double)(1u << 31));
}

static uint32_t add_vertex(double x, double y, double z)
{
    double *v = m.v[m.vertices];
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return m.vertices++;
}

static void add_triangle(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = m.t[m.triangles++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static spate_mesh *create(spate_error *error)
{
    return spate_mesh_create(m.v[0], m.vertices, m.t[0], m.triangles, error);
}

static void clear(void)
{
    m.vertices = m.triangles = 0;
}

/* ------------------------------------------------------------------ models */

static void add_box(double x, double y, double z, double hx, double hy, double hz)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t first = m.vertices;
    for (int i = 0; i < 8; i++)
        add_vertex(x + (i & 1 ? hx : -hx), y + (i & 2 ? hy : -hy), z + (i & 4 ? hz : -hz));
    for (int q = 0; q < 6; q++) {
        add_triangle(first + quads[q][0], first + quads[q][1], first + quads[q][2]);
        add_triangle(first + quads[q][0], first + quads[q][2], first + quads[q][3]);
    }
}

/* A torus about y; bumps > 0 makes the tube spiky. */
static void add_torus(uint32_t around, uint32_t tube, double ring, double thick, double bumps)
{
    uint32_t first = m.vertices;
    const double turn = 6.283185307179586;
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t j = 0; j < tube; j++) {
            double a = turn * i / around, b = turn * j / tube,
                   r = thick * (1 + bumps * ((i + j) % 2));
            add_vertex((ring + r * cos(b)) * cos(a), r * sin(b), (ring + r * cos(b)) * sin(a));
        }
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t j = 0; j < tube; j++) {
            uint32_t i1 = (i + 1) % around, j1 = (j + 1) % tube;
            uint32_t a = first + i * tube + j, b = first + i * tube + j1,
                     c = first + i1 * tube + j1, d = first + i1 * tube + j;
            add_triangle(a, b, c);
            add_triangle(a, c, d);
        }
}

/* A sharp dart: thin, concave, with edges of a fraction of a degree. */
static void add_dart(void)
{
    uint32_t tip = add_vertex(1, 0, 0), left = add_vertex(-0.5, 0, 0.4),
             right = add_vertex(-0.5, 0, -0.4);
    uint32_t notch = add_vertex(-0.2, 0, 0), top = add_vertex(-0.1, 0.003, 0),
             under = add_vertex(-0.1, -0.001, 0);
    const uint32_t ring[5] = {tip, left, notch, right, tip};
    for (int i = 0; i < 4; i++) {
        add_triangle(ring[i], top, ring[i + 1]);
        add_triangle(ring[i], ring[i + 1], under);
    }
}

/* ------------------------------------------------------------------ brute force */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus(const double a[3], const double b[3], double c[3])
{
    for (int d = 0; d < 3; d++)
        c[d] = a[d] - b[d];
}

static double segment_distance(const double p[3], const double a[3], const double b[3])
{
    double e[3], q[3];
    minus(b, a, e);
    minus(p, a, q);
    double s = dot(q, e) / dot(e, e);
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int d = 0; d < 3; d++)
        q[d] -= s * e[d];
    return sqrt(dot(q, q));
}

static long double long_dot(const double a[3], const double b[3])
{
    return (long double)a[0] * b[0] + (long double)a[1] * b[1] + (long double)a[2] * b[2];
}

/* To the inside of a triangle by the normal equations of the foot's barycentric coordinates, which
 * need the longer numbers where the triangle is narrow; HUGE_VAL if the foot is outside. */
static double face_distance(const double p[3], const uint32_t t[3])
{
    double e[3], f[3], q[3];
    minus(m.v[t[1]], m.v[t[0]], e);
    minus(m.v[t[2]], m.v[t[0]], f);
    minus(p, m.v[t[0]], q);
    long double ee = long_dot(e, e), ef = long_dot(e, f), ff = long_dot(f, f),
                det = ee * ff - ef * ef;
    if (det <= 1e-16 * ee * ff)
        return HUGE_VAL;
    long double u = (ff * long_dot(q, e) - ef * long_dot(q, f)) / det,
                v = (ee * long_dot(q, f) - ef * long_dot(q, e)) / det;
    if (u < 0 || v < 0 || u + v > 1)
        return HUGE_VAL;
    long double x = (long double)e[1] * f[2] - (long double)e[2] * f[1],
                y = (long double)e[2] * f[0] - (long double)e[0] * f[2];
    long double z = (long double)e[0] * f[1] - (long double)e[1] * f[0];
    return (double)(fabsl(q[0] * x + q[1] * y + q[2] * z) / sqrtl(x * x + y * y + z * z));
}

static double brute_distance(const double p[3])
{
    double best = HUGE_VAL;
    for (uint32_t t = 0; t < m.triangles; t++) {
        best = fmin(best, face_distance(p, m.t[t]));
        for (int k = 0; k < 3; k++)
            best = fmin(best, segment_distance(p, m.v[m.t[t][k]], m.v[m.t[t][(k + 1) % 3]]));
    }
    return best;
}

static double winding(const double p[3])
{
    double sum = 0;
    for (uint32_t t = 0; t < m.triangles; t++) {
        double a[3], b[3], c[3];
        minus(m.v[m.t[t][0]], p, a);
        minus(m.v[m.t[t][1]], p, b);
        minus(m.v[m.t[t][2]], p, c);
        double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
        double det = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                     a[2] * (b[0] * c[1] - b[1] * c[0]);
        sum += 2 * atan2(det, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
    }
    return fabs(sum / 12.566370614359172);
}

/* Distances against brute force at points near a triangle, near an edge line, near a vertex, and
 * anywhere. */
static void check_mesh(const spate_mesh *mesh, int points, double reach)
{
    int inside = 0;
    for (int i = 0; i < points; i++) {
        double p[3], n[3], foot[3],
            size = i % 5 == 0   ? reach
                   : i % 5 == 1 ? 1e-6 * reach
                                : 0.05 * reach;
        const uint32_t *t = m.t[(uint32_t)random_in(0, m.triangles)];
        double u = random_in(0, 1), w = i % 3 == 0 ? 0 : random_in(0, 1 - u),
               last = i % 3 == 1 ? 0 : 1 - u - w;
        if (i % 7 == 0)
            u = 1, w = last = 0;
        for (int d = 0; d < 3; d++)
            p[d] = u * m.v[t[0]][d] + w * m.v[t[1]][d] + (1 - u - w) * m.v[t[2]][d] +
                   size * random_in(-1, 1);
        double expected = brute_distance(p), d = sp_mesh_distance(mesh, p, n);
        CHECK_NEAR(fabs(d), expected, 1e-12 * reach);
        CHECK_NEAR(dot(n, n), 1, 1e-12);
        CHECK(d == sp_mesh_distance(mesh, p, NULL));
        if (expected > 1e-9 * reach)
            CHECK((d < 0) == (winding(p) > 0.5));
        for (int k = 0; k < 3; k++)
            foot[k] = p[k] - d * n[k];
        CHECK_LESS(brute_distance(foot), 1e-9 * reach);
        inside += d < 0;
    }
    CHECK(inside > 0 && inside < points);
}

/* ------------------------------------------------------------------ tests */

static void torus_and_spikes(void)
{
    for (int k = 0; k < 3; k++) {
        clear();
        add_torus(24, 12, 1, 0.3, k == 0 ? 0 : k == 1 ? 0.8 : -0.7);
        spate_mesh *mesh = create(NULL);
        CHECK(mesh && sp_mesh_triangle_count(mesh) == m.triangles &&
              sp_mesh_vertex_count(mesh) == m.vertices);
        check_mesh(mesh, 2000, 2);
        spate_mesh_destroy(mesh);
    }
}

static void thin_and_concave(void)
{
    for (int k = 0; k < 3; k++) {
        clear();
        if (k == 0)
            add_dart();
        else
            add_box(100, 0, 0, 0.01, k == 1 ? 0.00001 : 0.5, 0.7);
        spate_mesh *mesh = create(NULL);
        CHECK(mesh != NULL);
        check_mesh(mesh, 4000, 1);
        spate_mesh_destroy(mesh);
    }
}

static void points_on_the_surface(void)
{
    clear();
    add_box(1, 2, 3, 0.5, 0.25, 0.125);
    spate_mesh *mesh = create(NULL);
    for (uint32_t i = 0; i < 8; i++) {
        double n[3];
        CHECK(sp_mesh_distance(mesh, m.v[i], n) == 0);
        for (int d = 0; d < 3; d++) /* a corner looks outwards along all three axes */
            CHECK(n[d] * (m.v[i][d] - (d + 1)) > 0);
        CHECK_NEAR(n[0] * n[0], 1.0 / 3, 1e-12); /* by angles, however the faces are cut */
    }
    double n[3], edge[3] = {1.5, 2.25, 3.01}, face[3] = {1.5, 2.1, 3.01};
    CHECK(sp_mesh_distance(mesh, edge, n) == 0);
    CHECK_NEAR(n[0], sqrt(0.5), 1e-12);
    CHECK_NEAR(n[1], sqrt(0.5), 1e-12);
    CHECK(sp_mesh_distance(mesh, face, n) == 0);
    CHECK(n[0] == 1);
    double far[3] = {1e9, 2, 3};
    CHECK_NEAR(sp_mesh_distance(mesh, far, n), 1e9 - 1.5, 1e-3);
    spate_mesh_destroy(mesh);
}

static void windings_are_repaired(void)
{
    for (int k = 0; k < 4; k++) {
        clear();
        add_torus(16, 8, 1, 0.3, 0.5);
        spate_mesh *whole = create(NULL);
        for (uint32_t t = 0; t < m.triangles; t++)
            if (k == 3 || random_in(0, 1) < 0.3 * k) {
                uint32_t swap = m.t[t][0];
                m.t[t][0] = m.t[t][1];
                m.t[t][1] = swap;
            }
        spate_mesh *mesh = create(NULL);
        CHECK(whole && mesh);
        for (int i = 0; i < 1000; i++) {
            double p[3] = {random_in(-2, 2), random_in(-1, 1), random_in(-2, 2)};
            CHECK_NEAR(sp_mesh_distance(mesh, p, NULL), sp_mesh_distance(whole, p, NULL), 1e-13);
        }
        spate_mesh_destroy(whole);
        spate_mesh_destroy(mesh);
    }
}

/* Shells side by side are all solid; of shells inside each other every second one is a hole. */
static void separate_and_nested_shells(void)
{
    clear();
    add_box(0, 0, 0, 3, 3, 3);
    add_box(0, 0, 0, 2, 2, 2);
    add_box(0.1, 0.2, 0, 1, 1, 1);
    add_box(8, 0, 0, 1, 1, 1);
    add_box(2.5, 0, 0, 0.25, 0.25, 0.25);
    for (uint32_t t = 36; t < 48; t++) { /* the one beside is inside out */
        uint32_t swap = m.t[t][0];
        m.t[t][0] = m.t[t][1];
        m.t[t][1] = swap;
    }
    spate_mesh *mesh = create(NULL);
    static const double at[][4] = {{0, 0, 0, -0.8},   {1.5, 0, 0, 0.4}, {-2.5, 0.1, 0, -0.5},
                                   {4, 0, 0, 1},      {8, 0, 0, -1},    {2.5, 0, 0, 0.25},
                                   {2.1, 0, 0, -0.1}, {2.9, 0, 0, -0.1}};
    CHECK(mesh != NULL);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        CHECK_NEAR(sp_mesh_distance(mesh, at[i], NULL), at[i][3], 1e-12);
    spate_mesh_destroy(mesh);
}

/* Two boxes that share one corner: one vertex, two fans. */
static void shells_that_touch(void)
{
    clear();
    add_box(-0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    add_box(0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
    spate_mesh *mesh = create(NULL);
    CHECK(mesh && sp_mesh_vertex_count(mesh) == 16);
    check_mesh(mesh, 2000, 1);
    spate_mesh_destroy(mesh);
}

static void vertices_are_welded(void)
{
    clear();
    add_torus(24, 12, 1, 0.3, 0);
    uint32_t shared = m.vertices, original = m.triangles;
    static double soup[MAX_TRIANGLES * 3][3];
    static uint32_t corners[MAX_TRIANGLES * 3];
    for (uint32_t k = 0; k < 3 * m.triangles; k++) {
        for (int d = 0; d < 3; d++) /* repeated, and rounded as in single precision */
            soup[k][d] = m.v[m.t[k / 3][k % 3]][d] + (k % 2 ? 0 : random_in(-5e-8, 5e-8));
        corners[k] = k;
    }
    corners[3 * original] = corners[3 * original + 1] = 5; /* a triangle without area is dropped */
    corners[3 * original + 2] = 9;
    spate_mesh *mesh =
        spate_mesh_create(soup[0], 3 * (size_t)original, corners, original + 1, NULL);
    CHECK(mesh != NULL);
    if (!mesh)
        return;
    CHECK(sp_mesh_vertex_count(mesh) == shared && sp_mesh_triangle_count(mesh) == original);
    double centre[3] = {1, 0, 0}, low[3], high[3];
    CHECK_NEAR(sp_mesh_distance(mesh, centre, NULL), -brute_distance(centre), 1e-6);
    sp_mesh_bounds(mesh, low, high);
    CHECK_NEAR(low[0], -1.3, 1e-6);
    CHECK_NEAR(high[1], 0.3, 1e-6);
    spate_mesh_destroy(mesh);
}

/* A wedge whose sharp edge is cut by vertices on one side only: the gap is filled by triangles
 * without area. */
static void triangles_without_area(void)
{
    clear();
    uint32_t a = add_vertex(0, 0, 0), b = add_vertex(0, 0, 1), c = add_vertex(-1, 0.1, 0),
             d = add_vertex(-1, 0.1, 1);
    uint32_t e = add_vertex(-1, -0.1, 0), f = add_vertex(-1, -0.1, 1), mid = add_vertex(0, 0, 0.3),
             end = add_vertex(0, 0, 0.7);
    const uint32_t fixed[][3] = {
        {a, c, e},   {b, f, d},     {c, d, f},   {c, f, e}, /* the ends and the back */
        {a, b, d},   {a, d, c},                             /* the upper side: one piece along ab */
        {mid, a, e}, {end, mid, e}, {b, end, e}, {b, e, f}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_triangle(fixed[i][0], fixed[i][1], fixed[i][2]);
    add_triangle(a, mid, b);
    add_triangle(mid, end, b);
    spate_mesh *mesh = create(NULL);
    CHECK(mesh != NULL);
    for (int i = 0; i < 3000; i++) {
        double p[3] = {random_in(-0.5, 1), random_in(-0.5, 0.5), random_in(-0.2, 1.2)};
        double distance = sp_mesh_distance(mesh, p, NULL);
        CHECK_NEAR(fabs(distance), brute_distance(p), 1e-12);
        CHECK((distance < 0) == (winding(p) > 0.5));
    }
    spate_mesh_destroy(mesh);
}

static void expect_failure(spate_status status, const char *message)
{
    spate_error error = {0};
    spate_mesh *mesh = create(&error);
    CHECK(mesh == NULL);
    CHECK(error.status == status);
    CHECK_TEXT(error.message, message);
    CHECK(create(NULL) == NULL);
}

static void bad_meshes(void)
{
    clear();
    expect_failure(SPATE_ERROR_SCENE, "the mesh is empty: it has no triangles");
    add_box(0, 0, 0, 1, 1, 1);
    m.triangles--;
    expect_failure(SPATE_ERROR_SCENE,
                   "the mesh has 3 open edges (first near (-1, 0, 1)): close its holes");
    m.triangles++;
    m.t[3][1] = 8;
    expect_failure(SPATE_ERROR_SCENE,
                   "triangle 4 of the mesh names vertex 9, but there are only 8 vertices");
    clear();
    add_box(0, 0, 0, 1, 1, 1);
    m.v[2][1] = NAN;
    expect_failure(SPATE_ERROR_SCENE,
                   "vertex 3 of the mesh is not a finite number: export the mesh again");
    clear();
    add_box(0, 0, 0, 1, 1, 1);
    add_box(2, 2, 0, 1, 1, 1); /* they share an edge */
    expect_failure(
        SPATE_ERROR_SCENE,
        "the mesh has 1 edge with more than two triangles (first near (1, 1, 0)): remove "
        "inner walls and doubled faces");
    clear();
    for (int i = 0; i < 4; i++) /* a tetrahedron pressed flat */
        add_vertex(i % 2, i / 2, 0);
    for (uint32_t i = 0; i < 4; i++)
        add_triangle(i == 0, 1 + (i <= 1), 2 + (i <= 2));
    expect_failure(SPATE_ERROR_SCENE, "the mesh is flat: it encloses no volume");
    clear();
    add_box(7, 7, 7, 0, 0, 0);
    expect_failure(SPATE_ERROR_SCENE, "the mesh is 0 across: check the numbers of its vertices");
    clear();
    for (uint32_t i = 0; i < 6; i++)
        add_vertex(i, 0, i == 3);
    add_triangle(1, 1, 2);
    expect_failure(SPATE_ERROR_SCENE, "the mesh is empty: all its triangles have no area");
}

static void one_sided_surface(void)
{
    enum { N = 7 };
    spate_error error = {0};
    clear();
    for (uint32_t i = 0; i < N * N; i++)
        add_vertex(random_in(0, 1), random_in(0, 1), random_in(0, 1));
    for (uint32_t j = 0; j < N;
         j++) /* a Klein bottle: the last row is glued to the first, reversed */
        for (uint32_t i = 0; i < N; i++) {
            uint32_t i1 = (i + 1) % N, up = (j + 1) % N;
            uint32_t k = j + 1 < N ? i : (N - i) % N, k1 = j + 1 < N ? i1 : (N - i1) % N;
            add_triangle(j * N + i, j * N + i1, up * N + k1);
            add_triangle(j * N + i, up * N + k1, up * N + k);
        }
    CHECK(create(&error) == NULL);
    CHECK(strstr(error.message, "only one side") != NULL);
}

static void owners(void)
{
    clear();
    add_box(0, 0, 0, 1, 1, 1);
    spate_mesh *mesh = create(NULL);
    CHECK(spate_mesh_retain(mesh) == mesh);
    spate_mesh_destroy(mesh);
    CHECK(sp_mesh_distance(mesh, (double[3]){0, 0, 0}, NULL) == -1);
    CHECK(sp_mesh_triangles(mesh)[0] < 8 && fabs(sp_mesh_vertices(mesh)[0]) == 1);
    spate_mesh_destroy(mesh);
    spate_mesh_destroy(NULL);
    CHECK(spate_mesh_retain(NULL) == NULL);
}

static void every_allocation_may_fail(void)
{
    clear();
    add_torus(8, 6, 1, 0.3, 0);
    spate_mesh *mesh = NULL;
    int failures = 0;
    for (; !mesh && failures < 100; failures++) {
        spate_error error = {0};
        sp_alloc_fail_at((uint64_t)failures + 1);
        mesh = create(&error);
        sp_alloc_fail_at(0);
        CHECK(mesh || error.status == SPATE_ERROR_MEMORY);
    }
    CHECK(failures > 10 && failures < 100);
    spate_mesh_destroy(mesh);
}

TESTS(mesh)
{
    TEST(torus_and_spikes);
    TEST(thin_and_concave);
    TEST(points_on_the_surface);
    TEST(windings_are_repaired);
    TEST(separate_and_nested_shells);
    TEST(shells_that_touch);
    TEST(vertices_are_welded);
    TEST(triangles_without_area);
    TEST(bad_meshes);
    TEST(one_sided_surface);
    TEST(owners);
    TEST(every_allocation_may_fail);
}
