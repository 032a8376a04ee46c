/* test_mesh_read.c -- the same cube in every format and dialect, broken files, and damaged ones at
 * random. */
#include "test.h"

#include <locale.h>
#include <spate/spate_io.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "scene/mesh.h"

static char path[64];
static char file[1 << 16];
static size_t size;

static void text(const char *s)
{
    memcpy(file + size, s, strlen(s));
    size += strlen(s);
}

static void bytes(uint64_t bits, int count, bool big)
{
    for (int i = 0; i < count; i++)
        file[size++] = (char)(bits >> (8 * (big ? count - 1 - i : i)));
}

static void number(double value, bool big)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    bytes(bits, 4, big);
}

static void save(void)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(file, 1, size, f) != size || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

static spate_mesh *load(spate_error *error)
{
    save();
    return spate_mesh_read(path, error);
}

/* ------------------------------------------------------------------ the cube from 0 to 2 */

static const int QUADS[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static double corner(int i, int d)
{
    return i >> d & 1 ? 2 : 0;
}

static void check_cube(void)
{
    spate_error error = {0};
    spate_mesh *mesh = load(&error);
    CHECK_TEXT(error.message, "");
    CHECK(mesh != NULL);
    if (!mesh)
        return;
    CHECK(sp_mesh_triangle_count(mesh) == 12 && sp_mesh_vertex_count(mesh) == 8);
    CHECK_NEAR(sp_mesh_distance(mesh, (double[3]){1, 0.5, 1}, NULL), -0.5, 1e-15);
    CHECK_NEAR(sp_mesh_distance(mesh, (double[3]){5, 6, 1}, NULL), 5, 1e-14);
    spate_mesh_destroy(mesh);
}

static void obj_cube(const char *vertex_line_end, const char *face_format, bool negative)
{
    char line[128];
    size = 0;
    text("# a cube\nmtllib none.mtl\no cube\n");
    for (int i = 0; i < 8; i++) {
        snprintf(line, sizeof line, "v %g %.3f %.2e%s", corner(i, 0), corner(i, 1), corner(i, 2),
                 vertex_line_end);
        text(line);
    }
    text("vt 0 0\nvn 0 1 0\ng sides\nusemtl x\ns off\nl 1 2\n");
    for (int q = 0; q < 6; q++) {
        text("f");
        for (int c = 0; c < 4; c++) {
            snprintf(line, sizeof line, face_format, negative ? QUADS[q][c] - 8 : QUADS[q][c] + 1);
            text(line);
        }
        text("\n");
    }
}

static void obj_forms(void)
{
    obj_cube("\n", " %d", false);
    check_cube();
    obj_cube("\r\n", " %d/1", false);
    check_cube();
    obj_cube(" 1.0\n", "\t%d//1 ", false);
    check_cube();
    obj_cube(" 0.5 0.5 0.5\r", " %d/1/1", true);
    check_cube();
    obj_cube("\n", " \\\n %d", true);
    check_cube();
    obj_cube("\n", " \\\r\n %d", true);
    size--; /* no newline at the end */
    check_cube();
    memmove(file + 3, file, size);
    memcpy(file, "\xef\xbb\xbf", 3);
    size += 3;
    check_cube();
}

static void obj_in_a_locale_with_commas(void)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        SKIP("no locale with decimal commas is installed");
    obj_cube("\n", " %d", false);
    for (char *c = file; c < file + size; c++)
        *c = *c == ',' ? '.' : *c; /* printf wrote them in the locale */
    check_cube();
    setlocale(LC_NUMERIC, "C");
}

static void stl_binary(const char *header)
{
    size = 0;
    text(header);
    while (size < 80)
        file[size++] = ' ';
    bytes(12, 4, false);
    for (int t = 0; t < 12; t++) {
        const int *q = QUADS[t / 2], c[3] = {q[0], q[t % 2 ? 2 : 1], q[t % 2 ? 3 : 2]};
        for (int d = 0; d < 3; d++)
            number(0, false);
        for (int k = 0; k < 9; k++)
            number(corner(c[k / 3], k % 3), false);
        bytes(0, 2, false);
    }
}

