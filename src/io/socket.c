/* socket.c -- see send.h. */
#include "socket.h"

#include <errno.h>
#include <sys/socket.h>

bool sp_socket_send(int socket, const void *bytes, size_t size)
{
    for (const char *next = bytes; size > 0;) {
        ssize_t sent = send(socket, next, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        next += sent;
        size -= (size_t)sent;
    }
    return true;
}
