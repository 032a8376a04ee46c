/* gzip.c -- gzip without compression. The checksum takes eight bytes at a time (Kounavis and Berry,
 * "A systematic approach to building high performance software-based CRC generators", 2005). */
#include "gzip.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "bytes.h"

static uint32_t table[8][256];
static pthread_once_t table_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t rest = k;
        for (int bit = 0; bit < 8; bit++)
            rest = rest & 1 ? rest >> 1 ^ 0xedb88320u : rest >> 1;
        table[0][k] = rest;
    }
    for (int t = 1; t < 8; t++)
        for (int k = 0; k < 256; k++)
            table[t][k] = table[t - 1][k] >> 8 ^ table[0][table[t - 1][k] & 0xff];
}

static uint32_t checksum(uint32_t sum, const unsigned char *p, size_t size)
{
    for (; size >= 8; size -= 8, p += 8) {
        uint32_t low = sum ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                              (uint32_t)p[3] << 24);
        sum = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^
              table[4][low >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
              table[0][p[7]];
    }
    for (; size > 0; size--, p++)
        sum = sum >> 8 ^ table[0][(sum ^ *p) & 0xff];
    return sum;
}

sp_gzip *sp_gzip_create(const char *path, spate_error *error)
{
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    sp_gzip *gzip = sp_alloc(1, sizeof *gzip);
    if (!gzip) {
        sp_fail_memory(error, path, sizeof *gzip);
        return NULL;
    }
    pthread_once(&table_made, make_table);
    gzip->sum = 0xffffffffu;
    gzip->file = sp_file_create(path, error);
    if (!gzip->file) {
        sp_free(gzip);
        return NULL;
    }
    sp_file_write(gzip->file, head, sizeof head);
    return gzip;
}

static void put_block(sp_gzip *gzip, bool last)
{
    unsigned size = (unsigned)gzip->used;
    unsigned char head[5] = {last, (unsigned char)size, (unsigned char)(size >> 8),
                             (unsigned char)~size, (unsigned char)(~size >> 8)};
    sp_file_write(gzip->file, head, sizeof head);
    sp_file_write(gzip->file, gzip->block, gzip->used);
    gzip->sum = checksum(gzip->sum, gzip->block, gzip->used);
    gzip->size += (uint32_t)gzip->used;
    gzip->used = 0;
}

void sp_gzip_put(sp_gzip *gzip, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        size_t room = sizeof gzip->block - gzip->used, part = size < room ? size : room;
        memcpy(gzip->block + gzip->used, from, part);
        gzip->used += part;
        from += part;
        size -= part;
        if (gzip->used == sizeof gzip->block)
            put_block(gzip, false);
    }
}

void sp_gzip_put32(sp_gzip *gzip, const void *values, size_t count)
{
    unsigned char bytes[1024];
    const uint32_t *from = values;
    while (count > 0) {
        size_t part = count < sizeof bytes / 4 ? count : sizeof bytes / 4;
        for (size_t k = 0; k < part; k++)
            sp_store32(bytes + 4 * k, from[k]);
        sp_gzip_put(gzip, bytes, 4 * part);
        from += part;
        count -= part;
    }
}

spate_status sp_gzip_close(sp_gzip *gzip, spate_error *error)
{
    unsigned char tail[8];
    put_block(gzip, true);
    sp_store32(tail, ~gzip->sum);
    sp_store32(tail + 4, gzip->size);
    sp_file_write(gzip->file, tail, sizeof tail);
    spate_status status = sp_file_close(gzip->file, error);
    sp_free(gzip);
    return status;
}
