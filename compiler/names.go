package compiler

import (
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler/image"
)

// nameAll gives symbols of a kind unique names: the one that they have where it is not empty, with a number behind
// where it is taken, otherwise the stem with a number.
func nameAll(symbols []image.Symbol, stem string) {
	next := map[string]*int{}              // by name that is taken: the number of the one that had it last
	first, numbered := len(symbols), false // the first that has a name; some name could be another with its number
	for i := range symbols {
		if name := symbols[i].Name; name != "" {
			first, numbered = min(first, i), numbered || strings.Contains(name, "#")
		}
	}
	var text numberer
	last, number := "", (*int)(nil) // what a loop makes has the same name again and again
	for i := first; i < len(symbols); i++ {
		stem := symbols[i].Name
		if stem == "" {
			continue
		}
		if stem != last {
			last, number = stem, next[stem]
		}
		if number == nil {
			number = new(int)
			*number, next[stem] = 1, number
			continue
		}
		w := stem
		for w == stem || numbered && next[w] != nil {
			*number++
			w = text.with(stem, "#", *number)
		}
		if symbols[i].Name = w; numbered {
			next[w] = new(int)
			*next[w] = 1
		}
	}
	for clash := true; clash; {
		clash = false
		for w := range next {
			clash = clash || strings.HasPrefix(w, stem)
		}
		if clash {
			stem += "_"
		}
	}
	for i := range symbols {
		if symbols[i].Name == "" {
			symbols[i].Name = text.with(stem, "", i)
		}
	}
}

// numberer makes names with numbers. A program may have as many variables as a vector elements, so they
// share a few long strings.
type numberer struct {
	text   *strings.Builder
	stem   string // of the last name
	number int
	name   []byte // it
}

func (t *numberer) with(stem, sign string, number int) string {
	const least, most = 64, 1 << 15 // bytes of a string
	if number == t.number+1 && number%10 != 0 && stem == t.stem {
		t.name[len(t.name)-1]++ // only the last digit is another
	} else {
		t.name = strconv.AppendInt(append(append(t.name[:0], stem...), sign...), int64(number), 10)
	}
	t.stem, t.number = stem, number
	if t.text == nil || t.text.Cap()-t.text.Len() < len(t.name) {
		room := least
		if t.text != nil {
			room = min(2*t.text.Cap(), most)
		}
		t.text = new(strings.Builder)
		t.text.Grow(max(room, len(t.name)))
	}
	from := t.text.Len()
	t.text.Write(t.name)
	return t.text.String()[from:]
}
