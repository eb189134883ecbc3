/* In the place of host/sys.h: system calls that a model of the kernel answers. */
#ifndef CF_HOST_SYS_H
#define CF_HOST_SYS_H

#include <asm/unistd.h>
#include <stdint.h>

long cf_sys6(long nr, long a, long b, long c, long d, long e, long f);

#define CF_NR_MMAP __NR_mmap
#define cf_sys0(nr) cf_sys6(nr, 0, 0, 0, 0, 0, 0)
#define cf_sys1(nr, a) cf_sys6(nr, (long)(a), 0, 0, 0, 0, 0)
#define cf_sys2(nr, a, b) cf_sys6(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define cf_sys3(nr, a, b, c) cf_sys6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define cf_sys4(nr, a, b, c, d) cf_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
