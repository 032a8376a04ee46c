/* cmd_sweep.c -- `spate sweep SCENE --set a=1,2 --set b=x,y`: the scene with every combination of
 * these values, each as a `spate run` of its own into a folder that is named after them, and then
 * one table and one page of all. What is there already is resumed, which for a run that is complete
 * is no work. As many runs go on at a time as there are cores and, by their forecasts, memory. */
#include "compare.h"
#include "course.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "usage: spate sweep SCENE --set PATH=VALUE,VALUE,... [--set ...] [options]\n"
    "\n"
    "Runs a scene with every combination of the values, several at a time where cores and memory allow,\n"
    "and leaves a folder: one run folder for each (with its log beside it), sweep.csv, a table with what\n"
    "came out, and sweep.html, the table with the charts of all runs over each other. Called again, it\n"
    "goes on where it was; runs that are complete are not computed again.\n"
    "\n"
    "  --set PATH=V,V,...  values of a setting; commas inside [] {} and quotes do not part them\n"
    "  -o, --output DIR    the folder; default: out/ and the name of the scene file with _sweep\n"
    "  --frames N          as many frames\n"
    "  --jobs N            runs at a time; default: as many as there are cores, and memory for\n"
    "  --threads N         threads of each run; default: cores / jobs. The results do not depend on it\n"
    "  --device NAME       cpu (default), cuda or auto\n"
    "  --quiet             say nothing but errors\n"
    "  --help              this text\n"
    "\n"
    "Exit codes: 0 all done, 1 some run failed, 2 usage, 3 bad scene, 4 file error, 5 out of memory,\n"
    "75 interrupted: the same command goes on.\n";

#define MOST_RUNS 4096
#define MOST_AXES 16
#define NAME_SIZE 120

typedef struct axis {
    char path[256];
    char **values;
    int count;
} axis;

typedef struct member {
    char name[NAME_SIZE]; /* of its folder */
    const char *values[MOST_AXES];
    double memory; /* bytes, forecast */
    pid_t pid;     /* 0: not running */
    bool over;
    char problem[256]; /* empty: none */
} member;

typedef struct sweep {
    tool_scene_options given;
    const char *folder, *device;
    char default_folder[SP_PATH_SIZE];
    int jobs, threads;
    bool quiet, interrupted;
    axis axes[MOST_AXES];
    int axis_count;
    member *members;
    int count;
} sweep;

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
}

/* ------------------------------------------------------------------ values */

/* The end of the value that begins at `text`: a comma outside of brackets and quotes. */
static const char *value_end(const char *text)
{
    int depth = 0;
    bool quoted = false;
    for (; *text && (quoted || depth > 0 || *text != ','); text++) {
        if (*text == '"')
            quoted = !quoted;
        else if (!quoted && strchr("[{", *text))
            depth++;
        else if (!quoted && strchr("]}", *text))
            depth--;
    }
    return text;
}

static int read_axis(axis *a, const char *set)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set || (size_t)(equals - set) >= sizeof a->path || !equals[1])
        return tool_say_error(EXIT_USAGE, "--set: must be PATH=VALUE,VALUE,... (got '%s')", set);
    snprintf(a->path, sizeof a->path, "%.*s", (int)(equals - set), set);
    size_t most = strlen(equals);
    a->values = sp_alloc(most + 1, sizeof *a->values);
    if (!a->values)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    for (const char *at = equals + 1;;) {
        const char *end = value_end(at);
        char *value = sp_alloc((size_t)(end - at) + 1, 1);
        if (!value)
            return tool_say_error(EXIT_MEMORY, "out of memory");
        memcpy(value, at, (size_t)(end - at));
        a->values[a->count++] = value;
        if (end == at)
            return tool_say_error(EXIT_USAGE, "--set: %s: a value is empty", a->path);
        for (int k = 0; k < a->count - 1; k++)
            if (strcmp(a->values[k], value) == 0)
                return tool_say_error(EXIT_USAGE, "--set: %s: %s stands twice", a->path, value);
        if (!*end)
            return EXIT_DONE;
        at = end + 1;
    }
}

/* "cells=32_gravity=0,-9.81": the last part of each path and its value, without brackets, quotes
 * and spaces, so that more values in a later call change no name. Of two that are the same then,
 * the second gets its number. */
