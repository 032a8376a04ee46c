/* midway.c -- the stage MIDWAY: the velocity in the middle of the step. kernels/midway.h has the
 * maths of a face. */
#include "exec.h"

#include "kernels/midway.h"
#include "kernels/step_info.h"

typedef struct midway_args {
    float share; /* of u - u_last */
} midway_args;

CELLS(midway_faces, midway_args)
{
    FOR_EACH_LANES(c, cell)
        X(midway_faces)(f, c, a->share);
}

void DEV(midway)(X(exec) *e, const X(step_info) *step)
{
    midway_args args = {step->midway};
    float *const *const velocities[] = {e->f.u_mid};
    midway_faces(e, &args, face_tiles(&e->f));
    fill_border_faces(e, velocities, 1);
}
