/* The chip's watchdog: platform.c has it started with a loop and fed. */
#ifndef CF_PLATFORM_WATCHDOG_H
#define CF_PLATFORM_WATCHDOG_H

#include <stdint.h>

/* After a start that is no reset of the chip: it may still run. */
void cf_watchdog_init(void);

/* With a loop: starts it, if the loop has one. */
void cf_watchdog_start(void);

/* The loop has ended. */
void cf_watchdog_stop(void);

/* By the link, as often as it is looked after: feeds it if a tick has ended since the last time, or no loop has it. */
void cf_watchdog_feed(void);

/* By the clock's interrupt: feeds one that no loop has, while the link waits for a program or sleeps. */
void cf_watchdog_keep(void);

#endif
