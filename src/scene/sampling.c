/* sampling.c -- so many particles in a box, for teaching: on a lattice, on one with jitter, by
 * chance, or by chance but apart from each other.
 *
 *     grid           m = ceil(n^(1/dim)) along each axis, the first and the last on the faces
 *     jittered_grid  the same, each moved by up to half of jitter size / m either way, within the
 * box random         n places, uniform blue_noise     Bridson 2007: from one place on, `candidates`
 * places between r and 2 r around a place that is picked by chance; one with no other within r
 * stays. A place that none was found for is done. Ends at n, or when all are done. r = 0.7
 * (V/n)^(1/dim)
 *
 * Random numbers are hashes of (seed, number), so that nothing depends on the platform. */
#include "sampling.h"

#include "base/memory.h"
#include "base/status.h"
#include "kernels/random.h"

#include <math.h>
#include <string.h>

bool sp_is_sampled(const spate_shape *fill)
{
    return fill->shape == SPATE_SHAPE_BOX && fill->sampling != SPATE_SAMPLING_CELLS;
}

uint64_t sp_lattice_count(int count, int dim, int *along)
{
    for (uint64_t m = 0;; m++) {
        uint64_t all = dim == 2 ? m * m : m * m * m;
        if (all >= (uint64_t)count) {
            *along = (int)m;
            return all;
        }
    }
}

/* Newton's way from above: libm's may differ in the last bit. */
static double cube_root(double x)
{
    double root = x > 1 ? x : 1;
    for (double next = root;; root = next) {
        next = (2 * root + x / (root * root)) / 3;
        if (!(next < root))
            return root;
    }
}

static double uniform(uint64_t key, uint64_t number)
{
    return (double)(sp_hash2(key, number) >> 11) * 0x1p-53;
}

static float between(const spate_shape *fill, int d, double x)
{
    return (float)fmin(fmax(x, fill->min[d]), fill->max[d]);
}

/* ---- lattices */

static void place_lattice(const spate_shape *fill, int dim, int m, uint64_t key, float *positions,
                          size_t count)
{
    bool jitter = fill->sampling == SPATE_SAMPLING_JITTERED_GRID;
    for (size_t k = 0; k < count; k++) {
        size_t rest = k;
        for (int d = 0; d < dim; d++) {
            double size = fill->max[d] - fill->min[d];
            double share = m > 1 ? (double)(rest % (size_t)m) / (m - 1) : 0.5;
            double way =
                jitter ? fill->jitter * size / m * (uniform(key, 3 * k + (size_t)d) - 0.5) : 0;
            positions[3 * k + (size_t)d] = between(fill, d, fill->min[d] + share * size + way);
            rest /= (size_t)m;
        }
    }
}

static void place_by_chance(const spate_shape *fill, int dim, uint64_t key, float *positions,
                            size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (int d = 0; d < dim; d++)
            positions[3 * k + (size_t)d] = between(
                fill, d,
                fill->min[d] + (fill->max[d] - fill->min[d]) * uniform(key, 3 * k + (size_t)d));
}

/* ---- blue noise */

typedef struct noise {
    const spate_shape *fill;
    int dim;
    double r, edge; /* m: least distance; edge of the cells of the table */
    int cells[3];
    int32_t *table;   /* per cell: 1 + the place in it, of which there is one at most */
    uint32_t *active; /* places that are not done */
    float *positions;
    size_t count, active_count;
    uint64_t key, drawn;
} noise;

static double draw(noise *n)
{
    return uniform(n->key, n->drawn++);
}

static void cell_of(const noise *n, const double x[3], int cell[3])
{
    for (int d = 0; d < 3; d++) {
        cell[d] = d < n->dim ? (int)((x[d] - n->fill->min[d]) / n->edge) : 0;
        cell[d] = cell[d] < n->cells[d] ? cell[d] : n->cells[d] - 1;
    }
}

static size_t table_index(const noise *n, const int c[3])
{
    return (size_t)c[0] + (size_t)n->cells[0] * ((size_t)c[1] + (size_t)n->cells[1] * (size_t)c[2]);
}

static bool is_apart(const noise *n, const double x[3])
{
    int home[3], low[3], high[3], c[3];
    cell_of(n, x, home);
    for (int d = 0; d < 3; d++) {
        low[d] = home[d] > 2 ? home[d] - 2 : 0;
        high[d] = home[d] + 2 < n->cells[d] ? home[d] + 2 : n->cells[d] - 1;
    }
    for (c[2] = low[2]; c[2] <= high[2]; c[2]++)
        for (c[1] = low[1]; c[1] <= high[1]; c[1]++)
            for (c[0] = low[0]; c[0] <= high[0]; c[0]++) {
                int32_t other = n->table[table_index(n, c)];
                double square = 0;
                for (int d = 0; d < n->dim && other > 0; d++) {
                    double gap = x[d] - (double)n->positions[3 * (size_t)(other - 1) + (size_t)d];
                    square += gap * gap;
                }
                if (other > 0 && square < n->r * n->r)
                    return false;
            }
    return true;
}

