/* child.c -- see runner.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner.h"

int test_failures, test_skipped;

#define EXIT_SKIPPED 77

static verdict run(const test_entry *t)
{
    test_failures = test_skipped = 0;
    if (t->suite->setup)
        t->suite->setup();
    t->function();
    if (t->suite->teardown)
        t->suite->teardown();
    return test_failures ? FAILED : test_skipped ? SKIPPED : PASSED;
}

result run_here(const test_entry *t)
{
    clock_t begin = clock();
    result r = {.verdict = run(t)};
    r.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    return r;
}

#ifdef __EMSCRIPTEN__ /* has no processes */

child *child_start(const test_entry *t)
{
    (void)t;
    return NULL;
}

int children_wait(child **children, int count, double limit, result *r)
{
    (void)children, (void)count, (void)limit, (void)r;
    return -1;
}

void child_print(child *c, int lines)
{
    (void)c, (void)lines;
}

void child_forget(child *c)
{
    (void)c;
}

const test_entry *child_test(const child *c)
{
    (void)c;
    return NULL;
}

void children_kill(child **children, int count)
{
    (void)children, (void)count;
}

#else

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    const test_entry *test;
    pid_t pid;
    FILE *output;
    struct timespec begin;
    bool late;
};

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

child *child_start(const test_entry *t)
{
    child *c = calloc(1, sizeof *c);
    if (!c || !(c->output = tmpfile())) {
        free(c);
        return NULL;
    }
    c->test = t;
    clock_gettime(CLOCK_MONOTONIC, &c->begin);
    fflush(NULL);
    c->pid = fork();
    if (c->pid < 0) {
        fclose(c->output);
        free(c);
        return NULL;
    }
    if (c->pid == 0) {
        setpgid(0, 0); /* so that what it starts can be ended with it */
        dup2(fileno(c->output), 1);
        dup2(fileno(c->output), 2);
        setvbuf(stdout, NULL, _IOLBF, 0); /* what it has printed is there when it crashes */
        verdict v = run(t);
        fflush(NULL);
        exit(v == FAILED ? 1 : v == SKIPPED ? EXIT_SKIPPED : 0);
    }
    return c;
}

static void end_of(const child *c, int status, const struct rusage *used, result *r)
{
    *r = (result){.verdict = FAILED};
    r->seconds = (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
                 1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
    if (c->late)
        snprintf(r->note, sizeof r->note, "stopped: out of time");
    else if (WIFSIGNALED(status))
        snprintf(r->note, sizeof r->note, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == EXIT_SKIPPED)
        r->verdict = SKIPPED;
    else if (WEXITSTATUS(status) == 0)
        r->verdict = PASSED;
    else if (WEXITSTATUS(status) != 1)
        snprintf(r->note, sizeof r->note, "exit code %d", WEXITSTATUS(status));
}

int children_wait(child **children, int count, double limit, result *r)
{
    for (;;) {
        for (int k = 0; k < count; k++) {
            int status;
            struct rusage used;
            if (!children[k])
                continue;
            if (!children[k]->late && seconds_since(&children[k]->begin) > limit) {
                children[k]->late = true;
                kill(-children[k]->pid, SIGKILL);
            }
            pid_t ended = wait4(children[k]->pid, &status, WNOHANG, &used);
            if (ended == children[k]->pid) {
                kill(-children[k]->pid, SIGKILL); /* what it may have left running */
                end_of(children[k], status, &used, r);
                return k;
            }
        }
        struct timespec pause = {.tv_nsec = 1000000};
        nanosleep(&pause, NULL);
    }
}

void child_print(child *c, int lines)
{
    char line[4096];
    int total = 0;
    rewind(c->output);
    while (fgets(line, sizeof line, c->output))
        total++;
    rewind(c->output);
    for (int k = 0; fgets(line, sizeof line, c->output); k++)
        if (k >= total - lines)
            printf("%s%s", line, strchr(line, '\n') ? "" : "\n");
}

void child_forget(child *c)
{
    fclose(c->output);
    free(c);
}

const test_entry *child_test(const child *c)
{
    return c->test;
}

void children_kill(child **children, int count)
{
    for (int k = 0; k < count; k++)
        if (children[k])
            kill(-children[k]->pid, SIGKILL);
}

#endif
