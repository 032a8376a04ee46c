/* run_folder.c -- opening, locking, clearing and checkpointing a run folder. */
#include "run_folder.h"

#include <spate/spate_io.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "export.h"
#include "state/particle_set.h"

#define NEWEST "checkpoint.spate"
#define PREVIOUS "checkpoint.prev.spate"
#define COMING "checkpoint.new.spate" /* complete, on its way to become the newest */

/* ------------------------------------------------------------------ what belongs to a run */

typedef enum file_kind {
    FOREIGN,
    CHECKPOINT,
    PARTICLES,
    MESH,
    SET,
    PICTURE,
    SLICE,
    OTHER,
    RUN_JSON
} file_kind;

typedef struct run_file {
    file_kind kind;
    bool temporary;
    int frame; /* PARTICLES, MESH, SET, PICTURE, SLICE */
} run_file;

/* `begin`, a number as %04d writes it, `end`. */
static bool is_numbered(const char *name, size_t length, const char *begin, const char *end,
                        int *frame)
{
    size_t before = strlen(begin), after = strlen(end), digits = length - before - after;
    if (length < before + after + 4 || digits > 9 || memcmp(name, begin, before) != 0 ||
        memcmp(name + length - after, end, after) != 0)
        return false;
    const char *number = name + before;
    if (strspn(number, "0123456789") != digits || (digits > 4 && number[0] == '0'))
        return false;
    *frame = atoi(number);
    return true;
}

/* slice.NAME.0042.vti or .csv, NAME of letters that a gauge of this kind may have. */
static bool is_slice(const char *name, size_t length, int *frame)
{
    char begin[80] = "slice.";
    const char *rest = name + strlen(begin);
    if (length < strlen(begin) || memcmp(name, begin, strlen(begin)) != 0)
        return false;
    size_t letters = strcspn(rest, ".");
    if (letters == 0 || letters > 64 || strlen(begin) + letters + 1 > length)
        return false;
    memcpy(begin + strlen(begin), rest, letters + 1);
    return is_numbered(name, length, begin, ".vti", frame) ||
           is_numbered(name, length, begin, ".csv", frame);
}

/* NAME.0042.ply of a set of particles beside the fluid. */
static bool is_set(const char *name, size_t length, int *frame)
{
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++) {
        char begin[40];
        snprintf(begin, sizeof begin, "%.30s.", sp_set_name(k));
        if (is_numbered(name, length, begin, ".ply", frame))
            return true;
    }
    return false;
}

static run_file classify(const char *name)
{
    static const struct {
        const char *name;
        file_kind kind;
    } known[] = {{"run.json", RUN_JSON}, {"stats.csv", OTHER},         {"preview.png", OTHER},
                 {"preview.mp4", OTHER}, {"film.mp4", OTHER},          {"report.html", OTHER},
                 {"gauges.csv", OTHER},  {"gauge_samples.csv", OTHER}, {NEWEST, CHECKPOINT},
                 {PREVIOUS, CHECKPOINT}, {COMING, CHECKPOINT}};
    run_file file = {FOREIGN, false, 0};
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".tmp") == 0) {
        file.temporary = true;
        length -= 4;
    }
    if (length > 9 && memcmp(name, "plot.", 5) == 0 && memcmp(name + length - 4, ".svg", 4) == 0)
        file.kind = OTHER;
    if (is_numbered(name, length, "particles.", ".ply", &file.frame))
        file.kind = PARTICLES;
    else if (is_numbered(name, length, "mesh.", ".ply", &file.frame))
        file.kind = MESH;
    else if (is_set(name, length, &file.frame))
        file.kind = SET;
    else if (is_numbered(name, length, "frame.", ".png", &file.frame))
        file.kind = PICTURE;
    else if (is_slice(name, length, &file.frame))
        file.kind = SLICE;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k].name) == length && memcmp(known[k].name, name, length) == 0)
            file.kind = known[k].kind;
    return file;
}

/* Calls visit for each file of a run; stops at the first failure. */
typedef spate_status visit_fn(const sp_run_folder *folder, const char *name, run_file file,
                              void *user, spate_error *error);

