/* usdc.c -- a USD layer as crate, OpenUSD's binary format, version 0.8.0.
 *
 *     bootstrap   "PXR-USDC", version, offset of the table of contents
 *     values      arrays of the samples as they come, then small values
 *     TOKENS STRINGS FIELDS FIELDSETS PATHS SPECS, and the table of contents
 *
 * A spec (a prim, an attribute, the root) is a path, a kind and a set of fields; a field is a token
 * and a value representation of 64 bits: three flags, the type, and the value itself or where in
 * the file it is. Paths are a tree written depth first: for each the token of its last part
 * (negative for a property) and a jump,
 *
 *     -2  no child, no sibling    -1  a child follows    0  a sibling follows
 *     n > 0  a child follows, the sibling is n places on.
 *
 * Tables of 32-bit integers are coded as differences to the one before, in 2-bit codes (the most
 * common difference, 8, 16, 32 bits) and the bytes that those ask for, and then compressed with
 * LZ4. Here LZ4 blocks hold literals alone: the tables are a few hundred bytes (a few hundred per
 * solid), and a valid block needs no compressor. The arrays themselves are not compressed, so that
 * readers may map them.
 *
 * Facts: OpenUSD, pxr/usd/sdf/crateFile.h, crateDataTypes.h, integerCoding.cpp; LZ4 block format.
 */
#include "usd_layer.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "bytes.h"

enum { BOOTSTRAP_SIZE = 88, TOC_OFFSET_AT = 16 };

enum { TYPE_BOOL = 1, TYPE_DOUBLE = 9, TYPE_TOKEN = 11, TYPE_TOKEN_VECTOR = 41 };
enum { TYPE_SPECIFIER = 42, TYPE_VARIABILITY = 44, TYPE_TIME_SAMPLES = 46, TYPE_DOUBLES = 48 };
enum { SPEC_ATTRIBUTE = 1, SPEC_PRIM = 6, SPEC_ROOT = 7 };

enum { TOKEN_SIZE = 64 };
/* At most: of a layer, a prim, an attribute; names among these, of types and fields. */
enum { LAYER_FIELDS = 8, PRIM_FIELDS = 4, ATTRIBUTE_FIELDS = 6, COMMON_TOKENS = 64 };

#define ARRAY ((uint64_t)1 << 63)
#define INLINED ((uint64_t)1 << 62)

typedef struct crate {
    sp_usd *usd;
    int32_t token_room, field_room, spec_room; /* how many there are at most */
    char (*tokens)[TOKEN_SIZE];
    int32_t token_count;
    int32_t *field_tokens;
    uint64_t *field_values;
    int32_t field_count;
    int32_t *sets; /* numbers of fields, -1 behind the last of a spec */
    int32_t set_count;
    int32_t *spec_paths, *spec_sets, *spec_kinds;
    int32_t *path_tokens, *jumps; /* in the order of specs, depth first */
    int32_t spec_count;
    int32_t *names;          /* of a list that is being put */
    unsigned char *bytes;    /* of a table that is being put */
    uint64_t sections[6][2]; /* start, size */
    int section_count;
} crate;

/* ------------------------------------------------------------------ tokens, values, fields */

static int32_t token(crate *c, const char *text)
{
    for (int32_t k = 0; k < c->token_count; k++)
        if (strcmp(c->tokens[k], text) == 0)
            return k;
    size_t size = strlen(text) + 1;
    assert(c->token_count < c->token_room && size <= TOKEN_SIZE);
    memcpy(c->tokens[c->token_count], text, size);
    return c->token_count++;
}

static uint64_t value_of(unsigned type, uint64_t payload)
{
    return (uint64_t)type << 48 | payload;
}

static uint64_t put_double(crate *c, double number)
{
    sp_file_align(c->usd->file, 8);
    uint64_t at = sp_file_tell(c->usd->file);
    sp_file_write_numbers(c->usd->file, &number, 1, 8);
    return value_of(TYPE_DOUBLE, at);
}

static void put64(crate *c, uint64_t number)
{
    sp_file_write_numbers(c->usd->file, &number, 1, 8);
}

/* The first `count` of c->names, as a value of a type. */
static uint64_t put_tokens(crate *c, int count, unsigned type)
{
    sp_file_align(c->usd->file, 8);
    uint64_t at = sp_file_tell(c->usd->file);
    put64(c, (uint64_t)count);
    sp_file_write_numbers(c->usd->file, c->names, (size_t)count, 4);
    return value_of(type, at);
}

