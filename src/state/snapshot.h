/* snapshot.h -- the particles of a moment in memory of their own, so that they can be written while
 * the simulation goes on. Devices with a memory of their own have this: the copy to the host runs
 * beside the next steps. A simulation has one snapshot at a time. */
#ifndef SPATE_STATE_SNAPSHOT_H
#define SPATE_STATE_SNAPSHOT_H

#include <spate/spate.h>

#define SP_SNAPSHOT_CHANNELS 64

typedef struct sp_snapshot {
    spate_particles_view particles;
    const float *channel[SP_SNAPSHOT_CHANNELS]; /* components of all channels of the scene */
    int frame;
    double time; /* s */
} sp_snapshot;

/* Begins to copy; what it says is good until the next one, or the end of the simulation, and may
 * be read after sp_snapshot_wait. false: there is none on this device, or no memory for it; the
 * simulation itself is to be read then. */
bool sp_snapshot_begin(spate_sim *sim, sp_snapshot *snapshot);
/* Until the copy is there; false: the device has failed. The only function of a simulation that may
 * be called from another thread while it steps. */
bool sp_snapshot_wait(spate_sim *sim);

#endif
