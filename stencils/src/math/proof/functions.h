/* The swept one-argument functions: X(name, mirror), mirror being what -x does:
 * ODD, EVEN or NONE. */
X(sin, ODD)
X(cos, EVEN)
X(tan, ODD)
X(asin, ODD)
X(acos, NONE)
X(atan, ODD)
X(exp, NONE)
X(log, NONE)
X(sqrt, NONE)
