// Package release says which release of the program this is. The runners of the same
// release tell it by HELLO (firmware/core/version.h).
package release

import "runtime/debug"

// Version is that of the program and of the runners that it carries.
const Version = "0.1.0"

// Commit returns the revision that the program was built from, and whether the tree had
// changes besides; empty where the build did not record it.
func Commit() (revision string, changed bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return revision, changed
}
