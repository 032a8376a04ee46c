/* mesh_read.c -- triangle meshes from OBJ, STL (binary, ASCII) and PLY files, told apart by their
 * content.
 *
 * Polygons become fans of triangles. What is read is a list of triangles and nothing more:
 * spate_mesh_create welds it and judges whether it is closed. */
#include <stdlib.h>

#include <spate/spate_io.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/status.h"
#include "file.h"
#include "ply.h"

typedef struct soup {
    const char *path;
    const char *text; /* the file, for line numbers */
    double *vertices; /* [3 * vertex_count] */
    size_t vertex_count, vertex_capacity;
    uint32_t *triangles; /* [3 * triangle_count] */
    size_t triangle_count, triangle_capacity;
    spate_error *error;
} soup;

static size_t line_of(const soup *s, const char *at)
{
    size_t line = 1;
    for (const char *c = s->text; c < at; c++)
        line += *c == '\n' || *c == '\v';
    return line;
}

static spate_status fail_at(const soup *s, const char *at, const char *what)
{
    return sp_fail(s->error, SPATE_ERROR_FILE, s->path, "line %zu: %s", line_of(s, at), what);
}

static spate_status add_vertex(soup *s, double x, double y, double z)
{
    if (s->vertex_count == s->vertex_capacity) {
        size_t capacity = s->vertex_capacity ? 2 * s->vertex_capacity : 1024;
        double *larger = sp_grow(s->vertices, 3 * s->vertex_count * sizeof *larger, capacity,
                                 3 * sizeof *larger);
        if (!larger)
            return sp_fail_memory(s->error, s->path, capacity * 3 * sizeof *larger);
        s->vertices = larger;
        s->vertex_capacity = capacity;
    }
    double *v = &s->vertices[3 * s->vertex_count++];
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return SPATE_OK;
}