static void stl_text(const char *name, bool upper)
{
    char line[128];
    size = 0;
    snprintf(line, sizeof line, "solid %s\n", name);
    text(line);
    for (int t = 0; t < 12; t++) {
        const int *q = QUADS[t / 2], c[3] = {q[0], q[t % 2 ? 2 : 1], q[t % 2 ? 3 : 2]};
        text(upper ? "FACET NORMAL 0 0 0\r\nOUTER LOOP\r\n"
                   : "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            snprintf(line, sizeof line, "%s %e %e %e\n", upper ? "VERTEX" : "      vertex",
                     corner(c[k], 0), corner(c[k], 1), corner(c[k], 2));
            text(line);
        }
        text(upper ? "ENDLOOP\r\nENDFACET\r\n" : "    endloop\n  endfacet\n");
    }
    snprintf(line, sizeof line, "endsolid %s\n", name);
    text(line);
}

static void stl_forms(void)
{
    stl_binary("made by hand");
    check_cube();
    stl_binary("solid cube, yet binary");
    check_cube();
    text("trailing bytes");
    check_cube();
    stl_text("cube", false);
    check_cube();
    stl_text("a vertex in its name", false);
    check_cube();
    stl_text("", true);
    check_cube();
}

static void ply_cube(const char *format, bool triangles, const char *index_type)
{
    bool ascii = strcmp(format, "ascii") == 0, big = strcmp(format, "binary_big_endian") == 0;
    int width = strcmp(index_type, "uchar") == 0 ? 1 : strcmp(index_type, "short") == 0 ? 2 : 4;
    char line[256];
    size = 0;
    snprintf(
        line, sizeof line,
        "ply\nformat %s 1.0\ncomment by hand\nobj_info none\nelement vertex 8\nproperty uchar red\n",
        format);
    text(line);
    text(
        "property float x\nproperty double y\nproperty float z\nproperty list uchar float extra\n");
    snprintf(line, sizeof line,
             "element thing 1\nproperty list int short x\nelement face %d\nproperty float weight\n",
             triangles ? 12 : 6);
    text(line);
    snprintf(line, sizeof line,
             "property list uchar %s vertex_ind%s\nproperty char tail\nend_header\n", index_type,
             triangles ? "ices" : "ex");
    text(line);
    for (int i = 0; i < 8; i++) {
        double y = corner(i, 1);
        uint64_t bits;
        memcpy(&bits, &y, sizeof bits);
        snprintf(line, sizeof line, "255 %g %g %g 1 7\n", corner(i, 0), y, corner(i, 2));
        if (ascii) {
            text(line);
            continue;
        }
        bytes(255, 1, big);
        number(corner(i, 0), big);
        bytes(bits, 8, big);
        number(corner(i, 2), big);
        bytes(1, 1, big);
        number(7, big);
    }
    if (ascii)
        text("2 5 -6\n");
    else
        bytes(2, 4, big), bytes(5, 2, big), bytes(6, 2, big);
    for (int f = 0; f < (triangles ? 12 : 6); f++) {
        const int *q = QUADS[triangles ? f / 2 : f];
        int corners = triangles ? 3 : 4, split[3] = {q[0], q[f % 2 ? 2 : 1], q[f % 2 ? 3 : 2]};
        const int *list = triangles ? split : q;
        snprintf(line, sizeof line, "0.5 %d", corners);
        if (ascii)
            text(line);
        else
            number(0.5, big), bytes((uint64_t)corners, 1, big);
        for (int c = 0; c < corners; c++) {
            snprintf(line, sizeof line, " %d", list[c]);
            if (ascii)
                text(line);
            else
                bytes((uint64_t)list[c], width, big);
        }
        if (ascii)
            text(" -1\n");
        else
            bytes(255, 1, big);
    }
}

static void ply_forms(void)
{
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    static const char *const types[] = {"uchar", "short", "int", "uint32"};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 4; k++) {
            ply_cube(formats[f], k % 2, types[k]);
            check_cube();
        }
}

/* ------------------------------------------------------------------ bad files */

static void expect(spate_status status, const char *message)
{
    spate_error error = {0};
    spate_mesh *mesh = load(&error);
    CHECK(mesh == NULL);
    CHECK(error.status == status);
    CHECK_TEXT(error.where, path);
    CHECK_TEXT(error.message, message);
    CHECK(spate_mesh_read(path, NULL) == NULL);
}

static void expect_text(const char *content, spate_status status, const char *message)
{
    size = 0;
    text(content);
    expect(status, message);
}

