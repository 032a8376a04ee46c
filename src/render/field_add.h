/* field_add.h -- inside field.c: particles leave their volume at the nodes of a field. */
#ifndef SPATE_RENDER_FIELD_ADD_H
#define SPATE_RENDER_FIELD_ADD_H

#include "field.h"

typedef struct sp_field_order {
    const sp_field *field;
    const sp_preview *preview;
    uint32_t *particles; /* by slab */
    size_t *first;       /* per slab, and the end */
    size_t slabs;
    int axis;     /* along which the slabs lie */
    float scale;  /* nodes per cell */
    float amount; /* of a particle, in node cubes */
} sp_field_order;

spate_status sp_field_order_create(sp_field_order *order, const sp_field *field,
                                   const sp_preview *preview, spate_error *error);
void sp_field_order_destroy(sp_field_order *order);

/* Adds `weight` (NULL: 1) times what each particle stands for to `value`, and that times its speed
 * (1 = fast) to `speed`, which may be NULL. */
void sp_field_add(const sp_field_order *order, const float *weight, float *value, float *speed);

#endif
