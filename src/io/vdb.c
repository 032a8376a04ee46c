/* vdb.c -- an OpenVDB file (format 224) of a level set and a velocity.
 *
 * A grid is a tree with branching 32^3, 16^3 and leaves of 8^3 cells, written depth first, twice:
 * first its topology, every node as bit masks (which places have children, which values are active)
 * and the values of its places without children, then the values of the leaves. Bits and places
 * count with z fastest. With the compression "active mask" only active values are written; a byte
 * before them says what the others are:
 *
 *     0   all +background        1   all -background
 *     3   + or -background, by a bit mask that follows (set: +)
 *
 * Distances inside the band, and velocities where there is one, are active. What lies deeper in the
 * liquid is -background: whole leaves of it become a value of their parent.
 *
 * A file begins with a list of grids that says where each of them is, so a first pass writes
 * nothing and only counts. */
#include "vdb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "bytes.h"
#include "file.h"

enum {
    LEAF_BYTES = SP_LEAF_CELLS / 8,
    MIDDLE = 16, /* leaves along a side of a lower node */
    MIDDLE_BYTES = MIDDLE * MIDDLE * MIDDLE / 8,
    TOP = 32, /* lower nodes along a side of an upper node */
    TOP_BYTES = TOP * TOP * TOP / 8
};

/* Where the bytes go; without a file they are only counted. */
typedef struct sink {
    sp_file *file;
    uint64_t count;
} sink;

typedef struct tree {
    const sp_volume *volume;
    const sp_leaf **leaves; /* in the order in which they are written */
    bool vector;            /* `vel`, not `surface` */
} tree;

static void put(sink *to, const void *bytes, size_t size)
{
    if (to->file)
        sp_file_write(to->file, bytes, size);
    to->count += size;
}

static void put32(sink *to, uint32_t value)
{
    unsigned char bytes[4];
    sp_store32(bytes, value);
    put(to, bytes, 4);
}

static void put64(sink *to, uint64_t value)
{
    unsigned char bytes[8];
    sp_store64(bytes, value);
    put(to, bytes, 8);
}

static void put_float(sink *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put32(to, bits);
}

static void put_double(sink *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put64(to, bits);
}

static void put_string(sink *to, const char *text)
{
    put32(to, (uint32_t)strlen(text));
    put(to, text, strlen(text));
}

static void set_bit(unsigned char *mask, int bit)
{
    mask[bit >> 3] |= (unsigned char)(1 << (bit & 7));
}

/* ------------------------------------------------------------------ the order of a tree */

/* The part of a block's place that a node at `level` has: 0 which upper node, 1 which lower node in
 * it, 2 which leaf in that; each as x, y, z. */
static int digit(const sp_leaf *leaf, int level, int axis)
{
    int side = MIDDLE * TOP, at = leaf->at[axis];
    int upper = at >= 0 ? at / side : -((side - 1 - at) / side), inner = at - upper * side;
    return level == 0 ? upper : level == 1 ? inner / MIDDLE : inner % MIDDLE;
}

static int by_node(const void *first, const void *second)
{
    const sp_leaf *a = *(const sp_leaf *const *)first, *b = *(const sp_leaf *const *)second;
    for (int level = 0; level < 3; level++)
        for (int d = 0; d < 3; d++) {
            int difference = digit(a, level, d) - digit(b, level, d);
            if (difference != 0)
                return difference;
        }
    return 0;
}

/* Where the blocks that share an upper (level 0) or a lower node (level 1) with block `begin` end.
 */
static size_t end_of(const tree *t, size_t begin, int level)
{
    size_t end = begin + 1;
    for (; end < t->volume->leaf_count; end++)
        for (int d = 0; d < 3; d++)
            if (digit(t->leaves[begin], 0, d) != digit(t->leaves[end], 0, d) ||
                (level == 1 && digit(t->leaves[begin], 1, d) != digit(t->leaves[end], 1, d)))
                return end;
    return end;
}

static bool is_child(const tree *t, const sp_leaf *leaf)
{
    return t->vector || leaf->near;
}

/* ------------------------------------------------------------------ values */

static bool is_active(const tree *t, const sp_leaf *leaf, int cell)
{
    if (t->vector)
        return leaf->known[cell];
    return (double)fabsf(leaf->phi[cell]) < t->volume->band;
}

