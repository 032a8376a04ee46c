/* gzip.h -- gzip (RFC 1952) by zlib: a file that is written as it comes, and bytes in memory. */
#ifndef SPATE_IO_GZIP_H
#define SPATE_IO_GZIP_H

#include "file.h"

typedef struct sp_gzip sp_gzip;

/* NULL on failure. */
sp_gzip *sp_gzip_create(const char *path, spate_error *error);
void sp_gzip_put(sp_gzip *gzip, const void *bytes, size_t size);
/* Four-byte numbers, little-endian. */
void sp_gzip_put32(sp_gzip *gzip, const void *values, size_t count);
/* Completes the file (sp_file_close) and frees `gzip`. */
spate_status sp_gzip_close(sp_gzip *gzip, spate_error *error);

/* The bytes as a gzip stream; sp_free it. NULL without memory. */
void *sp_gzip_bytes(const void *bytes, size_t size, size_t *packed);

#endif
