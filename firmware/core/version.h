/* Version of the runner, as HELLO tells it. */
#ifndef CF_VERSION_H
#define CF_VERSION_H

#define CF_FIRMWARE_VERSION "0.1.0"

#endif