/* Our cells count with x fastest, theirs with z. */
static int cell_of(int bit)
{
    return bit >> 6 | (bit >> 3 & 7) << 3 | (bit & 7) << 6;
}

static void leaf_mask(const tree *t, const sp_leaf *leaf, unsigned char mask[LEAF_BYTES])
{
    memset(mask, 0, LEAF_BYTES);
    for (int bit = 0; bit < SP_LEAF_CELLS; bit++)
        if (is_active(t, leaf, cell_of(bit)))
            set_bit(mask, bit);
}

static void put_leaf_values(sink *to, const tree *t, const sp_leaf *leaf)
{
    unsigned char mask[LEAF_BYTES], outside[LEAF_BYTES] = {0};
    float values[3 * SP_LEAF_CELLS];
    size_t count = 0;
    leaf_mask(t, leaf, mask);
    put(to, mask, LEAF_BYTES);
    for (int bit = 0; bit < SP_LEAF_CELLS; bit++) {
        int cell = cell_of(bit);
        if (!t->vector && leaf->phi[cell] > 0)
            set_bit(outside, bit);
        if (!is_active(t, leaf, cell))
            continue;
        if (!t->vector)
            values[count++] = leaf->phi[cell];
        for (int d = 0; t->vector && d < 3; d++)
            values[count++] = leaf->v[d][cell];
    }
    put(to, t->vector ? "\0" : "\3", 1);
    if (!t->vector)
        put(to, outside, LEAF_BYTES);
    if (to->file)
        sp_file_write_numbers(to->file, values, count, 4);
    to->count += 4 * count;
}

/* ------------------------------------------------------------------ topology */

static void put_lower(sink *to, const tree *t, size_t begin, size_t end)
{
    unsigned char children[MIDDLE_BYTES] = {0}, zeros[MIDDLE_BYTES] = {0}, outside[MIDDLE_BYTES];
    bool tiles = false;
    memset(outside, 0xff, sizeof outside);
    for (size_t k = begin; k < end; k++) {
        const sp_leaf *leaf = t->leaves[k];
        int bit = (digit(leaf, 2, 0) * MIDDLE + digit(leaf, 2, 1)) * MIDDLE + digit(leaf, 2, 2);
        if (is_child(t, leaf)) {
            set_bit(children, bit);
        } else {
            outside[bit >> 3] &= (unsigned char)~(1 << (bit & 7));
            tiles = true;
        }
    }
    put(to, children, sizeof children);
    put(to, zeros, sizeof zeros);
    put(to, tiles ? "\3" : "\0", 1);
    if (tiles)
        put(to, outside, sizeof outside);
    for (size_t k = begin; k < end; k++)
        if (is_child(t, t->leaves[k])) {
            unsigned char mask[LEAF_BYTES];
            leaf_mask(t, t->leaves[k], mask);
            put(to, mask, sizeof mask);
        }
}

static void put_upper(sink *to, const tree *t, size_t begin, size_t end)
{
    unsigned char children[TOP_BYTES] = {0}, zeros[TOP_BYTES] = {0};
    for (int d = 0; d < 3; d++)
        put32(to, (uint32_t)(digit(t->leaves[begin], 0, d) * TOP * MIDDLE * SP_LEAF));
    for (size_t k = begin; k < end; k = end_of(t, k, 1)) {
        const sp_leaf *leaf = t->leaves[k];
        set_bit(children, (digit(leaf, 1, 0) * TOP + digit(leaf, 1, 1)) * TOP + digit(leaf, 1, 2));
    }
    put(to, children, sizeof children);
    put(to, zeros, sizeof zeros);
    put(to, "\0", 1);
    for (size_t k = begin; k < end; k = end_of(t, k, 1))
        put_lower(to, t, k, end_of(t, k, 1));
}

static void put_topology(sink *to, const tree *t)
{
    uint32_t uppers = 0;
    for (size_t k = 0; k < t->volume->leaf_count; k = end_of(t, k, 0))
        uppers++;
    put32(to, 1); /* buffers per leaf */
    for (int c = 0; c < (t->vector ? 3 : 1); c++)
        put_float(to, t->vector ? 0 : (float)t->volume->band); /* background */
    put32(to, 0);                                              /* values in the root */
    put32(to, uppers);
    for (size_t k = 0; k < t->volume->leaf_count; k = end_of(t, k, 0))
        put_upper(to, t, k, end_of(t, k, 0));
}

