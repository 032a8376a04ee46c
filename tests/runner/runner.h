/* runner.h -- runs the tests of a program, each in a process of its own.
 *
 *     main.c   options, which tests are chosen, the total
 *     child.c  one test in its process: its output, its end, its CPU seconds
 *     misses.c figures that are known to miss their limit
 *     times.c  tests/times.csv: how long a test takes, hence its tier, and a loop that makes the
 *              seconds of two machines comparable
 *
 * A test of the tier `quick` needs less than 1 CPU second in the builds dev and release, one of the
 * tier `slow` less than 20. A test without a row in the table is new, and counts as quick. */
#ifndef SPATE_TEST_RUNNER_H
#define SPATE_TEST_RUNNER_H

#include <stdbool.h>
#include <stdio.h>

#include "test.h"

#define QUICK_SECONDS 1.0
#define SLOW_SECONDS 20.0

typedef enum verdict { PASSED, FAILED, SKIPPED } verdict;

typedef struct result {
    verdict verdict;
    double seconds; /* CPU seconds of the test and of the processes that it started */
    char note[80];  /* why it failed, if its output does not say so */
} result;

typedef struct child child; /* a test that runs */

/* Without processes (WebAssembly, --no-fork) a test runs here and prints what it prints. */
result run_here(const test_entry *t);
/* NULL: no process could be made. */
child *child_start(const test_entry *t);
/* Waits for one of the children (NULL entries are none) to end or to run out of time, limit in
 * seconds. Returns its place. */
int children_wait(child **children, int count, double limit, result *r);
/* Prints what it has printed, at most `lines` lines of the end, and forgets it. */
void child_print(child *c, int lines);
void child_forget(child *c);
const test_entry *child_test(const child *c);
void children_kill(child **children, int count);

/* The seconds of the table for a test or a script; below zero: it has no row. */
double times_find(const char *name);
bool times_read(const char *path);
double tier_limit(double seconds);
/* By how much a CPU second of this machine differs from one of the table: multiply with it. */
double times_scale(void);

#endif