static void add_field(crate *c, const char *name, uint64_t value)
{
    assert(c->field_count < c->field_room);
    c->field_tokens[c->field_count] = token(c, name);
    c->field_values[c->field_count] = value;
    c->sets[c->set_count++] = c->field_count++;
}

static void add_token_field(crate *c, const char *name, const char *text)
{
    add_field(c, name, value_of(TYPE_TOKEN, (uint64_t)token(c, text)) | INLINED);
}

/* Begins a spec, at the next place of the path tree; the fields that follow are its own. */
static int32_t begin_spec(crate *c, int kind, int32_t path_token)
{
    int32_t number = c->spec_count++;
    c->spec_paths[number] = number;
    c->spec_sets[number] = c->set_count;
    c->spec_kinds[number] = kind;
    c->path_tokens[number] = path_token;
    return number;
}

static void end_spec(crate *c)
{
    c->sets[c->set_count++] = -1;
}

/* ------------------------------------------------------------------ samples */

/* Where the values of a sample are: the length of an array stands before the first; an empty array
 * is at 0. */
static uint64_t place_of(const sp_usd_type_info *type, const sp_usd_sample *sample)
{
    if (type->single)
        return value_of(type->crate_type, sample->offset);
    return value_of(type->crate_type, sample->count ? sample->offset - 8 : 0) | ARRAY;
}

/* times: [count, numbers]; reps: [count, value representations]. Both are reached through an offset
 * from the place where the offset stands, which here is always the next place. */
static uint64_t put_samples(crate *c, const sp_usd_attribute_data *attribute)
{
    sp_file *file = c->usd->file;
    const sp_usd_type_info *type = &sp_usd_types[attribute->type];
    sp_file_align(file, 8);
    uint64_t times = sp_file_tell(file);
    put64(c, attribute->sample_count);
    for (size_t k = 0; k < attribute->sample_count; k++)
        sp_file_write_numbers(file, &attribute->samples[k].time, 1, 8);
    uint64_t at = sp_file_tell(file);
    put64(c, 8);
    put64(c, value_of(TYPE_DOUBLES, times));
    put64(c, 8);
    put64(c, attribute->sample_count);
    for (size_t k = 0; k < attribute->sample_count; k++)
        put64(c, place_of(type, &attribute->samples[k]));
    return value_of(TYPE_TIME_SAMPLES, at);
}

/* ------------------------------------------------------------------ specs */

static int children_of(const sp_usd *usd, int prim)
{
    int count = 0;
    for (int k = 0; k < usd->prim_count; k++)
        count += usd->prims[k].parent == prim;
    return count;
}

static void add_children_field(crate *c, int prim)
{
    int count = 0;
    for (int k = 0; k < c->usd->prim_count; k++)
        if (c->usd->prims[k].parent == prim)
            c->names[count++] = token(c, c->usd->prims[k].name);
    if (count > 0)
        add_field(c, "primChildren", put_tokens(c, count, TYPE_TOKEN_VECTOR));
}

static void add_attribute(crate *c, const sp_usd_attribute_data *attribute, bool last)
{
    int32_t number = begin_spec(c, SPEC_ATTRIBUTE, -token(c, attribute->name));
    const sp_usd_type_info *type = &sp_usd_types[attribute->type];
    bool fixed = attribute->token[0];
    add_token_field(c, "typeName", !fixed ? type->name : attribute->list ? "token[]" : "token");
    add_field(c, "custom", value_of(TYPE_BOOL, 0) | INLINED);
    add_field(c, "variability", value_of(TYPE_VARIABILITY, fixed ? 1 : 0) | INLINED);
    if (attribute->list) {
        c->names[0] = token(c, attribute->token);
        add_field(c, "default", put_tokens(c, 1, TYPE_TOKEN) | ARRAY);
    } else if (fixed) {
        add_token_field(c, "default", attribute->token);
    } else if (attribute->always) {
        add_field(c, "default", place_of(type, &attribute->samples[0]));
    }
    if (attribute->interpolation[0])
        add_token_field(c, "interpolation", attribute->interpolation);
    if (attribute->sample_count > 0 && !attribute->always)
        add_field(c, "timeSamples", put_samples(c, attribute));
    end_spec(c);
    c->jumps[number] = last ? -2 : 0;
}

