/* cmd_serve.c -- `spate serve`: the page over HTTP, for this machine only.
 *
 * A page cannot be opened from disk: browsers load modules and WebAssembly over HTTP alone, and
 * allow threads only to pages that ask for isolation by two headers. So this answers GET and HEAD
 * with the files of one folder, with the right types and these headers. It listens on the loopback
 * address, and a path that would leave the folder, by dots or by a link, does not exist. One thread
 * serves many connections at a time (http.c). */
#include "tool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/timer.h"
#include "http.h"

static const char usage[] =
    "usage: spate serve [DIR] [--port N]\n"
    "\n"
    "Serves the page in DIR on this machine, until it is interrupted, and prints its address. Without\n"
    "DIR it is the page in build/web (`make web` puts it there), else the one that was installed with\n"
    "this command.\n"
    "\n"
    "  -p, --port N    the port (default 8080; 0: any that is free)\n"
    "      --help      this text\n";

enum { MOST_CONNECTIONS = 64 };

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

/* They are blocked but while we wait, by the mask `before`, so that none is missed between. */
static void catch_signals(sigset_t *before)
{
    struct sigaction action = {.sa_handler = stop};
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigprocmask(SIG_BLOCK, &ours, before);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int listen_on(int port, int *given)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int yes = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server < 0)
        return -1;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(server, (struct sockaddr *)&address, sizeof address) != 0 || listen(server, 64) != 0 ||
        getsockname(server, (struct sockaddr *)&address, &size) != 0) {
        int problem = errno;
        close(server);
        errno = problem;
        return -1;
    }
    *given = ntohs(address.sin_port);
    return server;
}

/* The connections that are open, the oldest first. */
typedef struct hub {
    http_connection *open[MOST_CONNECTIONS];
    int count;
} hub;

static void drop(hub *h, int k)
{
    http_close(h->open[k]);
    memmove(h->open + k, h->open + k + 1, (size_t)(--h->count - k) * sizeof *h->open);
}

/* A new connection; where there is no room, one that has not said anything yet goes for it. */
static void take(hub *h, int server)
{
    int client = accept(server, NULL, NULL), silent = 0;
    http_connection *c = client < 0 ? NULL : http_open(client);
    if (!c)
        return;
    while (silent < h->count && !http_is_silent(h->open[silent]))
        silent++;
    if (h->count == MOST_CONNECTIONS)
        drop(h, silent < h->count ? silent : 0);
    h->open[h->count++] = c;
}

/* Waits until something can go on, a deadline is over or a signal has come; the signals that end us
 * come only here. */
static int wait_for(const hub *h, struct pollfd *polls, const sigset_t *signals)
{
    double first = INFINITY;
    for (int k = 0; k < h->count; k++) {
        polls[k + 1] = (struct pollfd){http_socket(h->open[k]), http_waits_for(h->open[k]), 0};
        first = fmin(first, http_deadline(h->open[k]));
    }
    double left = fmin(fmax(first - sp_seconds(), 0), 3600);
    struct timespec timeout = {.tv_sec = (time_t)left,
                               .tv_nsec = (long)(1e9 * (left - floor(left)))};
    return ppoll(polls, (nfds_t)h->count + 1, &timeout, signals);
}

static void serve(int server, const char *root, const sigset_t *signals)
{
    hub h = {.count = 0};
    struct pollfd polls[MOST_CONNECTIONS + 1] = {{server, POLLIN, 0}};
    while (!stopped) {
        int ready = wait_for(&h, polls, signals);
        if (ready < 0)
            continue;
        double now = sp_seconds();
        for (int k = h.count - 1; k >= 0; k--) {
            bool over = now >= http_deadline(h.open[k]);
            if (over || (polls[k + 1].revents && !http_go_on(h.open[k], root)))
                drop(&h, k);
        }
        if (polls[0].revents)
            take(&h, server);
    }
    while (h.count > 0)
        drop(&h, 0);
}

/* The page of the source folder, else the one beside the command that runs. */
static const char *find_page(char root[PATH_MAX])
{
    char command[PATH_MAX], installed[PATH_MAX + 64];
    if (access("build/web/index.html", R_OK) == 0)
        return "build/web";
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    if (length <= 0)
        return "build/web";
    command[length] = 0;
    *strrchr(command, '/') = 0;
    snprintf(installed, sizeof installed, "%s/" SPATE_PAGE_FROM_COMMAND, command);
    return realpath(installed, root) ? root : "build/web";
}

int cmd_serve(int argc, char **argv)
{
    static const char *const names[] = {"DIR"};
    const char *operands[2] = {NULL};
    int port = 8080, given = 0;
    const tool_option options[] = {{"--port", 'p', TOOL_COUNT, &port, 0}};
    int code = tool_parse(usage, options, 1, names, 1, 0, operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    char root[PATH_MAX], page[PATH_MAX], installed[PATH_MAX];
    const char *folder = operands[0] ? operands[0] : find_page(installed);
    if (!realpath(folder, root))
        return tool_say_error(EXIT_FILE, "%s: %s; `make web` makes the page in build/web", folder,
                              strerror(errno));
    int file = http_open_file(root, "/", page);
    if (file < 0)
        return tool_say_error(
            EXIT_FILE, "%s: has no index.html; `make web` makes the page in build/web", folder);
    close(file);
    if (port > 65535)
        return tool_say_error(EXIT_USAGE, "--port: must be at most 65535 (got %d)", port);
    int server = listen_on(port, &given);
    if (server < 0)
        return tool_say_error(EXIT_FILE, "port %d: %s; choose another with --port", port,
                              strerror(errno));
    sigset_t before;
    catch_signals(&before);
    printf("http://localhost:%d/\n", given);
    fflush(stdout);
    fprintf(stderr, "spate: serving %s; Ctrl-C ends it\n", folder);
    serve(server, root, &before);
    close(server);
    return EXIT_DONE;
}
