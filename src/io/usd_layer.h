/* usd_layer.h -- a USD layer from inside: what usd.c collects and usda.c and usdc.c write. */
#ifndef SPATE_IO_USD_LAYER_H
#define SPATE_IO_USD_LAYER_H

#include "file.h"
#include "usd.h"

typedef struct sp_usd_sample {
    double time;
    uint64_t offset; /* of the first value in the data */
    uint64_t count;  /* elements */
} sp_usd_sample;

typedef struct sp_usd_prim_data {
    int parent;
    char type[32], name[40];
} sp_usd_prim_data;

typedef struct sp_usd_attribute_data {
    int prim;
    char name[64];
    sp_usd_type type;
    char interpolation[16]; /* empty: none */
    char token[32];         /* not empty: a token without samples */
    bool list;              /* it is a list of tokens */
    bool always;            /* its one sample is for all times */
    sp_usd_sample *samples;
    size_t sample_count, sample_room;
} sp_usd_attribute_data;

struct sp_usd {
    sp_file *file;
    bool crate;
    int scratch; /* text: descriptor of a nameless file that holds the values until the end */
    uint64_t scratch_size;
    char *path;
    double fps, first, last; /* times of the samples */
    bool sampled;
    sp_usd_prim_data *prims;
    int prim_count, prim_room;
    sp_usd_attribute_data *attributes;
    int attribute_count, attribute_room, current; /* current: of the sample being put */
    spate_error error;                            /* the first failure outside of `file` */
};

typedef struct sp_usd_type_info {
    const char *name;
    int components;
    size_t size; /* bytes of a component */
    unsigned crate_type;
    bool single; /* no array */
} sp_usd_type_info;
extern const sp_usd_type_info sp_usd_types[];

/* The whole text; the samples are read from the scratch file. */
void sp_usda_write(sp_usd *usd);
/* What stands before the values, and what follows them. */
void sp_usdc_begin(sp_usd *usd);
void sp_usdc_end(sp_usd *usd);

#endif
