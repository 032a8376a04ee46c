/* http.h -- one connection of `spate serve`: a request for a file of one folder, and its answer.
 *
 * Sockets never block: whoever holds the connections waits until one of them can go on. A
 * connection has a time by which its request must be there, and one by which its answer must be
 * taken, however the bytes trickle. */
#ifndef SPATE_TOOL_HTTP_H
#define SPATE_TOOL_HTTP_H

#include <stdbool.h>

typedef struct http_connection http_connection;

/* Takes over the socket of a client; NULL without memory, and the socket is closed. */
http_connection *http_open(int socket);
int http_socket(const http_connection *c);
/* What it waits for: POLLIN or POLLOUT. */
short http_waits_for(const http_connection *c);
/* When it is to be closed, in sp_seconds. */
double http_deadline(const http_connection *c);
/* Whether its request is not there yet: it may be closed for another. */
bool http_is_silent(const http_connection *c);
/* Reads or sends what is possible now, of the folder `root` (a real path); false: it is over. */
bool http_go_on(http_connection *c, const char *root);
void http_close(http_connection *c);

/* Opens a file of the folder by its path in an address ("/", "/a/b.js"), and its name into `full`
 * (PATH_MAX); -1 if there is no such regular file inside. */
int http_open_file(const char *root, const char *path, char *full);

#endif
