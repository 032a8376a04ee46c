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

#include <string.h>

#define SMALL 3   /* cells */
#define STEP 0.6f /* of the way to the mean */

typedef struct relaxation {
    X(surface) *s;
    const float *from;
    float *to;
} relaxation;

/* Simplices around each vertex, in order of their number. */
spate_status X(surface_fans)(X(surface) *s, spate_error *error)
{
    const spate_surface *mesh = s->mesh;
    size_t corners = DIM * mesh->triangles;
    s->fan_start = sp_alloc(mesh->vertices + 2, sizeof *s->fan_start);
    s->fan = sp_alloc(corners, sizeof *s->fan);
    if (!s->fan_start || !s->fan)
        return sp_fail_memory(error, "a surface", (mesh->vertices + corners) * sizeof *s->fan);
    uint32_t *next = s->fan_start + 1; /* becomes the end of each, that is the start of the next */
    for (size_t k = 0; k < corners; k++)
        next[mesh->indices[k] + 1]++;
    for (size_t k = 0; k < mesh->vertices; k++)
        next[k + 1] += next[k];
    for (size_t k = 0; k < corners; k++)
        s->fan[next[mesh->indices[k]]++] = (uint32_t)(k / DIM);
    return SPATE_OK;
}

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
        s->wall[piece[k]] &= (uint8_t)(far ? ~VERTEX_STILL : 255);
    }
    for (size_t k = 0; k < mesh->vertices; k++)
        s->wall[k] |= s->wall[piece[k]] & VERTEX_STILL;
    sp_free(piece);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ smoothing */

/* A vertex on a wall away from the water line. (One on a solid is no edge of the free surface, and
 * holds it.) */
static bool on_wall(uint8_t wall)
{
    return (wall & VERTEX_FIXED) && (wall & VERTEX_WALLS);
}

static void relax_vertex(const relaxation *r, size_t vertex)
{
    const X(surface) *s = r->s;
    const uint32_t *indices = s->mesh->indices;
    const float *here = r->from + 3 * vertex;
    float sum[3] = {0, 0, 0}, count = 0, weight = STEP * X(surface_smoothing)(s->slim[vertex]);
    memcpy(r->to + 3 * vertex, here, 3 * sizeof *here);
    if ((s->wall[vertex] & (VERTEX_FIXED | VERTEX_STILL)) || weight == 0.0f)
        return;
    for (uint32_t k = s->fan_start[vertex]; k < s->fan_start[vertex + 1]; k++)
        FOR_DIM(c) {
            uint32_t other = indices[DIM * (size_t)s->fan[k] + (size_t)c];
            if (other == vertex || on_wall(s->wall[other]))
                continue;
            FOR_DIM(d)
                sum[d] += r->from[3 * (size_t)other + (size_t)d] - here[d];
            count += 1.0f;
        }
    FOR_DIM(d) {
        if (count > 0.0f && !(s->wall[vertex] >> (2 * d) & 3))
            r->to[3 * vertex + (size_t)d] += weight * sum[d] / count;
    }
}

static void relax_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const relaxation *r = user;
    for (size_t k = begin; k < end; k++)
        relax_vertex(r, k);
}

spate_status X(surface_relax)(X(surface) *s, spate_error *error)
{
    spate_surface *mesh = s->mesh;
    TRY(mark_small(s, error));
    float *spare = mesh->normals;                              /* not yet in use */
    int passes = (DIM == 3 ? 4 : 8) * (1 + s->cell * s->cell); /* even */
    for (int pass = 0; pass < passes; pass++) {
        relaxation r = {s, pass & 1 ? spare : mesh->positions, pass & 1 ? mesh->positions : spare};
        sp_parallel_for(s->pool, mesh->vertices, 1024, relax_range, &r);
    }
    return SPATE_OK;
}
