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
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/channels"
	"github.com/copaflash/copaflash/boards/chips"
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
	if !strings.HasPrefix(channel, simulated) {
		if _, err := channels.ParseBinding("x=" + channel); err != nil {
			return refuse("write CHANNEL, or CHANNEL:KIND,OPTION=VALUE; "+Forms(), "channel %q is not understood", channel)
		}
		return nil
	}
	_, err := parseChannel(channel)
	return err
}

// Set is the bindings of programs, and where they find files. It implements compiler.Binder.
type Set struct {
	// ReadFile reads a table of numbers of at most limit bytes; nil: there are no files.
	ReadFile func(name string, limit int64) ([]byte, error)
	// Plant compiles the program of a plant, a script or a graph file; nil: there are no plants.
	Plant func(file string) (*compiler.Program, error)
	// Board has the channels that variables can be bound to, and its runner uses them; nil: NoBoard says why.
	Board *boards.Board
	// NoBoard is why there are no pins here, for messages; empty: nothing that runs here has any.
	NoBoard string
	// Partly passes over bindings of variables that a program does not have. Unused tells them.
	Partly bool

	list []Binding
	over *Set // the one of less weight below it; nil: none
	seen *seen
}

// seen is what a set, and those made of it, know of the programs that were bound.
type seen struct {
	used   map[string]bool // by variable: a program had it
	inputs []string        // for messages
}

var _ compiler.Binder = (*Set)(nil)

// Add adds a binding, in the place of an earlier one of the same variable.
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
	s.list = slices.DeleteFunc(s.list, func(o Binding) bool { return o == b || b.Variable != "" && o.Variable == b.Variable })
	s.list = append(s.list, b)
}

// Drop removes the binding of a variable.
func (s *Set) Drop(variable string) {
	s.list = slices.DeleteFunc(s.list, func(o Binding) bool { return o.Variable == variable })
}

// Empty tells whether the set binds nothing, not even by the names of channels.
func (s *Set) Empty() bool {
	return s == nil || len(s.list) == 0 && s.Board == nil && s.over.Empty()
}

// On notes the board that programs run on, if the device knows it, or why it has no pins.
func (s *Set) On(dev any) {
	d, ok := dev.(interface {
		Pins() (*boards.Board, error)
	})
	if !ok {
		return
	}
	b, err := d.Pins()
	if err != nil {
		s.NoBoard = err.Error()
		return
	}
	s.Board = b
}

// Over is a set with the bindings of s and, of variables that it does not bind, those of another one. Each
// finds files where its own set does.
func (s *Set) Over(lower *Set) *Set {
	if s == nil || lower == nil {
		return cmp.Or(s, lower)
	}
	top := *s
	top.over, top.seen = s.over.Over(lower), s.noted()
	return &top
}

func (s *Set) noted() *seen {
	if s.seen == nil {
		s.seen = &seen{used: map[string]bool{}}
	}
	return s.seen
}

// Unused is an error that names a variable that no program so far had.
func (s *Set) Unused() error {
	n := s.noted()
	for _, b := range s.list {
		if n.used[b.Variable] {
			continue
		}
		if b.Variable == "" {
			return refuse("", "%s: there was no program to bind", b)
		}
		hint := ""
		if slices.Sort(n.inputs); len(n.inputs) > 0 {
			hint = "inputs are " + strings.Join(slices.Compact(n.inputs), ", ")
		}
		return refuse(hint, "no program has an input %q", b.Variable)
	}
	return nil
}

// Bind connects what the set has to a program.
func (s *Set) Bind(w *compiler.Wiring) error {
	j := &job{set: s, w: w, board: s.board(), plants: map[plantKey]*plant{}, devices: map[fileKey]*chips.Device{}, drivers: map[fileKey]*chips.Driver{}}
	var named, rest []bound // who names a variable comes before who takes what is left
	taken := map[string]bool{}
	for at := s; at != nil; at = at.over {
		at.noted().inputs = append(at.noted().inputs, names(w.Inputs())...)
		for _, b := range at.list {
			switch {
			case b.Variable == "":
				rest = append(rest, bound{b, at})
			case !taken[b.Variable]:
				named = append(named, bound{b, at})
				taken[b.Variable] = true
			default:
				at.noted().used[b.Variable] = true // another set has it in its stead
			}
		}
	}
	for _, b := range append(named, rest...) {
		if err := j.bind(b); err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
	}
	j.byName()
	if err := j.connect(); err != nil {
		return err
	}
	j.finishPlants()
	return nil
}

// board is the one of the first set that has one.
func (s *Set) board() *boards.Board {
	for at := s; at != nil; at = at.over {
		if at.Board != nil {
			return at.Board
		}
	}
	return nil
}

// noPins refuses a channel of a board where there is none.
func (s *Set) noPins(channel string) error {
	why := "programs here have no pins"
	for at := s; at != nil; at = at.over {
		if at.NoBoard != "" {
			why = at.NoBoard
		}
	}
	return refuse(Forms(), "%q is no simulated channel, and %s", channel, why)
}

// bound is a binding and the set that it is from.
type bound struct {
	Binding
	set *Set
}

// job is the work of one Bind.
type job struct {
	set    *Set
	board  *boards.Board // nil: there are no pins
	wired  wired
	w      *compiler.Wiring
	plants map[plantKey]*plant
	order  []plantKey // as they were named
	task   int        // of generators; 0: none is there

	devices map[fileKey]*chips.Device // of files
	drivers map[fileKey]*chips.Driver
}

// fileKey names the file of a device or a driver.
type fileKey struct {
	set  *Set
	file string
}

func (j *job) bind(b bound) error {
	if !strings.HasPrefix(b.Channel, simulated) {
		return j.onBoard(b)
	}
	c, err := parseChannel(b.Channel)
	if err != nil {
		return err
	}
	c.set = b.set
	if b.Variable == "" {
		b.set.noted().used[""] = true
		return j.bindPlant(c)
	}
	in, ok := find(j.w.Inputs(), b.Variable)
	if !ok {
		return j.noInput(b)
	}
	b.set.noted().used[b.Variable] = true
	return c.kind.feed(j, in, c)
}

// noInput is why a variable cannot be bound.
func (j *job) noInput(b bound) error {
	if out, ok := find(j.w.Outputs(), b.Variable); ok && out.Name != "" {
		return refuse("feed an input with it, INPUT="+simulated+"loop="+b.Variable+", or give it to a plant: "+simulated+"plant=SCRIPT",
			"%q is an output of the program, and simulated channels feed inputs", b.Variable)
	}
	if b.set.Partly {
		return nil
	}
	return refuse("its inputs are "+listOr(names(j.w.Inputs()), "none that has a name"), "the program has no input %q", b.Variable)
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

// refused is an error from elsewhere, with its own hint or another one.
func refused(err error, hint string) error {
	var own interface{ Hint() string }
	if errors.As(err, &own) {
		hint = own.Hint()
	}
	return &Error{err.Error(), hint}
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
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
