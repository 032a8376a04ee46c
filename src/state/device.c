/* device.c -- arrays in two memories, asked of the device that has them. */
#include "device.h"

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
