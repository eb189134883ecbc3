package bind

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/channels"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// pinTask is the task of what goes to the pins, in a program with tasks.
const pinTask = "pins"

// wired is the variables that are bound to channels of the board.
type wired struct {
	bindings []channels.Binding
	ins      []compiler.Port // by binding; of outputs without a name
	outs     []compiler.Port
}

// onBoard takes a binding to a channel of the board.
func (j *job) onBoard(b bound) error {
	if j.board == nil {
		return j.set.noPins(b.Channel)
	}
	c, err := channels.ParseBinding(b.Variable + "=" + b.Channel)
	if err != nil {
		return refuse("write CHANNEL, or CHANNEL:KIND,OPTION=VALUE", "%v", err)
	}
	if c.Device, err = fromFile(b, c.Kind, j.devices, chips.ParseDevice, "docs/channels.md describes files of devices"); err != nil {
		return err
	}
	if c.Driver, err = fromFile(b, c.Channel, j.drivers, chips.ParseDriver, "docs/own-drivers.md describes files of drivers"); err != nil {
		return err
	}
	in, isIn := find(j.w.Inputs(), b.Variable)
	out, isOut := find(j.w.Outputs(), b.Variable)
	switch {
	case isIn:
		c.Direction, out = chips.In, compiler.Port{}
		isOut = false
	case isOut:
		c.Direction = chips.Out
	case b.set.Partly:
		return nil
	default:
		return refuse("inputs are "+listOr(names(j.w.Inputs()), "none")+"; outputs are "+listOr(names(j.w.Outputs()), "none"),
			"the program has no input or output %q", b.Variable)
	}
	b.set.noted().used[b.Variable] = true
	j.wire(c, in, out)
	return nil
}

// fromFile is what the file describes that a part of a binding names, each read once; nil where it names none.
func fromFile[T any](b bound, text string, known map[fileKey]*T, parse func(string, []byte) (*T, error), hint string) (*T, error) {
	file := channels.DeviceFile(text)
	key := fileKey{b.set, file}
	if d := known[key]; d != nil || file == "" {
		return d, nil
	}
	if b.set.ReadFile == nil {
		return nil, refuse("name a channel or a device that is built in", "%s: no files can be read here", file)
	}
	content, err := b.set.ReadFile(file, chips.MaxDevice)
	if err != nil {
		return nil, refused(err, "check the name of the file")
	}
	d, err := parse(file, content)
	if err != nil {
		return nil, refuse(hint, "%v", err)
	}
	known[key] = d
	return d, nil
}

func (j *job) wire(c channels.Binding, in, out compiler.Port) {
	if safe := out.Meta.Safe; len(safe) > 0 {
		c.Safe = &safe[0]
	}
	j.wired.bindings = append(j.wired.bindings, c)
	j.wired.ins, j.wired.outs = append(j.wired.ins, in), append(j.wired.outs, out)
}

// byName binds inputs and outputs of the program that have the name of a channel and are bound to nothing.
func (j *job) byName() {
	if j.board == nil {
		return
	}
	bind := func(ports []compiler.Port, role graph.Role, d chips.Direction) {
		for _, p := range ports {
			named := slices.ContainsFunc(j.board.Channels, func(c boards.Channel) bool { return c.Name == p.Name || slices.Contains(c.Aliases, p.Name) })
			bound := slices.ContainsFunc(j.wired.bindings, func(b channels.Binding) bool { return b.Variable == p.Name })
			if p.Meta.Role != role || !named || bound {
				continue
			}
			c := channels.Binding{Variable: p.Name, Channel: p.Name, Direction: d}
			if d == chips.In {
				j.wire(c, p, compiler.Port{})
			} else {
				j.wire(c, compiler.Port{}, p)
			}
		}
	}
	bind(j.w.Inputs(), graph.RoleInput, chips.In)
	bind(j.w.Outputs(), graph.RoleOutput, chips.Out)
}

// connect makes the conversions of the channels, and has the lists put into the image.
func (j *job) connect() error {
	if len(j.wired.bindings) == 0 {
		return nil
	}
	plan, err := channels.Resolve(j.board, j.wired.bindings)
	if err != nil {
		return refuse("copaflash boards "+j.board.Name+" --channels lists them", "%v", err)
	}
	p := &pins{w: j.w, plan: plan, slots: map[string]graph.Value{}, outputs: map[string]int{}}
	for i := range plan.Bound {
		if b := &plan.Bound[i]; b.Direction == chips.In {
			err = p.input(b, j.wired.ins[i])
		}
		if err != nil {
			return err
		}
	}
	j.w.After(func() error { return p.outs(j) })
	j.w.Compiled(p.encode)
	return nil
}

// pins is the channels of a program.
type pins struct {
	w       *compiler.Wiring
	plan    *channels.Plan
	slots   map[string]graph.Value // of inputs
	outputs map[string]int         // slots of outputs: their index
}

