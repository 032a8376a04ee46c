/* blender.c -- Mantaflow's files as Blender reads them.
 *
 * All are gzip. A .uni of particles is a head of 292 bytes (mark, count, cells, kind and bytes of
 * an element, a text, a time) and then positions in cells with a flag, or velocities. A .bobj holds
 * vertices, normals and triangles, positions from the middle of the domain in units of its longest
 * side. Mantaflow's step is 0.1 units of time per frame at 25 frames per second, 2.5 a second.
 *
 * Blender takes the domain as a cube of length 1, so a cell is 1 / cells. It multiplies the
 * velocity of a particle with that, and that of a vertex of the surface with that over the step,
 * and Cycles moves vertices by what results per second: files hold the velocities by which both
 * come out as m/s. */
#include "blender.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "file.h"
#include "gzip.h"
#include "run_folder.h"

#define UNITS_PER_SECOND 2.5
/* Blender makes no domain thinner than this many cells; a 2D liquid lies in the middle of it. */
enum { LEAST_CELLS = 4 };

static const char *const folders[3] = {"config", "data", "mesh"};
static const char *const files[2] = {"open.py", "solids.json"};

/* The domain as Blender sees it: its axes, cells and corner. */
typedef struct domain {
    double dx, fps;
    int32_t cells[3];
    double low[3]; /* m, the corner in Blender's world */
    int32_t longest;
} domain;

static domain domain_of(const sp_particle_table *table)
{
    static const int ours[3] = {0, 2, 1};
    domain d = {.dx = table->cell_size, .fps = table->fps};
    for (int axis = 0; axis < 3; axis++) {
        int n = table->cells[ours[axis]];
        d.cells[axis] = n < LEAST_CELLS ? LEAST_CELLS : n;
        double margin = 0.5 * (d.cells[axis] - n) * d.dx;
        d.low[axis] = -margin - (axis == 1 ? n * d.dx : 0);
        d.longest = d.cells[axis] > d.longest ? d.cells[axis] : d.longest;
    }
    if (table->dim == 2) /* the liquid is at our z = 0 */
        d.low[1] = -0.5 * d.cells[1] * d.dx;
    return d;
}

/* Our metres to cells of the domain. */
static void to_cells(const domain *d, const float x[3], float cells[3])
{
    const double world[3] = {(double)x[0], -(double)x[2], (double)x[1]};
    for (int axis = 0; axis < 3; axis++)
        cells[axis] = (float)((world[axis] - d->low[axis]) / d->dx);
}

/* m/s to what a file has, of which Blender makes m/s again with a cell over `step`. */
static void to_velocity(const domain *d, const float v[3], double step, float cells[3])
{
    double scale = d->longest * step;
    cells[0] = (float)((double)v[0] * scale);
    cells[1] = (float)(-(double)v[2] * scale);
    cells[2] = (float)((double)v[1] * scale);
}

static const char *path_of(const char *folder, const char *name, int frame, const char *ending,
                           char path[SP_PATH_SIZE])
{
    snprintf(path, SP_PATH_SIZE, "%s/%s_%04d.%s", folder, name, frame + 1, ending);
    return path;
}

/* ------------------------------------------------------------------ .uni */

static sp_gzip *begin_uni(const char *path, const char *mark, const domain *d, size_t count,
                          int32_t kind, int32_t bytes, spate_error *error)
{
    sp_gzip *gzip = sp_gzip_create(path, error);
    if (!gzip)
        return NULL;
    const int32_t head[6] = {(int32_t)count, d->cells[0], d->cells[1], d->cells[2], kind, bytes};
    const char text[256] = "spate " SPATE_VERSION;
    const char time[8] = {0};
    sp_gzip_put(gzip, mark, 4);
    sp_gzip_put32(gzip, head, 6);
    sp_gzip_put(gzip, text, sizeof text);
    sp_gzip_put(gzip, time, sizeof time);
    return gzip;
}

static spate_status write_positions(const char *folder, const sp_particle_table *table,
                                    const domain *d, spate_error *error)
{
    char path[SP_PATH_SIZE];
    sp_particle_table_buffer buffer;
    sp_gzip *gzip = begin_uni(path_of(folder, "data/pp", table->particles->frame, "uni", path),
                              "PB02", d, table->particles->view.count, 0, 16, error);
    if (!gzip)
        return error->status;
    for (size_t begin = 0, count; (count = sp_particle_table_block(table, begin)) > 0;
         begin += count) {
        const float *x =
            sp_particle_table_values(table, &table->attributes[0], begin, count, &buffer);
        for (size_t k = 0; k < count; k++) {
            float row[4] = {0}; /* the last is the flag of an ordinary particle */
            to_cells(d, x + 3 * k, row);
            sp_gzip_put32(gzip, row, 4);
        }
    }
    return sp_gzip_close(gzip, error);
}

