/* test.h -- a source of tests is a list of functions and one suite.
 *
 *     static void adds(void) { CHECK(1 + 1 == 2); }
 *     TESTS(numbers) { TEST(adds); }
 *
 * The name of this test is numbers/adds, or numbers_2d/adds where DIM is 2. A failed CHECK prints
 * where and with which values, and the test goes on. SKIP(reason) marks the running test as
 * skipped. Each test runs in a process of its own (tests/runner): nothing that it leaves behind
 * reaches the next. SETUP(f) and TEARDOWN(f), among the tests of a suite, run before and after each
 * of them. */
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

/* Is this the full form (make validate)? Without it a test takes a smaller grid, fewer seeds or
 * every n-th case, and a TEST_LONG, which has no short form, is left out. */
static inline bool test_full(void)
{
    const char *full = getenv("SPATE_FULL_TESTS");
    return full && *full;
}

extern int test_failures, test_skipped; /* of the running test */

#define TEST_SETTINGS 8
extern const char
    *test_settings[TEST_SETTINGS]; /* "path=value", for the scenes of validation cases */
extern int test_setting_count;

typedef enum test_kind {
    TEST_KIND_NORMAL,
    TEST_KIND_LONG,  /* only in the full form, or when it is named */
    TEST_KIND_MANUAL /* only when it is named: it writes files of the project, or takes hours */
} test_kind;

typedef struct test_suite {
    const char *name;
    void (*fill)(struct test_suite *);
    void (*setup)(void), (*teardown)(void);
    struct test_suite *next;
} test_suite;

typedef struct test_entry {
    char name[120]; /* SUITE/TEST */
    const test_suite *suite;
    void (*function)(void);
    test_kind kind;
    double seconds; /* of tests/times.csv, below zero: it has no row */
} test_entry;

bool test_figure(const char *figure, double value, double limit);
void test_suite_add(test_suite *suite);
void test_add(test_suite *suite, const char *name, void (*function)(void), test_kind kind);

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

/* A figure with a name, which may be a known miss (tests/runner/misses.c). */
#define CHECK_FIGURE(figure, value, limit)                          \
    do {                                                            \
        if (!test_figure(figure, value, limit)) {                   \
            test_failures++;                                        \
            printf("  at %s:%d: %s\n", __FILE__, __LINE__, #value); \
        }                                                           \
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

#ifdef DIM
#define TEST_NAME_(name, dim) #name "_" #dim "d"
#define TEST_NAME(name, dim) TEST_NAME_(name, dim)
#define TEST_SUITE_NAME(name) TEST_NAME(name, DIM)
#else
#define TEST_SUITE_NAME(name) #name
#endif

#define TESTS(name)                                                                     \
    static void test_fill(test_suite *test_this);                                       \
    __attribute__((constructor)) static void test_register(void)                        \
    {                                                                                   \
        static test_suite suite = {TEST_SUITE_NAME(name), test_fill, NULL, NULL, NULL}; \
        test_suite_add(&suite);                                                         \
    }                                                                                   \
    static void test_fill(test_suite *test_this)

#define TEST(function) test_add(test_this, #function, function, TEST_KIND_NORMAL)
#define TEST_LONG(function) test_add(test_this, #function, function, TEST_KIND_LONG)
#define TEST_MANUAL(function) test_add(test_this, #function, function, TEST_KIND_MANUAL)
#define SETUP(function) (test_this->setup = (function))
#define TEARDOWN(function) (test_this->teardown = (function))

#endif
