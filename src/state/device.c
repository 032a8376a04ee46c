/* device.c -- the stages as a table, and arrays in two memories, asked of the device that has them.
 */
#include "device.h"

const X(stage_row) X(stages)[SP_STAGE_COUNT] = {
#define STAGE(NAME, name, by, when, effect, reads, writes, ...) \
    {#name, WHEN_##when, STAGE_##effect, reads, writes},
#include "kernels/stages.def"
};

void X(fetch)(X(sim) *s, unsigned groups)
{
    if (s->device->fetch)
        s->device->fetch(s, groups);
}

void X(dirty)(X(sim) *s, unsigned groups)
{
    if (s->device->dirty)
        s->device->dirty(s, groups);
}

void X(discard)(X(sim) *s, unsigned groups)
{
    if (s->device->discard)
        s->device->discard(s, groups);
}
