/* shift.c -- part of SEPARATE: the displacement that evens out the particles of a gas, on the
 * faces. kernels/shift.h has the maths of a face. */
#include "exec.h"

#include "kernels/shift.h"

typedef struct shift_args {
    float rate; /* cells for a difference of 1 in density */
} shift_args;

CELLS(shift_faces, shift_args)
{
    FOR_EACH_LANES(c, cell)
        X(shift_faces)(f, c, a->rate);
}

void DEV(find_shift)(X(exec) *e, float share)
{
    shift_args args = {0.25f * share};
    float *const *const displacement[] = {e->f.away};
    shift_faces(e, &args, face_tiles(&e->f));
    fill_border_faces(e, displacement, 1);
}
