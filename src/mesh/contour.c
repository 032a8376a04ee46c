/* contour.c -- vertices on the lattice edges that the surface cuts, and the simplices between them.
 *
 * Everything outside the lattice is outside the liquid. Where there are walls, an edge from a node
 * inside the liquid to one beyond the wall is cut at the wall. That alone would bevel the line
 * where the surface meets the wall, and the edges of the tank; so a vertex on a wall slides along
 * it to the cut of the next lattice edge, or to the next wall.
 *
 * An edge belongs to its low node, and a node to its block; the nodes beyond a low wall belong to
 * the blocks at that wall. Blocks count first and write when all know where. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define CORNERS (1 << DIM)
#define AXIS_EDGES (CORNERS / 2)
#define OUT 1e9f      /* phi beyond the lattice */
#define NEAREST 0.02f /* of a cut to a node */
#define BEVEL 0.03f   /* nodes, of the edges of the tank: no angle below a degree */
#define NARROW 0.7f   /* of the way to the water line at the end of a strip one node wide */
#define HALO 2

/* A block with phi and what follows from it. */
typedef struct view {
    X(surface) *s;
    X(block) *block;
    int width;
    float gap; /* nodes, to the walls */
    size_t stride[DIM];
    float phi[BUFFER];
} view;

static void make_view(view *v, X(surface) *s, X(block) *block)
{
    v->s = s;
    v->block = block;
    v->width = s->side + 2 * HALO;
    v->gap = (float)s->options->gap * (float)s->cell;
    size_t stride = 1;
    FOR_DIM(d) {
        v->stride[d] = stride;
        stride *= (size_t)v->width;
    }
    /* where there is no block phi = 0 is loaded: outside, which is what it is */
    X(surface_load)(s, block, s->phi, HALO, -1.0f, v->phi);
    bool at_end = false;
    FOR_DIM(d)
        at_end = at_end || block->at[d] == 0 || (block->at[d] + 1) * s->side + HALO > s->n[d];
    for (size_t k = 0; k < stride && at_end; k++) {
        size_t rest = k;
        FOR_DIM(d) {
            int node = block->at[d] * s->side + (int)(rest % (size_t)v->width) - HALO;
            rest /= (size_t)v->width;
            if (node < 0 || node >= s->n[d])
                v->phi[k] = OUT;
        }
    }
}

static size_t place(const view *v, const int at[DIM])
{
    size_t index = 0;
    FOR_DIM(d)
        index += (size_t)(at[d] + HALO) * v->stride[d];
    return index;
}

/* Calls visit for each node that the block owns. */
typedef void visit_fn(view *v, const int at[DIM], size_t index, void *user);
static void for_each_node(view *v, visit_fn *visit, void *user)
{
    int low[3] = {0, 0, 0}, at[3];
    FOR_DIM(d)
        low[d] = v->block->at[d] == 0 ? -1 : 0;
    for (at[2] = low[2]; at[2] < LAST(v->s->side); at[2]++)
        for (at[1] = low[1]; at[1] < v->s->side; at[1]++)
            for (at[0] = low[0]; at[0] < v->s->side; at[0]++)
                visit(v, at, place(v, at), user);
}

static int cell_case(const view *v, size_t index)
{
    int inside = 0;
    for (int c = 0; c < CORNERS; c++) {
        size_t corner = index;
        FOR_DIM(d)
            corner += (c >> d & 1) ? v->stride[d] : 0;
        inside |= (v->phi[corner] < 0.0f) << c;
    }
    return inside;
}

/* Bit d: the edge from a node along axis d is cut. */
static unsigned cut_axes(const view *v, size_t index)
{
    unsigned cut = 0;
    bool inside = v->phi[index] < 0.0f;
    FOR_DIM(d)
        cut |= (unsigned)(inside != (v->phi[index + v->stride[d]] < 0.0f)) << d;
    return cut;
}

static size_t edge_index(const X(surface) *s, const int at[DIM])
{
    size_t index = 0;
    for (int d = DIM - 1; d >= 0; d--)
        index = index * ((size_t)s->side + 1) + (size_t)(at[d] + 1);
    return index;
}

/* ------------------------------------------------------------------ counting */

static void count_node(view *v, const int at[DIM], size_t index, void *user)
{
    (void)user;
    X(surface) *s = v->s;
    X(block) *block = v->block;
    unsigned cut = cut_axes(v, index);
    int inside = cell_case(v, index);
    s->edge[(size_t)block->slot * s->edge_nodes + edge_index(s, at)] =
        (uint16_t)(block->first_vertex << 3 | cut);
    block->first_vertex += (cut & 1) + (cut >> 1 & 1) + (cut >> 2 & 1);
    block->first_simplex += s->cases->count[inside];
}