static void name_member(const sweep *s, int number)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,=_+-";
    member *m = &s->members[number];
    size_t used = 0, most = sizeof m->name - 8;
    for (int a = 0; a < s->axis_count; a++) {
        const char *dot = strrchr(s->axes[a].path, '.'), *key = dot ? dot + 1 : s->axes[a].path;
        const char *parts[] = {a ? "_" : "", key, "=", m->values[a]};
        for (int part = 0; part < 4; part++)
            for (const char *c = parts[part]; *c && used < most; c++)
                if (!strchr("[]{}\" ", *c))
                    m->name[used++] = strchr(plain, *c) ? *c : '-';
    }
    for (int k = 0; k < number; k++)
        if (strcmp(s->members[k].name, m->name) == 0) {
            snprintf(m->name + used, sizeof m->name - used, "_%d", number);
            return;
        }
}

/* The scene of a member, checked; its memory. */
static int prepare_member(const sweep *s, member *m)
{
    int code;
    spate_error error = {0};
    spate_forecast forecast;
    spate_options options;
    const char *sets[MOST_AXES + 1] = {NULL};
    char text[MOST_AXES][1024];
    spate_scene *scene = tool_scene_read(s->given.file, NULL, &code);
    if (!scene)
        return code;
    for (int a = 0; a < s->axis_count; a++) {
        snprintf(text[a], sizeof text[a], "%s=%s", s->axes[a].path, m->values[a]);
        sets[a] = text[a];
    }
    tool_scene_options given = {.frames = s->given.frames, .sets = sets};
    code = tool_scene_adjust(scene, &given);
    spate_options_default(&options);
    options.device = s->device ? s->device : options.device;
    if (code == EXIT_DONE && spate_scene_forecast(scene, &options, &forecast, &error) != SPATE_OK)
        code = tool_fail(&error, m->name);
    m->memory = code == EXIT_DONE ? (double)forecast.memory : 0;
    spate_scene_destroy(scene);
    return code;
}

static int make_members(sweep *s)
{
    double count = 1;
    for (int a = 0; a < s->axis_count; a++)
        count *= s->axes[a].count;
    if (count > MOST_RUNS)
        return tool_say_error(EXIT_USAGE, "--set: makes %.0f runs, at most %d are possible", count,
                              MOST_RUNS);
    s->members = sp_alloc((size_t)count, sizeof *s->members);
    if (!s->members)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    s->count = (int)count;
    for (int k = 0; k < s->count; k++) {
        int rest = k;
        for (int a = s->axis_count - 1; a >= 0; a--) {
            s->members[k].values[a] = s->axes[a].values[rest % s->axes[a].count];
            rest /= s->axes[a].count;
        }
        name_member(s, k);
        int code = prepare_member(s, &s->members[k]);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

/* ------------------------------------------------------------------ running */

static void path_in(const sweep *s, const char *name, const char *ending, char path[SP_PATH_SIZE])
{
    snprintf(path, SP_PATH_SIZE, "%s/%s%s", s->folder, name, ending);
}

/* In the new process: becomes `spate run`. */
static void become_run(const sweep *s, const member *m)
{
    char folder[SP_PATH_SIZE], log[SP_PATH_SIZE], info[SP_PATH_SIZE], number[2][32];
    char sets[MOST_AXES][1024];
    const char *arguments[64] = {"spate", "run", s->given.file, "--quiet", "-o", folder};
    int used = 6;
    path_in(s, m->name, "", folder);
    path_in(s, m->name, ".log", log);
    path_in(s, m->name, "/run.json", info);
    for (int a = 0; a < s->axis_count; a++) {
        snprintf(sets[a], sizeof sets[a], "%s=%s", s->axes[a].path, m->values[a]);
        arguments[used++] = "--set";
        arguments[used++] = sets[a];
    }
    if (s->given.frames >= 0) {
        snprintf(number[0], sizeof number[0], "%d", s->given.frames);
        arguments[used++] = "--frames";
        arguments[used++] = number[0];
    }
    snprintf(number[1], sizeof number[1], "%d", s->threads);
    arguments[used++] = "--threads";
    arguments[used++] = number[1];
    if (s->device) {
        arguments[used++] = "--device";
        arguments[used++] = s->device;
    }
    if (access(info, F_OK) == 0)
        arguments[used++] = "--resume";
    int words = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    setpgid(0, 0); /* Ctrl-C is for the sweep, which passes it on */
    if (words >= 0 && nowhere >= 0 && dup2(nowhere, STDIN_FILENO) >= 0 &&
        dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(words, STDERR_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)arguments);
    _exit(EXIT_FILE);
}

static int start_member(const sweep *s, member *m)
{
    fflush(NULL);
    m->pid = fork();
    if (m->pid < 0)
        return tool_say_error(EXIT_MEMORY, "cannot start a run: %s", strerror(errno));
    if (m->pid == 0)
        become_run(s, m);
    return EXIT_DONE;
}

/* The last line that a run has said. */
static void read_problem(const sweep *s, member *m)
{
    char path[SP_PATH_SIZE], line[256];
    path_in(s, m->name, ".log", path);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0])
            snprintf(m->problem, sizeof m->problem, "%s", line);
    }
    if (file)
        fclose(file);
}

