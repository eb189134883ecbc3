#include "cases.h"
const struct test tests_of_live[] = {{0}};
