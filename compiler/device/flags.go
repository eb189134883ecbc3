package device

import "github.com/copaflash/copaflash/compiler/graph"

// Flags are the sticky arithmetic flags of runs: bits that say what had no result and was
// given one by rule (graph.FlagDivide and its kin).
type Flags uint32

var flags = []struct {
	bit        uint32
	name, text string
}{
	{graph.FlagDivide, "divide", "an integer was divided by zero, or the smallest one by -1: the result was 0, or the number itself"},
	{graph.FlagShift, "shift", "a shift count was negative: the result was 0"},
}

// Names are those of the flags that are raised.
func (f Flags) Names() (names []string) {
	for _, row := range flags {
		if uint32(f)&row.bit != 0 {
			names = append(names, row.name)
		}
	}
	return names
}

// Texts say what happened, one for each flag that is raised.
func (f Flags) Texts() (texts []string) {
	for _, row := range flags {
		if uint32(f)&row.bit != 0 {
			texts = append(texts, row.text)
		}
	}
	return texts
}
