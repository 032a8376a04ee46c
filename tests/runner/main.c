/* main.c -- see runner.h. Prints `ok NAME SECONDS`, `FAIL NAME` or `skip NAME` for each test, where
 * NAME is SUITE/TEST, and the output of those that fail.
 *
 *     PROGRAM [OPTION...] [PATTERN...]
 *
 *     PATTERN            only tests whose name contains one of them; a whole name runs that test
 * alone
 *     --tier quick|slow  only tests of this tier
 *     --share K/N        of the tier slow as well: the N-th part number K, chosen by name
 *     --full             the long forms (make validate)
 *     --jobs N           tests at a time (2)          --limit S   seconds for each (600)
 *     --strict           a test that twice needs more than twice the CPU seconds of its tier fails
 *     --times FILE       writes a row NAME,SECONDS for each test
 *     --scale            prints the factor between CPU seconds here and those of tests/times.csv
 *     --set PATH=VALUE   validation cases: a setting for every scene
 *     --list             prints the names
 *     --verbose          prints the output of all tests    --no-fork   runs them in this process
 */
#include "runner.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_JOBS 256
#define SHOWN_LINES 200
#define NOISE 1.25 /* of CPU seconds, by what else runs */

typedef struct options {
    const char *tier, *times;
    int jobs, share, shares;
    double limit, scale;
    bool strict, list, verbose, no_fork;
    char **patterns;
    int pattern_count;
} options;

typedef struct totals {
    int passed, failed, skipped;
} totals;

const char *test_settings[TEST_SETTINGS];
int test_setting_count;

static test_suite *suites;
static test_entry *tests;
static size_t test_count, test_room;
static child *running[MAX_JOBS];

void test_suite_add(test_suite *suite)
{
    suite->next = suites;
    suites = suite;
}

void test_add(test_suite *suite, const char *name, void (*function)(void), test_kind kind)
{
    if (test_count == test_room)
        tests = realloc(tests, (test_room = 2 * test_room + 256) * sizeof *tests);
    if (!tests)
        abort();
    test_entry *t = &tests[test_count++];
    *t = (test_entry){.suite = suite, .function = function, .kind = kind};
    snprintf(t->name, sizeof t->name, "%s/%s", suite->name, name);
    t->seconds = times_find(t->name);
}

/* The longest first, so that none is alone at the end; then by name. */
static int in_order(const void *a, const void *b)
{
    const test_entry *s = a, *t = b;
    if (s->seconds != t->seconds)
        return s->seconds < t->seconds ? 1 : -1;
    return strcmp(s->name, t->name);
}

static bool matches(const test_entry *t, const options *o)
{
    for (int k = 0; k < o->pattern_count; k++)
        if (strcmp(t->name, o->patterns[k]) == 0)
            return true;
    if (t->kind == TEST_KIND_MANUAL || (t->kind == TEST_KIND_LONG && !test_full()))
        return false;
    for (int k = 0; k < o->pattern_count; k++)
        if (strstr(t->name, o->patterns[k]))
            return true;
    return o->pattern_count == 0;
}

static unsigned hash_of(const char *name)
{
    unsigned h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h ^ h >> 15;
}

static bool chosen(const test_entry *t, const options *o)
{
    bool quick = t->seconds < QUICK_SECONDS;
    if (!matches(t, o))
        return false;
    if (!o->tier)
        return true;
    if (!quick && o->shares > 0 && hash_of(t->name) % (unsigned)o->shares == (unsigned)o->share)
        return true;
    return quick == (strcmp(o->tier, "quick") == 0);
}

