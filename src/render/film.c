/* film.c -- see film.h. */
#include "film.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "io/file.h"
#include "io/socket.h"

extern char **environ;

struct sp_film {
    char path[PATH_MAX], temporary[PATH_MAX];
    int width, height;
    uint8_t *bytes; /* one picture, RGB */
    pid_t child;
    int socket;
    FILE *words; /* what ffmpeg has to say */
};

/* ------------------------------------------------------------------ the process */

static spate_status not_started(int code, const char *program, spate_error *error)
{
    if (code == ENOENT)
        return sp_fail(error, SPATE_ERROR_DEVICE, program,
                       "is not there, so there is no film: install ffmpeg, or name the program in "
                       "SPATE_FFMPEG");
    return sp_fail(error, SPATE_ERROR_DEVICE, program, "cannot be started: %s", strerror(code));
}

/* Standard input and error come from us; the signals that we ignore or that the terminal sends to
 * all of us (Ctrl-C) are not for it: a film that is stopped half way is ended properly by us. */
static int spawn(sp_film *film, const char *program, char *const *arguments, int input)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(film->words), STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    int code = posix_spawnp(&film->child, program, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (code != 0)
        film->child = -1;
    return code;
}

static spate_status start(sp_film *film, double fps, spate_error *error)
{
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", film->width, film->height);
    snprintf(rate, sizeof rate, "%.9g", fps);
    const char *named = getenv("SPATE_FFMPEG"), *program = named && *named ? named : "ffmpeg";
    /* BT.709 as players expect it; even sides, which 4:2:0 needs; the index in front, so that a
     * page shows the first picture before it has all of them */
    const char *arguments[] = {
        program,
        "-hide_banner",
        "-loglevel",
        "error",
        "-nostdin",
        "-y",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        size,
        "-r",
        rate,
        "-i",
        "pipe:0",
        "-an",
        "-vf",
        "scale=out_color_matrix=bt709:out_range=tv,pad=ceil(iw/2)*2:ceil(ih/2)*2",
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-crf",
        "19",
        "-pix_fmt",
        "yuv420p",
        "-threads",
        "2",
        "-colorspace",
        "bt709",
        "-color_primaries",
        "bt709",
        "-color_trc",
        "bt709",
        "-movflags",
        "+faststart",
        "-f",
        "mp4",
        film->temporary,
        NULL};
    int ends[2], file = sp_file_open_new(film->temporary, O_WRONLY, 0666);
    if (file < 0)
        return sp_fail(error, SPATE_ERROR_FILE, film->path, "cannot be created: %s",
                       strerror(errno));
    close(file); /* ffmpeg writes into it */
    film->words = tmpfile();
    /* a socket, not a pipe: writing to one whose reader is gone need not raise a signal */
    if (!film->words || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return sp_fail(error, SPATE_ERROR_FILE, film->path, "ffmpeg cannot be connected: %s",
                       strerror(errno));
    int code = spawn(film, program, (char *const *)(uintptr_t)arguments, ends[1]);
    close(ends[1]);
    film->socket = ends[0];
    return code == 0 ? SPATE_OK : not_started(code, program, error);
}

/* The last line that ffmpeg has printed, or how it ended. */
static void last_words(const sp_film *film, int status, char *text, size_t size)
{
    char line[256];
    text[0] = 0;
    rewind(film->words);
    while (fgets(line, sizeof line, film->words)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0])
            snprintf(text, size, "%s", line);
    }
    if (!text[0] && WIFSIGNALED(status))
        snprintf(text, size, "it was ended by signal %d", WTERMSIG(status));
    else if (!text[0])
        snprintf(text, size, "it ended with code %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* Lets ffmpeg finish; its exit status as wait gives it. */
static int finish(sp_film *film)
{
    int status = -1;
    if (film->socket >= 0)
        close(film->socket);
    film->socket = -1;
    if (film->child > 0)
        while (waitpid(film->child, &status, 0) < 0 && errno == EINTR)
            continue;
    film->child = -1;
    return status;
}

/* ------------------------------------------------------------------ the film */

static void destroy(sp_film *film)
{
    finish(film);
    if (film->words)
        fclose(film->words);
    sp_free(film->bytes);
    sp_free(film);
}

sp_film *sp_film_create(const char *path, int width, int height, double fps, spate_error *error)
{
    sp_film *film = sp_alloc(1, sizeof *film);
    if (!film) {
        sp_fail_memory(error, "a film", sizeof *film);
        return NULL;
    }
    film->socket = -1;
    film->child = -1;
    film->width = width;
    film->height = height;
    size_t bytes = 3 * (size_t)width * (size_t)height;
    film->bytes = sp_alloc(bytes, 1);
    bool fits = snprintf(film->path, sizeof film->path, "%s", path) < (int)sizeof film->path - 16;
    /* ffmpeg must not take a name for an option (-x) or a protocol (a:b) */
    snprintf(film->temporary, sizeof film->temporary, "%s%.*s.tmp", path[0] == '/' ? "" : "./",
             PATH_MAX - 16, path);
    spate_status status = SPATE_OK;
    if (!film->bytes)
        status = sp_fail_memory(error, "a film", bytes);
    else if (!fits)
        status = sp_fail(error, SPATE_ERROR_FILE, path, "this name of a file is too long");
    else
        status = start(film, fps, error);
    if (status == SPATE_OK)
        return film;
    unlink(film->temporary);
    destroy(film);
    return NULL;
}

spate_status sp_film_add(sp_film *film, const sp_image *image, spate_error *error)
{
    size_t row = 3 * (size_t)film->width;
    for (int y = 0; y < film->height; y++)
        sp_image_row(image, y, film->bytes + (size_t)y * row);
    if (sp_socket_send(film->socket, film->bytes, row * (size_t)film->height))
        return SPATE_OK;
    char words[256];
    last_words(film, finish(film), words, sizeof words);
    return sp_fail(error, SPATE_ERROR_FILE, film->path, "ffmpeg has stopped: %s", words);
}

static spate_status keep(const sp_film *film, spate_error *error)
{
    int file = open(film->temporary, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    if (good && rename(film->temporary, film->path) == 0)
        return SPATE_OK;
    return sp_fail(error, SPATE_ERROR_FILE, film->path, "cannot be written: %s", strerror(errno));
}

spate_status sp_film_close(sp_film *film, spate_error *error)
{
    if (!film)
        return SPATE_OK;
    spate_status status;
    bool running = film->child > 0;
    int code = finish(film);
    if (running && code == 0) {
        status = keep(film, error);
    } else {
        char words[256];
        last_words(film, code, words, sizeof words);
        status = sp_fail(error, SPATE_ERROR_FILE, film->path, "ffmpeg has failed: %s", words);
    }
    if (status != SPATE_OK)
        unlink(film->temporary);
    destroy(film);
    return status;
}

void sp_film_abandon(sp_film *film)
{
    if (!film)
        return;
    if (film->child > 0)
        kill(film->child, SIGKILL);
    finish(film);
    unlink(film->temporary);
    destroy(film);
}
