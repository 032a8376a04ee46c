/* presets.h -- the scenes of scenes/, built into the command by scripts/embed-presets.sh. */
#ifndef SPATE_TOOL_PRESETS_H
#define SPATE_TOOL_PRESETS_H

struct sp_preset {
    const char *name;  /* "dam_break" */
    const char *title; /* the scene's name */
    const char *text;  /* the file as it is */
};

extern const struct sp_preset sp_presets[];
extern const int sp_preset_count;

#endif