// input makes an input of a channel's slots.
func (p *pins) input(b *channels.Bound, in compiler.Port) error {
	g := p.w.Graph
	if err := scalar(in); err != nil {
		return err
	}
	var all graph.Value
	for i, term := range b.Terms {
		slot, ok := p.slots[term.Slot]
		if !ok {
			slot = g.InputI32(term.Slot, 0)
			p.slots[term.Slot] = slot
		}
		v, err := p.convert(term.Steps, slot, term.Slot, 0)
		if err != nil {
			return err
		}
		if i > 0 {
			v = all.Or(v)
		}
		all = v
	}
	v, err := p.convert(b.Channel.Value, all, b.Variable, 0)
	if err != nil {
		return err
	}
	if v, err = as(in.DType, v, "the channel", fmt.Sprintf("%q", in.Name)); err != nil {
		return err
	}
	return p.w.Feed(in, v)
}

// outs makes the slots of the outputs.
func (p *pins) outs(j *job) error {
	task := 0
	if len(p.w.Tasks()) > 0 && slices.ContainsFunc(p.plan.Bound, func(b channels.Bound) bool { return b.Direction == chips.Out }) {
		task = p.w.AddTask(compiler.Task{Name: j.taskName(pinTask), Divisor: 1, Rate: p.w.Rate})
	}
	g := p.w.Graph
	g.SetTask(task)
	defer g.SetTask(0)
	words := map[string]graph.Value{}
	var order []string
	for i := range p.plan.Bound {
		b, out := &p.plan.Bound[i], j.wired.outs[i]
		if b.Direction != chips.Out {
			continue
		}
		if err := scalar(out); err != nil {
			return err
		}
		v, _ := p.w.Output(out)
		v, err := as(dtypes[b.Channel.Template.Type], v, fmt.Sprintf("%q", out.Name), "the channel")
		if err != nil {
			return err
		}
		if v, err = p.convert(b.Channel.Value, v, b.Variable, task); err != nil {
			return err
		}
		for _, term := range b.Terms {
			word, err := p.convert(term.Steps, v, term.Slot, task)
			if err != nil {
				return err
			}
			if before, ok := words[term.Slot]; ok {
				word = before.Or(word)
			} else {
				order = append(order, term.Slot)
			}
			words[term.Slot] = word
		}
	}
	for _, slot := range order {
		v := words[slot]
		if v.Op() == graph.OpState || v.Op() == graph.OpInput {
			v = v.Stop() // a place of its own
		}
		p.outputs[slot] = p.w.AddOutput(compiler.Output{Name: slot, Value: v, Task: task})
	}
	return g.Err()
}

func scalar(p compiler.Port) error {
	if len(p.Shape) > 0 {
		return refuse("bind numbers, each to a channel", "%q has shape %v: a channel is one number", p.Name, p.Shape)
	}
	return nil
}

var dtypes = map[conversion.Type]graph.DType{conversion.Bool: graph.Bool, conversion.I32: graph.I32, conversion.F32: graph.F32}

// as is a value in another type that has room for it; of f64 the nearest f32.
func as(d graph.DType, v graph.Value, from, to string) (graph.Value, error) {
	switch have := v.DType(); {
	case have == d:
		return v, nil
	case d == graph.I32 && have == graph.Bool:
		return v.ToI32(), nil
	case d == graph.F32:
		return v.ToF32(), nil
	case d == graph.F64:
		return v.ToF64(), nil
	default:
		return v, refuse("convert it in the program, as by a comparison or round(x)", "%s is %v, and %s %v", from, have, to, d)
	}
}

// encode puts the lists behind the code.
func (p *pins) encode(prog *compiler.Program) error {
	offsets := map[string]uint32{}
	for slot, v := range p.slots {
		s, ok := p.w.SymbolOf(prog, v)
		if !ok {
			return fmt.Errorf("slot %s has no place", slot)
		}
		offsets[slot] = s.Offset
	}
	for slot, at := range p.outputs {
		offsets[slot] = prog.Output(at).Offset
	}
	l := registers.Lists{Start: p.plan.Start, Before: p.plan.Before, After: p.plan.After, Safe: p.plan.Safe}
	lists, err := l.Encode(offsets)
	if err != nil {
		return err
	}
	room := 0
	if strings.HasPrefix(prog.Image.Arch.String(), "thumb") {
		room = l.Room()
	}
	if err := appendPins(prog.Image, lists, room); err != nil {
		return err
	}
	prog.AboutPins = p.plan.About
	prog.Report.CodeBytes, prog.Report.WireBytes = len(prog.Image.Code), prog.Image.WireBytes()
	return nil
}

// appendPins adds lists to an image, and room behind them.
func appendPins(m *image.Image, lists []byte, room int) error {
	if len(m.Code) == 0 {
		return errors.New("a program without code")
	}
	m.Code = slices.Clone(m.Code)
	for len(m.Code)%4 != 0 {
		m.Code = append(m.Code, 0)
	}
	m.Entries[0].Pins = uint32(len(m.Code))
	m.Code = append(m.Code, lists...)
	m.Code = append(m.Code, make([]byte, room)...)
	m.Version = max(m.Version, m.LeastFormat())
	return m.Validate()
}
