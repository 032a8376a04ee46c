/* cmd_serve.c -- `spate serve`: the page over HTTP, for this machine only.
 *
 * A page cannot be opened from disk: browsers load modules and WebAssembly over HTTP alone, and
 * allow threads only to pages that ask for isolation by two headers. So this answers GET and HEAD
 * with the files of one folder, with the right types and these headers. It listens on the loopback
 * address, and a path that would leave the folder, by dots or by a link, does not exist. One
 * request after the other: the files are small and the reader is one person. */
#include "tool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "io/socket.h"

static const char usage[] =
    "usage: spate serve [DIR] [--port N]\n"
    "\n"
    "Serves the page in DIR (default build/web; `make web` puts it there) on this machine, until it is\n"
    "interrupted, and prints its address.\n"
    "\n"
    "  -p, --port N    the port (default 8080; 0: any that is free)\n"
    "      --help      this text\n";

#define REQUEST_SIZE 8192
#define PATIENCE 5 /* s, for a browser that opens a connection and says nothing */

static const struct {
    const char *ending, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".wasm", "application/wasm"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".webp", "image/webp"},
    {".webmanifest", "application/manifest+json"},
};

static const char *type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof types / sizeof *types; k++)
        if (strcmp(dot, types[k].ending) == 0)
            return types[k].type;
    return "application/octet-stream";
}

static bool send_head(int client, const char *status, const char *type, long long size)
{
    char head[512];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %s\r\n"
                          "Content-Type: %s\r\n"
                          "Content-Length: %lld\r\n"
                          "Cross-Origin-Opener-Policy: same-origin\r\n"
                          "Cross-Origin-Embedder-Policy: require-corp\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "Cache-Control: no-cache\r\n"
                          "Connection: close\r\n\r\n",
                          status, type, size);
    return sp_socket_send(client, head, (size_t)length);
}

static void send_error(int client, const char *status, bool body)
{
    if (send_head(client, status, "text/plain; charset=utf-8", (long long)strlen(status) + 1) &&
        body && sp_socket_send(client, status, strlen(status)))
        sp_socket_send(client, "\n", 1);
}

static int hex(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* The path of a request without its query, %xx resolved. False for what no file of ours is called.
 */
static bool decode_path(const char *target, char *path, size_t size)
{
    size_t used = 0;
    if (target[0] != '/')
        return false;
    for (; *target && *target != '?' && *target != '#'; target++) {
        char letter = *target;
        if (letter == '%') {
            int high = hex(target[1]), low = high < 0 ? -1 : hex(target[2]);
            if (low < 0)
                return false;
            letter = (char)(16 * high + low);
            target += 2;
        }
        if ((unsigned char)letter < 0x20 || letter == '\\' || used + 1 >= size)
            return false;
        path[used++] = letter;
    }
    path[used] = 0;
    return true;
}

/* Opens what a request names; -1 if there is no such file inside the folder. `root` is a real path.
 */
static int open_inside(const char *root, const char *path, char full[PATH_MAX])
{
    char wanted[PATH_MAX];
    size_t length = strlen(root), end = strlen(path);
    int made = snprintf(wanted, sizeof wanted, "%s%s%s", root, path,
                        path[end - 1] == '/' ? "index.html" : "");
    if (made >= (int)sizeof wanted || !realpath(wanted, full))
        return -1;
    bool inside = strncmp(full, root, length) == 0 && (full[length] == '/' || length == 1);
    return inside ? open(full, O_RDONLY | O_CLOEXEC) : -1;
}

static void send_file(int client, int file, const char *name, bool body)
{
    struct stat info;
    static char part[1 << 16];
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        send_error(client, "404 Not Found", body);
        return;
    }
    if (!send_head(client, "200 OK", type_of(name), (long long)info.st_size) || !body)
        return;
    for (long long rest = info.st_size; rest > 0;) {
        ssize_t got = read(file, part, sizeof part);
        if (got <= 0 || !sp_socket_send(client, part, (size_t)got))
            return;
        rest -= got;
    }
}

/* Reads up to the empty line that ends the head of a request. */
static bool read_request(int client, char request[REQUEST_SIZE])
{
    size_t used = 0;
    while (used < REQUEST_SIZE - 1) {
        ssize_t got = recv(client, request + used, REQUEST_SIZE - 1 - used, 0);
        if (got <= 0)
            return false;
        used += (size_t)got;
        request[used] = 0;
        if (strstr(request, "\r\n\r\n") || strstr(request, "\n\n"))
            return true;
    }
    return false;
}

static void answer(int client, const char *root)
{
    char request[REQUEST_SIZE], path[1024], full[PATH_MAX];
    if (!read_request(client, request))
        return;
    char *target = strchr(request, ' '), *end = target ? strpbrk(target + 1, " \r\n") : NULL;
    if (!end) {
        send_error(client, "400 Bad Request", true);
        return;
    }
    *target++ = 0;
    *end = 0;
    bool get = strcmp(request, "GET") == 0, head = strcmp(request, "HEAD") == 0;
    if (!get && !head) {
        send_error(client, "405 Method Not Allowed", true);
        return;
    }
    int file = decode_path(target, path, sizeof path) ? open_inside(root, path, full) : -1;
    if (file < 0) {
        send_error(client, "404 Not Found", get);
        return;
    }
    send_file(client, file, full, get);
    close(file);
}

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

/* Signals end accept(): no SA_RESTART. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int listen_on(int port, int *given)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int yes = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
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

static void serve(int server, const char *root)
{
    const struct timeval patience = {.tv_sec = PATIENCE};
    while (!stopped) {
        int client = accept(server, NULL, NULL);
        if (client < 0)
            continue;
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        answer(client, root);
        close(client);
    }
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
    const char *folder = operands[0] ? operands[0] : "build/web";
    char root[PATH_MAX], page[PATH_MAX];
    if (!realpath(folder, root))
        return tool_say_error(EXIT_FILE, "%s: %s; `make web` makes the page in build/web", folder,
                              strerror(errno));
    int file = open_inside(root, "/", page);
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
    catch_signals();
    printf("http://localhost:%d/\n", given);
    fflush(stdout);
    fprintf(stderr, "spate: serving %s; Ctrl-C ends it\n", folder);
    serve(server, root);
    close(server);
    return EXIT_DONE;
}
