// Package bind connects variables of programs to something before they are compiled: inputs
// to simulated channels, which are operations and states that become part of the program, so that
// they have the same bits on every target.
//
//	set := &bind.Set{ReadFile: bind.ReadFile}
//	err := set.Add("speed=sim:sine,freq=2Hz")
//	prog, err := compiler.Compile(g, outs, compiler.Options{Arch: arch, Rate: 1000, Bind: set})
package bind

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler"
)

// A Binding connects a variable of a program to a channel.
type Binding struct {
	Variable string // empty: all inputs that the channel can feed
	Channel  string // such as "sim:sine,freq=2Hz"
}

func (b Binding) String() string { return strings.TrimPrefix(b.Variable+"="+b.Channel, "=") }

// Parse reads "speed=sim:sine,freq=2Hz". Only a plant may stand without a variable.
func Parse(text string) (Binding, error) {
	if strings.HasPrefix(text, simulated+"plant=") {
		return Binding{Channel: text}, Check(text)
	}
	variable, channel, ok := strings.Cut(text, "=")
	if !ok || variable == "" || channel == "" || strings.HasPrefix(text, simulated) {
		return Binding{}, refuse("want VARIABLE=CHANNEL, such as speed=sim:sine,freq=2Hz; "+Forms(), "%q binds nothing", text)
	}
	return Binding{variable, channel}, Check(channel)
}

// Check reports what is wrong with a channel, as far as its text tells.
func Check(channel string) error {
	_, err := parseChannel(channel)
	return err
}

// Set is the bindings of programs, and where they find files. It implements compiler.Binder.
type Set struct {
	// ReadFile reads a table of numbers of at most limit bytes; nil: there are no files.
	ReadFile func(name string, limit int64) ([]byte, error)
	// Plant compiles the program of a plant, a script or a graph file; nil: there are no plants.
	Plant func(file string) (*compiler.Program, error)
	// Partly passes over bindings of variables that a program does not have. Unused tells them.
	Partly bool

	list []Binding
	used map[string]bool // by variable
	have []string        // inputs of the programs, for messages
}

var _ compiler.Binder = (*Set)(nil)

// Add adds a binding, which stands in front of an earlier one of the same variable.
func (s *Set) Add(text string) error {
	b, err := Parse(text)
	if err != nil {
		return err
	}
	s.Put(b)
	return nil
}

// Put adds a binding whose channel is checked.
func (s *Set) Put(b Binding) {
	at := slices.IndexFunc(s.list, func(o Binding) bool { return o.Variable == b.Variable && (b.Variable != "" || o == b) })
	if at >= 0 {
		s.list[at] = b
		return
	}
	s.list = append(s.list, b)
}

// Bindings are those of the set.
func (s *Set) Bindings() []Binding { return slices.Clone(s.list) }

// Empty tells whether the set binds nothing.
func (s *Set) Empty() bool { return s == nil || len(s.list) == 0 }

// Clone is a set with the same bindings, to which others can be added.
func (s *Set) Clone() *Set {
	if s == nil {
		return &Set{}
	}
	return &Set{ReadFile: s.ReadFile, Plant: s.Plant, Partly: s.Partly, list: slices.Clone(s.list), used: maps.Clone(s.used)}
}

// Unused is an error that names a variable that no program so far had.
func (s *Set) Unused() error {
	for _, b := range s.list {
		if !s.used[b.Variable] {
			return s.unknown(b.Variable)
		}
	}
	return nil
}

func (s *Set) unknown(variable string) error {
	slices.Sort(s.have)
	return refuse("its inputs are "+listOr(slices.Compact(s.have), "none that has a name"), "the program has no input %q", variable)
}

// Bind connects what the set has to a program.
func (s *Set) Bind(w *compiler.Wiring) error {
	j := &job{set: s, w: w, plants: map[string]*plant{}}
	for _, in := range w.Inputs() {
		s.have = append(s.have, in.Name)
	}
	if s.used == nil {
		s.used = map[string]bool{}
	}
	// Whoever names a variable comes before those that take what is left.
	order := slices.Clone(s.list)
	slices.SortStableFunc(order, func(a, b Binding) int { return cmp.Compare(cmp.Compare(b.Variable, ""), cmp.Compare(a.Variable, "")) })
	for _, b := range order {
		if err := j.bind(b); err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
	}
	return j.finishPlants()
}

// job is the work of one Bind.
type job struct {
	set    *Set
	w      *compiler.Wiring
	plants map[string]*plant
	task   int // of generators; 0: none is there
}

func (j *job) bind(b Binding) error {
	c, err := parseChannel(b.Channel)
	if err != nil {
		return err
	}
	if b.Variable == "" {
		j.set.used[""] = true
		return j.bindPlant(c)
	}
	in, ok := find(j.w.Inputs(), b.Variable)
	if !ok {
		return j.noInput(b.Variable)
	}
	j.set.used[b.Variable] = true
	return c.kind.feed(j, in, c)
}

// noInput is why a variable cannot be bound.
func (j *job) noInput(name string) error {
	if out, ok := find(j.w.Outputs(), name); ok && out.Name != "" {
		return refuse("feed an input with it, INPUT="+simulated+"loop="+name+", or give it to a plant: "+simulated+"plant=SCRIPT",
			"%q is an output of the program, and simulated channels feed inputs", name)
	}
	if j.set.Partly {
		return nil
	}
	return j.set.unknown(name)
}

func find(ports []compiler.Port, name string) (compiler.Port, bool) {
	i := slices.IndexFunc(ports, func(p compiler.Port) bool { return p.Name == name })
	if i < 0 {
		return compiler.Port{}, false
	}
	return ports[i], true
}

func names(ports []compiler.Port) []string {
	var list []string
	for _, p := range ports {
		if p.Name != "" {
			list = append(list, p.Name)
		}
	}
	return list
}

func listOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// Error is a binding that is refused, and what would fit.
type Error struct{ Message, hint string }

func (e *Error) Error() string { return e.Message }

// Hint is the next step.
func (e *Error) Hint() string { return e.hint }

func refuse(hint, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), hint}
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, refuse("check the name", "%v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = refuse("give fewer rows", "%s has more than %d bytes", name, limit)
	}
	return data, err
}

// stem is a file's name as part of the names of variables.
func stem(file string) string {
	base := filepath.Base(file)
	return strings.Map(func(r rune) rune {
		if r == '=' || r == '.' || r <= ' ' {
			return '_'
		}
		return r
	}, strings.TrimSuffix(base, filepath.Ext(base)))
}
