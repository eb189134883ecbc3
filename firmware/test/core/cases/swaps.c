#include "cases.h"
const struct test tests_of_swaps[] = {{0}};
