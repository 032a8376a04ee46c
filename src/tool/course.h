/* course.h -- scenes of the PIC-FLIP course in the commands that take a scene. */
#ifndef SPATE_TOOL_COURSE_H
#define SPATE_TOOL_COURSE_H

#include "run.h"

/* Reads a scene, of the course too: then prints what is to be known of it, once. NULL, and it has
 * been said why, on failure; *code is the exit code. of_course may be NULL. */
spate_scene *tool_scene_read(const char *file, bool *of_course, int *code);
/* Frames that so many steps reach in a scene with a fixed step. */
int course_frames(const spate_scene *scene, int steps);
/* After a run: what became of the liquid's volume, and which settings would do better. */
void course_say_end(const tool_run *run);

#endif
