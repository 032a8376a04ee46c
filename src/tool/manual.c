/* manual.c -- the manual page, and the completions of bash and zsh, from the tables of commands and
 * options: what a command takes is what it hands to tool_parse. */
#include "manual.h"

#include <stdio.h>
#include <string.h>

#include "presets.h"

typedef void describe_fn(const char *command, const tool_description *d);

static describe_fn *describe;

bool tool_describe(const char *command, const tool_description *d)
{
    if (!describe)
        return false;
    describe(command, d);
    return true;
}

/* Each command says what it takes, and does nothing. */
static void for_each_command(describe_fn *with)
{
    describe = with;
    for (int k = 0; k < tool_command_count(); k++) {
        char name[32];
        snprintf(name, sizeof name, "%s", tool_command_name(k));
        char *arguments[] = {name, NULL};
        tool_command_run(k, 1, arguments);
    }
    describe = NULL;
}

/* ------------------------------------------------------------------ the manual page */

/* Text as it is, in roff: no hyphen becomes a dash, no line a request. */
static void print_roff(const char *text)
{
    bool start = true;
    for (const char *c = text; *c; c++) {
        if (start && (*c == '.' || *c == '\''))
            fputs("\\&", stdout);
        if (*c == '\\')
            fputs("\\e", stdout);
        else if (*c == '-')
            fputs("\\-", stdout);
        else
            putchar(*c);
        start = *c == '\n';
    }
}

static void print_section(const char *command, const tool_description *d)
{
    printf(".SS %s\n.nf\n", command);
    print_roff(d->usage);
    printf(".fi\n");
}

void manual_print(const char *overview)
{
    printf(
        ".TH SPATE 1 \"\" \"spate %s\"\n.SH NAME\nspate \\- PIC/FLIP fluid simulator in 2D and 3D\n",
        spate_version());
    printf(".SH SYNOPSIS\n.B spate\n.I command\n.RI [ arguments ]\n.SH DESCRIPTION\n.nf\n");
    print_roff(overview);
    printf(".fi\n.SH COMMANDS\n");
    for_each_command(print_section);
    printf(".SH ENVIRONMENT\n"
           ".TP\n.B SPATE_FFMPEG\nthe program that makes films, instead of ffmpeg\n"
           ".TP\n.B SPATE_CHECKPOINT_SECONDS\nseconds between checkpoints by time, instead of 60\n"
           ".SH SEE ALSO\n.BR ffmpeg (1)\n");
}

/* ------------------------------------------------------------------ completions */

static void print_options(const tool_description *d)
{
    for (int k = 0; k < d->option_count; k++) {
        printf("%s ", d->options[k].name);
        if (d->options[k].letter)
            printf("-%c ", d->options[k].letter);
    }
    printf("--help");
}

/* What stands behind the command, where it is no file. */
static void print_words(const char *command)
{
    if (strcmp(command, "new") == 0)
        for (int k = 0; k < sp_preset_count; k++)
            printf("%s%s", k ? " " : "", sp_presets[k].name);
    if (strcmp(command, "help") == 0) {
        printf("scene");
        for (int k = 0; k < tool_command_count(); k++)
            printf(" %s", tool_command_name(k));
    }
}

static bool has_words(const char *command)
{
    return strcmp(command, "new") == 0 || strcmp(command, "help") == 0;
}

static void print_bash_case(const char *command, const tool_description *d)
{
    printf("    %s)\n        options='", command);
    print_options(d);
    printf("'\n        words='");
    print_words(command);
    printf("'\n        ;;\n");
}

static void print_commands(void)
{
    for (int k = 0; k < tool_command_count(); k++)
        printf("%s%s", k ? " " : "", tool_command_name(k));
}

void manual_print_bash(void)
{
    printf("# Completion of spate for bash; made by `spate help --complete bash`.\n"
           "_spate() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} options= words=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W '");
    print_commands();
    printf(" --help --version' -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for_each_command(print_bash_case);
    printf("    esac\n"
           "    case $current in\n"
           "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
           "    *)\n"
           "        if [ -n \"$words\" ]; then\n"
           "            COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "        else\n"
           "            compopt -o filenames 2>/dev/null\n"
           "            mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
           "        fi\n"
           "        ;;\n"
           "    esac\n"
           "}\n"
           "complete -F _spate spate\n");
}

static void print_zsh_case(const char *command, const tool_description *d)
{
    printf("    %s)\n        _arguments", command);
    for (int k = 0; k < d->option_count; k++) {
        const tool_option *option = &d->options[k];
        const char *value = option->kind == TOOL_FLAG ? "" : ":value:_files";
        const char *again = option->kind == TOOL_LIST ? "*" : "";
        printf(" '%s%s%s'", again, option->name, value);
        if (option->letter)
            printf(" '%s-%c%s'", again, option->letter, value);
    }
    printf(" '--help'");
    if (has_words(command)) {
        printf(" '1:word:(");
        print_words(command);
        printf(")'");
    } else {
        printf(" '*:file:_files'");
    }
    printf("\n        ;;\n");
}

void manual_print_zsh(void)
{
    printf("#compdef spate\n"
           "# Completion of spate for zsh; made by `spate help --complete zsh`.\n"
           "_spate() {\n"
           "    if (( CURRENT == 2 )); then\n"
           "        compadd -- ");
    print_commands();
    printf(" --help --version\n"
           "        return\n"
           "    fi\n"
           "    local command=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $command in\n");
    for_each_command(print_zsh_case);
    printf("    esac\n"
           "}\n"
           "_spate \"$@\"\n");
}
