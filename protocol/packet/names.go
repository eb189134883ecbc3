package packet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Archs lists every architecture, in order of the codes.
func Archs() []Arch { return slices.Sorted(maps.Keys(archInfo)) }

// Services lists every service of runners, in order of their numbers, from 0 on.
func Services() []Service { return slices.Sorted(maps.Keys(serviceInfo)) }

// ParseArch finds an architecture by name.
func ParseArch(name string) (Arch, error) {
	for a, i := range archInfo {
		if i.name == name {
			return a, nil
		}
	}
	return 0, fmt.Errorf("unknown architecture %q", name)
}

// ParseFeature finds a feature by name.
func ParseFeature(name string) (Features, error) {
	for f, i := range featuresInfo {
		if i.name == name {
			return f, nil
		}
	}
	return 0, fmt.Errorf("unknown feature %q", name)
}

// Names lists the names of the features set, in order of their bits. Bits that
// messages.cddl does not name are left out.
func (f Features) Names() []string {
	var names []string
	for _, bit := range slices.Sorted(maps.Keys(featuresInfo)) {
		if f&bit != 0 {
			names = append(names, featuresInfo[bit].name)
		}
	}
	return names
}

// String lists the names of the features set, separated by commas; bits that
// messages.cddl does not name follow by number.
func (f Features) String() string {
	names := f.Names()
	for bit := range 64 {
		if v := Features(1) << bit; f&v != 0 && featuresInfo[v].name == "" {
			names = append(names, fmt.Sprintf("feature%d", bit))
		}
	}
	return strings.Join(names, ",")
}
