/* medium.h -- what the kind of the fluid decides, in one place. Everything else asks for one of
 * these, not for the kind. */
#ifndef SPATE_SCENE_MEDIUM_H
#define SPATE_SCENE_MEDIUM_H

#include <spate/spate.h>

typedef struct sp_medium {
    const char *name;  /* "liquid" */
    bool has_surface;  /* it ends somewhere: a level set, waves, spray, free flight, whitewater */
    bool fills_domain; /* it is wherever there is room; `fill` only says what is in it */
    bool falls;        /* gravity acts on all of it, and not only on what is lighter or heavier */
    bool midway;       /* the velocity in the middle of a step moves particles: kernels/midway.h */
    float most_turn;   /* of half a step, that the kick turns with the flow: kernels/g2p.h */
} sp_medium;

static inline const sp_medium *sp_medium_of(const spate_scene *scene)
{
    static const sp_medium media[] = {
        /* by spate_fluid_kind */
        {"liquid", true, false, true, false, 0.1f},
        {"gas", false, true, false, true, 0.3f},
    };
    return &media[scene->fluid.kind];
}

/* The settings of a scene that are in no list, with the defaults of its kind of fluid. The lists
 * are those of the scene given. */
void sp_settle_numbers(spate_scene *scene);
static inline spate_scene sp_settled(const spate_scene *scene)
{
    spate_scene settled = *scene;
    sp_settle_numbers(&settled);
    return settled;
}

#endif
