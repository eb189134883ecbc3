package vm

import "strings"

// texts are the last long strings that were put together, each with room behind it: what is
// appended to one of them, as in a loop of s += line, is written there, so that the whole is
// not copied each time. Bytes that a string covers are never written again.
type texts struct {
	list [4]strings.Builder
	next int // is replaced next
}

// worthRoom is the length of strings below which a copy costs nothing.
const worthRoom = 256

// join is x + y.
func (s *texts) join(t *Thread, x, y string) (string, error) {
	n := len(x) + len(y)
	if len(x) < worthRoom {
		if err := t.Charge(int64(n)); err != nil {
			return "", err
		}
		return x + y, nil
	}
	b := s.of(x)
	grown := len(y)
	switch {
	case b == nil:
		grown = n
	case n > b.Cap():
		grown = n + n/4 // as append grows it
	}
	if err := t.Charge(int64(grown)); err != nil {
		return "", err
	}
	if b = s.of(x); b == nil { // as before, or forgotten meanwhile
		b = &s.list[s.next]
		s.next = (s.next + 1) % len(s.list)
		b.Reset()
		b.Grow(n)
		b.WriteString(x)
	}
	b.WriteString(y)
	return b.String(), nil
}

// of finds a string that ends where its room begins. Comparing it with itself is no work.
func (s *texts) of(x string) *strings.Builder {
	for i := range s.list {
		if b := &s.list[i]; b.Len() == len(x) && b.String() == x {
			return b
		}
	}
	return nil
}

// forget lets go of the strings, if there are any.
func (s *texts) forget() bool {
	any := false
	for i := range s.list {
		any = any || s.list[i].Len() > 0
		s.list[i].Reset()
	}
	return any
}