static spate_status add_triangle(soup *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (s->triangle_count == s->triangle_capacity) {
        size_t capacity = s->triangle_capacity ? 2 * s->triangle_capacity : 1024;
        uint32_t *larger = sp_grow(s->triangles, 3 * s->triangle_count * sizeof *larger, capacity,
                                   3 * sizeof *larger);
        if (!larger)
            return sp_fail_memory(s->error, s->path, capacity * 3 * sizeof *larger);
        s->triangles = larger;
        s->triangle_capacity = capacity;
    }
    uint32_t *t = &s->triangles[3 * s->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return SPATE_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v';
}

static bool is_space(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

static bool read_three(const char **at, double x[3])
{
    for (int d = 0; d < 3; d++) {
        const char *after = sp_text_number(*at, &x[d]);
        if (!after)
            return false;
        *at = after;
    }
    return true;
}

/* ------------------------------------------------------------------ OBJ */

/* One corner, "v", "v/vt", "v//vn" or "v/vt/vn"; v counts from 1, or from the last vertex down if
 * negative. */
static spate_status read_corner(soup *s, const char **at, uint32_t *vertex)
{
    char *after;
    long long number = strtoll(*at, &after, 10);
    if (after == *at || (*after && !is_space(*after) && *after != '/'))
        return fail_at(s, *at, "a face must list vertex numbers such as 1, 1/2, 1//3 or 1/2/3");
    if (number < 0)
        number += (long long)s->vertex_count + 1;
    if (number <= 0 || number >= UINT32_MAX)
        return fail_at(s, *at, "a face names a vertex that is not there");
    while (*after && !is_space(*after))
        after++;
    while (is_blank(*after))
        after++;
    *at = after;
    *vertex = (uint32_t)(number - 1);
    return SPATE_OK;
}

static spate_status read_face(soup *s, const char *at)
{
    uint32_t first = 0, last = 0, vertex = 0;
    while (is_blank(*at))
        at++;
    for (int corners = 0; *at && *at != '\n' && *at != '\r' && *at != '#'; corners++) {
        TRY(read_corner(s, &at, &vertex));
        if (corners >= 2)
            TRY(add_triangle(s, first, last, vertex));
        if (corners == 0)
            first = vertex;
        last = vertex;
    }
    return SPATE_OK;
}

static spate_status read_obj(soup *s, char *text)
{
    /* a backslash joins lines; the vertical tab keeps the count of lines right */
    for (char *c = text; (c = strchr(c, '\\')); c++) {
        char *end = c[1] == '\r' ? c + 2 : c + 1;
        if (*end != '\n')
            continue;
        memset(c, ' ', (size_t)(end - c));
        *end = '\v';
    }
    for (const char *line = text; *line;) {
        while (is_space(*line))
            line++;
        if (line[0] == 'v' && is_blank(line[1])) {
            const char *at = line + 1;
            double x[3];
            if (!read_three(&at, x))
                return fail_at(s, line, "a vertex needs three numbers");
            TRY(add_vertex(s, x[0], x[1], x[2]));
        } else if (line[0] == 'f' && is_blank(line[1])) {
            TRY(read_face(s, line + 1));
        }
        line += strcspn(line, "\r\n");
    }
    if (s->vertex_count == 0 && s->triangle_count == 0)
        return sp_fail(s->error, SPATE_ERROR_FILE, s->path, "is not an OBJ, STL or PLY mesh");
    return SPATE_OK;
}

/* ------------------------------------------------------------------ STL */

enum { STL_HEADER = 84, STL_TRIANGLE = 50 };

static uint32_t little32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* How long a binary STL file must be by the count in its header. */
static uint64_t stl_size(const char *bytes)
{
    return STL_HEADER + (uint64_t)STL_TRIANGLE * little32(bytes + 80);
}

static spate_status add_facet(soup *s)
{
    uint32_t last = (uint32_t)s->vertex_count - 1;
    return add_triangle(s, last - 2, last - 1, last);
}

static spate_status read_stl_binary(soup *s, const char *bytes, size_t size)
{
    uint32_t count = little32(bytes + 80);
    if (stl_size(bytes) > size)
        return sp_fail(
            s->error, SPATE_ERROR_FILE, s->path,
            "looks like a binary STL of %u triangles, which take %llu bytes, but has only %zu: it is "
            "cut short or no mesh",
            (unsigned)count, (unsigned long long)stl_size(bytes), size);
    if (count > UINT32_MAX / 3)
        return sp_fail(s->error, SPATE_ERROR_FILE, s->path, "has %u triangles: too many",
                       (unsigned)count);
    for (uint32_t t = 0; t < count; t++) {
        const char *facet =
            bytes + STL_HEADER + (size_t)STL_TRIANGLE * t + 12; /* behind its normal */
        for (int c = 0; c < 3; c++) {
            float x[3];
            for (int d = 0; d < 3; d++) {
                uint32_t bits = little32(facet + 12 * c + 4 * d);
                memcpy(&x[d], &bits, sizeof bits);
            }
            TRY(add_vertex(s, x[0], x[1], x[2]));
        }
        TRY(add_facet(s));
    }
    return SPATE_OK;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(at, word, length) == 0;
}

static spate_status read_stl_text(soup *s, const char *text)
{
    int corners = -1; /* of the open facet; -1: none is open */
    for (const char *at = text; *at;) {
        while (is_space(*at))
            at++;
        const char *word = at;
        size_t length = strcspn(at, " \t\r\n");
        at += length;
        if (is_word(word, length, "solid") || is_word(word, length, "endsolid")) {
            at += strcspn(at, "\r\n"); /* the name, which may be anything */
        } else if (is_word(word, length, "facet")) {
            if (corners >= 0)
                return fail_at(s, word, "a facet begins before the last one has ended");
            corners = 0;
            at += strcspn(at, "\r\n"); /* the normal; the order of the corners says the same */
        } else if (is_word(word, length, "vertex")) {
            double x[3];
            if (corners < 0 || corners >= 3)
                return fail_at(s, word, "a vertex that belongs to no triangle");
            if (!read_three(&at, x))
                return fail_at(s, word, "a vertex needs three numbers");
            TRY(add_vertex(s, x[0], x[1], x[2]));
            corners++;
        } else if (is_word(word, length, "endfacet")) {
            if (corners != 3)
                return fail_at(s, word, "a facet must have three vertices");
            TRY(add_facet(s));
            corners = -1;
        }
    }
    if (corners >= 0)
        return sp_fail(s->error, SPATE_ERROR_FILE, s->path,
                       "the last facet has no end: the file is cut short");
    return SPATE_OK;
}

/* ------------------------------------------------------------------ PLY */

static spate_status read_ply_vertices(soup *s, sp_ply *ply, const sp_ply_element *element)
{
    int x = sp_ply_find(ply, element, "x"), y = sp_ply_find(ply, element, "y"),
        z = sp_ply_find(ply, element, "z");
    if (x < 0 || y < 0 || z < 0)
        return sp_fail(s->error, SPATE_ERROR_FILE, s->path,
                       "the vertices of the PLY file lack x, y or z");
    for (uint64_t i = 0; i < element->count; i++) {
        TRY(sp_ply_read_row(ply, element, -1, s->error));
        TRY(add_vertex(s, ply->row[x], ply->row[y], ply->row[z]));
    }
    return SPATE_OK;
}

static spate_status read_ply_faces(soup *s, sp_ply *ply, const sp_ply_element *element)
{
    int list = sp_ply_find(ply, element, "vertex_indices");
    if (list < 0)
        list = sp_ply_find(ply, element, "vertex_index");
    if (list < 0 || ply->properties[element->first + (size_t)list].count_type == SP_PLY_NONE)
        return sp_fail(s->error, SPATE_ERROR_FILE, s->path,
                       "the faces of the PLY file lack the list vertex_indices");
    for (uint64_t i = 0; i < element->count; i++) {
        TRY(sp_ply_read_row(ply, element, list, s->error));
        for (size_t c = 0; c < ply->list_count; c++)
            if (!(ply->list[c] >= 0 && ply->list[c] < UINT32_MAX))
                return sp_fail(s->error, SPATE_ERROR_FILE, s->path,
                               "face %llu names a vertex that is not there",
                               (unsigned long long)i + 1);
        for (size_t c = 2; c < ply->list_count; c++)
            TRY(add_triangle(s, (uint32_t)ply->list[0], (uint32_t)ply->list[c - 1],
                             (uint32_t)ply->list[c]));
    }
    return SPATE_OK;
}

static spate_status read_ply(soup *s, const char *bytes, size_t size)
{
    sp_ply ply;
    bool faces = false;
    TRY(sp_ply_open(&ply, bytes, size, s->path, s->error));
    spate_status status = SPATE_OK;
    for (size_t i = 0; i < ply.element_count && status == SPATE_OK; i++) {
        const sp_ply_element *element = &ply.elements[i];
        bool is_faces = strcmp(element->name, "face") == 0;
        faces |= is_faces;
        if (strcmp(element->name, "vertex") == 0)
            status = read_ply_vertices(s, &ply, element);
        else if (is_faces)
            status = read_ply_faces(s, &ply, element);
        else
            status = sp_ply_skip(&ply, element, s->error);
    }
    sp_ply_close(&ply);
    if (status == SPATE_OK && !faces)
        return sp_fail(s->error, SPATE_ERROR_FILE, s->path,
                       "the PLY file has no faces: it is no mesh but a set of points");
    return status;
}

/* ------------------------------------------------------------------ which of them */

static spate_status read_any(soup *s, char *bytes, size_t size)
{
    if (size >= 4 && memcmp(bytes, "ply", 3) == 0 && is_space(bytes[3]))
        return read_ply(s, bytes, size);
    /* Before the word "solid": many binary files begin with it too. */
    if (size >= STL_HEADER && stl_size(bytes) == size)
        return read_stl_binary(s, bytes, size);
    if (memchr(bytes, 0, size)) {
        if (size >= STL_HEADER)
            return read_stl_binary(s, bytes, size);
        return sp_fail(s->error, SPATE_ERROR_FILE, s->path, "is not an OBJ, STL or PLY mesh");
    }
    char *start = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? bytes + 3 : bytes;
    const char *word = start;
    while (is_space(*word))
        word++;
    if (strncasecmp(word, "solid", 5) == 0 && (is_space(word[5]) || !word[5]))
        return read_stl_text(s, word);
    return read_obj(s, start);
}

spate_mesh *spate_mesh_read(const char *path, spate_error *error)
{
    spate_error local;
    soup s = {.path = path, .error = error ? error : &local};
    char *bytes;
    size_t size;
    spate_mesh *mesh = NULL;
    if (sp_file_read_all(path, &bytes, &size, error) != SPATE_OK)
        return NULL;
    s.text = bytes;
    if (read_any(&s, bytes, size) == SPATE_OK) {
        mesh =
            spate_mesh_create(s.vertices, s.vertex_count, s.triangles, s.triangle_count, s.error);
        if (!mesh && !s.error->where[0]) /* spate_mesh_create knows no file */
            strncat(s.error->where, path, sizeof s.error->where - 1);
    }
    sp_free(bytes);
    sp_free(s.vertices);
    sp_free(s.triangles);
    return mesh;
}
