/* cmd_import.c -- `spate import FILE`: a scene of the PIC-FLIP course as one of spate. */
#include "course.h"

#include "io/course.h"

static const char usage[] =
    "usage: spate import FILE > scene.json\n"
    "\n"
    "Prints the spate scene that says what a scene of the PIC-FLIP course says: a JSON object with the\n"
    "key n_grid. Every setting stands in it. `spate run FILE` takes such a file at once.\n"
    "\n"
    "  --own   the same liquid and solids with spate's own solver, surface, volume and time step\n"
    "  --help  this text\n"
    "\n"
    "Exit codes: 0 done, 2 usage, 3 not such a scene, 4 file error, 5 out of memory.\n";

int cmd_import(int argc, char **argv)
{
    static const char *const names[] = {"FILE"};
    const char *operands[2];
    bool own = false, theirs = false;
    const tool_option options[] = {{"--own", 0, TOOL_FLAG, &own, 0}};
    int code = tool_parse(usage, options, 1, names, 1, 1, operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    spate_error error = {0};
    spate_scene *scene = tool_scene_read(operands[0], &theirs, &code);
    if (!scene)
        return code;
    char *text = NULL;
    if (!theirs)
        code = tool_say_error(EXIT_SCENE,
                              "%s: is no scene of the PIC-FLIP course (it has no key n_grid), but "
                              "one of spate: run it",
                              operands[0]);
    else if (own && sp_course_use_own(scene, &error) != SPATE_OK)
        code = tool_fail(&error, operands[0]);
    else if (spate_scene_check(scene, tool_log, (void *)operands[0], &error) != SPATE_OK)
        code = tool_fail(&error, operands[0]);
    else if (!(text = spate_scene_text(scene)))
        code = tool_say_error(EXIT_MEMORY, "out of memory");
    else
        fputs(text, stdout);
    spate_free(text);
    spate_scene_destroy(scene);
    return code;
}
