// Package extent tells tests how much to try: one case of each class, which is what
// `make test` promises in minutes, or all of them (`make test-all`).
package extent

import "os"

// All reports whether the tests are to try everything: COPAFLASH_TEST_ALL is set.
func All() bool {
	return os.Getenv("COPAFLASH_TEST_ALL") != ""
}

// Of returns some for `make test`, and all for `make test-all`.
func Of[T any](some, all T) T {
	if All() {
		return all
	}
	return some
}
