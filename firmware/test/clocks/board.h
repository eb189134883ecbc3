/* In front of a board.c for the host: no linker says where programs lie. */
#ifndef CF_TEST_BOARD_H
#define CF_TEST_BOARD_H

#include "platform/board.h"

#undef CF_LINKED_MEMORY
#define CF_LINKED_MEMORY .platform.samples = samples, .platform.live = live

#endif