static spate_status visit_files(const sp_run_folder *folder, visit_fn *visit, void *user,
                                spate_error *error)
{
    DIR *list = opendir(folder->path);
    if (!list)
        return sp_fail(error, SPATE_ERROR_FILE, folder->path, "cannot be read: %s",
                       strerror(errno));
    spate_status status = SPATE_OK;
    struct dirent *entry;
    while (status == SPATE_OK && (entry = readdir(list))) {
        run_file file = classify(entry->d_name);
        if (file.kind != FOREIGN)
            status = visit(folder, entry->d_name, file, user, error);
    }
    closedir(list);
    return status;
}

/* ------------------------------------------------------------------ opening */

/* Makes the folders of a path one by one, like mkdir -p; *made tells whether the last one is new.
 */
static spate_status make_folders(const char *path, bool *made, spate_error *error)
{
    char part[SP_PATH_SIZE];
    size_t length = strlen(path);
    for (size_t k = 1; k <= length; k++) {
        if (path[k] != '/' && path[k] != 0)
            continue;
        memcpy(part, path, k);
        part[k] = 0;
        *made = mkdir(part, 0777) == 0;
        if (!*made && errno != EEXIST)
            return sp_fail(error, SPATE_ERROR_FILE, path, "the folder cannot be made: %s",
                           strerror(errno));
    }
    return SPATE_OK;
}

static spate_status open_folder(sp_run_folder *folder, const char *path, bool make,
                                spate_error *error)
{
    *folder = (sp_run_folder){.descriptor = -1};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || length >= sizeof folder->path)
        return sp_fail(error, SPATE_ERROR_FILE, path, "this name of a folder is %s",
                       length ? "too long" : "empty");
    memcpy(folder->path, path, length);
    if (make)
        TRY(make_folders(folder->path, &folder->made, error));
    folder->descriptor = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->descriptor >= 0)
        return SPATE_OK;
    if (errno == ENOTDIR)
        return sp_fail(error, SPATE_ERROR_FILE, folder->path, "is not a folder");
    return sp_fail(error, SPATE_ERROR_FILE, folder->path, "cannot be opened: %s", strerror(errno));
}

spate_status sp_run_folder_open_to_read(sp_run_folder *folder, const char *path, spate_error *error)
{
    return open_folder(folder, path, false, error);
}

