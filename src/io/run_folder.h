/* run_folder.h -- the folder that a run leaves: what is in it, who may write to it, and what may be
 * removed.
 *
 *     run.json  stats.csv  gauges.csv  particles.0000.ply ...  mesh.0000.ply ...
 *     NAME.0000.ply ... (sets of particles, by name)  preview.png  preview.mp4  report.html
 *     checkpoint.spate  checkpoint.prev.spate  slice.NAME.0000.vti ...
 *     frame.0000.png ...  film.mp4 (spate render)  plot.energy.svg ... (spate plot)
 *
 * Every file appears under its name only when complete, so that a run killed at any moment can be
 * resumed. The two newest checkpoints are kept, and at no moment is there none once the first is
 * written. While a folder is open it is locked; the lock ends with the process, however that ends.
 */
#ifndef SPATE_IO_RUN_FOLDER_H
#define SPATE_IO_RUN_FOLDER_H

#include <spate/spate.h>

#define SP_PATH_SIZE 4096

typedef struct sp_run_folder {
    char path[SP_PATH_SIZE - 64]; /* as the user typed it, without a slash at the end */
    int descriptor;               /* of the folder, which holds the lock */
    bool made;                    /* by this open */
} sp_run_folder;

/* Opens a folder only to read from it: no lock, so that a run that is under way can be looked at.
 */
spate_status sp_run_folder_open_to_read(sp_run_folder *folder, const char *path,
                                        spate_error *error);
/* Opens and locks a folder to write to it; makes it, and those above it, if `make`. */
spate_status sp_run_folder_open(sp_run_folder *folder, const char *path, bool make,
                                spate_error *error);
/* Gives the lock back. A folder that this open has made and that is still empty goes away again. */
void sp_run_folder_close(sp_run_folder *folder);

/* The path of a file in it, into `path`, which is returned. */
const char *sp_run_folder_path(const sp_run_folder *folder, const char *name,
                               char path[SP_PATH_SIZE]);
const char *sp_run_folder_particles(const sp_run_folder *folder, int frame,
                                    char path[SP_PATH_SIZE]);
/* Of a set of particles beside the fluid. */
const char *sp_run_folder_set(const sp_run_folder *folder, const char *set, int frame,
                              char path[SP_PATH_SIZE]);
/* vtk/volume.NNNN.vti */
const char *sp_run_folder_volume(const sp_run_folder *folder, int frame, char path[SP_PATH_SIZE]);
const char *sp_run_folder_mesh(const sp_run_folder *folder, int frame, char path[SP_PATH_SIZE]);
bool sp_run_folder_has(const sp_run_folder *folder, const char *name);

/* Whether it is a run's: it has a run.json, a stats.csv or a checkpoint. */
bool sp_run_folder_holds_run(const sp_run_folder *folder);
/* Whether `path` is, by whatever name or link, a file that sp_run_folder_remove or sp_export_remove
 * may remove from this folder. */
bool sp_run_folder_makes(const sp_run_folder *folder, const char *path);
bool sp_run_folder_is_same(const sp_run_folder *folder, const sp_run_folder *other);

/* How many files of a run there are, and the largest number of a particle file (-1: none). */
spate_status sp_run_folder_count(const sp_run_folder *folder, int *files, int *last_particles,
                                 spate_error *error);
/* The numbers of the particle files, in order; sp_free them. */
spate_status sp_run_folder_frames(const sp_run_folder *folder, int **frames, int *count,
                                  spate_error *error);
/* The same of vtk/volume.NNNN.vti. */
spate_status sp_run_folder_volumes(const sp_run_folder *folder, int **frames, int *count,
                                   spate_error *error);
/* The same of mesh.NNNN.ply. */
spate_status sp_run_folder_surfaces(const sp_run_folder *folder, int **frames, int *count,
                                    spate_error *error);
/* Removes the files of frames after `last_frame` and all temporary files; with last_frame = -1
 * everything that a run makes, and nothing else. */
spate_status sp_run_folder_remove(const sp_run_folder *folder, int last_frame, spate_error *error);

/* Writes the next checkpoint and keeps the one before it. */
spate_status sp_run_folder_save(const sp_run_folder *folder, spate_sim *sim, spate_error *error);
/* Makes checkpoint.prev.spate the newest one again, after checkpoint.spate turned out to be missing
 * or damaged. */
spate_status sp_run_folder_step_back(const sp_run_folder *folder, spate_error *error);

/* What run.json says. */
typedef struct sp_run_info {
    char version[32], device[32];
    char scene_file[512];
    int threads;
    uint64_t particles; /* at the start */
    char *scene;        /* JSON text, every setting written out; sp_free it */
} sp_run_info;

spate_status sp_run_info_write(const sp_run_folder *folder, const sp_run_info *info,
                               spate_error *error);
/* An error, too, if a later version than this one wrote it, whose files may hold what this one does
 * not know. */
spate_status sp_run_info_read(const sp_run_folder *folder, sp_run_info *info, spate_error *error);

/* A scene with the settings that the files of a run depend on, and no other: name, domain, frames,
 * fps, kind of fluid, particles per axis. It needs none of the files that the scene names, and
 * takes no offence at settings of another version. NULL on failure. */
spate_scene *sp_run_info_scene(const sp_run_folder *folder, const sp_run_info *info,
                               spate_error *error);

/* Whether something in the scene may give energy to a gas: flows, sources, heat and smoke, open
 * sides, solids that move, keyframes. */
bool sp_run_info_is_driven(const sp_run_info *info);

/* The path of the first setting in which two scene texts differ, into `where`, with both values;
 * frames and output do not count. False if there is none. */
typedef struct sp_difference {
    char where[256], first[64], second[64];
} sp_difference;
spate_status sp_scene_difference(const char *first, const char *second, bool *differ,
                                 sp_difference *difference, spate_error *error);

#endif
