/* particles_read.c -- see particles_read.h. */
#include "particles_read.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/status.h"
#include "file.h"

static const char *const names[2][3] = {{"x", "y", "z"}, {"vx", "vy", "vz"}};

spate_status sp_particles_open(sp_particles_file *file, const char *path, spate_error *error)
{
    *file = (sp_particles_file){.bytes = NULL};
    size_t size;
    TRY(sp_file_read_all(path, &file->bytes, &size, error));
    spate_status status = sp_ply_open(&file->ply, file->bytes, size, path, error);
    if (status != SPATE_OK) {
        sp_free(file->bytes);
        file->bytes = NULL;
        return status;
    }
    if (file->ply.element_count > 0 && strcmp(file->ply.elements[0].name, "vertex") == 0) {
        file->element = &file->ply.elements[0];
        file->count = (size_t)file->element->count;
        return SPATE_OK;
    }
    sp_particles_close(file);
    return sp_fail(error, SPATE_ERROR_FILE, path,
                   "is no particle file: its first element is not 'vertex'");
}

void sp_particles_close(sp_particles_file *file)
{
    if (file->bytes)
        sp_ply_close(&file->ply);
    sp_free(file->bytes);
    *file = (sp_particles_file){.bytes = NULL};
}

static float load_float(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    uint32_t bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Bytes of a row if it is made of 4-byte numbers and the wanted ones are floats; 0 if not. */
static size_t plain_row(const sp_particles_file *file, const int place[2][3], int dim)
{
    const sp_ply *ply = &file->ply;
    if (ply->format != SP_PLY_LITTLE)
        return 0;
    for (size_t k = 0; k < file->element->property_count; k++) {
        const sp_ply_property *p = &ply->properties[file->element->first + k];
        if (p->count_type != SP_PLY_NONE ||
            (p->type != SP_PLY_FLOAT32 && p->type != SP_PLY_UINT32 && p->type != SP_PLY_INT32))
            return 0;
    }
    for (int k = 0; k < 2 * dim; k++) {
        int column = place[k / dim][k % dim];
        if (column >= 0 &&
            ply->properties[file->element->first + (size_t)column].type != SP_PLY_FLOAT32)
            return 0;
    }
    return 4 * file->element->property_count;
}

/* One column; false if a number is not finite. */
static bool copy_column(const sp_particles_file *file, size_t row, int column, float *to)
{
    if (column < 0) {
        memset(to, 0, file->count * sizeof *to);
        return true;
    }
    const char *from = file->ply.next + 4 * (size_t)column;
    float wrong = 0;
    for (size_t k = 0; k < file->count; k++) {
        to[k] = load_float(from + k * row);
        wrong += to[k] * 0; /* stays 0 as long as all are finite */
    }
    return wrong == 0;
}

static spate_status fail_number(const sp_particles_file *file, const char *name, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, file->ply.path, "%s of a particle is not finite", name);
}

spate_status sp_particles_read_columns(sp_particles_file *file, int dim, float *const x[3],
                                       float *const v[3], spate_error *error)
{
    int place[2][3];
    for (int k = 0; k < 6; k++)
        place[k / 3][k % 3] = sp_ply_find(&file->ply, file->element, names[k / 3][k % 3]);
    for (int d = 0; d < dim; d++)
        if (place[0][d] < 0)
            return sp_fail(error, SPATE_ERROR_FILE, file->ply.path,
                           "the particles have no property %s", names[0][d]);
    size_t row = plain_row(file, place, dim);
    for (int d = 0; d < dim && row > 0; d++)
        for (int k = 0; k < 2; k++)
            if (!copy_column(file, row, place[k][d], (k ? v : x)[d]))
                return fail_number(file, names[k][d], error);
    for (size_t i = 0; i < file->count && row == 0; i++) {
        TRY(sp_ply_read_row(&file->ply, file->element, -1, error));
        for (int k = 0; k < 2 * dim; k++) {
            int column = place[k / dim][k % dim];
            double value = column < 0 ? 0 : file->ply.row[column];
            if (!(fabs(value) <= FLT_MAX))
                return fail_number(file, names[k / dim][k % dim], error);
            (k / dim ? v : x)[k % dim][i] = (float)value;
        }
    }
    return SPATE_OK;
}