static void bad_files(void)
{
    spate_error error = {0};
    CHECK(spate_mesh_read("no/such/file.obj", &error) == NULL);
    CHECK(error.status == SPATE_ERROR_FILE);
    CHECK_TEXT(error.message, "cannot be opened: No such file or directory");
    CHECK(spate_mesh_read("/", &error) == NULL);
    CHECK_TEXT(error.message, "is a folder, not a file");

    expect_text("", SPATE_ERROR_FILE, "is not an OBJ, STL or PLY mesh");
    expect_text("{ \"name\": 1 }\n", SPATE_ERROR_FILE, "is not an OBJ, STL or PLY mesh");
    expect_text("v 0 0 0\nv 1 0\n", SPATE_ERROR_FILE, "line 2: a vertex needs three numbers");
    expect_text("v 0 0 0\nv 1 0 0\nf 1 \\\n 2 x\n", SPATE_ERROR_FILE,
                "line 4: a face must list vertex numbers such as 1, 1/2, 1//3 or 1/2/3");
    expect_text("v 0 0 0\nf 1 0 1\n", SPATE_ERROR_FILE,
                "line 2: a face names a vertex that is not there");
    expect_text("v 0 0 0\nf -1 -2 -1\n", SPATE_ERROR_FILE,
                "line 2: a face names a vertex that is not there");
    expect_text("v 0 0 0\nf 1 2 3\n", SPATE_ERROR_SCENE,
                "triangle 1 of the mesh names vertex 2, but there are only 1 vertices");
    expect_text("v 0 0 nan\nf 1 1 1\n", SPATE_ERROR_SCENE,
                "vertex 1 of the mesh is not a finite number: export the mesh again");
    expect_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SPATE_ERROR_SCENE,
                "the mesh has 3 open edges (first near (0.5, 0, 0)): close its holes");
    expect_text("solid x\nendsolid x\n", SPATE_ERROR_SCENE,
                "the mesh is empty: it has no triangles");
    expect_text("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", SPATE_ERROR_FILE,
                "the last facet has no end: the file is cut short");
    expect_text("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\nendfacet\n",
                SPATE_ERROR_FILE, "line 6: a facet must have three vertices");
    expect_text("solid x\nvertex 0 0 0\n", SPATE_ERROR_FILE,
                "line 2: a vertex that belongs to no triangle");
    stl_binary("cut");
    size -= 10;
    expect(
        SPATE_ERROR_FILE,
        "looks like a binary STL of 12 triangles, which take 684 bytes, but has only 674: it is cut "
        "short or no mesh");
    stl_binary("huge");
    memset(file + 80, 0xff, 4);
    expect(
        SPATE_ERROR_FILE,
        "looks like a binary STL of 4294967295 triangles, which take 214748364834 bytes, but has "
        "only 684: it is cut short or no mesh");
}

static void bad_ply_files(void)
{
    expect_text("ply\nformat ascii 1.0\n", SPATE_ERROR_FILE,
                "the PLY header has no end_header: the file is cut short");
    expect_text("ply\nend_header\n", SPATE_ERROR_FILE, "the PLY header has no format line");
    expect_text("ply\nformat packed 1.0\nend_header\n", SPATE_ERROR_FILE,
                "the PLY header has a line that makes no sense: 'format packed 1.0'");
    expect_text("ply\nformat ascii 1.0\nproperty float x\nend_header\n", SPATE_ERROR_FILE,
                "the PLY header has a line that makes no sense: 'property float x'");
    expect_text("ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", SPATE_ERROR_FILE,
                "the PLY header has a line that makes no sense: 'element vertex -1'");
    expect_text(
        "ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\nend_header\n",
        SPATE_ERROR_FILE,
        "the PLY header has a line that makes no sense: 'property list float int vertex_indices'");
    expect_text(
        "ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nproperty float x\nend_header\n1\n",
        SPATE_ERROR_FILE,
        "the PLY header promises 18446744073709551615 of element 'vertex', more than the file holds: it is cut "
        "short");
    expect_text("ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nend_header\n",
                SPATE_ERROR_FILE, "the vertices of the PLY file lack x, y or z");
    expect_text("ply\nformat ascii 1.0\nelement void 99999999999999999999\nend_header\n",
                SPATE_ERROR_FILE, "the PLY file has no faces: it is no mesh but a set of points");
    expect_text(
        "ply\nformat ascii 1.0\nelement face 1\nproperty list int int vertex_indices\nend_header\n"
        "2000000000 1 2 3\n",
        SPATE_ERROR_FILE,
        "the rows of PLY element 'face' end early or hold something that is not a number");
    expect_text(
        "ply\nformat ascii 1.0\nelement face 1\nproperty list int int vertex_indices\nend_header\n3 0 -1 2\n",
        SPATE_ERROR_FILE, "face 1 names a vertex that is not there");
    expect_text(
        "ply\nformat ascii 1.0\nelement face 1\nproperty int vertex_indices\nend_header\n3 0 -1 2\n",
        SPATE_ERROR_FILE, "the faces of the PLY file lack the list vertex_indices");
    ply_cube("binary_little_endian", true, "int");
    size -= 3;
    expect(SPATE_ERROR_FILE,
           "the rows of PLY element 'face' end early or hold something that is not a number");
}

