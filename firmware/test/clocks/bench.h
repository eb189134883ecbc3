/*
 * What the models of clocks share. A model is a set of registers that refuses what the manual forbids; its main starts the chip by its own
 * chip.c, in every state that it may be in, and checks that the rates are those of the oscillators that run.
 */
#ifndef CF_TEST_CLOCKS_H
#define CF_TEST_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/board.h"
#include "platform/chip.h"
#include "test/check.h"

/* What the manual forbids ends the test. */
#define FORBID(condition)                                                                                              \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            fprintf(stderr, "%s:%d: the manual forbids: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A device that takes so many looks to get ready. */
#define LOOKS_TO_READY 5u

#endif
