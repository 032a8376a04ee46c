/* cpu.h -- which instruction set this processor has, of those the simulation is compiled for. */
#ifndef SPATE_BASE_CPU_H
#define SPATE_BASE_CPU_H

typedef enum sp_cpu { SP_CPU_BASE, SP_CPU_V3, SP_CPU_V4 } sp_cpu;

/* The best one of this build that runs here; SPATE_CPU=base, v3 or v4 in the environment lowers it.
 */
sp_cpu sp_cpu_level(void);
const char *sp_cpu_name(sp_cpu cpu);

#endif
