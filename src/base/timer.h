/* timer.h -- seconds from a clock that never goes back. */
#ifndef SPATE_BASE_TIMER_H
#define SPATE_BASE_TIMER_H

double sp_seconds(void);

#endif
