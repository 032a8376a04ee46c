/* ledger.h -- the ledger of a channel, which has no dimension. */
#ifndef SPATE_KERNELS_LEDGER_H
#define SPATE_KERNELS_LEDGER_H

/* What changed the sum of a column of the channels over the particles, since the start. At any time
 * the sum is that of the start and of all these. */
typedef struct sp_channel_ledger {
    double start;      /* particles at the start */
    double sources;    /* gave (age: time went by) */
    double dissipated; /* negative: got less by itself */
    double mixed;      /* was rounded off where the grid averages */
    double came, left; /* with particles; what left is negative */
    double sum;        /* over the particles, and */
    double cells;      /* over the cells, m^3 (2D: m^2), both as of the last statistics */
} sp_channel_ledger;

#endif
