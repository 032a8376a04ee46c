/* options.c -- the arguments of a command, from a table of what it takes.
 *
 * `--name value`, `--name=value`, `-o value` and `-ovalue` are all understood, options may stand
 * anywhere, and `--` ends them. A slip of the pen gets a suggestion. */
#include "manual.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Edit distance with swaps of neighbours (Damerau, restricted); words longer than the table count
 * as different. */
#define LONGEST_WORD 32

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int edit_distance(const char *a, const char *b)
{
    int rows = (int)strlen(a), columns = (int)strlen(b);
    if (rows > LONGEST_WORD || columns > LONGEST_WORD)
        return INT_MAX;
    int d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (int i = 0; i <= rows; i++) {
        for (int j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = smaller(best, smaller(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smaller(best, d[i - 2][j - 2] + 1);
            d[i][j] = best;
        }
    }
    return d[rows][columns];
}

const char *tool_suggest(const char *word, const char *const *candidates, int count)
{
    /* a third of the letters may be wrong, but never all of a short word */
    int limit = (int)strlen(word) / 3 + 1;
    const char *best = NULL;
    for (int k = 0; k < count; k++) {
        int distance = edit_distance(word, candidates[k]);
        if (distance <= limit && distance < (int)strlen(candidates[k])) {
            limit = distance - 1;
            best = candidates[k];
        }
    }
    return best;
}

typedef struct parser {
    const char *command;
    const tool_option *options;
    int option_count;
    char **argv; /* argv[next] is the argument after the one being read */
    int argc, next;
} parser;

static int usage_error(const parser *p, const char *what, const char *name)
{
    return tool_say_error(EXIT_USAGE, "%s: %s (see 'spate %s --help')", name, what, p->command);
}

static int unknown_option(const parser *p, const char *name)
{
    const char *names[32];
    int count = 0;
    for (int k = 0; k < p->option_count && count < 31; k++)
        names[count++] = p->options[k].name;
    names[count++] = "--help";
    const char *guess = tool_suggest(name, names, count);
    if (guess)
        return tool_say_error(EXIT_USAGE, "%s: unknown option of 'spate %s'; did you mean '%s'?",
                              name, p->command, guess);
    return tool_say_error(EXIT_USAGE, "%s: unknown option (see 'spate %s --help')", name,
                          p->command);
}

static int store(const parser *p, const tool_option *option, const char *value)
{
    if (option->kind == TOOL_TEXT) {
        *(const char **)option->target = value;
        return TOOL_PARSED;
    }
    if (option->kind == TOOL_LIST) {
        const char **list = *(const char ***)option->target;
        while (*list)
            list++;
        *list = value;
        return TOOL_PARSED;
    }
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end == value || *end || errno || number < option->low || number > INT_MAX) {
        char what[128];
        snprintf(what, sizeof what, "must be a whole number of at least %d (got '%.40s')",
                 option->low, value);
        return usage_error(p, what, option->name);
    }
    *(int *)option->target = (int)number;
    return TOOL_PARSED;
}

/* `given` is the value that stands in the same argument, or NULL */
static int take_option(parser *p, const tool_option *option, const char *given)
{
    if (option->kind == TOOL_FLAG) {
        if (given)
            return usage_error(p, "takes no value", option->name);
        *(bool *)option->target = true;
        return TOOL_PARSED;
    }
    if (!given && p->next < p->argc)
        given = p->argv[p->next++];
    if (!given || !*given)
        return usage_error(p, "needs a value", option->name);
    return store(p, option, given);
}

static int take_long(parser *p, const char *argument)
{
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    for (int k = 0; k < p->option_count; k++) {
        const tool_option *option = &p->options[k];
        if (strlen(option->name) == length && memcmp(option->name, argument, length) == 0)
            return take_option(p, option, equals ? equals + 1 : NULL);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), argument);
    return unknown_option(p, name);
}

static int take_short(parser *p, const char *argument)
{
    for (int k = 0; k < p->option_count; k++) {
        const tool_option *option = &p->options[k];
        if (option->letter && option->letter == argument[1])
            return take_option(p, option, argument[2] ? argument + 2 : NULL);
    }
    return unknown_option(p, argument);
}

int tool_parse(const char *usage, const tool_option *options, int option_count,
               const char *const *operand_names, int operand_count, int required,
               const char **operands, int argc, char **argv)
{
    parser p = {argv[0], options, option_count, argv, argc, 1};
    if (tool_describe(argv[0], &(tool_description){usage, options, option_count}))
        return EXIT_DONE;
    int found = 0;
    bool only_operands = false;
    while (p.next < argc) {
        const char *argument = argv[p.next++];
        if (only_operands || argument[0] != '-' || !argument[1]) {
            if (found == operand_count)
                return usage_error(&p, "one argument too many", argument);
            operands[found++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_operands = true;
            continue;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            fputs(usage, stdout);
            return EXIT_DONE;
        }
        int code = argument[1] == '-' ? take_long(&p, argument) : take_short(&p, argument);
        if (code != TOOL_PARSED)
            return code;
    }
    operands[found] = NULL;
    if (found < required)
        return usage_error(&p, "is missing", operand_names[found]);
    return TOOL_PARSED;
}