static void add_prim(crate *c, int prim, bool last)
{
    const sp_usd *usd = c->usd;
    int child_count = children_of(usd, prim), own = 0;
    int32_t number = begin_spec(c, SPEC_PRIM, token(c, usd->prims[prim].name));
    add_field(c, "specifier", value_of(TYPE_SPECIFIER, 0) | INLINED);
    add_token_field(c, "typeName", usd->prims[prim].type);
    add_children_field(c, prim);
    for (int k = 0; k < usd->attribute_count; k++)
        if (usd->attributes[k].prim == prim)
            c->names[own++] = token(c, usd->attributes[k].name);
    if (own > 0)
        add_field(c, "properties", put_tokens(c, own, TYPE_TOKEN_VECTOR));
    end_spec(c);
    for (int k = 0, left = own; k < usd->attribute_count; k++)
        if (usd->attributes[k].prim == prim)
            add_attribute(c, &usd->attributes[k], --left == 0 && child_count == 0);
    for (int k = 0, left = child_count; k < usd->prim_count; k++)
        if (usd->prims[k].parent == prim)
            add_prim(c, k, --left == 0);
    bool below = own + child_count > 0;
    c->jumps[number] = below ? last ? -1 : c->spec_count - number : last ? -2 : 0;
}

static void add_root(crate *c)
{
    const sp_usd *usd = c->usd;
    int count = children_of(usd, -1);
    int32_t root = begin_spec(c, SPEC_ROOT, 0);
    if (usd->prim_count > 0)
        add_token_field(c, "defaultPrim", usd->prims[0].name);
    add_field(c, "endTimeCode", put_double(c, usd->last));
    add_field(c, "framesPerSecond", put_double(c, usd->fps));
    add_field(c, "metersPerUnit", put_double(c, 1));
    add_field(c, "startTimeCode", put_double(c, usd->first));
    add_field(c, "timeCodesPerSecond", put_double(c, usd->fps));
    add_token_field(c, "upAxis", "Y");
    add_children_field(c, -1);
    end_spec(c);
    for (int k = 0, left = count; k < usd->prim_count; k++)
        if (usd->prims[k].parent < 0)
            add_prim(c, k, --left == 0);
    c->jumps[root] = count > 0 ? -1 : -2;
}

/* ------------------------------------------------------------------ compressed tables */

/* One chunk of LZ4 literals: a 0 (not split into chunks), a token with the length and its rest in
 * bytes of 255, the bytes themselves. */
static void put_compressed(crate *c, const unsigned char *bytes, size_t size)
{
    size_t extra = size < 15 ? 0 : (size - 15) / 255 + 1;
    put64(c, 2 + extra + size);
    unsigned char head[2] = {0, (unsigned char)((size < 15 ? size : 15) << 4)};
    sp_file_write(c->usd->file, head, 2);
    for (size_t k = 0, left = size - 15; k < extra; k++, left -= 255) {
        unsigned char byte = (unsigned char)(left < 255 ? left : 255);
        sp_file_write(c->usd->file, &byte, 1);
    }
    sp_file_write(c->usd->file, bytes, size);
}

static void put_integers(crate *c, const int32_t *numbers, int32_t count)
{
    unsigned char *coded = c->bytes, *codes = coded + 4, *next = codes + (2 * count + 7) / 8;
    memset(coded, 0, (size_t)(next - coded));
    const int32_t common = 1; /* any choice is valid; this one fits counting */
    sp_store32(coded, (uint32_t)common);
    for (int32_t k = 0, before = 0; k < count; before = numbers[k++]) {
        int32_t step = numbers[k] - before;
        int code = step == common                           ? 0
                   : step >= INT8_MIN && step <= INT8_MAX   ? 1
                   : step >= INT16_MIN && step <= INT16_MAX ? 2
                                                            : 3;
        codes[k / 4] |= (unsigned char)(code << (2 * (k % 4)));
        for (int i = 0; i < (code == 3 ? 4 : code); i++)
            *next++ = (unsigned char)((uint32_t)step >> (8 * i));
    }
    put_compressed(c, coded, (size_t)(next - coded));
}

static void begin_section(crate *c)
{
    c->sections[c->section_count][0] = sp_file_tell(c->usd->file);
}

static void end_section(crate *c)
{
    uint64_t *section = c->sections[c->section_count++];
    section[1] = sp_file_tell(c->usd->file) - section[0];
}

static void put_token_section(crate *c)
{
    unsigned char *text = c->bytes;
    size_t size = 0;
    for (int32_t k = 0; k < c->token_count; k++) {
        size_t length = strlen(c->tokens[k]) + 1;
        memcpy(text + size, c->tokens[k], length);
        size += length;
    }
    put64(c, (uint64_t)c->token_count);
    put64(c, size);
    put_compressed(c, text, size);
}

