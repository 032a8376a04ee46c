/* cmd_new.c -- `spate new`: a preset scene to start from. */
#include "presets.h"
#include "tool.h"

#include <string.h>

static const char usage[] = "usage: spate new NAME > scene.json\n"
                            "       spate new --list\n"
                            "\n"
                            "Prints a preset scene to start from.\n"
                            "\n"
                            "  --list    the names of the presets, each with a line about it\n"
                            "  --help    this text\n";

static void print_list(void)
{
    for (int k = 0; k < sp_preset_count; k++)
        printf("%-16s %s\n", sp_presets[k].name, sp_presets[k].title);
}

static int unknown_preset(const char *name)
{
    enum { MOST = 256 };
    const char *names[MOST];
    int count = sp_preset_count < MOST ? sp_preset_count : MOST;
    for (int k = 0; k < count; k++)
        names[k] = sp_presets[k].name;
    const char *guess = tool_suggest(name, names, count);
    if (guess)
        return tool_say_error(EXIT_USAGE, "%s: there is no such preset; did you mean '%s'?", name,
                              guess);
    return tool_say_error(EXIT_USAGE, "%s: there is no such preset (see 'spate new --list')", name);
}

/* Files that the scene names are not part of the text: say where they are looked for. */
static void note_files(const struct sp_preset *preset)
{
    static const char key[] = "\"file\": \"";
    for (const char *at = strstr(preset->text, key); at; at = strstr(at, key)) {
        at += sizeof key - 1;
        int length = (int)strcspn(at, "\"");
        fprintf(stderr,
                "spate: note: this scene reads %.*s, relative to the folder of the scene file; "
                "copy it there from the folder scenes/ of the spate sources\n",
                length, at);
    }
}

int cmd_new(int argc, char **argv)
{
    static const char *const operand_names[] = {"NAME"};
    const char *operands[2] = {NULL};
    bool list = false;
    const tool_option options[] = {{"--list", 'l', TOOL_FLAG, &list, 0}};
    int code = tool_parse(usage, options, 1, operand_names, 1, 0, operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    if (list) {
        print_list();
        return EXIT_DONE;
    }
    if (!operands[0])
        return tool_say_error(EXIT_USAGE, "new: NAME is missing (see 'spate new --list')");
    for (int k = 0; k < sp_preset_count; k++) {
        if (strcmp(sp_presets[k].name, operands[0]) != 0)
            continue;
        fputs(sp_presets[k].text, stdout);
        note_files(&sp_presets[k]);
        return EXIT_DONE;
    }
    return unknown_preset(operands[0]);
}
