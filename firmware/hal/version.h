/* Version of the runner, for people: HELLO shows it. What programs can rely on is the protocol version. */
#ifndef CF_VERSION_H
#define CF_VERSION_H

#define CF_FIRMWARE_VERSION "copaflash runner 0.1"

#endif
