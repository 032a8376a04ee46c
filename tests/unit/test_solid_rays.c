/* test_solid_rays.c -- rays against solids: where they meet, from which side, how a mesh is shaded,
 * and how much of it a ray looks at. */
#include "test.h"

#include <stdlib.h>

#include "kernels/vector.h"
#include "scene/solid_rays.h"

static uint32_t seed = 1;

/* -1 .. 1 */
static double any(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 8388608.0 - 1;
}

/* A ball of radius 1 as a mesh of `around` meridians and half as many circles. */
static spate_mesh *ball_mesh(int around)
{
    int rings = around / 2, count = 0, faces = 0;
    double *vertices = malloc(sizeof(double) * 3 * (size_t)(rings * around + 2));
    uint32_t *triangles = malloc(sizeof(uint32_t) * 3 * (size_t)(2 * rings * around));
    for (int j = 1; j < rings; j++)
        for (int i = 0; i < around; i++) {
            double down = M_PI * j / rings, turn = 2 * M_PI * i / around;
            double p[3] = {sin(down) * cos(turn), cos(down), sin(down) * sin(turn)};
            memcpy(vertices + 3 * count++, p, sizeof p);
        }
    const double poles[6] = {0, 1, 0, 0, -1, 0};
    memcpy(vertices + 3 * count, poles, sizeof poles);
    for (int i = 0; i < around; i++) {
        int next = (i + 1) % around, last = (rings - 2) * around;
        int ends[6] = {count, next, i, count + 1, last + i, last + next};
        for (int k = 0; k < 6; k++)
            triangles[3 * faces + k] = (uint32_t)ends[k];
        faces += 2;
        for (int j = 0; j + 2 < rings; j++) {
            int a = j * around + i, b = j * around + next, c = b + around, d = a + around;
            int quad[6] = {a, b, c, a, c, d};
            for (int k = 0; k < 6; k++)
                triangles[3 * faces + k] = (uint32_t)quad[k];
            faces += 2;
        }
    }
    spate_mesh *mesh =
        spate_mesh_create(vertices, (size_t)count + 2, triangles, (size_t)faces, NULL);
    free(vertices);
    free(triangles);
    CHECK(mesh != NULL);
    return mesh;
}

static spate_mesh *cube_mesh(void)
{
    double vertices[24];
    for (int k = 0; k < 24; k++)
        vertices[k] = k / 3 >> k % 3 & 1 ? 1 : -1;
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return spate_mesh_create(vertices, 8, triangles, 12, NULL);
}

/* One of every shape, turned and moved. */
static spate_shape sample(int kind, spate_mesh *mesh)
{
    spate_shape s;
    spate_shape_default(&s);
    s.shape = (spate_shape_kind)kind;
    for (int d = 0; d < 3; d++) {
        s.min[d] = -0.3 - 0.1 * d;
        s.max[d] = 0.5;
        s.center[d] = 0.1 * d;
        s.from[d] = -0.2;
        s.to[d] = 0.3 - 0.2 * d;
        s.point[d] = 0.1;
        s.normal[d] = 1 - 0.4 * d;
        s.position[d] = 0.05 * d;
        s.rotation[d] = 20 + 30 * d;
    }
    s.radius = 0.25;
    s.scale = 0.4;
    s.mesh = mesh;
    return s;
}

/* Every ray that starts outside: free up to where it meets, on the surface there, against the
 * normal; one that meets nothing comes nowhere near. */
