/* export.c -- folders of frames: names, what belongs to an earlier export, and the files that take
 * frames together. */
#include "export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "blender.h"
#include "ply_write.h"
#include "run_folder.h"
#include "usd_file.h"
#include "usd_set.h"
#include "vdb.h"
#include "vtk.h"

/* The sets beside the fluid come last, by number. */
enum { PARTICLES, VOLUME, SURFACE, SOLIDS, SETS, KINDS = SETS + SET_COUNT - 1 };
static const char *kind_name(int kind)
{
    static const char *const names[SETS] = {"particles", "volume", "surface", "solids"};
    return kind < SETS ? names[kind] : sp_set_name(kind - SETS + 1);
}

/* Endings of the files of a kind in a format; NULL: there are none. */
static const char *const endings[SP_FORMAT_COUNT][SETS + 1] = {
    [SP_FORMAT_PLY] = {"ply", NULL, "ply", "ply", "ply"},
    [SP_FORMAT_VTK] = {"vtp", "vti", "vtp", "vtp", "vtp"},
    [SP_FORMAT_USD] = {"usdc", NULL, "usdc", NULL, "usdc"},
    [SP_FORMAT_VDB] = {NULL, "vdb", NULL, NULL, NULL},
};

static const char *ending_of(sp_format format, int kind)
{
    return endings[format][kind < SETS ? kind : SETS];
}

/* Files that are not of one frame; vtk has a .pvd for each kind. */
#define SOLIDS_LAYER "solids.usdc"
static const struct {
    sp_format format;
    const char *name;
} others[] = {{SP_FORMAT_USD, "liquid.usda"},
              {SP_FORMAT_USD, "liquid.manifest.usda"},
              {SP_FORMAT_USD, SOLIDS_LAYER},
              {SP_FORMAT_VDB, "open_vdb.py"}};
enum { OTHERS = sizeof others / sizeof *others, COLLECTIONS = OTHERS + KINDS };

/* The name of such a file of this format; empty: it has none. */
static const char *collection_name(sp_format format, int k, char name[64])
{
    bool vtk = k >= OTHERS && format == SP_FORMAT_VTK;
    if (vtk)
        snprintf(name, 64, "%s.pvd", kind_name(k - OTHERS));
    else
        snprintf(name, 64, "%s", k < OTHERS && others[k].format == format ? others[k].name : "");
    return name;
}

#define MARK ".spate-export-" /* and the format: what `spate export` has made its own */

typedef struct frame_list {
    int *frames;
    int count, room;
} frame_list;

struct sp_export {
    sp_run_folder folder; /* locked */
    sp_format format;
    double fps;
    frame_list lists[KINDS];
    /* of the last frame, for their attributes alone */
    sp_particle_table table;
    spate_surface mesh;
    bool has_cloud, has_mesh, has_solids;
};

const char *sp_format_name(sp_format format)
{
    static const char *const names[SP_FORMAT_COUNT] = {"ply", "vtk", "usd", "vdb", "blender"};
    return names[format];
}

/* ------------------------------------------------------------------ frames */

static spate_status add_frame(frame_list *list, int frame, spate_error *error)
{
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 64;
        int *frames = sp_grow(list->frames, (size_t)list->count * sizeof *frames, (size_t)room,
                              sizeof *frames);
        if (!frames)
            return sp_fail_memory(error, "the list of frames", (size_t)room * sizeof *frames);
        list->frames = frames;
        list->room = room;
    }
    int k = list->count; /* in order, each once */
    while (k > 0 && list->frames[k - 1] > frame)
        k--;
    if (k > 0 && list->frames[k - 1] == frame)
        return SPATE_OK;
    memmove(list->frames + k + 1, list->frames + k,
            (size_t)(list->count - k) * sizeof *list->frames);
    list->frames[k] = frame;
    list->count++;
    return SPATE_OK;
}

/* Whether `name` is NAME.FRAME.ENDING of some kind in this format, maybe a temporary one. */
static bool is_ours(const sp_export *out, const char *name, int *kind, int *frame, bool *temporary)
{
    for (int k = 0; k < KINDS; k++) {
        const char *ending = ending_of(out->format, k);
        size_t start = strlen(kind_name(k));
        if (!ending || strncmp(name, kind_name(k), start) != 0 || name[start] != '.')
            continue;
        size_t digits = strspn(name + start + 1, "0123456789");
        const char *rest = name + start + 1 + digits;
        if (digits < 4 || digits > 9 || *rest != '.' ||
            strncmp(rest + 1, ending, strlen(ending)) != 0)
            continue;
        rest += 1 + strlen(ending);
        *kind = k;
        *frame = atoi(name + start + 1);
        *temporary = strcmp(rest, ".tmp") == 0;
        return *temporary || *rest == 0;
    }
    return false;
}