static spate_status write_velocities(const char *folder, const sp_particle_table *table,
                                     const domain *d, spate_error *error)
{
    char path[SP_PATH_SIZE];
    sp_particle_table_buffer buffer;
    const sp_attribute *velocity = sp_particle_table_find(table, "velocity");
    sp_gzip *gzip = begin_uni(path_of(folder, "data/pVel", table->particles->frame, "uni", path),
                              "PD01", d, table->particles->view.count, 1, 12, error);
    if (!gzip)
        return error->status;
    for (size_t begin = 0, count; (count = sp_particle_table_block(table, begin)) > 0;
         begin += count) {
        const float *v =
            velocity ? sp_particle_table_values(table, velocity, begin, count, &buffer) : NULL;
        for (size_t k = 0; k < count; k++) {
            float row[3] = {0};
            if (v)
                to_velocity(d, v + 3 * k, 1, row);
            sp_gzip_put32(gzip, row, 3);
        }
    }
    return sp_gzip_close(gzip, error);
}

/* ------------------------------------------------------------------ config */

/* Fields, cells, cell size, step, corners of the box about the object, shifts, the object's matrix,
 * cells again, colours, time, version. */
static spate_status write_config(const char *folder, const domain *d, int frame, spate_error *error)
{
    char path[SP_PATH_SIZE];
    sp_gzip *gzip = sp_gzip_create(path_of(folder, "config/config", frame, "uni", path), error);
    if (!gzip)
        return error->status;
    const int32_t zeros[3] = {0};
    float half[3], corner[3], matrix[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1};
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = (float)(0.5 * d->cells[axis] * d->dx);
        corner[axis] = -half[axis];
        matrix[12 + axis] = (float)(d->low[axis] + 0.5 * d->cells[axis] * d->dx);
    }
    const float sizes[2] = {(float)(1.0 / d->longest), (float)(UNITS_PER_SECOND / d->fps)};
    const float time = (float)(UNITS_PER_SECOND * frame / d->fps), colours[3] = {0};
    sp_gzip_put32(gzip, zeros, 1);
    sp_gzip_put32(gzip, d->cells, 3);
    sp_gzip_put32(gzip, sizes, 2);
    sp_gzip_put32(gzip, corner, 3);
    sp_gzip_put32(gzip, half, 3);
    sp_gzip_put32(gzip, corner, 3);
    sp_gzip_put32(gzip, zeros, 3);
    sp_gzip_put32(gzip, zeros, 3);
    sp_gzip_put32(gzip, matrix, 16);
    sp_gzip_put32(gzip, d->cells, 3);
    sp_gzip_put32(gzip, zeros, 3);
    sp_gzip_put32(gzip, d->cells, 3);
    sp_gzip_put32(gzip, colours, 3);
    sp_gzip_put32(gzip, &time, 1);
    sp_gzip_put(gzip, "C01", 4);
    return sp_gzip_close(gzip, error);
}

spate_status sp_blender_particles(const char *folder, const sp_particle_table *table,
                                  spate_error *error)
{
    domain d = domain_of(table);
    TRY(write_positions(folder, table, &d, error));
    TRY(write_velocities(folder, table, &d, error));
    return write_config(folder, &d, table->particles->frame, error);
}

/* ------------------------------------------------------------------ surfaces */

static void put_mesh(sp_gzip *gzip, const spate_surface *mesh, const domain *d)
{
    const int32_t vertices = (int32_t)mesh->vertices, triangles = (int32_t)mesh->triangles;
    float row[3];
    sp_gzip_put32(gzip, &vertices, 1);
    for (size_t k = 0; k < mesh->vertices; k++) {
        to_cells(d, mesh->positions + 3 * k, row);
        for (int axis = 0; axis < 3; axis++)
            row[axis] = (row[axis] - 0.5f * (float)d->cells[axis]) / (float)d->longest;
        sp_gzip_put32(gzip, row, 3);
    }
    sp_gzip_put32(gzip, &vertices, 1);
    for (size_t k = 0; k < mesh->vertices; k++) {
        const float *n = mesh->normals ? mesh->normals + 3 * k : NULL;
        row[0] = n ? n[0] : 0;
        row[1] = n ? -n[2] : 0;
        row[2] = n ? n[1] : 1;
        sp_gzip_put32(gzip, row, 3);
    }
    sp_gzip_put32(gzip, &triangles, 1);
    sp_gzip_put32(gzip, mesh->indices, 3 * mesh->triangles);
}

static spate_status fail_flat(const char *path, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_USAGE, path,
                   "Blender's fluid domain has surfaces in 3D only");
}

