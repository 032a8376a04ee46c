/* main.c -- the command `spate`: finds the command that is meant and hands over. */
#include "manual.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", cmd_run},
    {"check", cmd_check},
    {"new", cmd_new},
    {"import", cmd_import},
    {"sweep", cmd_sweep},
    {"info", cmd_info},
    {"mesh", cmd_mesh},
    {"render", cmd_render},
    {"plot", cmd_plot},
    {"export", cmd_export},
    {"bench", cmd_bench},
    {"serve", cmd_serve},
    {"whitewater", cmd_whitewater},
    {"help", cmd_help},
};
#define COMMANDS ((int)(sizeof commands / sizeof *commands))

int tool_command_count(void)
{
    return COMMANDS;
}

const char *tool_command_name(int command)
{
    return commands[command].name;
}

int tool_command_run(int command, int argc, char **argv)
{
    return commands[command].run(argc, argv);
}

static int find_command(const char *name)
{
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(commands[k].name, name) == 0)
            return k;
    return -1;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++)
        names[k] = commands[k].name;
    const char *guess = tool_suggest(name, names, COMMANDS);
    if (guess)
        return tool_say_error(EXIT_USAGE, "%s: unknown command; did you mean '%s'?", name, guess);
    return tool_say_error(EXIT_USAGE, "%s: unknown command (see 'spate help')", name);
}

static int print_version(void)
{
    printf("spate %s\n", spate_version());
    const char *names[8];
    int count = spate_device_list(names, 8);
    for (int k = 0; k < count && k < 8; k++) {
        char note[200];
        spate_device_available(names[k], note, sizeof note);
        printf("%s%s (%s)", k ? ", " : "devices: ", names[k], note);
    }
    printf("\ncompiler: ");
#if defined(__clang__)
    printf("clang %d.%d.%d\n", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    printf("gcc %d.%d.%d\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
    printf("unknown\n");
#endif
    return EXIT_DONE;
}

static int dispatch(int argc, char **argv)
{
    static char help_name[] = "help";
    char *overview[] = {help_name, NULL};
    if (argc < 2) {
        tool_say_error(EXIT_USAGE, "a command is missing; 'spate help' lists them");
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cmd_help(1, overview);
    int command = find_command(argv[1]);
    if (command < 0)
        return unknown_command(argv[1]);
    /* `spate help run` is `spate run --help`: each command keeps its own text */
    if (commands[command].run == cmd_help && argc == 3) {
        int about = find_command(argv[2]);
        static char help_option[] = "--help";
        char *arguments[] = {argv[2], help_option, NULL};
        if (about >= 0 && commands[about].run != cmd_help)
            return commands[about].run(2, arguments);
    }
    return commands[command].run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = dispatch(argc, argv);
    /* what was printed must have arrived: a full disk behind `spate new dam > file` is no success
     */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE)
        return tool_say_error(EXIT_FILE, "standard output: cannot write");
    return code;
}
