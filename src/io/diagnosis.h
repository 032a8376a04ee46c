/* diagnosis.h -- what the numbers of a run mean: for each quantity good, watch or bad, what is
 * wrong and which setting helps. `spate info` and the report print them. */
#ifndef SPATE_IO_DIAGNOSIS_H
#define SPATE_IO_DIAGNOSIS_H

#include "stats.h"

typedef enum sp_severity { SP_LEVEL_GOOD, SP_LEVEL_WATCH, SP_LEVEL_BAD } sp_severity;

typedef struct sp_diagnosis {
    const char *quantity; /* "volume", ... */
    sp_severity level;
    char text[160]; /* the numbers */
    char help[200]; /* what is wrong and what helps; empty if it is good */
} sp_diagnosis;

#define SP_VERDICTS 10

/* What the scene of the run says. */
typedef struct sp_run_kind {
    double spacing; /* m, of particles at rest */
    bool gas;       /* nothing is said of surface, volume and spacing */
    bool driven;    /* of a gas: heat, flows or solids that move may give it energy */
} sp_run_kind;

/* Judges the rows of a stats.csv. Quantities that the table has no columns for are left out.
 * Returns how many there are. */
int sp_diagnose(const sp_stats_table *table, const sp_run_kind *kind,
                sp_diagnosis verdicts[SP_VERDICTS]);

const char *sp_severity_name(sp_severity level); /* "good", "watch", "bad" */

#endif
