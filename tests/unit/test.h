/* test.h -- a test program is a list of functions and one main.
 *
 *     static void adds(void) { CHECK(1 + 1 == 2); }
 *     int main(int argc, char **argv) { TEST(adds); return test_end(); }
 *
 * Each TEST prints `ok NAME` or `FAIL NAME`; a failed CHECK prints where and with which values, and
 * the test goes on. SKIP(reason) marks the running test as skipped. tests/run adds the lines up. A
 * name on the command line runs that test alone. */
#ifndef SPATE_TEST_H
#define SPATE_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A build with a sanitizer is some ten times slower, and it looks for other mistakes than wrong
 * numbers. There, tests that repeat a lot take every n-th case and fewer steps. */
#ifdef SPATE_SLOW_BUILD
#define TEST_IS_SLOW true
#else
#define TEST_IS_SLOW false
#endif
#define TEST_STRIDE(n) (TEST_IS_SLOW ? (n) : 1)

/* Is this the full form (make validate)? Without it a test takes a smaller grid, fewer seeds or every
 * n-th case, and TEST_LONG, a test that has no short form, is left out. */
static inline bool test_full(void)
{
    const char *full = getenv("SPATE_FULL_TESTS");
    return full && *full;
}

static int test_failures, test_failed_total, test_skipped;
static const char *test_only;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            test_failures++;                                                   \
            printf("  %s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                      \
    } while (0)

#define CHECK_NEAR(value, expected, tolerance)                                                    \
    do {                                                                                          \
        double check_a = (value), check_b = (expected), check_t = (tolerance);                    \
        if (!(fabs(check_a - check_b) <= check_t)) {                                              \
            test_failures++;                                                                      \
            printf("  %s:%d: %s = %.9g, expected %.9g within %.3g\n", __FILE__, __LINE__, #value, \
                   check_a, check_b, check_t);                                                    \
        }                                                                                         \
    } while (0)

#define CHECK_LESS(value, limit)                                                           \
    do {                                                                                   \
        double check_a = (value), check_b = (limit);                                       \
        if (!(check_a < check_b)) {                                                        \
            test_failures++;                                                               \
            printf("  %s:%d: %s = %.9g, must be below %.9g\n", __FILE__, __LINE__, #value, \
                   check_a, check_b);                                                      \
        }                                                                                  \
    } while (0)

#define CHECK_TEXT(value, expected)                                                             \
    do {                                                                                        \
        const char *check_a = (value), *check_b = (expected);                                   \
        if (strcmp(check_a, check_b) != 0) {                                                    \
            test_failures++;                                                                    \
            printf("  %s:%d: \"%s\", expected \"%s\"\n", __FILE__, __LINE__, check_a, check_b); \
        }                                                                                       \
    } while (0)

#define SKIP(reason)                       \
    do {                                   \
        test_skipped = 1;                  \
        printf("  skipped: %s\n", reason); \
        return;                            \
    } while (0)

#define TEST(function)                                                                       \
    do {                                                                                     \
        if (test_only && strcmp(test_only, #function) != 0)                                  \
            break;                                                                           \
        test_failures = test_skipped = 0;                                                    \
        function();                                                                          \
        test_failed_total += test_failures != 0;                                             \
        printf("%s %s\n", test_failures ? "FAIL" : test_skipped ? "skip" : "ok", #function); \
        fflush(stdout);                                                                      \
    } while (0)

#define TEST_LONG(function) \
    do {                    \
        if (test_full())    \
            TEST(function); \
    } while (0)

#define TEST_BEGIN(argc, argv) (test_only = (argc) > 1 ? (argv)[1] : NULL)

static inline int test_end(void)
{
    return test_failed_total != 0;
}

#endif
