/* The services that runners lend, with those of them that the compiler's library has, each
 * for its core. */
#include "single.h"

#include "services/services.h"

#include "core/codes_gen.h"

typedef uint32_t service(uint32_t a, uint32_t b, uint32_t *data);

#define SERVICE(name, index)                                  \
    static uint32_t name(uint32_t a, uint32_t b) {            \
        uint32_t flags = 0;                                   \
        return ((service *)cf_services[index])(a, b, &flags); \
    }
#if !defined(__x86_64__) /* there the others only: the compiler's library has no routine for floats */
#define WITH_LIBRARY
SERVICE(add, CF_SERVICE_F32_ADD)
SERVICE(sub, CF_SERVICE_F32_SUB)
SERVICE(mul, CF_SERVICE_F32_MUL)
SERVICE(div, CF_SERVICE_F32_DIV)
SERVICE(from_int, CF_SERVICE_I32_TO_F32)
#endif
SERVICE(lt, CF_SERVICE_F32_LT)
SERVICE(le, CF_SERVICE_F32_LE)
SERVICE(eq, CF_SERVICE_F32_EQ)
SERVICE(to_int, CF_SERVICE_F32_TO_I32)
SERVICE(floordiv, CF_SERVICE_I32_FLOORDIV)
SERVICE(mod, CF_SERVICE_I32_MOD)

const struct single singles[] = {
#if defined(WITH_LIBRARY)
    {"add", 2, add, hardware_add},
    {"sub", 2, sub, hardware_sub},
    {"mul", 2, mul, hardware_mul},
    {"div", 2, div, hardware_div},
    {"from_int", 1, from_int, hardware_from_int},
#endif
    {"lt", 2, lt, hardware_lt},
    {"le", 2, le, hardware_le},
    {"eq", 2, eq, hardware_eq},
    {"floordiv", 2, floordiv, hardware_floordiv},
    {"mod", 2, mod, hardware_mod},
    {"to_int", 1, to_int, hardware_to_int},
    {0},
};
