/* manual.h -- what the command says of itself to others: the manual page and completions. */
#ifndef SPATE_TOOL_MANUAL_H
#define SPATE_TOOL_MANUAL_H

#include "tool.h"

/* The commands (main.c). */
int tool_command_count(void);
const char *tool_command_name(int command);
int tool_command_run(int command, int argc, char **argv);

/* What a command takes. */
typedef struct tool_description {
    const char *usage;
    const tool_option *options;
    int option_count;
} tool_description;

/* tool_parse offers what it was given; true: that is all that was asked for, the command ends. */
bool tool_describe(const char *command, const tool_description *d);

/* On the standard output; `overview` is that of `spate help`. */
void manual_print(const char *overview);
void manual_print_bash(void);
void manual_print_zsh(void);

#endif