/* ------------------------------------------------------------------ damage at random */

static uint64_t state = 1;

static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static void damage(void)
{
    for (uint32_t n = 1 + random_below(4); n > 0 && size > 0; n--) {
        uint32_t at = random_below((uint32_t)size), length = random_below(40);
        length = at + length > size ? (uint32_t)size - at : length;
        switch (random_below(6)) {
        case 0: file[at] = (char)random_below(256); break;
        case 1: file[at] ^= (char)(1 << random_below(8)); break;
        case 2: size = at; break;
        case 3: memset(file + at, random_below(2) ? 0xff : '9', length); break;
        case 4: memmove(file + at, file + random_below((uint32_t)size - length + 1), length); break;
        default: /* a piece twice */
            memmove(file + at + length, file + at, size - at);
            size += length;
            break;
        }
    }
}

/* Whatever is in the file: a mesh or an error with a text, no read out of bounds (the sanitizer's
 * part), no large allocation. */
static void damaged_files(void)
{
    int good = 0, bad = 0;
    for (int i = 0; i < 3000; i++) {
        switch (i % 6) {
        case 0: obj_cube("\n", " %d/1/1", i % 4 < 2); break;
        case 1: stl_binary("solid"); break;
        case 2: stl_text("cube", false); break;
        case 3: ply_cube("ascii", true, "int"); break;
        case 4: ply_cube("binary_little_endian", false, "int"); break;
        default: ply_cube("binary_big_endian", true, "uint"); break;
        }
        damage();
        spate_error error = {0};
        spate_mesh *mesh = load(&error);
        CHECK(mesh ||
              (error.status != SPATE_OK && error.status != SPATE_ERROR_MEMORY && error.message[0]));
        if (mesh)
            good++;
        else
            bad++;
        spate_mesh_destroy(mesh);
    }
    CHECK(good > 100 && bad > 100);
}

static void every_allocation_may_fail(void)
{
    for (int format = 0; format < 3; format++) {
        spate_mesh *mesh = NULL;
        int failures = 0;
        if (format == 0)
            obj_cube("\n", " %d", false);
        else if (format == 1)
            stl_binary("x");
        else
            ply_cube("ascii", false, "int");
        for (; !mesh && failures < 100; failures++) {
            spate_error error = {0};
            sp_alloc_fail_at((uint64_t)failures + 1);
            mesh = load(&error);
            sp_alloc_fail_at(0);
            CHECK(mesh || error.status == SPATE_ERROR_MEMORY);
        }
        CHECK(failures > 10 && failures < 100);
        spate_mesh_destroy(mesh);
    }
}

static void mesh_of_the_scenes(void)
{
    spate_error error = {0};
    spate_mesh *mesh = spate_mesh_read(SPATE_SOURCE "/scenes/meshes/rock.obj", &error);
    CHECK_TEXT(error.message, "");
    CHECK(mesh != NULL);
    if (!mesh)
        return;
    double low[3], high[3];
    sp_mesh_bounds(mesh, low, high);
    CHECK(low[1] == 0 && high[0] - low[0] > 0.25 && high[0] - low[0] < 0.35);
    CHECK(sp_mesh_distance(mesh, (double[3]){0, 0.06, 0}, NULL) < -0.05);
    CHECK(sp_mesh_distance(mesh, (double[3]){0, 0.3, 0}, NULL) > 0.1);
    spate_mesh_destroy(mesh);
}

static void set_up(void)
{
    snprintf(path, sizeof path, "/tmp/spate_test_mesh_%d", (int)getpid());
}

static void tear_down(void)
{
    unlink(path);
}

TESTS(mesh_read)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
    TEST(obj_forms);
    TEST(obj_in_a_locale_with_commas);
    TEST(stl_forms);
    TEST(ply_forms);
    TEST(bad_files);
    TEST(bad_ply_files);
    TEST(damaged_files);
    TEST(every_allocation_may_fail);
    TEST(mesh_of_the_scenes);
}
