package sweep

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// place is elements of a variable in the data block.
type place struct {
	name   string // as it was asked for
	dtype  graph.DType
	shape  graph.Shape // of all; empty: a single element
	offset uint32
	count  int
}

func (p *place) size() int { return p.count * p.dtype.Size() }

var indexed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?)((?:\[[0-9, ]+\])+)$`)
})

// find looks a name up among the symbols of some kinds, the first kind before the others: a
// variable, or an element of an array as gains[2] and a[1,2].
func find(img *image.Image, name string, kinds ...image.Kind) (place, error) {
	look := func(name string) *image.Symbol {
		for _, kind := range kinds {
			if s, ok := img.Symbol(kind, name); ok {
				return s
			}
		}
		return nil
	}
	if s := look(name); s != nil {
		return place{name, s.DType, s.Shape, s.Offset, s.Len()}, nil
	}
	if m := indexed().FindStringSubmatch(name); m != nil {
		if s := look(m[1]); s != nil {
			return element(s, name, m[2])
		}
	}
	return place{}, unknown(img, name, kinds)
}

// element is one of a symbol, by its indices as text.
func element(s *image.Symbol, name, indices string) (place, error) {
	words := strings.FieldsFunc(indices, func(r rune) bool { return strings.ContainsRune("[], ", r) })
	if len(words) != len(s.Shape) {
		return place{}, &Error{fmt.Sprintf("%s: %s has the shape %v, so an element has %d indices, not %d", name, s.Name, s.Shape, len(s.Shape), len(words)),
			"for example: " + example(s)}
	}
	at := 0
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil || n >= s.Shape[i] {
			return place{}, &Error{fmt.Sprintf("%s: index %s is outside of the shape %v of %s", name, w, s.Shape, s.Name), "indices count from 0"}
		}
		at = at*s.Shape[i] + n
	}
	return place{name, s.DType, nil, s.Offset + uint32(at*s.DType.Size()), 1}, nil
}

// example is an element of an array, to show how it is named.
func example(s *image.Symbol) string {
	return s.Name + "[" + strings.TrimSuffix(strings.Repeat("0,", len(s.Shape)), ",") + "]"
}

// unknown says that there is no such name among some kinds, and which there are.
func unknown(img *image.Image, name string, kinds []image.Kind) error {
	const shown = 20
	var have []string
	for i := range img.Symbols {
		s := &img.Symbols[i]
		if !slices.Contains(kinds, s.Kind) || slices.Contains(have, s.Name) {
			continue
		}
		if len(have) == shown {
			have = append(have, "...")
			break
		}
		have = append(have, s.Name)
	}
	if _, computed := img.Symbol(image.Output, name); computed {
		return &Error{name + " is computed by the program, so it cannot be set", "what can be set: " + strings.Join(have, ", ")}
	}
	next := "it has " + strings.Join(have, ", ")
	if len(have) == 0 {
		next = "what is set must be a variable, made with cp.value(...) or cp.state(...)"
	}
	return &Error{fmt.Sprintf("the program has no variable %q", name), next}
}

// elementNames are the names of the elements of a place, in their order.
func (p *place) elementNames() []string {
	if len(p.shape) == 0 {
		return []string{p.name}
	}
	names := make([]string, 0, p.count)
	for i := range p.count {
		index := make([]string, len(p.shape))
		for k := len(p.shape) - 1; k >= 0; k-- {
			index[k] = strconv.Itoa(i % p.shape[k])
			i /= p.shape[k]
		}
		names = append(names, p.name+"["+strings.Join(index, ",")+"]")
	}
	return names
}
