/* socket.h -- bytes into a socket. */
#ifndef SPATE_IO_SOCKET_H
#define SPATE_IO_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/* All of them, however many calls that takes; false when the other side is gone or too slow. Never
 * raises SIGPIPE. */
bool sp_socket_send(int socket, const void *bytes, size_t size);

#endif
