/* tool.h -- what the commands of `spate` share: exit codes, options, messages, numbers in words.
 *
 * A command is `int cmd_name(int argc, char **argv)` with argv[0] = its own name; it returns the
 * exit code. Results go to stdout, everything said to a person (progress, warnings, errors) to
 * stderr. */
#ifndef SPATE_TOOL_H
#define SPATE_TOOL_H

#include <spate/spate_io.h>

#include <stdio.h>

enum {
    EXIT_DONE = 0,
    EXIT_SIMULATION = 1,
    EXIT_USAGE = 2,
    EXIT_SCENE = 3,
    EXIT_FILE = 4,
    EXIT_MEMORY = 5,
    EXIT_DEVICE = 6,
    EXIT_INTERRUPTED = 75 /* EX_TEMPFAIL: run it again with --resume */
};

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_mesh(int argc, char **argv);
int cmd_whitewater(int argc, char **argv);
/* How the water compares with the limits of whitewater; nothing without whitewater. */
void tool_print_limits(const spate_sim *sim);
int cmd_bench(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* ------------------------------------------------------------------ options (options.c) */

typedef enum tool_option_kind {
    TOOL_FLAG,  /* bool */
    TOOL_TEXT,  /* const char *: the next argument */
    TOOL_COUNT, /* int, at least `low` */
    TOOL_LIST /* const char **: every value given, in order, NULL at the end; room for argc of them
               */
} tool_option_kind;

typedef struct tool_option {
    const char *name; /* "--output" */
    char letter;      /* 'o', or 0 */
    tool_option_kind kind;
    void *target;
    int low;
} tool_option;

#define TOOL_PARSED (-1)

/* Reads the arguments of a command. `operands` receives what is no option, NULL at the end;
 * operand_names[k] is what the k-th is called in messages, and the first `required` of them must be
 * there. Returns TOOL_PARSED, or the exit code to end with (after --help, or after a usage error,
 * which it has printed). */
int tool_parse(const char *usage, const tool_option *options, int option_count,
               const char *const *operand_names, int operand_count, int required,
               const char **operands, int argc, char **argv);

/* The candidate that `word` is most likely a slip of, or NULL. */
const char *tool_suggest(const char *word, const char *const *candidates, int count);

/* ------------------------------------------------------------------ messages (report.c) */

/* Prints `spate: FILE: WHERE: MESSAGE` (file may be NULL) and returns the exit code of the error's
 * status. */
int tool_fail(const spate_error *error, const char *file);
/* Prints `spate: ...` and returns the exit code given. */
int tool_say_error(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints `spate: warning: ...`; the same text only once in a process. */
void tool_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A spate_log_fn that prints warnings; `user` is the name of the scene file. */
void tool_log(void *user, spate_log_level level, const char *where, const char *message);

/* Called before anything is printed to stderr, so that a progress bar can make room; NULL for none.
 */
extern void (*tool_before_message)(void);

/* Numbers as people read them, into `text`, which is returned: 165,888; 1.5 GB; 2:05:07; 4.86
 * million. */
#define TOOL_NUMBER 32
const char *tool_count_text(char text[TOOL_NUMBER], uint64_t number);
const char *tool_bytes_text(char text[TOOL_NUMBER], double bytes);
const char *tool_clock_text(char text[TOOL_NUMBER], double seconds);
const char *tool_rate_text(char text[TOOL_NUMBER], double per_second);
/* A JSON string with quotes and escapes. */
void tool_json_string(FILE *file, const char *text);

/* ------------------------------------------------------------------ scenes (scene_load.c) */

typedef struct tool_scene_options {
    const char *file;  /* SCENE as typed */
    int frames;        /* -1: as in the scene */
    const char **sets; /* --set values, NULL at the end */
} tool_scene_options;

/* What a run will need: its simulation and its output. */
typedef struct tool_forecast {
    spate_forecast sim;
    spate_output_forecast output;
} tool_forecast;
double tool_memory_bytes(const tool_forecast *forecast); /* of both together */

/* --frames and --set on a scene; prints what is wrong. Returns EXIT_DONE or an exit code. */
int tool_scene_adjust(spate_scene *scene, const tool_scene_options *options);
/* Checks the scene, prints its warnings, and fills the forecast. Refuses a scene that does not fit
 * into memory, before anything large is allocated. Returns EXIT_DONE or an exit code. */
int tool_scene_examine(const spate_scene *scene, const char *file, const spate_options *options,
                       tool_forecast *forecast);
/* Bytes that can be had without swapping, 0 if unknown. */
uint64_t tool_memory_available(void);
/* Frames of which a whole run writes files, and the bytes of all that it leaves. */
int tool_output_frames(const spate_scene *scene);
double tool_disk_bytes(const spate_scene *scene, const tool_forecast *forecast);

#endif
