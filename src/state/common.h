/* common.h -- the part of a simulation that has no dimension: scene, threads, clock, ledger. */
#ifndef SPATE_STATE_COMMON_H
#define SPATE_STATE_COMMON_H

#include "base/parallel.h"
#include "kernels/ledger.h"
#include "scene/medium.h"
#include "stage.h"

#include <spate/spate.h>

/* Picks rows of SPATE_STATS by how they come about: SP_KEPT_##when(F, type, name) is F(type, name)
 * for those that a simulation keeps from step to step, SP_OF_FRAME_##when(F, name) is F(name) for
 * those that start anew in each frame. */
#define SP_KEPT_MADE(F, type, name)
#define SP_KEPT_RUN(F, type, name) F(type, name)
#define SP_KEPT_FRAME(F, type, name) F(type, name)
#define SP_KEPT_MEASURED(F, type, name)
#define SP_OF_FRAME_MADE(F, name)
#define SP_OF_FRAME_RUN(F, name)
#define SP_OF_FRAME_FRAME(F, name) F(name)
#define SP_OF_FRAME_MEASURED(F, name)

#define SP_CHANNEL_COLUMNS 64

typedef struct sp_common {
    spate_scene *scene;      /* own copy */
    const sp_medium *medium; /* what its fluid is */
    sp_pool *pool;
    spate_log_fn *log;
    void *log_user;
    double gravity[3];

    /* clock: time = frame / fps + inside */
    int frame;
    double inside;   /* s, time inside the frame */
    bool frame_done; /* the last step ended a frame: the next one begins the numbers of a new one */
    uint64_t steps;
    double step_dt; /* s, of the step or part of a step under way, or of the last one */
    double last_dt; /* s, of the last step's ADVECT; 0 before the first one */
    double
        flow_speed; /* m/s: largest component of u in the liquid in the last step; 0: not known */

    double room; /* cells: volume of the largest closed room of a gas where the last frame ended */

    /* the rows of stats.h that steps add to; those of a FRAME start at 0 in each */
#define SP_MEMBER(type, name) type name;
#define SP_ROW(type, name, unit, when, help) SP_KEPT_##when(SP_MEMBER, type, name)
    SPATE_STATS(SP_ROW)
#undef SP_ROW
#undef SP_MEMBER
    double seconds[SP_STAGE_COUNT]; /* of the stages in the frame under way */

    bool grid_known; /* the grid is what the last step left, and nothing has changed since */
    spate_sim *sim;  /* the simulation that this is part of, for the callback */
    spate_stage_fn *stage_fn;
    void *stage_user;
    bool in_callback; /* it is being called: nothing may change */
    bool mid_step;    /* some stages of a step have been run one by one, not yet the last */

    double (*gauges)[3];      /* values of the scene's gauges */
    double (*gauges_last)[3]; /* those of the last step, if there are: */
    bool has_last;
    bool gauges_known; /* they are those of the last step, or of the start */

    sp_channel_ledger channels[SP_CHANNEL_COLUMNS];
    bool warned_solver, warned_push, warned_substeps;
    bool unconverged; /* the last step failed for want of convergence */
} sp_common;

/* After a stage of a step: calls the callback, if there is one, which may end the step. */
spate_status sp_stage_done(sp_common *common, int stage, spate_error *error);

/* A checkpoint on its way in or out, with its checksum. */
typedef struct sp_stream {
    spate_write_fn *write;
    spate_read_fn *read;
    void *user;
    uint64_t sum; /* checksum so far */
} sp_stream;
spate_status sp_stream_write(sp_stream *stream, const void *bytes, size_t size);
spate_status sp_stream_read(sp_stream *stream, void *bytes, size_t size);
/* Writes the checksum of all bytes so far; reads one and compares. */
spate_status sp_stream_seal(sp_stream *stream);
spate_status sp_stream_check(sp_stream *stream, spate_error *error);

#endif
