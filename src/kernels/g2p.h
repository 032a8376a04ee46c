/* g2p.h -- the block of cells in which the field that G2P reads is made (cpu/g2p_field.c): a tile
 * and HALO cells around it. */
#ifndef SPATE_KERNELS_G2P_H
#define SPATE_KERNELS_G2P_H

#include "dim.h"

#define HALO 2                 /* cells: one to smooth, one for differences */
#define SPAN (TILE + 2 * HALO) /* cells of a block along an axis */
#define BLOCK (SPAN * SPAN * LAST(SPAN))

#endif
