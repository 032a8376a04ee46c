/* make_mesh.c -- writes the closed meshes that scenes use, so that they need no modelling program.
 *
 *     cc -O2 scripts/make_mesh.c -o make_mesh -lm
 *     ./make_mesh rock obj > scenes/meshes/rock.obj
 *     ./make_mesh torus stl > torus.stl
 *
 * rock: a boulder 0.3 m long with a flat base; the origin is the middle of its base, y is up.
 * torus: a ring 0.3 m across about the y axis, its tube 0.08 m thick; the origin is its centre. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VERTICES = 4096, MAX_TRIANGLES = 8192 };

typedef struct mesh {
    double vertices[MAX_VERTICES][3];
    int vertex_count;
    int triangles[MAX_TRIANGLES][3];
    int triangle_count;
} mesh;

static int add_vertex(mesh *m, double x, double y, double z)
{
    double *v = m->vertices[m->vertex_count];
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return m->vertex_count++;
}

static void add_triangle(mesh *m, int a, int b, int c)
{
    int *t = m->triangles[m->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static void normalize(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int d = 0; d < 3; d++)
        v[d] /= length;
}

/* ------------------------------------------------------------------ torus */

static void make_torus(mesh *m)
{
    enum { AROUND = 64, TUBE = 24 };
    const double turn = 6.28318530717958647692, ring = 0.11, tube = 0.04;
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < TUBE; j++) {
            double a = turn * i / AROUND, b = turn * j / TUBE, r = ring + tube * cos(b);
            add_vertex(m, r * cos(a), tube * sin(b), r * sin(a));
        }
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < TUBE; j++) {
            int i1 = (i + 1) % AROUND, j1 = (j + 1) % TUBE;
            add_triangle(m, i * TUBE + j, i * TUBE + j1, i1 * TUBE + j1);
            add_triangle(m, i * TUBE + j, i1 * TUBE + j1, i1 * TUBE + j);
        }
}

/* ------------------------------------------------------------------ rock */

/* The octahedron, each side cut into n. Points on shared edges are computed alike and found again
 * by position. */
static int sphere_vertex(mesh *m, double x, double y, double z)
{
    double v[3] = {x, y, z};
    normalize(v);
    for (int i = 0; i < m->vertex_count; i++)
        if (fabs(m->vertices[i][0] - v[0]) + fabs(m->vertices[i][1] - v[1]) +
                fabs(m->vertices[i][2] - v[2]) <
            1e-9)
            return i;
    return add_vertex(m, v[0], v[1], v[2]);
}

static void make_sphere(mesh *m, int n)
{
    for (int octant = 0; octant < 8; octant++) {
        double sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n - i; j++) {
                int a = sphere_vertex(m, sx * i, sy * j, sz * (n - i - j));
                int b = sphere_vertex(m, sx * (i + 1), sy * j, sz * (n - i - j - 1));
                int c = sphere_vertex(m, sx * i, sy * (j + 1), sz * (n - i - j - 1));
                int swap = sx * sy * sz < 0;
                add_triangle(m, a, swap ? c : b, swap ? b : c);
                if (j == n - i - 1)
                    continue;
                int d = sphere_vertex(m, sx * (i + 1), sy * (j + 1), sz * (n - i - j - 2));
                add_triangle(m, b, swap ? c : d, swap ? d : c);
            }
    }
}

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (double)(1 << 24);
}

/* The unit ball worn flat by planes at random places, with soft edges: the radius in direction `n`
 * is the soft minimum of the distances at which the planes are met. */
static double rock_radius(const double n[3])
{
    uint64_t state = 7;
    double sum = 1;
    for (int k = 0; k < 24; k++) {
        double plane[3], distance;
        for (int d = 0; d < 3; d++)
            plane[d] = 2 * random_unit(&state) - 1;
        normalize(plane);
        distance = 0.72 + 0.24 * random_unit(&state);
        double along = n[0] * plane[0] + n[1] * plane[1] + n[2] * plane[2];
        if (along > 0)
            sum += pow(along / distance, 24);
    }
    return pow(sum, -1.0 / 24);
}

static void make_rock(mesh *m)
{
    const double size[3] = {0.17, 0.13, 0.14}, base = -0.055;
    make_sphere(m, 20);
    for (int i = 0; i < m->vertex_count; i++) {
        double *v = m->vertices[i], r = rock_radius(v);
        for (int d = 0; d < 3; d++)
            v[d] *= r * size[d];
        v[1] = (v[1] > base ? v[1] : base) - base;
    }
}

/* ------------------------------------------------------------------ files */

static void write_obj(const mesh *m, const char *name)
{
    printf("# %s, written by scripts/make_mesh.c; metres, y up\no %s\n", name, name);
    for (int i = 0; i < m->vertex_count; i++)
        printf("v %.5f %.5f %.5f\n", m->vertices[i][0], m->vertices[i][1], m->vertices[i][2]);
    for (int i = 0; i < m->triangle_count; i++)
        printf("f %d %d %d\n", m->triangles[i][0] + 1, m->triangles[i][1] + 1,
               m->triangles[i][2] + 1);
}

static void put_little(uint32_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putchar((int)(bits >> (8 * i) & 255));
}

/* Normals are left 0: readers take them from the order of the corners. */
static void write_stl(const mesh *m, const char *name)
{
    printf("%-80s", name);
    put_little((uint32_t)m->triangle_count, 4);
    for (int i = 0; i < m->triangle_count; i++) {
        for (int d = 0; d < 3; d++)
            put_little(0, 4);
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++) {
                float x = (float)m->vertices[m->triangles[i][c]][d];
                uint32_t bits;
                memcpy(&bits, &x, sizeof bits);
                put_little(bits, 4);
            }
        put_little(0, 2);
    }
}

int main(int argc, char **argv)
{
    static mesh m;
    if (argc == 3 && strcmp(argv[1], "rock") == 0)
        make_rock(&m);
    else if (argc == 3 && strcmp(argv[1], "torus") == 0)
        make_torus(&m);
    if (m.triangle_count > 0 && strcmp(argv[2], "obj") == 0) {
        write_obj(&m, argv[1]);
    } else if (m.triangle_count > 0 && strcmp(argv[2], "stl") == 0) {
        write_stl(&m, argv[1]);
    } else {
        fprintf(stderr, "usage: make_mesh rock|torus obj|stl > FILE\n");
        return 2;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("make_mesh");
        return 4;
    }
    return 0;
}
