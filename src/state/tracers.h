/* tracers.h -- what TRACERS keeps beside its points; kernels/tracers.h has the maths. */
#ifndef SPATE_STATE_TRACERS_H
#define SPATE_STATE_TRACERS_H

#include "kernels/tracers.h"
#include "state.h"

/* For the step of dt that begins at the time of the clock. */
X(tracing) X(tracing_of)(X(sim) *s, double dt);
/* What comes before that time (s) has come. */
void X(traced_until)(X(sim) *s, double time);

#endif
