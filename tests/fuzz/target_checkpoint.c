/* target_checkpoint.c -- a checkpoint that somebody has changed and sealed again.
 *
 * The input is a list of changes to a good checkpoint, so that it stays one when the layout of
 * checkpoints changes: a byte (even: 2D, odd: 3D), then 8 bytes a change, a place and the four
 * bytes to write there. The checksums are made right while it is read; where the second one stands,
 * if a change of the counts has moved it, only a first reading can tell. What is accepted has to
 * step. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/random.h"

static const char *const scenes[2] = {
    "{\"domain\": {\"size\": [1, 1], \"cells\": 8}, \"fill\": [{\"min\": [0, 0], \"max\": [0.5, 0.5]}],"
    "\"solids\": [{\"shape\": \"sphere\", \"center\": [0.7, 0.1], \"radius\": 0.1,"
    "\"motion\": [{\"time\": 1, \"position\": [0.1, 0]}]}],"
    "\"inflows\": [{\"min\": [0.1, 0.8], \"max\": [0.3, 0.9], \"velocity\": [1, -1]}],"
    "\"channels\": [{\"name\": \"age\"}], \"gauges\": [{\"at\": [0.5, 0.1]}],"
    "\"whitewater\": {\"on\": true, \"rate\": 1e5, \"speed_low\": 0.001, \"speed_high\": 0.002}}",
    "{\"domain\": {\"size\": [1, 1, 1], \"cells\": 5}, \"fluid\": {\"reseed\": true, \"transfer\": \"apic\"},"
    "\"fill\": [{\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.4]}], \"volume\": {\"method\": \"both\"},"
    "\"solids\": [{\"shape\": \"sphere\", \"center\": [0.7, 0.1, 0.7], \"radius\": 0.1}]}"};

typedef struct bytes_list {
    unsigned char *bytes;
    size_t size;
} bytes_list;

typedef struct reader {
    const bytes_list *list;
    size_t at;
    int reads, sealed; /* how many so far; which one is the second checksum, -1: not known */
    uint64_t sum;
} reader;

static spate_sim *make_sim(int which)
{
    spate_error error;
    spate_options options;
    spate_options_default(&options);
    options.threads = 1;
    spate_scene *scene = spate_scene_parse(scenes[which], strlen(scenes[which]), NULL, &error);
    spate_sim *sim = scene ? spate_sim_create(scene, &options, &error) : NULL;
    FUZZ_MUST(sim);
    spate_scene_destroy(scene);
    return sim;
}

static spate_status append(void *user, const void *bytes, size_t size)
{
    bytes_list *list = user;
    list->bytes = realloc(list->bytes, list->size + size + 1);
    FUZZ_MUST(list->bytes);
    if (size > 0)
        memcpy(list->bytes + list->size, bytes, size);
    list->size += size;
    return SPATE_OK;
}

/* A good one, two steps after the start; kept. */
static const bytes_list *template(int which)
{
    static bytes_list kept[2];
    spate_error error;
    if (kept[which].size == 0) {
        spate_sim *sim = make_sim(which);
        for (int k = 0; k < 2; k++)
            FUZZ_MUST(spate_sim_step(sim, 0, &error) == SPATE_OK);
        FUZZ_MUST(spate_sim_save(sim, append, &kept[which], &error) == SPATE_OK);
        spate_sim_destroy(sim);
    }
    return &kept[which];
}

/* The bytes, and zeros behind them: as many as a larger count asks for. The first checksum is the
 * fifth thing that is read: magic, layout, clock, heads of the sets, checksum. The sum is that of
 * sp_stream_read. */
static spate_status read_bytes(void *user, void *out, size_t size)
{
    reader *r = user;
    if (size > (1 << 20) || r->at > (1 << 20))
        return SPATE_ERROR_FILE;
    size_t rest = r->at < r->list->size ? r->list->size - r->at : 0,
           there = size < rest ? size : rest;
    if (size > 0)
        memset(out, 0, size);
    if (there > 0)
        memcpy(out, r->list->bytes + r->at, there);
    bool last = r->reads == r->sealed || (r->sealed < 0 && r->at + size == r->list->size);
    if (r->reads == 4 || (last && size == sizeof r->sum))
        memcpy(out, &r->sum, sizeof r->sum);
    r->reads++;
    r->at += size;
    for (size_t k = 0; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, (char *)out + k, size - k < 8 ? size - k : 8);
        r->sum = sp_mix(r->sum ^ word);
    }
    return SPATE_OK;
}

static void go_on(spate_sim *sim)
{
    spate_error error;
    double values[3];
    spate_sim_gauge_read(sim, 0, values);
    for (int k = 0; k < 2; k++)
        if (spate_sim_step(sim, 0, &error) != SPATE_OK)
            return;
    spate_stats stats;
    spate_sim_stats(sim, &stats);
    spate_sim_hash(sim);
}

void fuzz_checkpoint(const uint8_t *bytes, size_t size)
{
    int which = size > 0 ? bytes[0] & 1 : 0;
    bytes_list list = {NULL, 0};
    append(&list, template(which)->bytes, template(which)->size);
    for (size_t k = 1; k + 8 <= size; k += 8) {
        uint32_t place;
        memcpy(&place, bytes + k, sizeof place);
        memcpy(list.bytes + 16 + 4 * (place % ((list.size - 16) / 4)), bytes + k + 4, 4);
    }
    bool loaded = false, refused = false;
    for (int turn = 0, last = -1; turn < 2 && !loaded && !refused; turn++) {
        spate_error error;
        spate_sim *sim = make_sim(which);
        reader r = {&list, 0, 0, last, 0};
        loaded = spate_sim_load(sim, read_bytes, &r, &error) == SPATE_OK;
        refused = !loaded && strcmp(error.message, "the checkpoint is damaged") != 0;
        last = r.reads - 1;
        if (loaded)
            go_on(sim);
        spate_sim_destroy(sim);
    }
    free(list.bytes);
}