spate_status sp_blender_surface(const char *folder, const sp_particle_table *table,
                                const spate_surface *mesh, int frame, spate_error *error)
{
    char path[SP_PATH_SIZE];
    domain d = domain_of(table);
    path_of(folder, "mesh/fluid_mesh", frame, "bobj.gz", path);
    if (mesh->dim != 3)
        return fail_flat(path, error);
    sp_gzip *gzip = sp_gzip_create(path, error);
    if (!gzip)
        return error->status;
    put_mesh(gzip, mesh, &d);
    TRY(sp_gzip_close(gzip, error));
    gzip = begin_uni(path_of(folder, "mesh/lVelMesh", frame, "uni", path), "MD01", &d,
                     mesh->vertices, 1, 12, error);
    if (!gzip)
        return error->status;
    for (size_t k = 0; k < mesh->vertices; k++) {
        float row[3] = {0};
        if (mesh->velocities)
            to_velocity(&d, mesh->velocities + 3 * k, UNITS_PER_SECOND / d.fps, row);
        sp_gzip_put32(gzip, row, 3);
    }
    TRY(sp_gzip_close(gzip, error));
    return write_config(folder, &d, frame, error);
}

spate_status sp_blender_mesh_file(const spate_surface *mesh, const char *path, spate_error *error)
{
    if (mesh->dim != 3)
        return fail_flat(path, error);
    domain d = {.dx = 1, .cells = {1, 1, 1}, .longest = 1};
    float low[3] = {0}, high[3] = {0};
    for (size_t k = 0; k < mesh->vertices; k++) {
        const float *x = mesh->positions + 3 * k;
        const float world[3] = {x[0], -x[2], x[1]};
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = k == 0 || world[axis] < low[axis] ? world[axis] : low[axis];
            high[axis] = k == 0 || world[axis] > high[axis] ? world[axis] : high[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) /* the middle of a cell of 1 m is the middle of the box */
        d.low[axis] = 0.5 * ((double)low[axis] + (double)high[axis]) - 0.5;
    sp_gzip *gzip = sp_gzip_create(path, error);
    if (!gzip)
        return error->status;
    put_mesh(gzip, mesh, &d);
    return sp_gzip_close(gzip, error);
}

/* ------------------------------------------------------------------ the folder */

static bool is_ours(const char *name)
{
    static const char *const known[] = {"config_", "pp_", "pVel_", "fluid_mesh_", "lVelMesh_"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t length = strlen(known[k]);
        if (strncmp(name, known[k], length) != 0)
            continue;
        const char *rest = name + length + strspn(name + length, "0123456789");
        return strcmp(rest, ".uni") == 0 || strcmp(rest, ".bobj.gz") == 0 ||
               strcmp(rest, ".uni.tmp") == 0 || strcmp(rest, ".bobj.gz.tmp") == 0;
    }
    return false;
}

void sp_blender_find(const char *folder, char *found, size_t size)
{
    for (int k = 0; k < 3; k++) {
        char path[SP_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        DIR *list = opendir(path);
        for (struct dirent *entry; list && (entry = readdir(list));)
            if (is_ours(entry->d_name))
                snprintf(found, size, "%s/%s", folders[k], entry->d_name);
        if (list)
            closedir(list);
    }
    for (int k = 0; k < 2; k++) {
        char path[SP_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        if (access(path, F_OK) == 0)
            snprintf(found, size, "%s", files[k]);
    }
}

/* Removes the files of a cache. No link: what it points to is no part of the cache. */
static spate_status empty(const char *path, spate_error *error)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!list) {
        sp_fail(error, SPATE_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return SPATE_ERROR_FILE;
    }
    for (struct dirent *entry; (entry = readdir(list));)
        if (is_ours(entry->d_name))
            unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    return SPATE_OK;
}

static void remove_files(const char *folder)
{
    for (int k = 0; k < 2; k++) {
        char path[SP_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        unlink(path);
    }
}

spate_status sp_blender_begin(const char *folder, spate_error *error)
{
    for (int k = 0; k < 3; k++) {
        char path[SP_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return sp_fail(error, SPATE_ERROR_FILE, path, "the folder cannot be made: %s",
                           strerror(errno));
        TRY(empty(path, error));
    }
    remove_files(folder);
    return SPATE_OK;
}

void sp_blender_remove(const char *folder)
{
    char path[SP_PATH_SIZE];
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        if (empty(path, NULL) == SPATE_OK)
            rmdir(path); /* refused, and rightly, unless it is empty */
    }
    remove_files(folder);
}

spate_status sp_blender_end(const char *folder, const sp_blender_scene *scene, spate_error *error)
{
    domain d = domain_of(scene->domain);
    sp_blender_domain box = {.cells = d.longest};
    for (int axis = 0; axis < 3; axis++) {
        box.size[axis] = d.cells[axis] * d.dx;
        box.center[axis] = d.low[axis] + 0.5 * box.size[axis];
    }
    return sp_blender_write_script(folder, scene, &box, error);
}