static spate_status look_through(sp_export *out, int keep, spate_error *error)
{
    DIR *list = opendir(out->folder.path);
    if (!list)
        return sp_fail(error, SPATE_ERROR_FILE, out->folder.path, "cannot be read: %s",
                       strerror(errno));
    spate_status status = SPATE_OK;
    struct dirent *entry;
    while (status == SPATE_OK && (entry = readdir(list))) {
        int kind, frame;
        bool temporary;
        if (!is_ours(out, entry->d_name, &kind, &frame, &temporary))
            continue;
        if (!temporary && frame <= keep)
            status = add_frame(&out->lists[kind], frame, error);
        else if (unlinkat(dirfd(list), entry->d_name, 0) != 0 && errno != ENOENT)
            status = sp_fail(error, SPATE_ERROR_FILE, out->folder.path,
                             "%.80s in it cannot be removed: %s", entry->d_name, strerror(errno));
    }
    closedir(list);
    return status;
}

/* ------------------------------------------------------------------ whose folder it is */

static const char *mark_name(const sp_export *out, char name[32])
{
    snprintf(name, 32, MARK "%s", sp_format_name(out->format));
    return name;
}

static bool is_marked(const sp_export *out)
{
    struct stat about;
    char name[32];
    return fstatat(out->folder.descriptor, mark_name(out, name), &about, AT_SYMLINK_NOFOLLOW) ==
               0 &&
           S_ISREG(about.st_mode);
}

