/* midway.c -- the stage MIDWAY: the velocity in the middle of the step. kernels/midway.h has the
 * maths of a face. */
#include "exec.h"

#include "kernels/midway.h"
#include "kernels/step_info.h"

CELLS(midway_faces, X(step_info))
{
    FOR_EACH_LANES(c, cell)
        X(midway_faces)(f, c, a->midway);
}

void DEV(midway)(X(exec) *e, const X(step_info) *step)
{
    float *const *const velocities[] = {e->f.u_mid};
    midway_faces(e, step, face_tiles(&e->f));
    fill_border_faces(e, velocities, 1);
}
