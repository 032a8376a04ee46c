/* mesh_topology.c -- welding, edge matching, orientation.
 *
 * The sign of a distance comes from the normals around the closest feature of the mesh (mesh.c),
 * which is right only on a closed surface that has one side out and no noise in its normals. So
 * this file is strict about closedness and lenient about the rest: vertices that a file repeats or
 * rounds are welded, and triangles without height (their normal would be noise) are removed by
 * flipping their longest edge, which keeps the surface closed:
 *
 *       A------B------C            A------B------C
 *        \            /     to      \     |     /      ABC is flat; AC, the edge to the
 *         '----D-----'               '----D----'       neighbour with apex D, becomes BD
 */
#include "mesh_topology.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#define NONE UINT32_MAX
#define WELD 1e-7 /* of the diagonal: about what single precision keeps */

static uint32_t next_edge(uint32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static uint32_t previous_edge(uint32_t h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A power of two, at least twice `count`. */
static size_t table_size(size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return size;
}

void sp_surface_clear(sp_surface *surface)
{
    sp_free(surface->vertices);
    sp_free(surface->triangles);
    sp_free(surface->mates);
    sp_free(surface->shells);
    memset(surface, 0, sizeof *surface);
}

/* ------------------------------------------------------------------ checks and welding */

static spate_status check_input(const double *vertices, size_t vertex_count,
                                const uint32_t *triangles, size_t triangle_count,
                                spate_error *error)
{
    if (vertex_count == 0 || triangle_count == 0)
        return sp_fail(error, SPATE_ERROR_SCENE, NULL, "the mesh is empty: it has no triangles");
    if (vertex_count > NONE / 4 || triangle_count > NONE / 4)
        return sp_fail(error, SPATE_ERROR_SCENE, NULL,
                       "the mesh has %zu triangles; at most %u are possible", triangle_count,
                       (unsigned)(NONE / 4));
    for (size_t i = 0; i < 3 * vertex_count; i++)
        if (!isfinite(vertices[i]))
            return sp_fail(error, SPATE_ERROR_SCENE, NULL,
                           "vertex %zu of the mesh is not a finite number: export the mesh again",
                           i / 3 + 1);
    for (size_t i = 0; i < 3 * triangle_count; i++)
        if (triangles[i] >= vertex_count)
            return sp_fail(
                error, SPATE_ERROR_SCENE, NULL,
                "triangle %zu of the mesh names vertex %u, but there are only %zu vertices",
                i / 3 + 1, (unsigned)triangles[i] + 1, vertex_count);
    return SPATE_OK;
}

/* Of the vertices that triangles use: a stray one must not loosen the tolerance. */
static spate_status measure(sp_surface *s, const double *vertices, const uint32_t *triangles,
                            size_t triangle_count, spate_error *error)
{
    double squares = 0;
    for (int d = 0; d < 3; d++) {
        s->low[d] = HUGE_VAL;
        s->high[d] = -HUGE_VAL;
        for (size_t i = 0; i < 3 * triangle_count; i++) {
            double x = vertices[3 * (size_t)triangles[i] + (size_t)d];
            s->low[d] = x < s->low[d] ? x : s->low[d];
            s->high[d] = x > s->high[d] ? x : s->high[d];
        }
        squares += (s->high[d] - s->low[d]) * (s->high[d] - s->low[d]);
    }
    s->diagonal = sqrt(squares);
    if (!(s->diagonal > 1e-100 && s->diagonal < 1e100))
        return sp_fail(error, SPATE_ERROR_SCENE, NULL,
                       "the mesh is %g across: check the numbers of its vertices", s->diagonal);
    return SPATE_OK;
}

static double distance_squared(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static size_t cell_slot(const int64_t cell[3], size_t mask)
{
    return (size_t)mix(mix(mix((uint64_t)cell[0]) + (uint64_t)cell[1]) + (uint64_t)cell[2]) & mask;
}

/* The lowest kept vertex within `tolerance` of p, or NONE. Each kept vertex stands in the chain of
 * its own cell; p looks into every cell that its tolerance reaches. */
static uint32_t find_near(const uint32_t *table, size_t mask, const double *vertices,
                          const double *p, const double low[3], double tolerance)
{
    int64_t first[3], last[3], cell[3];
    for (int d = 0; d < 3; d++) {
        first[d] = (int64_t)floor((p[d] - low[d] - tolerance) / (4 * tolerance));
        last[d] = (int64_t)floor((p[d] - low[d] + tolerance) / (4 * tolerance));
    }
    uint32_t found = NONE;
    for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++)
        for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++)
            for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++)
                for (size_t slot = cell_slot(cell, mask); table[slot]; slot = (slot + 1) & mask) {
                    uint32_t k = table[slot] - 1;
                    if (k < found &&
                        distance_squared(&vertices[3 * (size_t)k], p) <= tolerance * tolerance)
                        found = k;
                }
    return found;
}