static void put_field_section(crate *c)
{
    unsigned char *values = c->bytes;
    put64(c, (uint64_t)c->field_count);
    put_integers(c, c->field_tokens, c->field_count);
    for (int32_t k = 0; k < c->field_count; k++)
        sp_store64(values + 8 * k, c->field_values[k]);
    put_compressed(c, values, 8 * (size_t)c->field_count);
}

static void put_sections(crate *c)
{
    begin_section(c);
    put_token_section(c);
    end_section(c);
    begin_section(c);
    put64(c, 0); /* no strings */
    end_section(c);
    begin_section(c);
    put_field_section(c);
    end_section(c);
    begin_section(c);
    put64(c, (uint64_t)c->set_count);
    put_integers(c, c->sets, c->set_count);
    end_section(c);
    begin_section(c);
    put64(c, (uint64_t)c->spec_count); /* paths, and those of them that are coded: all */
    put64(c, (uint64_t)c->spec_count);
    put_integers(c, c->spec_paths, c->spec_count);
    put_integers(c, c->path_tokens, c->spec_count);
    put_integers(c, c->jumps, c->spec_count);
    end_section(c);
    begin_section(c);
    put64(c, (uint64_t)c->spec_count);
    put_integers(c, c->spec_paths, c->spec_count);
    put_integers(c, c->spec_sets, c->spec_count);
    put_integers(c, c->spec_kinds, c->spec_count);
    end_section(c);
}

/* ------------------------------------------------------------------ the file */

void sp_usdc_begin(sp_usd *usd)
{
    unsigned char bootstrap[BOOTSTRAP_SIZE] = "PXR-USDC\0\10";
    sp_file_write(usd->file, bootstrap, sizeof bootstrap);
}

static void release(crate *c)
{
    sp_free(c->tokens);
    sp_free(c->field_tokens);
    sp_free(c->field_values);
    sp_free(c->sets);
    sp_free(c->spec_paths);
    sp_free(c->names);
    sp_free(c->bytes);
    sp_free(c);
}

/* Tables that hold all of the layer; NULL without memory. */
static crate *make_crate(const sp_usd *usd)
{
    crate *c = sp_alloc(1, sizeof *c);
    if (!c)
        return NULL;
    int32_t prims = usd->prim_count, attributes = usd->attribute_count;
    c->token_room = COMMON_TOKENS + 2 * prims + 2 * attributes;
    c->field_room = LAYER_FIELDS + PRIM_FIELDS * prims + ATTRIBUTE_FIELDS * attributes;
    c->spec_room = 1 + prims + attributes;
    size_t tokens = (size_t)c->token_room, fields = (size_t)c->field_room;
    size_t specs = (size_t)c->spec_room, numbers = fields + specs;
    c->tokens = sp_alloc(tokens, sizeof *c->tokens);
    c->field_tokens = sp_alloc(fields, sizeof *c->field_tokens);
    c->field_values = sp_alloc(fields, sizeof *c->field_values);
    c->sets = sp_alloc(numbers, sizeof *c->sets);
    c->spec_paths = sp_alloc(5 * specs, sizeof *c->spec_paths);
    c->names = sp_alloc(specs, sizeof *c->names);
    c->bytes = sp_alloc(8 + TOKEN_SIZE * tokens + 8 * numbers, 1);
    if (!c->tokens || !c->field_tokens || !c->field_values || !c->sets || !c->spec_paths ||
        !c->names || !c->bytes) {
        release(c);
        return NULL;
    }
    c->spec_sets = c->spec_paths + specs;
    c->spec_kinds = c->spec_sets + specs;
    c->path_tokens = c->spec_kinds + specs;
    c->jumps = c->path_tokens + specs;
    return c;
}

void sp_usdc_end(sp_usd *usd)
{
    static const char names[6][16] = {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"};
    crate *c = make_crate(usd);
    if (!c) {
        sp_fail_memory(&usd->error, usd->path, sizeof *c);
        return;
    }
    c->usd = usd;
    token(c, "unused"); /* number 0 cannot name a property: it has no negative */
    add_root(c);
    put_sections(c);
    unsigned char offset[8];
    sp_file_align(usd->file, 8);
    sp_store64(offset, sp_file_tell(usd->file));
    put64(c, 6);
    for (int k = 0; k < 6; k++) {
        sp_file_write(usd->file, names[k], 16);
        put64(c, c->sections[k][0]);
        put64(c, c->sections[k][1]);
    }
    sp_file_patch(usd->file, TOC_OFFSET_AT, offset, sizeof offset);
    release(c);
}
