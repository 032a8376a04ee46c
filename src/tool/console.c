/* console.c -- messages to a person, and numbers as people read them. */
#include "tool.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

void (*tool_before_message)(void);

static void clear_line(void)
{
    if (tool_before_message)
        tool_before_message();
}

static int exit_code_of(spate_status status)
{
    switch (status) {
    case SPATE_OK: return EXIT_DONE;
    case SPATE_ERROR_SIMULATION:
    case SPATE_ERROR_STOPPED: return EXIT_SIMULATION;
    case SPATE_ERROR_USAGE: return EXIT_USAGE;
    case SPATE_ERROR_SCENE: return EXIT_SCENE;
    case SPATE_ERROR_FILE: return EXIT_FILE;
    case SPATE_ERROR_MEMORY: return EXIT_MEMORY;
    case SPATE_ERROR_DEVICE: return EXIT_DEVICE;
    }
    return EXIT_SIMULATION;
}

/* One line, whatever names it is made of. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    clear_line();
    fprintf(stderr, "spate: %s\n", sp_plain_text(text));
}

int tool_fail(const spate_error *error, const char *file)
{
    /* a file that could not be read names itself in `where` */
    char plain[sizeof error->where];
    snprintf(plain, sizeof plain, "%s", file ? file : "");
    bool name_file = file && strcmp(sp_plain_text(plain), error->where) != 0;
    const char *before = name_file ? file : "", *colon = name_file ? ": " : "";
    size_t length = strcspn(error->message, "\n");
    say("%s%s%s%s%.*s", before, colon, error->where, error->where[0] ? ": " : "", (int)length,
        error->message);
    /* further problems of a scene, one a line */
    for (const char *line = error->message + length; *line; line += length) {
        length = strcspn(++line, "\n");
        say("%s%s%.*s", before, colon, (int)length, line);
    }
    return exit_code_of(error->status);
}

int tool_say_error(int exit_code, const char *format, ...)
{
    char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    say("%s", text);
    return exit_code;
}

/* True the first time that a text comes by. The library repeats what it has to say at each place
 * that notices it. */
static bool is_news(const char *text)
{
    static uint64_t seen[256];
    static int count;
    uint64_t hash = 14695981039346656037u;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (int k = 0; k < count; k++)
        if (seen[k] == hash)
            return false;
    if (count < (int)(sizeof seen / sizeof *seen))
        seen[count++] = hash;
    return true;
}

void tool_warn(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (is_news(text))
        say("warning: %s", text);
}

void tool_log(void *user, spate_log_level level, const char *where, const char *message)
{
    const char *file = user;
    if (level == SPATE_LOG_WARNING)
        tool_warn("%s%s%s%s%s", file ? file : "", file ? ": " : "", where, where[0] ? ": " : "",
                  message);
}

const char *tool_count_text(char text[TOOL_NUMBER], uint64_t number)
{
    char digits[TOOL_NUMBER];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    int out = 0;
    for (int k = 0; k < length; k++) {
        if (k > 0 && (length - k) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[k];
    }
    text[out] = 0;
    return text;
}

const char *tool_bytes_text(char text[TOOL_NUMBER], double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 6) {
        bytes /= 1000;
        unit++;
    }
    snprintf(text, TOOL_NUMBER, unit == 0 || bytes >= 99.95 ? "%.0f %s" : "%.1f %s", bytes,
             units[unit]);
    return text;
}

const char *tool_clock_text(char text[TOOL_NUMBER], double seconds)
{
    if (!(seconds < 3.6e8)) {
        snprintf(text, TOOL_NUMBER, "?");
        return text;
    }
    long whole = lround(seconds < 0 ? 0 : seconds);
    if (whole >= 3600)
        snprintf(text, TOOL_NUMBER, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, TOOL_NUMBER, "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

const char *tool_rate_text(char text[TOOL_NUMBER], double per_second)
{
    if (per_second >= 1e5)
        snprintf(text, TOOL_NUMBER, "%.2f million", per_second / 1e6);
    else
        tool_count_text(text, (uint64_t)(per_second > 0 ? per_second + 0.5 : 0));
    return text;
}

void tool_json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}