static void end_member(sweep *s, member *m, int status, int done)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    m->pid = 0;
    m->over = true;
    if (code != EXIT_DONE) {
        snprintf(m->problem, sizeof m->problem, "failed");
        read_problem(s, m);
        s->interrupted = s->interrupted || code == EXIT_INTERRUPTED;
    }
    if (!s->quiet)
        fprintf(stderr, "%d of %d: %s%s%s\n", done, s->count, m->name, m->problem[0] ? ": " : "",
                m->problem);
}

static void pass_signal_on(const sweep *s)
{
    for (int k = 0; k < s->count; k++)
        if (s->members[k].pid > 0)
            kill(s->members[k].pid, SIGINT);
}

/* The next one that may begin beside those that run; NULL: none for now. */
static member *next_member(const sweep *s, double budget)
{
    int running = 0;
    double used = 0;
    for (int k = 0; k < s->count; k++) {
        running += s->members[k].pid > 0;
        used += s->members[k].pid > 0 ? s->members[k].memory : 0;
    }
    for (int k = 0; k < s->count && running < s->jobs; k++) {
        member *m = &s->members[k];
        if (m->pid == 0 && !m->over)
            return running == 0 || used + m->memory <= budget ? m : NULL;
    }
    return NULL;
}

static int run_all(sweep *s)
{
    struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART: waitpid returns */
    double available = (double)tool_memory_available();
    double budget = available > 0 ? 0.9 * available : 1e18;
    int code = EXIT_DONE, over = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (over < s->count) {
        member *next;
        while (!stop_signal && code == EXIT_DONE && (next = next_member(s, budget)))
            code = start_member(s, next);
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (stop_signal && !s->interrupted) {
            s->interrupted = true;
            pass_signal_on(s);
        }
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            break; /* none is left */
        for (int k = 0; k < s->count; k++)
            if (s->members[k].pid == pid)
                end_member(s, &s->members[k], status, ++over);
    }
    return code;
}

/* ------------------------------------------------------------------ what came out */

static int write_results(const sweep *s)
{
    char page[SP_PATH_SIZE], table[SP_PATH_SIZE], path[SP_PATH_SIZE];
    size_t count = (size_t)s->count;
    sp_compared *runs = sp_alloc(count + 1, sizeof *runs);
    const char **failed = sp_alloc(count + 1, sizeof *failed);
    const char **values = sp_alloc(count * MOST_AXES + 1, sizeof *values);
    compare_column columns[MOST_AXES];
    int code = runs && failed && values ? EXIT_DONE : tool_say_error(EXIT_MEMORY, "out of memory");
    for (int a = 0; a < s->axis_count && code == EXIT_DONE; a++) {
        columns[a] = (compare_column){s->axes[a].path, values + (size_t)a * count};
        for (int k = 0; k < s->count; k++)
            values[(size_t)a * count + (size_t)k] = s->members[k].values[a];
    }
    for (int k = 0; k < s->count && code == EXIT_DONE; k++) {
        spate_error error = {0};
        path_in(s, s->members[k].name, "", path);
        if (sp_compared_read(&runs[k], path, &error) != SPATE_OK && !s->members[k].problem[0])
            snprintf(s->members[k].problem, sizeof s->members[k].problem, "%.200s", error.message);
        snprintf(runs[k].name, sizeof runs[k].name, "%s", s->members[k].name);
        failed[k] = s->members[k].problem[0] ? s->members[k].problem : NULL;
    }
    path_in(s, "sweep.html", "", page);
    path_in(s, "sweep.csv", "", table);
    if (code == EXIT_DONE)
        code = compare_write(page, table, s->given.file, runs, s->count, columns, s->axis_count,
                             failed);
    for (int k = 0; k < s->count && runs; k++)
        sp_compared_clear(&runs[k]);
    sp_free(runs);
    sp_free(failed);
    sp_free(values);
    if (code == EXIT_DONE && !s->quiet)
        fprintf(stderr, "the table is %s, the page %s\n", table, page);
    return code;
}

