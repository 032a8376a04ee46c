/* gzip.h -- a gzip stream (RFC 1952) of stored blocks (RFC 1951): what programs that insist on gzip
 * read, at the speed of the disk and without a library. */
#ifndef SPATE_IO_GZIP_H
#define SPATE_IO_GZIP_H

#include "file.h"

typedef struct sp_gzip {
    sp_file *file;
    uint32_t sum, size; /* CRC-32 and length modulo 2^32 of what was put */
    size_t used;
    unsigned char block[65535];
} sp_gzip;

/* NULL on failure. */
sp_gzip *sp_gzip_create(const char *path, spate_error *error);
void sp_gzip_put(sp_gzip *gzip, const void *bytes, size_t size);
/* Four-byte numbers, little-endian. */
void sp_gzip_put32(sp_gzip *gzip, const void *values, size_t count);
/* Completes the file (sp_file_close) and frees `gzip`. */
spate_status sp_gzip_close(sp_gzip *gzip, spate_error *error);

#endif