static void count_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    view v;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        if (s->block[k].slot == NO_SLOT)
            continue;
        make_view(&v, s, &s->block[k]);
        for_each_node(&v, count_node, NULL);
    }
}

/* ------------------------------------------------------------------ vertices */

/* Where the edge between two nodes is cut, from the first, as a share of its length. */
static float cut_at(float from, float to)
{
    if (from == OUT || to == OUT)
        return 0.5f;
    float t = from / (from - to);
    return t < NEAREST ? NEAREST : t > 1.0f - NEAREST ? 1.0f - NEAREST : t;
}

/* Moves a vertex on a wall across axis `axis` to the ends of the liquid along the wall: to the
 * water line, to the next wall. `inside` is the node inside. Where the water line cuts the lattice
 * edges along both axes of the wall, it runs between the two cuts, and the vertex goes to the
 * nearest point of it. */
static unsigned slide(const view *v, size_t inside, int axis, float x[DIM])
{
    unsigned walls = VERTEX_FIXED;
    float line[DIM] = {0}, square = 0.0f, part = 1.0f;
    int cuts = 0;
    FOR_DIM(d) {
        if (d == axis)
            continue;
        float phi = v->phi[inside], low = v->phi[inside - v->stride[d]],
              high = v->phi[inside + v->stride[d]];
        if (low >= 0.0f && high >= 0.0f)
            part = NARROW;
        if ((low < 0.0f) == (high < 0.0f))
            continue;
        float other = low < 0.0f ? high : low, way = cut_at(phi, other);
        if (other == OUT) {
            walls |= 1u << (2 * d + (low < 0.0f));
            way -= BEVEL + v->gap;
            x[d] += low < 0.0f ? way : -way;
            continue;
        }
        walls &= ~(unsigned)VERTEX_FIXED;
        line[d] = low < 0.0f ? way : -way;
        square += 1.0f / (way * way);
        cuts++;
    }
    FOR_DIM(d) {
        if (line[d] != 0.0f)
            x[d] += cuts == 1 ? part * line[d] : 1.0f / (line[d] * square);
    }
    return walls;
}

typedef struct writer {
    float *velocity[DIM], *share; /* of the nodes, as phi; NULL without velocities */
    uint32_t vertex, simplex;
} writer;

static void write_velocity(const writer *w, size_t a, size_t b, float t, float *out)
{
    float share[2] = {(1.0f - t) * w->share[a], t * w->share[b]}, sum = share[0] + share[1];
    FOR_DIM(d)
        out[d] = sum > 0.0f ? ((1.0f - t) * w->velocity[d][a] + t * w->velocity[d][b]) / sum : 0.0f;
}

static void write_vertex(view *v, const int at[DIM], size_t index, int axis, writer *w)
{
    X(surface) *s = v->s;
    spate_surface *mesh = s->mesh;
    size_t other = index + v->stride[axis], vertex = w->vertex++;
    bool first = v->phi[index] < 0.0f;
    size_t inside = first ? index : other;
    float x[DIM], t = cut_at(v->phi[index], v->phi[other]);
    unsigned walls = 0;
    FOR_DIM(d)
        x[d] = (float)at[d] + 0.5f;
    if (v->phi[first ? other : index] == OUT) {
        walls = 1u << (2 * axis + first);
        walls |= slide(v, inside, axis, x);
        x[axis] += first ? -v->gap : v->gap;
    }
    x[axis] += t;
    FOR_DIM(d)
        mesh->positions[3 * vertex + (size_t)d] =
            (float)(s->origin[d] + (double)s->h * ((double)x[d] + v->block->at[d] * s->side));
    s->wall[vertex] = (uint16_t)walls;
    if (mesh->velocities)
        write_velocity(w, index, other, t, mesh->velocities + 3 * vertex);

    int node[DIM], home[DIM];
    size_t local = 0;
    FOR_DIM(d)
        node[d] = v->block->at[d] * s->side + at[d] + (!first && d == axis);
    for (int d = DIM - 1; d >= 0; d--) {
        home[d] = node[d] / s->side;
        local = local * (size_t)s->side + (size_t)(node[d] - home[d] * s->side);
    }
    const X(block) *block = X(surface_block)(s, home);
    bool deep = block->slot == NO_SLOT;
    size_t place = (size_t)block->slot * s->nodes + local;
    s->slim[vertex] = deep ? 0 : s->thin[place];
    s->vertex_region[vertex] = s->region[block->first_label + (deep ? 0 : s->label[place])];
}

