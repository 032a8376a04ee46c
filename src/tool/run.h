/* run.h -- the parts of `spate run`: cmd_run.c reads and checks, run_start.c opens the folder,
 * run_loop.c computes the frames. All functions return an exit code, having printed what went
 * wrong. */
#ifndef SPATE_TOOL_RUN_H
#define SPATE_TOOL_RUN_H

#include "io/export.h"
#include "io/gauges.h"
#include "io/run_folder.h"
#include "io/stats.h"
#include "io/usd.h"
#include "io/usd_course.h"
#include "io/usd_file.h"
#include "tool.h"

typedef struct run_mesh run_mesh;
typedef struct run_film run_film;
typedef struct run_frame run_frame;

typedef struct tool_run {
    /* from the command line */
    tool_scene_options given;
    const char *folder_name; /* -o; NULL: out/<scene file stem> */
    const char *device;
    int threads;
    const char *usd_path;        /* --usd; NULL: none */
    int steps;                   /* --steps or --num_steps; -1: all frames */
    const char *course_usd_path; /* --usd_output, in the layout of the course; NULL: none */
    int num_steps;               /* --num_steps; -1: not given */
    bool overwrite, resume, json, quiet;
    /* made on the way */
    char default_folder[SP_PATH_SIZE];
    spate_options options;
    spate_scene *scene;
    tool_forecast forecast;
    sp_run_folder folder;
    sp_run_info info;
    spate_sim *sim;
    sp_gauges *gauges;                     /* NULL without gauges */
    sp_export *particles_out, *volume_out; /* NULL without; may be the same */
    sp_usd_file *usd;                      /* of usd_path */
    sp_solid_meshes solids;                /* for those */
    sp_usd_course *course_usd;             /* of course_usd_path */
    bool of_course;                        /* the scene is one of the PIC-FLIP course */
    run_mesh *mesh;   /* the surface that is being made; NULL without surfaces */
    run_frame *frame; /* the output of the last frame, which may go on */
    double begun;     /* sp_seconds at the start of the command */
} tool_run;

/* From here on SIGINT, SIGTERM and SIGHUP end the run after the step under way, a second one at
 * once; a full disk or a closed pipe is an error that a write reports, not the end of the process.
 */
void run_catch_signals(bool quiet);

/* Opens the folder of a run that is to go on, and reads its run.json. */
int run_open_for_resume(tool_run *run);
/* Opens or makes the folder of a new run; refuses one that holds another, unless that is to be
 * overwritten. */
int run_open_for_new(tool_run *run);
int run_create_sim(tool_run *run);
/* Brings simulation and folder to the frame where the run begins or goes on. */
int run_start(tool_run *run);
/* Row 0, particles.0000.ply and the first checkpoint of a new run. */
int run_write_start(tool_run *run);
/* The files of particles and volumes (run_output.c). `keep`: the last frame that is there already,
 * -1 if the run begins. A frame, whose particles are a snapshot or the simulation's own, with the
 * fields of the grid (NULL: none are written); and a step; both may be called at the same time of
 * the simulation. */
int run_output_open(tool_run *run, int keep);
spate_status run_output_frame(tool_run *run, const sp_particles *now, const sp_field_set *fields,
                              spate_error *error);
/* The sets beside the fluid in a frame. */
spate_status run_output_sets(tool_run *run, const sp_particle_sets *now, spate_error *error);
int run_output_step(tool_run *run);
int run_output_close(tool_run *run);
void run_output_clear(tool_run *run);
/* The output of a frame (run_frame.c), which may go on beside the next steps. */
typedef struct run_frame_numbers {
    sp_stats_row row;           /* its seconds: of the frame, with its output unless that goes on */
    double since;               /* sp_seconds at the last row; becomes that of this one */
    double carried;             /* s, of the frame before this process */
    uint64_t hashes[SET_COUNT]; /* of the sets of the simulation in their order, for --json */
    run_film *film;             /* NULL: none */
} run_frame_numbers;
int run_frame_write(tool_run *run, run_frame_numbers *numbers);
/* Waits until it is there, its surface too, and says whether it went well. */
int run_frame_finish(tool_run *run);
/* Waits for it and frees it, whatever has happened. */
void run_frame_end(tool_run *run);
/* Begins to make and write the surface of a frame; none may be under way (run_mesh.c). */
spate_status run_mesh_start(tool_run *run, const sp_particles *now, spate_error *error);
/* Waits for it, and says whether it went well. */
int run_mesh_finish(tool_run *run);
/* Waits for it and frees it, whatever has happened. */
void run_mesh_end(tool_run *run);
/* All frames that are left, then the picture and the summary. */
int run_frames(tool_run *run);

#endif
