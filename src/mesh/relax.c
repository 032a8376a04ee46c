/* relax.c -- takes the unevenness of single particles out of the surface.
 *
 * Every vertex moves part of the way to the mean of its neighbours, some times over. How much is
 * weighted by how much liquid there is (Löschner, Böttcher, Jeske, Bender 2023): all the way over
 * bulk liquid, where bumps are noise; not at all on sheets, threads and drops, which smoothing
 * would thin out and shrink. Closed surfaces of less than SMALL cells, drops and bubbles, are left
 * alone too: they would shrink to a point. Vertices on a wall stay on it; those of the water line
 * look only at the free surface, and the others on the wall do not move, nor do those on a solid.
 */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define SMALL 3 /* cells */
#define ROUNDS (DIM == 3 ? 4 : 8)
#define LONG 2.0f /* nodes, of an edge: longer ones are pulled together */
#define NEARLY 0.8f
#define STEP 0.6f /* of the way to the mean */

typedef struct relaxation {
    X(surface) *s;
    const float *from;
    float *to;
    float *push;   /* m, how far each vertex has come along its normal; NULL: they stay */
    float *spread; /* the mean of that around it */
    bool walls;    /* what lies on a wall moves, too */
} relaxation;

/* ------------------------------------------------------------------ small surfaces */

static uint32_t root(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

/* The piece of each vertex, by the smallest number of a vertex in it. */
static void find_pieces(const spate_surface *mesh, uint32_t *piece)
{
    for (uint32_t k = 0; k < mesh->vertices; k++)
        piece[k] = k;
    for (size_t k = 0; k < mesh->triangles; k++)
        for (int c = 1; c < DIM; c++) {
            uint32_t a = root(piece, mesh->indices[DIM * k]);
            uint32_t b = root(piece, mesh->indices[DIM * k + (size_t)c]);
            piece[a < b ? b : a] = a < b ? a : b;
        }
    for (uint32_t k = 0; k < mesh->vertices; k++) /* a parent comes before its children */
        piece[k] = piece[piece[k]];
}

/* Marks the vertices of pieces that are small along all axes. */
static spate_status mark_small(X(surface) *s, spate_error *error)
{
    const spate_surface *mesh = s->mesh;
    uint32_t *piece = sp_alloc(mesh->vertices, sizeof *piece);
    if (!piece)
        return sp_fail_memory(error, "a surface", mesh->vertices * sizeof *piece);
    find_pieces(mesh, piece);
    float reach = SMALL * (float)s->options->cell_size;
    for (size_t k = 0; k < mesh->vertices; k++) { /* the first vertex of a piece comes first */
        const float *x = mesh->positions + 3 * k, *first = mesh->positions + 3 * (size_t)piece[k];
        bool far = false;
        FOR_DIM(d)
            far = far || x[d] - first[d] > reach || first[d] - x[d] > reach;
        s->wall[piece[k]] |= piece[k] == k ? VERTEX_STILL : 0;
        s->wall[piece[k]] &= (uint16_t)(far ? ~VERTEX_STILL : ~0);
    }
    for (size_t k = 0; k < mesh->vertices; k++)
        s->wall[k] |= s->wall[piece[k]] & VERTEX_STILL;
    sp_free(piece);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ smoothing */

/* A vertex as its ring sees it: the way to the mean of the ring, split. */
typedef struct way {
    float normal[3], tangent[3];
    float out;     /* m, along `normal` */
    float longest; /* m^2, of the edges to the ring, squared */
} way;

/* A vertex on a wall away from the water line. */
static bool on_wall(unsigned wall)
{
    return wall & VERTEX_FIXED;
}

static bool is_line(unsigned wall)
{
    return (wall & VERTEX_WALLS) && !on_wall(wall);
}

static way find_way(const X(surface) *s, const float *from, size_t vertex)
{
    const uint32_t *ring = s->ring + s->ring_start[vertex];
    uint32_t size = s->ring_start[vertex + 1] - s->ring_start[vertex];
    const float *here = from + 3 * vertex, *end = from + 3 * (size_t)ring[size - 1];
    unsigned wall = s->wall[vertex];
    bool line = is_line(wall);
    float count = 0, square = 0, last[3], to[3];
    way w = {.out = 0};
    for (int d = 0; d < 3; d++)
        last[d] = end[d] - here[d];
    for (uint32_t k = 0; k < size; k++) {
        const float *x = from + 3 * (size_t)ring[k];
        for (int d = 0; d < 3; d++)
            to[d] = x[d] - here[d];
        float edge = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
        w.longest = edge > w.longest ? edge : w.longest;
        for (int d = 0; d < 3; d++) { /* the triangle between this and the one before it */
            int e = d < 2 ? d + 1 : 0, f = d > 0 ? d - 1 : 2;
            w.normal[d] += last[e] * to[f] - last[f] * to[e];
        }
        for (int d = 0; d < 3; d++)
            last[d] = to[d];
        if (line && on_wall(s->wall[ring[k]]))
            continue;
        for (int d = 0; d < 3; d++)
            w.tangent[d] += to[d];
        count += 1.0f;
    }
    if (DIM == 2) { /* the two segments, turned */
        w.normal[0] = end[1] - from[3 * (size_t)ring[0] + 1];
        w.normal[1] = from[3 * (size_t)ring[0]] - end[0];
    }
    float share = count > 0.0f ? 1.0f / count : 0.0f;
    FOR_DIM(d) {
        bool bound = wall >> (2 * d) & 3;
        w.normal[d] = bound ? 0.0f : w.normal[d];
        w.tangent[d] = bound ? 0.0f : w.tangent[d] * share;
        square += w.normal[d] * w.normal[d];
    }
    float scale = square > 0.0f ? 1.0f / sqrtf(square) : 0.0f;
    FOR_DIM(d) {
        w.normal[d] *= scale;
        w.out += w.normal[d] * w.tangent[d];
    }
    FOR_DIM(d)
        w.tangent[d] -= w.out * w.normal[d];
    return w;
}

/* How much of the way along the normal a vertex may go. */
static float freedom(const X(surface) *s, size_t vertex)
{
    if (s->wall[vertex] & (VERTEX_FIXED | VERTEX_STILL | VERTEX_SOLID))
        return 0.0f;
    return X(surface_smoothing)(s->slim[vertex]);
}

/* Drops keep their shape, and what lies on a solid its place. */
static bool is_held(const X(surface) *s, size_t vertex)
{
    return s->wall[vertex] & (VERTEX_DROP | VERTEX_SOLID);
}

/* Moves a vertex back to those neighbours that it is far from. */
static void shorten(const relaxation *r, size_t vertex, float to[3])
{
    const X(surface) *s = r->s;
    float limit = LONG * s->h, pull[3] = {0, 0, 0};
    for (uint32_t k = s->ring_start[vertex]; k < s->ring_start[vertex + 1]; k++) {
        const float *x = r->from + 3 * (size_t)s->ring[k];
        float back[3], square = 0;
        for (int d = 0; d < 3; d++) {
            back[d] = x[d] - to[d];
            square += back[d] * back[d];
        }
        float excess = square > limit * limit ? 0.4f * (1.0f - limit / sqrtf(square)) : 0.0f;
        for (int d = 0; d < 3; d++)
            pull[d] += excess * back[d];
    }
    FOR_DIM(d)
        to[d] += s->wall[vertex] >> (2 * d) & 3 ? 0.0f : pull[d];
}

static void relax_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const relaxation *r = user;
    for (size_t k = begin; k < end; k++) {
        const float *here = r->from + 3 * k;
        float *to = r->to + 3 * k, part = r->push ? freedom(r->s, k) : 0.0f;
        memcpy(to, here, 3 * sizeof *to);
        if ((on_wall(r->s->wall[k]) && !r->walls) || is_held(r->s, k))
            continue;
        way w = find_way(r->s, r->from, k);
        float out = part * w.out;
        FOR_DIM(d)
            to[d] += STEP * (w.tangent[d] + out * w.normal[d]);
        if (w.longest > NEARLY * LONG * LONG * r->s->h * r->s->h)
            shorten(r, k, to);
        X(surface_confine)(r->s, to);
        if (r->push)
            r->push[k] += STEP * out;
    }
}

/* The mean of what the vertices around each one have moved. */
static void spread_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const relaxation *r = user;
    const X(surface) *s = r->s;
    for (size_t k = begin; k < end; k++) {
        uint32_t first = s->ring_start[k], last = s->ring_start[k + 1];
        bool line = is_line(s->wall[k]);
        float sum = 0.0f, count = 0.0f;
        for (uint32_t m = first; m < last; m++) {
            if (line && on_wall(s->wall[s->ring[m]]))
                continue;
            sum += r->push[s->ring[m]];
            count += 1.0f;
        }
        r->spread[k] = count > 0.0f ? sum / count : 0.0f;
    }
}