static void rays_end_on_the_surface(void)
{
    static const int kinds[] = {SPATE_SHAPE_BOX,      SPATE_SHAPE_SPHERE, SPATE_SHAPE_CAPSULE,
                                SPATE_SHAPE_CYLINDER, SPATE_SHAPE_PLANE,  SPATE_SHAPE_MESH};
    spate_mesh *mesh = ball_mesh(40);
    for (int n = 0; n < 6; n++) {
        sp_solids solids = {.dim = 3};
        spate_shape shape = sample(kinds[n], mesh);
        CHECK(sp_solids_add(&solids, &shape, 0, NULL, NULL) == SPATE_OK);
        sp_solids_advance(&solids, 0, 0);
        sp_solid_rays rays;
        CHECK(sp_solid_rays_create(&rays, &solids, NULL) == SPATE_OK);
        int hits = 0, wrong = 0;
        for (int k = 0; k < 3000; k++) {
            double from[3] = {1.2 * any(), 1.2 * any(), 1.2 * any()};
            double along[3], at[3], normal[3];
            for (int d = 0; d < 3; d++)
                along[d] = 0.3 * any() - from[d];
            if (k % 3 == 0) /* along an axis */
                along[k / 3 % 3] = along[(k / 3 + 1) % 3] = 0;
            sp_solid_hit hit;
            double start = sp_solids_distance(&solids, from, NULL, NULL);
            bool met = sp_solid_rays_meet(&rays, from, along, 0, 5, true, &hit);
            if (start < 0) {
                wrong += !met || !hit.inside || hit.t != 0;
                continue;
            }
            hits += met;
            double end = met ? hit.t : 5;
            for (int step = 1; step < 40; step++) {
                for (int d = 0; d < 3; d++)
                    at[d] = from[d] + 0.999 * end * step / 40 * along[d];
                wrong += sp_solids_distance(&solids, at, NULL, NULL) < -1e-9;
            }
            if (!met)
                continue;
            for (int d = 0; d < 3; d++)
                at[d] = from[d] + hit.t * along[d];
            wrong += fabs(sp_solids_distance(&solids, at, normal, NULL)) > 1e-6;
            double seen[3], length = sqrt(sp_dot(along, along));
            sp_solid_rays_normal(&rays, from, along, &hit, seen);
            wrong +=
                sp_dot(seen, along) > 0.2 * length || fabs(sqrt(sp_dot(seen, seen)) - 1) > 1e-5;
            /* the table of a mesh is close */
            wrong += fabs(sp_solid_rays_distance(&rays, at)) > 0.02;
        }
        CHECK(hits > 100);
        CHECK(wrong == 0);
        sp_solid_rays_destroy(&rays);
        sp_solids_clear(&solids);
    }
    spate_mesh_destroy(mesh);
}

/* A ray through the outside of a vessel meets the inner side of its far wall. */
static void vessels_show_their_inside(void)
{
    spate_mesh *mesh = ball_mesh(60);
    for (int n = 0; n < 2; n++) {
        sp_solids solids = {.dim = 3};
        spate_shape shape = sample(n ? SPATE_SHAPE_MESH : SPATE_SHAPE_SPHERE, mesh);
        memset(shape.center, 0, sizeof shape.center);
        memset(shape.position, 0, sizeof shape.position);
        shape.radius = 0.4;
        shape.invert = true;
        CHECK(sp_solids_add(&solids, &shape, 0, NULL, NULL) == SPATE_OK);
        sp_solids_advance(&solids, 0, 0);
        sp_solid_rays rays;
        CHECK(sp_solid_rays_create(&rays, &solids, NULL) == SPATE_OK);
        sp_solid_hit hit;
        const double from[3] = {-2, 0.03, 0.02}, along[3] = {1, 0, 0}, past[3] = {-2, 0.9, 0};
        CHECK(sp_solid_rays_meet(&rays, from, along, 0, 9, true, &hit));
        CHECK_NEAR(hit.t, 2.4, 0.01);
        double normal[3];
        sp_solid_rays_normal(&rays, from, along, &hit, normal);
        CHECK(!hit.inside && normal[0] < -0.9);
        CHECK(!sp_solid_rays_meet(&rays, past, along, 0, 9, true, &hit));
        CHECK(!sp_solid_rays_meet(&rays, from, along, 0, 9, false, &hit));
        sp_solid_rays_destroy(&rays);
        sp_solids_clear(&solids);
    }
    spate_mesh_destroy(mesh);
}

