/* http.c -- see http.h. */
#include "http.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/timer.h"
#include "io/file.h"
#include "io/gzip.h"

#define REQUEST_SIZE 8192
#define REQUEST_SECONDS 5 /* for a whole request */
#define ANSWER_SECONDS 60 /* for a whole answer, which goes no further than this machine */
#define MOST_PACKED (16 << 20)

struct http_connection {
    int socket;
    double deadline;
    char request[REQUEST_SIZE];
    size_t used;
    bool answering;
    char *bytes; /* of the answer: its head, and its body if that is packed or a word */
    size_t size, sent;
    int file; /* the rest of the body; -1: none */
    char part[1 << 14];
    size_t part_size, part_sent;
};

static const struct {
    const char *ending, *type;
    bool packs; /* becomes smaller by gzip */
} types[] = {
    {".html", "text/html; charset=utf-8", true},
    {".js", "text/javascript; charset=utf-8", true},
    {".mjs", "text/javascript; charset=utf-8", true},
    {".css", "text/css; charset=utf-8", true},
    {".json", "application/json", true},
    {".wasm", "application/wasm", true},
    {".svg", "image/svg+xml", true},
    {".obj", "model/obj", true},
    {".png", "image/png", false},
    {".jpg", "image/jpeg", false},
    {".webp", "image/webp", false},
    {".webmanifest", "application/manifest+json", true},
};

static const char *type_of(const char *path, bool *packs)
{
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof types / sizeof *types; k++)
        if (strcmp(dot, types[k].ending) == 0) {
            *packs = types[k].packs;
            return types[k].type;
        }
    *packs = false;
    return "application/octet-stream";
}

/* ------------------------------------------------------------------ requests */

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

/* The value of a line "Name: value" into `value`; how many such lines there are. */
static int find_header(const char *lines, const char *name, char *value, size_t size)
{
    int found = 0;
    size_t length = strlen(name);
    value[0] = 0;
    for (const char *line = lines; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        const char *begin = line + length + 1 + strspn(line + length + 1, " \t");
        size_t end = strcspn(begin, "\r\n");
        snprintf(value, size, "%.*s", (int)(end < size ? end : size), begin);
        found++;
    }
    return found;
}

/* Whether the request is meant for this machine by a name of its own. A page from elsewhere whose
 * name was made to lead here (DNS rebinding) sends that name. */
static bool is_for_us(const char *lines)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    char host[256];
    if (find_header(lines, "Host", host, sizeof host) != 1)
        return false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k]);
        const char *rest = host + length;
        if (strncasecmp(host, names[k], length) == 0 &&
            (!*rest || (*rest == ':' && strspn(rest + 1, "0123456789") == strlen(rest + 1))))
            return true;
    }
    return false;
}

/* Whether gzip stands in Accept-Encoding, and not with the weight 0. */
static bool takes_gzip(const char *lines)
{
    char value[512];
    find_header(lines, "Accept-Encoding", value, sizeof value);
    for (const char *word = value; *word; word += strcspn(word, ",")) {
        word += strspn(word, ", \t");
        if (strncasecmp(word, "gzip", 4) != 0 || !strchr(", \t;", word[4]))
            continue;
        const char *weight = word + 4 + strspn(word + 4, " \t;");
        return strncasecmp(weight, "q=", 2) != 0 || strtod(weight + 2, NULL) > 0;
    }
    return false;
}