static void return_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const relaxation *r = user;
    for (size_t k = begin; k < end; k++) {
        float *to = r->to + 3 * k;
        memcpy(to, r->from + 3 * k, 3 * sizeof *to);
        if (!(r->s->wall[k] & (VERTEX_FIXED | VERTEX_STILL | VERTEX_SOLID)) && r->push[k] != 0.0f) {
            way w = find_way(r->s, r->from, k);
            FOR_DIM(d)
                to[d] -= r->push[k] * w.normal[d];
            X(surface_confine)(r->s, to);
        }
        r->spread[k] = 0.0f;
    }
}

static void exchange(spate_surface *mesh)
{
    float *was = mesh->positions;
    mesh->positions = mesh->normals;
    mesh->normals = was;
}

void X(surface_slip)(X(surface) *s)
{
    relaxation r = {s, s->mesh->positions, s->mesh->normals, NULL, NULL, true};
    sp_parallel_for(s->pool, s->mesh->vertices, 1024, relax_range, &r);
    exchange(s->mesh);
}

spate_status X(surface_relax)(X(surface) *s, spate_error *error)
{
    spate_surface *mesh = s->mesh;
    TRY(mark_small(s, error));
    float *push = sp_alloc(2 * mesh->vertices, sizeof *push);
    if (!push)
        return sp_fail_memory(error, "a surface", 2 * mesh->vertices * sizeof *push);
    float *spread = push + mesh->vertices;
    for (int round = 0; round < ROUNDS; round++) {
        for (int pass = 0; pass < 1 + s->cell * s->cell; pass++) {
            relaxation r = {s,    mesh->positions,          mesh->normals, push,
                            NULL, pass == s->cell * s->cell};
            sp_parallel_for(s->pool, mesh->vertices, 1024, relax_range, &r);
            exchange(mesh);
        }
        for (int pass = 0; pass < s->cell * s->cell; pass++) {
            relaxation r = {s, NULL, NULL, push, spread, false};
            sp_parallel_for(s->pool, mesh->vertices, 1024, spread_range, &r);
            spread = push;
            push = r.spread;
        }
        relaxation r = {s, mesh->positions, mesh->normals, push, spread, false};
        sp_parallel_for(s->pool, mesh->vertices, 1024, return_range, &r);
        exchange(mesh);
        spread = push;
        push = r.spread; /* zeros */
    }
    sp_free(push < spread ? push : spread);
    return SPATE_OK;
}