static void end_children(int sig)
{
    children_kill(running, MAX_JOBS);
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Names a test that has outgrown its tier; true: by so much that it fails. */
static bool outgrown(const test_entry *t, const options *o, double seconds)
{
    double limit = tier_limit(t->seconds);
    if (TEST_IS_SLOW || o->no_fork || t->kind != TEST_KIND_NORMAL || test_full() ||
        seconds <= NOISE * limit)
        return false;
    printf("  %s: %.1f CPU seconds, its tier allows %.0f: make it shorter, or run tests/run -w\n",
           t->name, seconds, limit);
    if (!o->strict || seconds <= 2 * limit)
        return false;
    result r; /* once more: a busy machine can be to blame */
    child *again = child_start(t);
    if (!again)
        return true;
    children_wait(&again, 1, o->limit, &r);
    child_forget(again);
    printf("  and then %.1f\n", r.seconds * o->scale);
    return r.seconds * o->scale > 2 * limit;
}

static void report(const test_entry *t, const options *o, const result *r, child *c, FILE *times,
                   totals *sum)
{
    static const char *const words[] = {"ok", "FAIL", "skip"};
    double seconds = r->seconds * o->scale;
    verdict v = r->verdict;
    if (c && (v != PASSED || o->verbose))
        child_print(c, SHOWN_LINES);
    if (r->note[0])
        printf("  %s\n", r->note);
    if (v == PASSED && outgrown(t, o, seconds))
        v = FAILED;
    printf("%s %s %.2f\n", words[v], t->name, seconds);
    fflush(stdout);
    sum->passed += v == PASSED;
    sum->failed += v == FAILED;
    sum->skipped += v == SKIPPED;
    if (times)
        fprintf(times, "%s,%.2f\n", t->name, seconds);
}

/* On a terminal: how far it is. */
static void show_progress(const totals *sum, size_t next)
{
    if (isatty(2))
        fprintf(stderr, "\r%d done, %d failed, test %zu of %zu \r", sum->passed + sum->skipped,
                sum->failed, next, test_count);
}

static totals run_all(const options *o, FILE *times)
{
    totals sum = {0, 0, 0};
    int active = 0;
    size_t next = 0;
    while (next < test_count || active > 0) {
        int k = 0;
        if (next < test_count && !chosen(&tests[next], o)) {
            next++;
            continue;
        }
        if (next < test_count && o->no_fork) {
            const test_entry *t = &tests[next++];
            result r = run_here(t);
            report(t, o, &r, NULL, times, &sum);
            continue;
        }
        if (next < test_count && active < o->jobs) {
            while (running[k])
                k++;
            running[k] = child_start(&tests[next++]);
            if (!running[k]) {
                printf("FAIL %s\n  no process could be started\n", tests[next - 1].name);
                sum.failed++;
                continue;
            }
            active++;
            continue;
        }
        result r;
        k = children_wait(running, o->jobs, o->limit, &r);
        child *c = running[k];
        running[k] = NULL;
        active--;
        report(child_test(c), o, &r, c, times, &sum);
        show_progress(&sum, next);
        child_forget(c);
    }
    return sum;
}

static int usage(const char *problem)
{
    fprintf(
        stderr,
        "%s\nusage: PROGRAM [--tier quick|slow] [--share K/N] [--full] [--jobs N] [--limit S] "
        "[--strict] [--times FILE] [--scale] [--set PATH=VALUE] [--list] [--verbose] [--no-fork] "
        "[PATTERN...]\n",
        problem);
    return 2;
}

static bool is(const char *argument, const char *name)
{
    return strcmp(argument, name) == 0;
}

/* Options with a value. */
static bool take(options *o, const char *name, const char *value)
{
    if (is(name, "--tier"))
        o->tier = value;
    else if (is(name, "--share"))
        return sscanf(value, "%d/%d", &o->share, &o->shares) == 2 && o->share >= 0 && o->shares > 0;
    else if (is(name, "--jobs"))
        o->jobs = atoi(value);
    else if (is(name, "--limit"))
        o->limit = atof(value);
    else if (is(name, "--times"))
        o->times = value;
    else if (is(name, "--set") && test_setting_count < TEST_SETTINGS)
        test_settings[test_setting_count++] = value;
    else
        return false;
    return o->jobs >= 1 && o->jobs <= MAX_JOBS && o->limit > 0 &&
           (!o->tier || is(o->tier, "quick") || is(o->tier, "slow"));
}

int main(int argc, char **argv)
{
    options o = {.jobs = 2, .limit = 600, .scale = 1};
    bool scale_only = false;
    FILE *times = NULL;
    o.patterns = argv + 1;
    for (int k = 1; k < argc; k++) {
        const char *a = argv[k];
        if (is(a, "--full"))
            setenv("SPATE_FULL_TESTS", "1", 1);
        else if (is(a, "--strict"))
            o.strict = true;
        else if (is(a, "--list"))
            o.list = true;
        else if (is(a, "--verbose"))
            o.verbose = true;
        else if (is(a, "--no-fork"))
            o.no_fork = true;
        else if (is(a, "--scale"))
            scale_only = true;
        else if (strncmp(a, "--", 2) != 0)
            o.patterns[o.pattern_count++] = argv[k];
        else if (k + 1 == argc || !take(&o, a, argv[++k]))
            return usage(a);
    }
#ifdef __EMSCRIPTEN__
    o.no_fork = true;
#endif
    if (scale_only)
        return printf("%.3f\n", times_scale()) < 0;
    times_read(SPATE_SOURCE "/tests/times.csv");
    for (test_suite *s = suites; s; s = s->next)
        s->fill(s);
    qsort(tests, test_count, sizeof *tests, in_order);
    if (o.list) {
        for (size_t k = 0; k < test_count; k++)
            if (chosen(&tests[k], &o))
                printf("%s\n", tests[k].name);
        return 0;
    }
    if (o.times && !(times = fopen(o.times, "w"))) {
        perror(o.times);
        return 2;
    }
    if (!o.no_fork)
        o.scale = times_scale();
    signal(SIGINT, end_children);
    signal(SIGTERM, end_children);
    totals sum = run_all(&o, times);
    if (times)
        fclose(times);
    printf("%d passed, %d failed, %d skipped\n", sum.passed, sum.failed, sum.skipped);
    return sum.failed > 0;
}
