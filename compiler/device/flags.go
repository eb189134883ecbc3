package device

import "github.com/copaflash/copaflash/compiler/graph"

// Flags are the sticky arithmetic flags of runs, the bits of [graph.Flags]: what had no
// result and was given one by rule.
type Flags uint32

// Names are those of the flags that are raised.
func (f Flags) Names() (names []string) {
	for _, row := range graph.Flags {
		if uint32(f)&row.Bit != 0 {
			names = append(names, row.Name)
		}
	}
	return names
}

// Texts say what happened, one for each flag that is raised.
func (f Flags) Texts() (texts []string) {
	for _, row := range graph.Flags {
		if uint32(f)&row.Bit != 0 {
			texts = append(texts, row.Text)
		}
	}
	return texts
}