/* Copies the triangles with the first of each group of equal vertices, without those that have lost
 * a side. Vertex numbers stay those of the input. */
static spate_status weld(sp_surface *s, const double *vertices, size_t vertex_count,
                         const uint32_t *triangles, size_t triangle_count, spate_error *error)
{
    double tolerance = WELD * s->diagonal;
    size_t size = table_size(vertex_count), kept = 0;
    uint32_t *table = sp_alloc(size, sizeof *table);
    uint32_t *target = sp_alloc(vertex_count, sizeof *target); /* + 1; 0: not seen yet */
    s->triangles = sp_alloc(3 * triangle_count, sizeof *s->triangles);
    if (!table || !target || !s->triangles) {
        sp_free(table);
        sp_free(target);
        return sp_fail_memory(error, "a mesh", size * 4 + triangle_count * 12);
    }
    for (size_t t = 0; t < triangle_count; t++) {
        uint32_t v[3];
        for (int c = 0; c < 3; c++) {
            uint32_t i = triangles[3 * t + (size_t)c];
            const double *p = &vertices[3 * (size_t)i];
            if (!target[i]) {
                uint32_t near = find_near(table, size - 1, vertices, p, s->low, tolerance);
                target[i] = (near == NONE ? i : near) + 1;
                if (near == NONE) {
                    int64_t cell[3];
                    for (int d = 0; d < 3; d++)
                        cell[d] = (int64_t)floor((p[d] - s->low[d]) / (4 * tolerance));
                    size_t slot = cell_slot(cell, size - 1);
                    while (table[slot])
                        slot = (slot + 1) & (size - 1);
                    table[slot] = i + 1;
                }
            }
            v[c] = target[i] - 1;
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            continue;
        memcpy(&s->triangles[3 * kept++], v, sizeof v);
    }
    sp_free(table);
    sp_free(target);
    s->triangle_count = kept;
    if (kept == 0)
        return sp_fail(error, SPATE_ERROR_SCENE, NULL,
                       "the mesh is empty: all its triangles have no area");
    return SPATE_OK;
}

/* ------------------------------------------------------------------ edges */

static spate_status fail_edges(spate_error *error, size_t count, const double *a, const double *b,
                               bool open)
{
    const char *plural = count == 1 ? "" : "s";
    double x = 0.5 * (a[0] + b[0]), y = 0.5 * (a[1] + b[1]), z = 0.5 * (a[2] + b[2]);
    if (open)
        return sp_fail(
            error, SPATE_ERROR_SCENE, NULL,
            "the mesh has %zu open edge%s (first near (%.6g, %.6g, %.6g)): close its holes", count,
            plural, x, y, z);
    return sp_fail(
        error, SPATE_ERROR_SCENE, NULL,
        "the mesh has %zu edge%s with more than two triangles (first near (%.6g, %.6g, %.6g)): remove "
        "inner walls and doubled faces",
        count, plural, x, y, z);
}

static spate_status match_edges(sp_surface *s, const double *vertices, spate_error *error)
{
    size_t edges = 3 * s->triangle_count, size = table_size(edges);
    uint32_t *table = sp_alloc(size, sizeof *table); /* first half-edge of an edge + 1 */
    s->mates = sp_alloc(edges, sizeof *s->mates);
    if (!table || !s->mates) {
        sp_free(table);
        return sp_fail_memory(error, "a mesh", (size + edges) * 4);
    }
    memset(s->mates, 0xff, edges * sizeof *s->mates);
    size_t crowded = 0, open = 0;
    uint32_t first_crowded = 0, first_open = 0;
    for (uint32_t h = 0; h < edges; h++) {
        uint32_t a = s->triangles[h], b = s->triangles[next_edge(h)];
        uint64_t low = a < b ? a : b, high = a < b ? b : a;
        size_t slot = (size_t)mix(low << 32 | high) & (size - 1);
        for (; table[slot]; slot = (slot + 1) & (size - 1)) {
            uint32_t c = s->triangles[table[slot] - 1],
                     d = s->triangles[next_edge(table[slot] - 1)];
            if ((a == c && b == d) || (a == d && b == c))
                break;
        }
        uint32_t other = table[slot] - 1;
        if (!table[slot]) {
            table[slot] = h + 1;
        } else if (s->mates[other] == NONE) {
            s->mates[other] = h;
            s->mates[h] = other;
        } else {
            if (s->mates[other] != other) /* its own mate: an edge that has been counted */
                first_crowded = crowded++ ? first_crowded : h;
            s->mates[other] = other;
            s->mates[h] = h;
        }
    }
    sp_free(table);
    for (uint32_t h = 0; h < edges; h++)
        if (s->mates[h] == NONE)
            first_open = open++ ? first_open : h;
    if (!open && !crowded)
        return SPATE_OK;
    uint32_t first = open ? first_open : first_crowded;
    return fail_edges(error, open ? open : crowded, &vertices[3 * (size_t)s->triangles[first]],
                      &vertices[3 * (size_t)s->triangles[next_edge(first)]], open > 0);
}

void sp_surface_flip(sp_surface *s, uint32_t triangle)
{
    uint32_t *v = &s->triangles[3 * (size_t)triangle], *mates = s->mates;
    uint32_t h = 3 * triangle, first = mates[h], last = mates[h + 2], corner = v[1];
    v[1] = v[2];
    v[2] = corner;
    mates[h] = last;
    mates[last] = h;
    mates[h + 2] = first;
    mates[first] = h + 2;
}

/* Floods each shell from its first triangle, turning neighbours that run along a shared edge in the
 * same direction. */
static spate_status orient(sp_surface *s, const double *vertices, spate_error *error)
{
    size_t count = s->triangle_count, queued;
    uint32_t *queue = sp_alloc(count, sizeof *queue);
    s->shells = sp_alloc(count, sizeof *s->shells);
    if (!queue || !s->shells) {
        sp_free(queue);
        return sp_fail_memory(error, "a mesh", count * 8);
    }
    memset(s->shells, 0xff, count * sizeof *s->shells);
    for (uint32_t seed = 0; seed < count; seed++) {
        if (s->shells[seed] != NONE)
            continue;
        s->shells[seed] = s->shell_count;
        queue[0] = seed;
        queued = 1;
        for (size_t done = 0; done < queued; done++) {
            for (uint32_t h = 3 * queue[done], end = h + 3; h < end; h++) {
                uint32_t mate = s->mates[h], neighbour = mate / 3;
                bool same_way = s->triangles[h] == s->triangles[mate];
                if (s->shells[neighbour] == NONE) {
                    if (same_way)
                        sp_surface_flip(s, neighbour);
                    s->shells[neighbour] = s->shell_count;
                    queue[queued++] = neighbour;
                } else if (same_way) {
                    const double *p = &vertices[3 * (size_t)s->triangles[h]];
                    sp_free(queue);
                    return sp_fail(
                        error, SPATE_ERROR_SCENE, NULL,
                        "the mesh has only one side, like a Moebius strip (seen near (%.6g, %.6g, "
                        "%.6g)): it has no inside",
                        p[0], p[1], p[2]);
                }
            }
        }
        s->shell_count++;
    }
    sp_free(queue);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ triangles without height */

/* Height over the longest side, which is returned as a corner number if `longest` is given. */
static double height(const double *vertices, const uint32_t v[3], int *longest)
{
    const double *p[3];
    int side = 0;
    double lengths[3];
    for (int c = 0; c < 3; c++)
        p[c] = &vertices[3 * (size_t)v[c]];
    for (int c = 0; c < 3; c++) {
        lengths[c] = distance_squared(p[c], p[(c + 1) % 3]);
        side = lengths[c] > lengths[side] ? c : side;
    }
    const double *a = p[side], *b = p[(side + 1) % 3], *apex = p[(side + 2) % 3];
    double e[3], f[3];
    for (int d = 0; d < 3; d++) {
        e[d] = b[d] - a[d];
        f[d] = apex[d] - a[d];
    }
    double x = e[1] * f[2] - e[2] * f[1], y = e[2] * f[0] - e[0] * f[2],
           z = e[0] * f[1] - e[1] * f[0];
    if (longest)
        *longest = side;
    return sqrt((x * x + y * y + z * z) / lengths[side]);
}

/* Whether half-edge h and another vertex share a triangle edge: walks around the start of h. */
static bool joined(const sp_surface *s, uint32_t h, uint32_t other)
{
    uint32_t start = h;
    do {
        if (s->triangles[next_edge(h)] == other)
            return true;
        h = s->mates[previous_edge(h)];
    } while (h != start);
    return false;
}

static void set_edge(sp_surface *s, uint32_t h, uint32_t origin, uint32_t mate)
{
    s->triangles[h] = origin;
    s->mates[h] = mate;
    s->mates[mate] = h;
}

/* Flips the longest edge of a triangle whose height is below `least`; true if that made things
 * better. */
static bool flip_flat(sp_surface *s, const double *vertices, uint32_t t, double least)
{
    int side;
    double now = height(vertices, &s->triangles[3 * (size_t)t], &side);
    if (now >= least)
        return false;
    uint32_t h = 3 * t + (uint32_t)side, m = s->mates[h];
    uint32_t a = s->triangles[h], c = s->triangles[m];
    uint32_t b = s->triangles[previous_edge(h)], d = s->triangles[previous_edge(m)];
    const uint32_t one[3] = {b, a, d}, two[3] = {d, c, b};
    double first = height(vertices, one, NULL), second = height(vertices, two, NULL);
    if (b == d || !((first < second ? first : second) > now) || joined(s, previous_edge(h), d))
        return false;

    uint32_t cb = s->mates[next_edge(h)], ba = s->mates[previous_edge(h)];
    uint32_t ad = s->mates[next_edge(m)], dc = s->mates[previous_edge(m)];
    uint32_t first_edge = 3 * t, second_edge = 3 * (m / 3);
    set_edge(s, first_edge, b, ba);
    set_edge(s, first_edge + 1, a, ad);
    set_edge(s, first_edge + 2, d, second_edge + 2);
    set_edge(s, second_edge, d, dc);
    set_edge(s, second_edge + 1, c, cb);
    set_edge(s, second_edge + 2, b, first_edge + 2);
    return true;
}

static void flip_flat_triangles(sp_surface *s, const double *vertices)
{
    bool changed = true;
    for (int pass = 0; changed && pass < 16; pass++) {
        changed = false;
        for (uint32_t t = 0; t < s->triangle_count; t++)
            changed |= flip_flat(s, vertices, t, WELD * s->diagonal);
    }
}

/* ------------------------------------------------------------------ vertices */

/* Gives each fan of triangles around a vertex a vertex of its own: where two cones touch at their
 * tips there are two, so that the normal of one does not mix into the other. Vertices that nothing
 * uses go. */
static spate_status split_vertices(sp_surface *s, const double *vertices, spate_error *error)
{
    size_t corners = 3 * s->triangle_count, count = 0;
    uint32_t *number = sp_alloc(corners, sizeof *number); /* + 1 */
    if (!number)
        return sp_fail_memory(error, "a mesh", corners * 4);
    for (uint32_t start = 0; start < corners; start++) {
        if (number[start])
            continue;
        count++;
        for (uint32_t h = start; !number[h]; h = s->mates[previous_edge(h)])
            number[h] = (uint32_t)count;
    }
    s->vertices = sp_alloc(3 * count, sizeof *s->vertices);
    if (!s->vertices) {
        sp_free(number);
        return sp_fail_memory(error, "a mesh", count * 24);
    }
    for (size_t h = 0; h < corners; h++) {
        uint32_t v = number[h] - 1;
        memcpy(&s->vertices[3 * (size_t)v], &vertices[3 * (size_t)s->triangles[h]],
               3 * sizeof *vertices);
        s->triangles[h] = v;
    }
    s->vertex_count = count;
    sp_free(number);
    return SPATE_OK;
}

static spate_status build(sp_surface *s, const double *vertices, size_t vertex_count,
                          const uint32_t *triangles, size_t triangle_count, spate_error *error)
{
    TRY(check_input(vertices, vertex_count, triangles, triangle_count, error));
    TRY(measure(s, vertices, triangles, triangle_count, error));
    TRY(weld(s, vertices, vertex_count, triangles, triangle_count, error));
    TRY(match_edges(s, vertices, error));
    TRY(orient(s, vertices, error));
    flip_flat_triangles(s, vertices);
    return split_vertices(s, vertices, error);
}

spate_status sp_surface_init(sp_surface *surface, const double *vertices, size_t vertex_count,
                             const uint32_t *triangles, size_t triangle_count, spate_error *error)
{
    memset(surface, 0, sizeof *surface);
    spate_status status = build(surface, vertices, vertex_count, triangles, triangle_count, error);
    if (status != SPATE_OK)
        sp_surface_clear(surface);
    return status;
}