/* ------------------------------------------------------------------ grids and the file */

static void put_text_meta(sink *to, const char *name, const char *text)
{
    put_string(to, name);
    put_string(to, "string");
    put_string(to, text);
}

/* Index (0, 0, 0) is the middle of the first cell. */
static void put_transform(sink *to, double dx)
{
    const double rows[6] = {0.5 * dx, dx, dx, 1 / dx, 1 / (dx * dx), 0.5 / dx};
    put_string(to, "UniformScaleTranslateMap");
    for (int k = 0; k < 6; k++)
        for (int d = 0; d < 3; d++)
            put_double(to, rows[k]);
}

/* Where a grid and its parts lie in the file. */
typedef struct extent {
    uint64_t grid, block, end;
} extent;

static void put_grid(sink *to, const tree *t, extent *where)
{
    enum { ACTIVE_MASK = 2 };
    put_string(to, t->vector ? "vel" : "surface");
    put_string(to, t->vector ? "Tree_vec3s_5_4_3" : "Tree_float_5_4_3");
    put_string(to, ""); /* no grid that this one shares its tree with */
    put64(to, where->grid);
    put64(to, where->block);
    put64(to, where->end);
    where->grid = to->count;
    put32(to, ACTIVE_MASK);
    put32(to, 3); /* metadata */
    put_text_meta(to, "class", t->vector ? "unknown" : "level set");
    put_text_meta(to, "creator", "spate " SPATE_VERSION);
    put_text_meta(to, "name", t->vector ? "vel" : "surface");
    put_transform(to, t->volume->cell_size);
    put_topology(to, t);
    where->block = to->count;
    for (size_t k = 0; k < t->volume->leaf_count; k++)
        if (is_child(t, t->leaves[k]))
            put_leaf_values(to, t, t->leaves[k]);
    where->end = to->count;
}

/* A name for the file that no other content has: readers take files of one name for the same. */
static void put_uuid(sink *to, const sp_volume *volume)
{
    uint64_t hash[2] = {14695981039346656037u, 1099511628211u};
    for (size_t k = 0; k < volume->leaf_count; k++)
        for (int i = 0; i < SP_LEAF_CELLS; i++) {
            uint32_t bits;
            memcpy(&bits, &volume->leaves[k]->phi[i], 4);
            hash[i & 1] = (hash[i & 1] ^ bits) * 1099511628211u;
        }
    char text[40];
    snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(hash[0] >> 32),
             (unsigned)(hash[0] >> 16 & 0xffff), (unsigned)(hash[0] & 0xfff),
             (unsigned)(hash[1] >> 48 & 0xfff), (unsigned long long)(hash[1] & 0xffffffffffff));
    put(to, text, 36);
}

static void put_all(sink *to, tree *t, extent where[2])
{
    put64(to, 0x56444220); /* " BDV" */
    put32(to, 224);        /* of the format */
    put32(to, 10);         /* of the library that is said to have written it */
    put32(to, 0);
    put(to, "\1", 1); /* grids have offsets */
    put_uuid(to, t->volume);
    put32(to, 0); /* no metadata of the file */
    put32(to, 2); /* grids */
    for (int k = 0; k < 2; k++) {
        t->vector = k == 1;
        put_grid(to, t, &where[k]);
    }
}

spate_status sp_vdb_write(const sp_volume *volume, const char *path, spate_error *error)
{
    extent where[2] = {{0}};
    if (volume->dim != 3)
        return sp_fail(error, SPATE_ERROR_USAGE, path,
                       "OpenVDB holds volumes, not planes: write a 2D run as VTK");
    tree t = {.volume = volume, .leaves = sp_alloc(volume->leaf_count, sizeof *t.leaves)};
    if (!t.leaves)
        return sp_fail_memory(error, path, volume->leaf_count * sizeof *t.leaves);
    for (size_t k = 0; k < volume->leaf_count; k++)
        t.leaves[k] = volume->leaves[k];
    if (volume->leaf_count > 0)
        qsort(t.leaves, volume->leaf_count, sizeof *t.leaves, by_node);
    sink to = {NULL, 0};
    put_all(&to, &t, where);
    to = (sink){sp_file_create(path, error), 0};
    if (to.file)
        put_all(&to, &t, where);
    sp_free(t.leaves);
    return to.file ? sp_file_close(to.file, error) : error->status;
}
