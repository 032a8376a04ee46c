/* checkpoint.h -- what the two files of checkpoints share. */
#ifndef SPATE_SIM_CHECKPOINT_H
#define SPATE_SIM_CHECKPOINT_H

#include "sim.h"

#define NOT_SAVED_BY_SPATE "the checkpoint is not one that spate saves: "

/* What precedes the particles of all sets, so that a checksum behind it guards the counts. */
typedef struct sp_set_head {
    char name[32];
    uint64_t columns; /* a hash of what a particle and the set's state consist of */
    uint32_t count, next_id, classes, zero;
    sp_set_ledger ledger; /* the fluid's is in the clock: zeros */
} sp_set_head;

spate_status X(save_set_heads)(X(sim) *s, sp_stream *stream);
/* One for each set of the scene: whether they are those of its sets. */
spate_status X(check_set_heads)(X(sim) *s, const sp_set_head *heads, spate_error *error);

/* Of each set what its stage keeps (sp_set_kind.saved_bytes), then its columns. */
spate_status X(save_sets)(X(sim) *s, sp_stream *stream);
spate_status X(load_sets)(X(sim) *s, const sp_set_head *heads, sp_stream *stream,
                          spate_error *error);

bool X(all_finite)(const float *values, uint32_t count);

#endif