/* A ball of facets 9 degrees wide is shaded as a ball; a cube keeps its edges. */
static void meshes_are_smooth_but_for_creases(void)
{
    spate_mesh *meshes[2] = {ball_mesh(40), cube_mesh()};
    double worst = 0, facets = 0, edges = 0;
    for (int k = 0; k < 2000; k++) {
        double out[3] = {any(), any(), any()};
        double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
        for (int n = 0; n < 2; n++) {
            sp_mesh_ray ray = {.end = 10};
            sp_mesh_cut cut;
            double normal[3], apart = 0, flat = 0;
            for (int d = 0; d < 3; d++) {
                ray.from[d] = 4 * out[d] / length;
                ray.along[d] = -out[d] / length;
            }
            CHECK(sp_mesh_meet(meshes[n], &ray, &cut));
            sp_mesh_smooth_normal(meshes[n], &cut, normal);
            for (int d = 0; d < 3; d++) {
                double a = normal[d] - (n ? cut.normal[d] : out[d] / length);
                double b = cut.normal[d] - out[d] / length;
                apart += a * a;
                flat += b * b;
            }
            *(n ? &edges : &worst) = fmax(n ? edges : worst, sqrt(apart));
            facets = n ? facets : fmax(facets, sqrt(flat));
        }
    }
    CHECK(facets > 0.06);
    CHECK_LESS(worst, 0.02);
    CHECK_LESS(edges, 1e-12);
    spate_mesh_destroy(meshes[0]);
    spate_mesh_destroy(meshes[1]);
}

/* Nodes and triangles that a ray looks at: few of 20,000, and hardly more than of a quarter. */
static void a_ray_looks_at_few_triangles(void)
{
    double mean[2];
    for (int n = 0; n < 2; n++) {
        spate_mesh *mesh = ball_mesh(n ? 144 : 72);
        CHECK(sp_mesh_triangle_count(mesh) > (n ? 20000u : 4900u));
        sp_mesh_ray ray = {.end = 10};
        for (int k = 0; k < 4000; k++) {
            sp_mesh_cut cut;
            for (int d = 0; d < 3; d++) {
                ray.from[d] = 2 * any();
                ray.along[d] = any();
            }
            sp_mesh_meet(mesh, &ray, &cut);
        }
        mean[n] = (double)ray.visits / 4000;
        spate_mesh_destroy(mesh);
    }
    printf("  visits per ray: %.1f of 5,000 triangles, %.1f of 20,000\n", mean[0], mean[1]);
    CHECK_LESS(mean[1], 100);
    CHECK_LESS(mean[1], 2 * mean[0]);
}

/* The table of distances costs as many exact ones as there are nodes near the surface: in the
 * middle of a ball, where all triangles are equally far, it asks for none. */
static void tables_are_near_the_truth(void)
{
    spate_mesh *mesh = ball_mesh(144);
    sp_solids solids = {.dim = 3};
    spate_shape shape = sample(SPATE_SHAPE_MESH, mesh);
    CHECK(sp_solids_add(&solids, &shape, 0, NULL, NULL) == SPATE_OK);
    sp_solids_advance(&solids, 0, 0);
    sp_solid_rays rays;
    CHECK(sp_solid_rays_create(&rays, &solids, NULL) == SPATE_OK);
    double worst = 0;
    for (int k = 0; k < 500; k++) {
        double p[3] = {0.5 * any(), 0.05 + 0.5 * any(), 0.1 + 0.5 * any()};
        double exact =
            sqrt(p[0] * p[0] + (p[1] - 0.05) * (p[1] - 0.05) + (p[2] - 0.1) * (p[2] - 0.1)) - 0.4;
        worst = fmax(worst, fabs(sp_solid_rays_distance(&rays, p) - exact) / (0.03 + fabs(exact)));
    }
    CHECK_LESS(worst, 0.3);
    sp_solid_rays_destroy(&rays);
    sp_solids_clear(&solids);
    spate_mesh_destroy(mesh);
}

TESTS(solid_rays)
{
    TEST(rays_end_on_the_surface);
    TEST(vessels_show_their_inside);
    TEST(meshes_are_smooth_but_for_creases);
    TEST(a_ray_looks_at_few_triangles);
    TEST(tables_are_near_the_truth);
}
