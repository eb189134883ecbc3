package chips

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/firmware/chip"
)

// load reads every embedded chip once.
var load = sync.OnceValues(func() (map[string]*Chip, error) { return read(chip.Files) })

// Find returns the chip of that name, or nil: not every chip has channels.
func Find(name string) (*Chip, error) {
	all, err := load()
	return all[name], err
}

// All returns every chip with channels by its name.
func All() (map[string]*Chip, error) { return load() }

func read(fsys fs.FS) (map[string]*Chip, error) {
	files, err := fs.Glob(fsys, "*/chip.json")
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, file := range files {
		if texts[path.Dir(file)], err = fs.ReadFile(fsys, file); err != nil {
			return nil, err
		}
	}
	all := map[string]*Chip{}
	for name := range texts {
		c, err := Parse(name, texts)
		if err != nil {
			return nil, fmt.Errorf("firmware/chip/%s/chip.json: %w", name, err)
		}
		all[name] = c
	}
	return all, nil
}

// Parse decodes and checks the description of a chip, by its name, of the texts
// of all chips. Unknown fields are errors.
func Parse(name string, texts map[string][]byte) (*Chip, error) {
	text, err := flatten(name, texts, nil)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	c := &Chip{}
	if err := dec.Decode(c); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the chip")
	}
	if c.Name != name {
		return nil, fmt.Errorf("name %q differs from the folder's", c.Name)
	}
	return c, c.check()
}

// flatten follows "like" and applies the patches. seen are the chips on the way.
func flatten(name string, texts map[string][]byte, seen []string) ([]byte, error) {
	text, ok := texts[name]
	if !ok {
		return nil, fmt.Errorf("like: no chip %q", name)
	}
	if len(seen) > 4 {
		return nil, fmt.Errorf("like: %s: too many in a row", strings.Join(seen, ", "))
	}
	var head struct {
		Like string `json:"like"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	if head.Like == "" {
		return text, nil
	}
	base, err := flatten(head.Like, texts, append(seen, name))
	if err != nil {
		return nil, err
	}
	return mergePatch(base, text)
}

// mergePatch is RFC 7386.
func mergePatch(base, patch []byte) ([]byte, error) {
	var b, p any
	if err := errors.Join(json.Unmarshal(base, &b), json.Unmarshal(patch, &p)); err != nil {
		return nil, err
	}
	return json.Marshal(patched(b, p))
}

func patched(base, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	result, ok := base.(map[string]any)
	if !ok {
		result = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(result, name)
		} else {
			result[name] = patched(result[name], value)
		}
	}
	return result
}

var (
	upperName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Z][A-Z0-9_a-z]*$`)
	})
	lowerName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	})
)

// check looks at all that needs no parameters; a test expands every offer of every pin.
func (c *Chip) check() error {
	if c.Title == "" || c.Manual.Name == "" || c.Manual.Title == "" || c.Manual.Revision == "" {
		return errors.New("title, or name, title or revision of the manual, is missing")
	}
	for i := range c.Windows {
		if err := c.Windows[i].check(); err != nil {
			return fmt.Errorf("windows: %w", err)
		}
	}
	for _, name := range names(c.Types) {
		if err := c.Types[name].check(); err != nil {
			return fmt.Errorf("types.%s: %w", name, err)
		}
	}
	for _, name := range names(c.Blocks) {
		if err := c.checkBlock(name); err != nil {
			return fmt.Errorf("blocks.%s: %w", name, err)
		}
	}
	for _, name := range names(c.Values) {
		if !lowerName().MatchString(name) {
			return fmt.Errorf("values.%s: want a name that begins with a small letter", name)
		}
	}
	for _, name := range names(c.Kinds) {
		t := c.Kinds[name]
		if err := t.check(name); err != nil {
			return fmt.Errorf("kinds.%s: %w", name, err)
		}
	}
	for _, name := range names(c.Controllers) {
		if err := c.Controllers[name].check(); err != nil {
			return fmt.Errorf("controllers.%s: %w", name, err)
		}
	}
	for _, name := range names(c.Buses) {
		if err := c.checkBus(name); err != nil {
			return fmt.Errorf("buses.%s: %w", name, err)
		}
	}
	for _, name := range names(c.Pins) {
		for _, offer := range c.Pins[name].Offers {
			kind, _, _ := strings.Cut(offer, " ")
			if _, ok := c.Kinds[kind]; !ok {
				return fmt.Errorf("pins.%s: no kind %q; there are: %s", name, kind, strings.Join(names(c.Kinds), ", "))
			}
		}
	}
	return nil
}

func (l *Layout) check() error {
	if l.Section == "" {
		return errors.New("section is missing")
	}
	if l.Width == 0 {
		l.Width = 32
	}
	for _, name := range names(l.Registers) {
		r := l.Registers[name]
		if !upperName().MatchString(name) {
			return fmt.Errorf("%s: want a name that begins with a capital letter", name)
		}
		if r.Width == 0 {
			r.Width = l.Width
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (r *Register) check() error {
	if r.Width != 8 && r.Width != 16 && r.Width != 32 {
		return fmt.Errorf("width of %d bits: want 8, 16 or 32", r.Width)
	}
	if r.Stride == 0 {
		r.Stride = Hex(r.Width / 8)
	}
	if (r.Offset|r.Stride)%Hex(r.Width/8) != 0 {
		return fmt.Errorf("offset %#x or stride %#x is not aligned to %d bits", uint32(r.Offset), uint32(r.Stride), r.Width)
	}
	var err error
	r.fields, err = parseFields(r.Fields, r.Width)
	return err
}

// parseFields reads "EN 0, SEL 14:12".
func parseFields(text string, width registers.Width) (map[string]field, error) {
	fields := map[string]field{}
	if text == "" {
		return fields, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, place, _ := strings.Cut(strings.TrimSpace(part), " ")
		high, low, ranged := strings.Cut(place, ":")
		if !ranged {
			low = high
		}
		h, errHigh := strconv.ParseUint(high, 10, 5)
		l, errLow := strconv.ParseUint(low, 10, 5)
		_, twice := fields[name]
		if errHigh != nil || errLow != nil || h < l || h >= uint64(width) || twice || !upperName().MatchString(name) {
			return nil, fmt.Errorf("field %q: want a name of capital letters that is not there yet, and a bit or HIGH:LOW below %d", strings.TrimSpace(part), width)
		}
		fields[name] = field{shift: uint(l), bits: uint(h - l + 1)}
	}
	return fields, nil
}

func (c *Chip) checkBlock(name string) error {
	b := c.Blocks[name]
	layout, ok := c.Types[b.Type]
	if !ok || !upperName().MatchString(name) {
		return fmt.Errorf("want a name that begins with a capital letter, and a type: %s", strings.Join(names(c.Types), ", "))
	}
	for _, reg := range names(layout.Registers) {
		r := layout.Registers[reg]
		last := uint32(b.Base) + uint32(r.Offset) + max(r.Count, 1)*uint32(r.Stride) - uint32(r.Stride)
		if !c.Inside(r.Width, uint32(b.Base+r.Offset)) || !c.Inside(r.Width, last) {
			return fmt.Errorf("%s at %#x is in no window", reg, last)
		}
	}
	return nil
}