int http_open_file(const char *root, const char *path, char *full)
{
    char wanted[PATH_MAX];
    size_t length = strlen(root), end = strlen(path);
    int made = snprintf(wanted, sizeof wanted, "%s%s%s", root, path,
                        path[end - 1] == '/' ? "index.html" : "");
    if (made >= (int)sizeof wanted || !realpath(wanted, full))
        return -1;
    if (strncmp(full, root, length) != 0 || (full[length] != '/' && length != 1))
        return -1;
    struct stat about;
    /* a FIFO would wait for a writer */
    int file = open(full, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

/* ------------------------------------------------------------------ answers */

/* The head of an answer, and room for `body` bytes behind it; false without memory. */
static bool make_head(http_connection *c, const char *status, const char *type, size_t length,
                      bool packed, size_t body)
{
    char head[640];
    int size = snprintf(head, sizeof head,
                        "HTTP/1.1 %s\r\n"
                        "Content-Type: %s\r\n"
                        "Content-Length: %zu\r\n"
                        "%s"
                        "Cross-Origin-Opener-Policy: same-origin\r\n"
                        "Cross-Origin-Embedder-Policy: require-corp\r\n"
                        "Cross-Origin-Resource-Policy: same-origin\r\n"
                        "X-Content-Type-Options: nosniff\r\n"
                        "Cache-Control: no-cache\r\n"
                        "Vary: Accept-Encoding\r\n"
                        "Connection: close\r\n\r\n",
                        status, type, length, packed ? "Content-Encoding: gzip\r\n" : "");
    c->bytes = sp_alloc((size_t)size + body, 1);
    if (!c->bytes)
        return false;
    memcpy(c->bytes, head, (size_t)size);
    c->size = (size_t)size;
    return true;
}

static bool answer_word(http_connection *c, const char *status, bool body)
{
    size_t length = strlen(status);
    if (!make_head(c, status, "text/plain; charset=utf-8", length + 1, false, length + 1))
        return false;
    if (body) {
        memcpy(c->bytes + c->size, status, length);
        c->bytes[c->size + length] = '\n';
        c->size += length + 1;
    }
    return true;
}

/* The whole file as gzip; false: it stays as it is. */
static bool answer_packed(http_connection *c, int file, const char *type, size_t size)
{
    size_t packed = 0, got = 0;
    char *plain = sp_alloc(size, 1), *small = NULL;
    while (plain && got < size) {
        ssize_t now = pread(file, plain + got, size - got, (off_t)got);
        if (now <= 0)
            break;
        got += (size_t)now;
    }
    if (plain && got == size)
        small = sp_gzip_bytes(plain, size, &packed);
    sp_free(plain);
    bool made = small && make_head(c, "200 OK", type, packed, true, packed);
    if (made) {
        memcpy(c->bytes + c->size, small, packed);
        c->size += packed;
    }
    sp_free(small);
    return made;
}

static bool answer_file(http_connection *c, int file, const char *name, bool body, bool gzip)
{
    struct stat about;
    bool packs;
    const char *type = type_of(name, &packs);
    size_t size = fstat(file, &about) == 0 ? (size_t)about.st_size : 0;
    if (body && gzip && packs && size > 0 && size <= MOST_PACKED &&
        answer_packed(c, file, type, size)) {
        close(file);
        return true;
    }
    if (body)
        c->file = file;
    else
        close(file);
    return make_head(c, "200 OK", type, size, false, 0);
}

static bool answer(http_connection *c, const char *root)
{
    char path[1024], full[PATH_MAX];
    char *target = strchr(c->request, ' '), *end = target ? strpbrk(target + 1, " \r\n") : NULL;
    const char *lines = strchr(c->request, '\n');
    if (!end || !lines || end > lines)
        return answer_word(c, "400 Bad Request", true);
    *target++ = 0;
    *end = 0;
    bool get = strcmp(c->request, "GET") == 0, head = strcmp(c->request, "HEAD") == 0;
    if (!get && !head)
        return answer_word(c, "405 Method Not Allowed", true);
    if (!is_for_us(lines + 1))
        return answer_word(c, "403 Forbidden", get);
    int file = decode_path(target, path, sizeof path) ? http_open_file(root, path, full) : -1;
    if (file < 0)
        return answer_word(c, "404 Not Found", get);
    return answer_file(c, file, full, get, takes_gzip(lines + 1));
}

/* ------------------------------------------------------------------ connections */

http_connection *http_open(int socket)
{
    http_connection *c = sp_alloc(1, sizeof *c);
    if (!c) {
        close(socket);
        return NULL;
    }
    c->socket = socket;
    c->file = -1;
    c->deadline = sp_seconds() + REQUEST_SECONDS;
    return c;
}

void http_close(http_connection *c)
{
    close(c->socket);
    if (c->file >= 0)
        close(c->file);
    sp_free(c->bytes);
    sp_free(c);
}

int http_socket(const http_connection *c)
{
    return c->socket;
}

short http_waits_for(const http_connection *c)
{
    return c->answering ? POLLOUT : POLLIN;
}

double http_deadline(const http_connection *c)
{
    return c->deadline;
}

bool http_is_silent(const http_connection *c)
{
    return !c->answering;
}

/* Up to the empty line that ends the head of a request. */
static bool read_more(http_connection *c, const char *root)
{
    size_t room = sizeof c->request - 1 - c->used;
    ssize_t got = room ? recv(c->socket, c->request + c->used, room, MSG_DONTWAIT) : 0;
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == 0)
        return false;
    c->used += (size_t)got;
    c->request[c->used] = 0;
    if (!strstr(c->request, "\r\n\r\n") && !strstr(c->request, "\n\n"))
        return true;
    c->answering = true;
    c->deadline = sp_seconds() + ANSWER_SECONDS;
    return answer(c, root);
}

/* Sends bytes from *sent on; false: the client is gone. */
static bool send_some(const http_connection *c, const char *bytes, size_t size, size_t *sent)
{
    ssize_t done = send(c->socket, bytes + *sent, size - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0)
        return errno == EAGAIN || errno == EINTR;
    *sent += (size_t)done;
    return true;
}

bool http_go_on(http_connection *c, const char *root)
{
    if (!c->answering)
        return read_more(c, root);
    if (c->sent < c->size)
        return send_some(c, c->bytes, c->size, &c->sent) && (c->sent < c->size || c->file >= 0);
    if (c->part_sent == c->part_size) {
        ssize_t got = read(c->file, c->part, sizeof c->part);
        if (got <= 0)
            return false;
        c->part_size = (size_t)got;
        c->part_sent = 0;
    }
    return send_some(c, c->part, c->part_size, &c->part_sent);
}