/* The vertex on edge `edge` of the cell with low node `at`. */
static uint32_t vertex_on(const view *v, const int at[DIM], int edge)
{
    const X(surface) *s = v->s;
    int axis = edge / AXIS_EDGES, offset = edge % AXIS_EDGES, node[DIM], home[DIM];
    FOR_DIM(d) {
        node[d] = at[d];
        home[d] = v->block->at[d];
        if (d == axis)
            continue;
        node[d] += offset & 1;
        offset >>= 1;
        if (node[d] == s->side) {
            node[d] = 0;
            home[d]++;
        }
    }
    const X(block) *block = X(surface_block)(s, home);
    unsigned entry = s->edge[(size_t)block->slot * s->edge_nodes + edge_index(s, node)];
    unsigned before = entry & ((1u << axis) - 1);
    return block->first_vertex + (entry >> 3) + (before & 1) + (before >> 1);
}

static void write_node(view *v, const int at[DIM], size_t index, void *user)
{
    X(surface) *s = v->s;
    writer *w = user;
    unsigned cut = cut_axes(v, index);
    for (int d = 0; d < DIM && cut; d++)
        if (cut >> d & 1)
            write_vertex(v, at, index, d, w);
    int inside = cell_case(v, index);
    for (int k = 0; k < s->cases->count[inside]; k++, w->simplex++)
        FOR_DIM(d)
            s->mesh->indices[DIM * (size_t)w->simplex + (size_t)d] =
                vertex_on(v, at, s->cases->edge[inside][DIM * k + d]);
}

/* Blurred values with a halo as that of phi. */
static void load_trimmed(const X(surface) *s, const X(block) *block, const float *values,
                         float *out)
{
    float wide[BUFFER];
    int from = X(surface_load_blurred)(s, block, values, HALO, 0.0f, wide);
    int width = s->side + 2 * HALO, z = DIM == 3 ? s->blur : 0;
    for (int k = 0; k < LAST(width); k++)
        for (int j = 0; j < width; j++)
            memcpy(out + width * (j + width * k),
                   wide + s->blur + from * (j + s->blur + from * (k + z)),
                   (size_t)width * sizeof *out);
}

static void write_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    view v;
    float velocity[DIM][BUFFER], share[BUFFER];
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        X(block) *block = &s->block[k];
        if (block->slot == NO_SLOT)
            continue;
        make_view(&v, s, block);
        writer w = {.vertex = block->first_vertex, .simplex = block->first_simplex, .share = share};
        FOR_DIM(d) {
            w.velocity[d] = velocity[d];
            if (s->momentum[d])
                load_trimmed(s, block, s->momentum[d], velocity[d]);
        }
        if (s->momentum[0])
            load_trimmed(s, block, s->field, share);
        for_each_node(&v, write_node, &w);
    }
}

/* ------------------------------------------------------------------ all */

static spate_status make_mesh(X(surface) *s, size_t vertices, size_t simplices, spate_error *error)
{
    spate_surface *mesh = s->mesh;
    mesh->vertices = vertices;
    mesh->triangles = simplices;
    mesh->positions = sp_alloc(vertices, 3 * sizeof *mesh->positions);
    mesh->normals = sp_alloc(vertices, 3 * sizeof *mesh->normals);
    mesh->velocities = s->velocities ? sp_alloc(vertices, 3 * sizeof *mesh->velocities) : NULL;
    mesh->indices = sp_alloc(simplices, DIM * sizeof *mesh->indices);
    s->wall = sp_alloc(vertices, sizeof *s->wall);
    s->slim = sp_alloc(vertices, sizeof *s->slim);
    s->vertex_region = sp_alloc(vertices, sizeof *s->vertex_region);
    bool made = mesh->positions && mesh->normals && (mesh->velocities || !s->velocities) &&
                mesh->indices && s->wall && s->slim && s->vertex_region;
    return made ? SPATE_OK : sp_fail_memory(error, "a surface", 42 * vertices + 12 * simplices);
}

spate_status X(surface_contour)(X(surface) *s, spate_error *error)
{
    size_t entries = (size_t)s->slot_count * s->edge_nodes, vertices = 0, simplices = 0;
    s->edge = sp_alloc(entries, sizeof *s->edge);
    s->cases = sp_alloc(1, sizeof *s->cases);
    if (!s->edge || !s->cases)
        return sp_fail_memory(error, "a surface", entries * sizeof *s->edge);
    X(surface_cases)(s->cases);
    sp_parallel_for(s->pool, s->block_count, 4, count_range, s);
    for (uint32_t k = 0; k < s->block_count; k++) {
        uint32_t own[2] = {s->block[k].first_vertex, s->block[k].first_simplex};
        s->block[k].first_vertex = (uint32_t)vertices;
        s->block[k].first_simplex = (uint32_t)simplices;
        vertices += own[0];
        simplices += own[1];
    }
    if (simplices > UINT32_MAX / DIM)
        return sp_fail(error, SPATE_ERROR_USAGE, "surface",
                       "more than 4,294,967,295 corners of triangles: use a lower resolution");
    TRY(make_mesh(s, vertices, simplices, error));
    sp_parallel_for(s->pool, s->block_count, 4, write_range, s);
    return SPATE_OK;
}
