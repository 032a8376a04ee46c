/* gas.h -- the picture of a gas: one field of its grid on a plane, as colours, with a scale.
 *
 * A gas fills its domain, so what is drawn is not where it is but what is in it: the field that
 * tells most, smoke before heat, heat before other channels, and the vorticity where there are
 * none. 2D: the domain; 3D: a plane of cells across z. */
#ifndef SPATE_RENDER_GAS_H
#define SPATE_RENDER_GAS_H

#include "io/field_set.h"
#include "preview.h"

typedef enum sp_gas_map { SP_MAP_SMOKE, SP_MAP_HEAT, SP_MAP_PLAIN, SP_MAP_CENTRED } sp_gas_map;

/* The numbers of a plane of cells, x fastest; NaN where there is no gas. */
struct sp_gas_plane {
    int n[2];
    double z;       /* m, 3D: of the plane */
    char label[64]; /* "smoke (kg/m^3)" */
    sp_gas_map map;
    float range[2]; /* ends of the colours: they only widen from one frame to the next */
    bool ranged;
    float *values; /* kept from one frame to the next */
    size_t capacity;
};

/* The field of the frame that `look` asks for. The first time the plane must be all zero. */
spate_status sp_gas_plane_take(sp_gas_plane *plane, const sp_field_set *fields, const sp_look *look,
                               spate_error *error);
void sp_gas_plane_clear(sp_gas_plane *plane);

/* The names that sp_look.field may have for these fields, with ", " between. */
void sp_gas_field_names(const sp_field_set *fields, char names[256]);

#endif