spate_status sp_run_folder_open(sp_run_folder *folder, const char *path, bool make,
                                spate_error *error)
{
    TRY(open_folder(folder, path, make, error));
    spate_status status = SPATE_OK;
    /* file systems without locks go without: the lock guards against a slip, not against malice */
    if (flock(folder->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        status = sp_fail(
            error, SPATE_ERROR_FILE, folder->path,
            "another run or export is working in this folder: wait for it, or choose another one with "
            "-o");
    else if (faccessat(folder->descriptor, ".", W_OK, 0) != 0)
        status = sp_fail(error, SPATE_ERROR_FILE, folder->path, "cannot be written: %s",
                         strerror(errno));
    if (status != SPATE_OK)
        sp_run_folder_close(folder);
    return status;
}

void sp_run_folder_close(sp_run_folder *folder)
{
    if (folder->descriptor < 0)
        return;
    if (folder->made)
        rmdir(folder->path); /* refused, and rightly, unless it is empty */
    close(folder->descriptor);
    folder->descriptor = -1;
}

const char *sp_run_folder_path(const sp_run_folder *folder, const char *name,
                               char path[SP_PATH_SIZE])
{
    snprintf(path, SP_PATH_SIZE, "%s/%.60s", folder->path, name);
    return path;
}

const char *sp_run_folder_particles(const sp_run_folder *folder, int frame, char path[SP_PATH_SIZE])
{
    snprintf(path, SP_PATH_SIZE, "%s/particles.%04d.ply", folder->path, frame);
    return path;
}

const char *sp_run_folder_set(const sp_run_folder *folder, const char *set, int frame,
                              char path[SP_PATH_SIZE])
{
    char name[48];
    snprintf(name, sizeof name, "%.32s.%04d.ply", set, frame);
    return sp_run_folder_path(folder, name, path);
}

const char *sp_run_folder_mesh(const sp_run_folder *folder, int frame, char path[SP_PATH_SIZE])
{
    snprintf(path, SP_PATH_SIZE, "%s/mesh.%04d.ply", folder->path, frame);
    return path;
}

const char *sp_run_folder_volume(const sp_run_folder *folder, int frame, char path[SP_PATH_SIZE])
{
    snprintf(path, SP_PATH_SIZE, "%s/vtk/volume.%04d.vti", folder->path, frame);
    return path;
}

bool sp_run_folder_has(const sp_run_folder *folder, const char *name)
{
    return faccessat(folder->descriptor, name, F_OK, 0) == 0;
}

bool sp_run_folder_holds_run(const sp_run_folder *folder)
{
    static const char *const names[] = {"run.json", "stats.csv", NEWEST, PREVIOUS, COMING};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (sp_run_folder_has(folder, names[k]))
            return true;
    return false;
}

static bool is_folder(const sp_run_folder *folder, const char *path)
{
    struct stat ours, about;
    return fstat(folder->descriptor, &ours) == 0 && stat(path, &about) == 0 &&
           ours.st_dev == about.st_dev && ours.st_ino == about.st_ino;
}

bool sp_run_folder_is_same(const sp_run_folder *folder, const sp_run_folder *other)
{
    struct stat ours, theirs;
    return fstat(folder->descriptor, &ours) == 0 && fstat(other->descriptor, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* Cuts the last name off an absolute path and returns it. */
static const char *cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    *slash = 0;
    return slash + 1;
}

bool sp_run_folder_makes(const sp_run_folder *folder, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return false;
    const char *name = cut_name(real);
    bool makes = false;
    if (is_folder(folder, real)) {
        makes = classify(name).kind != FOREIGN;
    } else if (real[0]) {
        const char *below = cut_name(real);
        for (int k = 0; k < SP_FORMAT_COUNT; k++)
            makes = makes || strcmp(below, sp_format_name((sp_format)k)) == 0;
        makes = makes && is_folder(folder, real);
    }
    free(real);
    return makes;
}

/* ------------------------------------------------------------------ counting and removing */

typedef struct tally {
    int files, last_particles;
} tally;

static spate_status count_file(const sp_run_folder *folder, const char *name, run_file file,
                               void *user, spate_error *error)
{
    (void)folder, (void)name, (void)error;
    tally *seen = user;
    if (file.temporary)
        return SPATE_OK;
    seen->files++;
    if (file.kind == PARTICLES && file.frame > seen->last_particles)
        seen->last_particles = file.frame;
    return SPATE_OK;
}

spate_status sp_run_folder_count(const sp_run_folder *folder, int *files, int *last_particles,
                                 spate_error *error)
{
    tally seen = {0, -1};
    TRY(visit_files(folder, count_file, &seen, error));
    *files = seen.files;
    *last_particles = seen.last_particles;
    return SPATE_OK;
}

typedef struct numbers {
    file_kind kind;
    int *frames;
    int count, room;
} numbers;

static spate_status note(numbers *seen, int frame, spate_error *error)
{
    if (seen->count == seen->room) {
        int room = seen->room ? 2 * seen->room : 256;
        int *larger = sp_grow(seen->frames, (size_t)seen->count * sizeof *larger, (size_t)room,
                              sizeof *larger);
        if (!larger)
            return sp_fail_memory(error, "the list of frames", (size_t)room * sizeof *larger);
        seen->frames = larger;
        seen->room = room;
    }
    seen->frames[seen->count++] = frame;
    return SPATE_OK;
}

static spate_status note_file(const sp_run_folder *folder, const char *name, run_file file,
                              void *user, spate_error *error)
{
    (void)folder, (void)name;
    numbers *seen = user;
    return file.temporary || file.kind != seen->kind ? SPATE_OK : note(seen, file.frame, error);
}

static int by_number(const void *first, const void *second)
{
    int a = *(const int *)first, b = *(const int *)second;
    return (a > b) - (a < b);
}

/* What was noted, in order; nothing after a failure. */
static spate_status hand_over(numbers *seen, spate_status status, int **frames, int *count)
{
    if (status != SPATE_OK) {
        sp_free(seen->frames);
        return status;
    }
    if (seen->count > 0)
        qsort(seen->frames, (size_t)seen->count, sizeof *seen->frames, by_number);
    *frames = seen->frames;
    *count = seen->count;
    return SPATE_OK;
}

static spate_status list_frames(const sp_run_folder *folder, file_kind kind, int **frames,
                                int *count, spate_error *error)
{
    numbers seen = {kind, NULL, 0, 0};
    return hand_over(&seen, visit_files(folder, note_file, &seen, error), frames, count);
}

spate_status sp_run_folder_frames(const sp_run_folder *folder, int **frames, int *count,
                                  spate_error *error)
{
    return list_frames(folder, PARTICLES, frames, count, error);
}

spate_status sp_run_folder_volumes(const sp_run_folder *folder, int **frames, int *count,
                                   spate_error *error)
{
    char path[SP_PATH_SIZE];
    numbers seen = {FOREIGN, NULL, 0, 0};
    DIR *list = opendir(sp_run_folder_path(folder, "vtk", path));
    spate_status status = SPATE_OK;
    struct dirent *entry;
    int frame;
    while (list && status == SPATE_OK && (entry = readdir(list)))
        if (is_numbered(entry->d_name, strlen(entry->d_name), "volume.", ".vti", &frame))
            status = note(&seen, frame, error);
    if (list)
        closedir(list);
    return hand_over(&seen, status, frames, count);
}

spate_status sp_run_folder_surfaces(const sp_run_folder *folder, int **frames, int *count,
                                    spate_error *error)
{
    return list_frames(folder, MESH, frames, count, error);
}

typedef struct removal {
    int last_frame;
    file_kind first, last; /* the kinds that this pass removes */
} removal;

static spate_status remove_file(const sp_run_folder *folder, const char *name, run_file file,
                                void *user, spate_error *error)
{
    const removal *what = user;
    bool numbered = file.kind >= PARTICLES && file.kind <= SLICE;
    bool later = numbered && file.frame > what->last_frame;
    if (file.kind < what->first || file.kind > what->last)
        return SPATE_OK;
    if (what->last_frame >= 0 && !file.temporary && !later)
        return SPATE_OK;
    if (unlinkat(folder->descriptor, name, 0) == 0 || errno == ENOENT)
        return SPATE_OK;
    char path[SP_PATH_SIZE];
    return sp_fail(error, SPATE_ERROR_FILE, sp_run_folder_path(folder, name, path),
                   "cannot be removed: %s", strerror(errno));
}

spate_status sp_run_folder_remove(const sp_run_folder *folder, int last_frame, spate_error *error)
{
    /* Checkpoints go first and run.json last, so that a removal that is cut short never leaves a
     * checkpoint beside the run.json of another run. */
    removal passes[] = {{last_frame, CHECKPOINT, CHECKPOINT},
                        {last_frame, PARTICLES, OTHER},
                        {last_frame, RUN_JSON, RUN_JSON}};
    for (int k = 0; k < 3; k++)
        TRY(visit_files(folder, remove_file, &passes[k], error));
    return SPATE_OK;
}

/* ------------------------------------------------------------------ checkpoints */

static spate_status rename_in(const sp_run_folder *folder, const char *from, const char *to,
                              spate_error *error)
{
    if (renameat(folder->descriptor, from, folder->descriptor, to) == 0)
        return SPATE_OK;
    char path[SP_PATH_SIZE];
    return sp_fail(error, SPATE_ERROR_FILE, sp_run_folder_path(folder, from, path),
                   "cannot be renamed to %s: %s", to, strerror(errno));
}

spate_status sp_run_folder_save(const sp_run_folder *folder, spate_sim *sim, spate_error *error)
{
    char path[SP_PATH_SIZE];
    TRY(spate_sim_checkpoint_write(sim, sp_run_folder_path(folder, COMING, path), error));
    /* between these two the previous one stands in for the newest */
    if (sp_run_folder_has(folder, NEWEST))
        TRY(rename_in(folder, NEWEST, PREVIOUS, error));
    TRY(rename_in(folder, COMING, NEWEST, error));
    /* the names themselves reach the disk; a file system that cannot do this does it in its own
     * time */
    (void)fsync(folder->descriptor);
    return SPATE_OK;
}

spate_status sp_run_folder_step_back(const sp_run_folder *folder, spate_error *error)
{
    return rename_in(folder, PREVIOUS, NEWEST, error);
}
