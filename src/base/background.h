/* background.h -- one thread for output, beside the pool of parallel.h (and in parallel.c, as all
 * threads): one job at a time, while the caller goes on. */
#ifndef SPATE_BASE_BACKGROUND_H
#define SPATE_BASE_BACKGROUND_H

typedef struct sp_background sp_background;

/* NULL without memory. Where no thread can be made, jobs run at once in the caller. */
sp_background *sp_background_create(void);
/* Waits for the job under way. NULL is fine. */
void sp_background_destroy(sp_background *background);

/* Waits for the job before, then starts this one. */
void sp_background_start(sp_background *background, void (*job)(void *args), void *args);
/* Until the last job is done; what it has written is then to be seen here. */
void sp_background_wait(sp_background *background);

#endif