/* ------------------------------------------------------------------ all of it */

static int make_folder(sweep *s)
{
    char path[SP_PATH_SIZE];
    if (!s->folder) {
        const char *slash = strrchr(s->given.file, '/'), *name = slash ? slash + 1 : s->given.file;
        const char *dot = strrchr(name, '.');
        int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
        snprintf(s->default_folder, sizeof s->default_folder, "out/%.*s_sweep", length, name);
        s->folder = s->default_folder;
    }
    snprintf(path, sizeof path, "%s", s->folder);
    for (char *c = path + 1; *c; c++) {
        if (*c != '/')
            continue;
        *c = 0;
        mkdir(path, 0777);
        *c = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return tool_say_error(EXIT_FILE, "%s: cannot be made: %s", s->folder, strerror(errno));
    return EXIT_DONE;
}

static int sweep_scene(sweep *s)
{
    int code = EXIT_DONE, cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (const char **set = s->given.sets; *set && code == EXIT_DONE; set++) {
        if (s->axis_count == MOST_AXES)
            return tool_say_error(EXIT_USAGE, "--set: at most %d settings", MOST_AXES);
        code = read_axis(&s->axes[s->axis_count++], *set);
    }
    if (code == EXIT_DONE && s->axis_count == 0)
        return tool_say_error(EXIT_USAGE, "--set: is missing: a sweep needs values to go through");
    if (code == EXIT_DONE)
        code = make_members(s);
    if (code == EXIT_DONE)
        code = make_folder(s);
    if (code != EXIT_DONE)
        return code;
    cores = cores > 0 ? cores : 1;
    if (s->jobs == 0)
        s->jobs = s->threads > 0 ? (cores + s->threads - 1) / s->threads : cores;
    s->jobs = s->jobs < s->count ? s->jobs : s->count;
    if (s->threads == 0)
        s->threads = cores / s->jobs > 0 ? cores / s->jobs : 1;
    if (!s->quiet)
        fprintf(stderr, "%d runs into %s, %d at a time with %d thread%s each\n", s->count,
                s->folder, s->jobs, s->threads, s->threads == 1 ? "" : "s");
    code = run_all(s);
    if (s->interrupted)
        return tool_say_error(EXIT_INTERRUPTED, "stopped; the same command goes on");
    int written = write_results(s);
    if (code != EXIT_DONE || written != EXIT_DONE)
        return code != EXIT_DONE ? code : written;
    for (int k = 0; k < s->count; k++)
        if (s->members[k].problem[0])
            return tool_say_error(EXIT_SIMULATION, "%s: %s", s->members[k].name,
                                  s->members[k].problem);
    return EXIT_DONE;
}

int cmd_sweep(int argc, char **argv)
{
    sweep s = {.given = {NULL, -1, sp_alloc((size_t)argc + 1, sizeof *s.given.sets)}};
    if (!s.given.sets)
        return tool_say_error(EXIT_MEMORY, "out of memory");
    const tool_option options[] = {
        {"--set", 0, TOOL_LIST, &s.given.sets, 0},       {"--output", 'o', TOOL_TEXT, &s.folder, 0},
        {"--frames", 0, TOOL_COUNT, &s.given.frames, 0}, {"--jobs", 'j', TOOL_COUNT, &s.jobs, 1},
        {"--threads", 0, TOOL_COUNT, &s.threads, 1},     {"--device", 0, TOOL_TEXT, &s.device, 0},
        {"--quiet", 0, TOOL_FLAG, &s.quiet, 0},
    };
    static const char *const names[] = {"SCENE"};
    const char *operands[2];
    int code = tool_parse(usage, options, (int)(sizeof options / sizeof *options), names, 1, 1,
                          operands, argc, argv);
    if (code == TOOL_PARSED) {
        s.given.file = operands[0];
        code = sweep_scene(&s);
    }
    for (int a = 0; a < s.axis_count; a++) {
        for (int k = 0; k < s.axes[a].count; k++)
            sp_free(s.axes[a].values[k]);
        sp_free(s.axes[a].values);
    }
    sp_free(s.members);
    sp_free(s.given.sets);
    return code;
}