static spate_status mark(const sp_export *out, spate_error *error)
{
    static const char text[] =
        "'spate export' has made the files beside this one, and replaces them\n";
    char name[32];
    int file = openat(out->folder.descriptor, mark_name(out, name),
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool good = file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1;
    if (file >= 0 && close(file) != 0)
        good = false;
    return good ? SPATE_OK
                : sp_fail(error, SPATE_ERROR_FILE, out->folder.path, "cannot be written: %s",
                          strerror(errno));
}

static bool is_collection(const sp_export *out, const char *name)
{
    char own[64];
    bool found = false;
    for (int k = 0; k < COLLECTIONS; k++)
        found = found || strcmp(name, collection_name(out->format, k, own)) == 0;
    return found;
}

static void remove_collections(const sp_export *out)
{
    char name[64];
    for (int k = 0; k < COLLECTIONS; k++)
        if (collection_name(out->format, k, name)[0])
            unlinkat(out->folder.descriptor, name, 0);
}

/* Refuses a folder with a file that this export would replace. */
static spate_status refuse_files(const sp_export *out, const char *why, spate_error *error)
{
    char found[256] = "";
    DIR *list = opendir(out->folder.path);
    if (!list)
        return sp_fail(error, SPATE_ERROR_FILE, out->folder.path, "cannot be read: %s",
                       strerror(errno));
    for (struct dirent *entry; (entry = readdir(list));) {
        int kind, frame;
        bool temporary;
        bool ours = (is_ours(out, entry->d_name, &kind, &frame, &temporary) && !temporary) ||
                    is_collection(out, entry->d_name);
        if (ours && (!found[0] || strcmp(entry->d_name, found) < 0))
            snprintf(found, sizeof found, "%s", entry->d_name);
    }
    closedir(list);
    if (!found[0] && out->format == SP_FORMAT_BLENDER)
        sp_blender_find(out->folder.path, found, sizeof found);
    if (!found[0])
        return SPATE_OK;
    return sp_fail(error, SPATE_ERROR_FILE, out->folder.path,
                   "holds %s, which %s: choose another folder with -o, or move it away", found,
                   why);
}

static spate_status open_folder(sp_export *out, const char *folder, spate_error *error)
{
    TRY(sp_run_folder_open(&out->folder, folder, true, error));
    if (sp_run_folder_holds_run(&out->folder))
        return sp_fail(error, SPATE_ERROR_FILE, out->folder.path,
                       "holds a run, whose files would be lost: choose another folder with -o");
    return SPATE_OK;
}

static spate_status claim_for_export(sp_export *out, spate_error *error)
{
    if (!is_marked(out)) {
        TRY(refuse_files(out, "'spate export' has not made", error));
        TRY(mark(out, error));
    }
    if (out->format == SP_FORMAT_BLENDER)
        return sp_blender_begin(out->folder.path, error);
    remove_collections(out); /* this one may have fewer of them */
    return look_through(out, -1, error);
}

static spate_status claim_for_run(sp_export *out, int keep, spate_error *error)
{
    char name[32];
    if (keep < 0)
        TRY(refuse_files(out, "this run would replace", error));
    TRY(look_through(out, keep, error));
    /* from now on `spate export` must not take it for its own */
    if (unlinkat(out->folder.descriptor, mark_name(out, name), 0) != 0 && errno != ENOENT)
        return sp_fail(error, SPATE_ERROR_FILE, out->folder.path, "cannot be written: %s",
                       strerror(errno));
    return SPATE_OK;
}

static sp_export *create(const char *folder, sp_format format, double fps, spate_error *error)
{
    sp_export *out = sp_alloc(1, sizeof *out);
    if (!out) {
        sp_fail_memory(error, folder, sizeof *out);
        return NULL;
    }
    out->format = format;
    out->fps = fps;
    if (open_folder(out, folder, error) == SPATE_OK)
        return out;
    sp_export_destroy(out);
    return NULL;
}

sp_export *sp_export_create(const char *folder, sp_format format, double fps, spate_error *error)
{
    sp_export *out = create(folder, format, fps, error);
    if (!out || claim_for_export(out, error) == SPATE_OK)
        return out;
    sp_export_destroy(out);
    return NULL;
}

sp_export *sp_export_create_for_run(const char *folder, sp_format format, double fps, int keep,
                                    spate_error *error)
{
    sp_export *out = create(folder, format, fps, error);
    if (!out || claim_for_run(out, keep, error) == SPATE_OK)
        return out;
    sp_export_destroy(out);
    return NULL;
}

static spate_status remove_format(const char *run_folder, sp_format format, spate_error *error)
{
    char path[SP_PATH_SIZE], name[32];
    struct stat about;
    snprintf(path, sizeof path, "%.4000s/%s", run_folder, sp_format_name(format));
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return SPATE_OK;
    sp_export old = {.format = format};
    TRY(sp_run_folder_open(&old.folder, path, false, error));
    spate_status status = SPATE_OK;
    bool foreign = format == SP_FORMAT_BLENDER && !is_marked(&old);
    if (!sp_run_folder_holds_run(&old.folder) && !foreign) {
        if (format == SP_FORMAT_BLENDER)
            sp_blender_remove(path);
        status = look_through(&old, -1, error);
        if (status == SPATE_OK)
            remove_collections(&old);
        unlinkat(old.folder.descriptor, mark_name(&old, name), 0);
        rmdir(path); /* refused, and rightly, unless it is empty */
    }
    sp_run_folder_close(&old.folder);
    return status;
}

spate_status sp_export_remove(const char *run_folder, spate_error *error)
{
    for (int k = 0; k < SP_FORMAT_COUNT; k++)
        TRY(remove_format(run_folder, (sp_format)k, error));
    return SPATE_OK;
}

void sp_export_destroy(sp_export *out)
{
    if (!out)
        return;
    for (int k = 0; k < KINDS; k++)
        sp_free(out->lists[k].frames);
    sp_run_folder_close(&out->folder);
    sp_free(out);
}

/* ------------------------------------------------------------------ files of a frame */

static const char *path_of(const sp_export *out, int kind, int frame, char path[SP_PATH_SIZE])
{
    path[0] = 0;
    const char *ending = ending_of(out->format, kind);
    if (!ending)
        return path;
    snprintf(path, SP_PATH_SIZE, "%s/%s.%04d.%s", out->folder.path, kind_name(kind), frame, ending);
    return path;
}

spate_status sp_export_particles(sp_export *out, const sp_particle_table *table, spate_error *error)
{
    char path[SP_PATH_SIZE];
    path_of(out, PARTICLES, table->particles->frame, path);
    if (out->format == SP_FORMAT_PLY) {
        TRY(sp_ply_write(table, path, error));
    } else if (out->format == SP_FORMAT_VTK) {
        TRY(sp_vtk_write_particles(table, path, error));
    } else if (out->format == SP_FORMAT_BLENDER) {
        TRY(sp_blender_particles(out->folder.path, table, error));
    } else {
        sp_usd_file *file = sp_usd_file_create(path, table->fps, error);
        if (!file)
            return error->status;
        sp_usd_file_particles(file, table, table->particles->frame);
        TRY(sp_usd_file_close(file, error));
    }
    out->table = *table;
    out->table.particles = NULL;
    out->has_cloud = true;
    return add_frame(&out->lists[PARTICLES], table->particles->frame, error);
}

spate_status sp_export_set(sp_export *out, int set, const sp_particle_table *table,
                           spate_error *error)
{
    char path[SP_PATH_SIZE];
    int kind = SETS + set - 1;
    path_of(out, kind, table->particles->frame, path);
    if (out->format == SP_FORMAT_PLY)
        TRY(sp_ply_write(table, path, error));
    else if (out->format == SP_FORMAT_VTK)
        TRY(sp_vtk_write_particles(table, path, error));
    else if (out->format == SP_FORMAT_USD)
        TRY(sp_usd_write_set(table, path, error));
    else
        return SPATE_OK; /* these have no place for them */
    return add_frame(&out->lists[kind], table->particles->frame, error);
}

spate_status sp_export_volume(sp_export *out, const sp_particle_table *table,
                              const sp_field_set *fields, spate_error *error)
{
    char path[SP_PATH_SIZE];
    sp_volume volume;
    path_of(out, VOLUME, table->particles->frame, path);
    TRY(sp_volume_create(&volume, table, error));
    out->table = *table;
    out->table.particles = NULL;
    spate_status status =
        out->format == SP_FORMAT_VDB
            ? sp_vdb_write(&volume, path, error)
            : sp_vtk_write_volume(&volume, fields, table->particles->time, path, error);
    sp_volume_clear(&volume);
    TRY(status);
    return add_frame(&out->lists[VOLUME], table->particles->frame, error);
}

spate_status sp_export_fields(sp_export *out, const sp_field_set *fields, spate_error *error)
{
    char path[SP_PATH_SIZE];
    path_of(out, VOLUME, fields->frame, path);
    TRY(sp_vtk_write_volume(NULL, fields, fields->time, path, error));
    return add_frame(&out->lists[VOLUME], fields->frame, error);
}

spate_status sp_export_surface(sp_export *out, const sp_particle_table *domain,
                               const spate_surface *mesh, int frame, spate_error *error)
{
    char path[SP_PATH_SIZE];
    path_of(out, SURFACE, frame, path);
    if (out->format == SP_FORMAT_PLY) {
        TRY(sp_ply_write_mesh(mesh, path, error));
    } else if (out->format == SP_FORMAT_VTK) {
        TRY(sp_vtk_write_mesh(mesh, frame / out->fps, path, error));
    } else if (out->format == SP_FORMAT_BLENDER) {
        TRY(sp_blender_surface(out->folder.path, domain, mesh, frame, error));
        out->table = *domain;
        out->table.particles = NULL;
    } else {
        sp_usd_file *file = sp_usd_file_create(path, out->fps, error);
        if (!file)
            return error->status;
        sp_usd_file_mesh(file, mesh, frame);
        TRY(sp_usd_file_close(file, error));
    }
    out->mesh = *mesh;
    out->has_mesh = true;
    return add_frame(&out->lists[SURFACE], frame, error);
}

/* ------------------------------------------------------------------ solids */

/* A layer with their transforms over time. */
static spate_status write_solids_layer(sp_export *out, const sp_solid_meshes *solids,
                                       const int *frames, int count, spate_error *error)
{
    char path[SP_PATH_SIZE];
    snprintf(path, sizeof path, "%s/" SOLIDS_LAYER, out->folder.path);
    sp_usd_file *file = sp_usd_file_create(path, out->fps, error);
    if (!file)
        return error->status;
    sp_usd_file_solids(file, solids);
    for (int k = 0; k < count; k++)
        sp_usd_file_poses(file, frames[k]);
    return sp_usd_file_close(file, error);
}

/* A file of them all for each frame, or for the first one alone if nothing moves. */
static spate_status write_solid_files(sp_export *out, const sp_solid_meshes *solids,
                                      const int *frames, int count, spate_error *error)
{
    for (int k = 0; k < (solids->moves ? count : 1); k++) {
        char path[SP_PATH_SIZE];
        spate_surface all;
        TRY(sp_solid_meshes_at(solids, frames[k] / out->fps, &all, error));
        path_of(out, SOLIDS, frames[k], path);
        spate_status status = out->format == SP_FORMAT_PLY
                                  ? sp_ply_write_mesh(&all, path, error)
                                  : sp_vtk_write_mesh(&all, frames[k] / out->fps, path, error);
        sp_solid_mesh_free(&all);
        TRY(status);
        TRY(add_frame(&out->lists[SOLIDS], frames[k], error));
    }
    return SPATE_OK;
}

spate_status sp_export_solids(sp_export *out, const sp_solid_meshes *solids, const int *frames,
                              int count, spate_error *error)
{
    if (solids->count == 0 || count == 0 || out->format == SP_FORMAT_VDB)
        return SPATE_OK;
    out->has_solids = true;
    if (out->format == SP_FORMAT_USD)
        return write_solids_layer(out, solids, frames, count, error);
    if (out->format == SP_FORMAT_BLENDER)
        return sp_blender_solids(out->folder.path, solids, frames, count, out->fps, error);
    return write_solid_files(out, solids, frames, count, error);
}

/* ------------------------------------------------------------------ frames together */

static spate_status collect_vtk(sp_export *out, spate_error *error)
{
    char path[SP_PATH_SIZE];
    for (int k = 0; k < KINDS; k++) {
        const frame_list *list = &out->lists[k];
        if (list->count == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s.pvd", out->folder.path, kind_name(k));
        TRY(sp_vtk_write_collection(path, kind_name(k), ending_of(SP_FORMAT_VTK, k), list->frames,
                                    list->count, out->fps, error));
    }
    return SPATE_OK;
}

spate_status sp_export_collect(sp_export *out, spate_error *error)
{
    if (out->format == SP_FORMAT_VTK)
        return collect_vtk(out, error);
    const frame_list *particles = &out->lists[PARTICLES], *surfaces = &out->lists[SURFACE];
    if (out->format == SP_FORMAT_BLENDER) {
        const frame_list *all = particles->count > 0 ? particles : surfaces;
        sp_blender_scene scene = {.domain = &out->table,
                                  .particles = out->has_cloud,
                                  .surface = out->has_mesh,
                                  .solids = out->has_solids};
        if (all->count == 0)
            return SPATE_OK;
        scene.first = all->frames[0];
        scene.last = all->frames[all->count - 1];
        return sp_blender_end(out->folder.path, &scene, error);
    }
    if (out->format == SP_FORMAT_VDB && out->lists[VOLUME].count > 0)
        return sp_blender_volumes(out->folder.path, out->table.cell_size, out->fps,
                                  out->lists[VOLUME].frames, out->lists[VOLUME].count, error);
    if (out->format != SP_FORMAT_USD)
        return SPATE_OK;
    sp_usd_sequence sequence = {.fps = out->fps,
                                .frames = particles->frames,
                                .frame_count = particles->count,
                                .table = out->has_cloud ? &out->table : NULL,
                                .mesh_frames = surfaces->frames,
                                .mesh_frame_count = surfaces->count,
                                .mesh = out->has_mesh ? &out->mesh : NULL,
                                .solids = out->has_solids ? SOLIDS_LAYER : NULL};
    if (!sequence.table && !sequence.mesh)
        return SPATE_OK;
    return sp_usd_write_sequence(out->folder.path, "liquid.usda", "liquid.manifest.usda", &sequence,
                                 error);
}

const char *sp_export_entry(const sp_export *out)
{
    static char name[64];
    if (out->format == SP_FORMAT_USD)
        return "liquid.usda";
    if (out->format == SP_FORMAT_BLENDER)
        return "open.py";
    for (int k = 0; k < KINDS; k++) {
        const frame_list *list = &out->lists[k];
        if (list->count == 0)
            continue;
        if (out->format == SP_FORMAT_VTK)
            snprintf(name, sizeof name, "%s.pvd", kind_name(k));
        else
            snprintf(name, sizeof name, "%s.%04d.%s", kind_name(k), list->frames[0],
                     ending_of(out->format, k));
        return name;
    }
    return "";
}
