#include "cases.h"
const struct test tests_of_captures[] = {{0}};