static void keep(noise *n, const double x[3])
{
    int cell[3];
    cell_of(n, x, cell);
    n->table[table_index(n, cell)] = (int32_t)n->count + 1;
    for (int d = 0; d < n->dim; d++)
        n->positions[3 * n->count + (size_t)d] = between(n->fill, d, x[d]);
    n->active[n->active_count++] = (uint32_t)n->count++;
}

/* A place between r and 2 r around another, by rejection; false: outside of the box. */
static bool draw_around(noise *n, const float *around, double x[3])
{
    double way[3], square;
    do {
        square = 0;
        for (int d = 0; d < n->dim; d++) {
            way[d] = (4 * draw(n) - 2) * n->r;
            square += way[d] * way[d];
        }
    } while (square < n->r * n->r || square > 4 * n->r * n->r);
    bool inside = true;
    for (int d = 0; d < n->dim; d++) {
        x[d] = (double)around[d] + way[d];
        inside = inside && x[d] >= n->fill->min[d] && x[d] <= n->fill->max[d];
    }
    return inside;
}

static void spread(noise *n, size_t wanted)
{
    double x[3] = {0, 0, 0};
    for (int d = 0; d < n->dim; d++)
        x[d] = n->fill->min[d] + (n->fill->max[d] - n->fill->min[d]) * draw(n);
    keep(n, x);
    while (n->active_count > 0 && n->count < wanted) {
        size_t pick = (size_t)(draw(n) * (double)n->active_count);
        const float *around = n->positions + 3 * (size_t)n->active[pick];
        bool found = false;
        for (int k = 0; k < n->fill->candidates && !found; k++) {
            found = draw_around(n, around, x) && is_apart(n, x);
            if (found)
                keep(n, x);
        }
        if (!found)
            n->active[pick] = n->active[--n->active_count];
    }
}

static spate_status place_apart(const spate_shape *fill, int dim, uint64_t key, float *positions,
                                size_t *count, spate_error *error)
{
    noise n = {.fill = fill, .dim = dim, .key = key, .positions = positions, .cells = {1, 1, 1}};
    double volume = 1, all = 1;
    for (int d = 0; d < dim; d++)
        volume *= fill->max[d] - fill->min[d];
    double each = volume / (double)*count;
    n.r = 0.7 * (dim == 2 ? sqrt(each) : cube_root(each));
    n.edge = n.r / sqrt((double)dim); /* no two places in one cell */
    for (int d = 0; d < dim; d++) {
        all *= ceil((fill->max[d] - fill->min[d]) / n.edge) + 1;
        if (!(all < 2e9))
            return sp_fail(error, SPATE_ERROR_SCENE, "fill", "is too thin for blue_noise");
        n.cells[d] = (int)ceil((fill->max[d] - fill->min[d]) / n.edge) + 1;
    }
    n.table = sp_alloc((size_t)all, sizeof *n.table);
    n.active = sp_alloc(*count, sizeof *n.active);
    spate_status status =
        n.table && n.active ? SPATE_OK : sp_fail_memory(error, "the fills", (uint64_t)all);
    if (status == SPATE_OK)
        spread(&n, *count);
    sp_free(n.table);
    sp_free(n.active);
    *count = n.count;
    return status;
}

spate_status sp_sample_points(const spate_shape *fill, int dim, float **positions, size_t *count,
                              spate_error *error)
{
    int m = 0;
    uint64_t key = sp_mix(fill->seed);
    bool lattice =
        fill->sampling == SPATE_SAMPLING_GRID || fill->sampling == SPATE_SAMPLING_JITTERED_GRID;
    *count = (size_t)(lattice ? sp_lattice_count(fill->count, dim, &m) : (uint64_t)fill->count);
    *positions = NULL;
    if (*count == 0)
        return SPATE_OK;
    *positions = sp_alloc(*count, 3 * sizeof **positions);
    if (!*positions)
        return sp_fail_memory(error, "the fills", *count * 3 * sizeof **positions);
    if (lattice)
        place_lattice(fill, dim, m, key, *positions, *count);
    else if (fill->sampling == SPATE_SAMPLING_RANDOM)
        place_by_chance(fill, dim, key, *positions, *count);
    else
        return place_apart(fill, dim, key, *positions, count, error);
    return SPATE_OK;
}
