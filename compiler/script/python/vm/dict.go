package vm

import (
	"iter"
	"math"
	"math/big"
)

// Dict is a mapping that keeps the order of insertion. Keys that compare
// equal are the same key: 1, 1.0 and True.
type Dict struct {
	entries []entry
	simple  map[any]int32    // index of keys whose equality Go's own maps give
	hashed  map[uint64][]int // indices of the others by hash
	live    int
	iterID  int // changes with every change of the set of keys
}

type entry struct{ key, value Value } // key nil: deleted

// NewDict makes an empty dict.
func NewDict() *Dict { return &Dict{} }

// Len returns the number of keys.
func (d *Dict) Len() int { return d.live }

// All iterates over keys and values in order.
func (d *Dict) All() iter.Seq2[Value, Value] {
	return func(yield func(k, v Value) bool) {
		for i := 0; i < len(d.entries); i++ {
			if e := d.entries[i]; e.key != nil && !yield(e.key, e.value) {
				return
			}
		}
	}
}

// Keys returns the keys in order.
func (d *Dict) Keys() []Value {
	keys := make([]Value, 0, d.live)
	for k := range d.All() {
		keys = append(keys, k)
	}
	return keys
}

type (
	bigKey string
	nanKey struct{}
)

// simpleKey returns a Go map key with the equality of v, if there is one.
func simpleKey(v Value) (key any, ok bool) {
	switch v := v.(type) {
	case string, int64, Bytes, *NoneType, *Function, *Builtin, *Method, *Class, *Module, *EllipsisType:
		return v, true
	case bool:
		i, _ := AsInt(v)
		return i, true
	case float64:
		switch {
		case math.IsNaN(v):
			return nanKey{}, true
		case v == math.Floor(v) && math.Abs(v) < 1<<62:
			return int64(v), true
		case v == math.Floor(v) && !math.IsInf(v, 0):
			i, _ := big.NewFloat(v).Int(nil)
			return bigKey(i.String()), true
		}
		return v, true
	case *big.Int:
		return bigKey(v.String()), true
	case *Instance:
		if v.native == nil && v.class.defines("__eq__") == nil && v.class.defines("__hash__") == nil {
			return v, true
		}
		if v.class.defines("__eq__") != nil || v.class.defines("__hash__") != nil {
			break
		}
		switch n := v.native.(type) {
		case *excData:
			return v, true
		case int64, string, float64, *big.Int, Bytes, bool:
			return simpleKey(n)
		}
	case Keyed:
		return v.Key(), true
	}
	return nil, false
}

// find returns the index of a key's entry or -1, and where to add it.
func (d *Dict) find(t *Thread, k Value) (index int, key any, hash uint64, err error) {
	if key, ok := simpleKey(k); ok {
		if i, ok := d.simple[key]; ok {
			return int(i), key, 0, nil
		}
		return -1, key, 0, nil
	}
	hash, err = t.Hash(k)
	if err != nil {
		return -1, nil, 0, err
	}
	for _, i := range d.hashed[hash] {
		if i >= len(d.entries) || d.entries[i].key == nil {
			continue
		}
		eq, err := t.Equal(d.entries[i].key, k)
		if err != nil {
			return -1, nil, 0, err
		}
		if eq {
			return i, nil, hash, nil
		}
	}
	return -1, nil, hash, nil
}

// Get returns the value of a key, or nil.
func (d *Dict) Get(t *Thread, k Value) (Value, error) {
	i, _, _, err := d.find(t, k)
	if err != nil || i < 0 {
		return nil, err
	}
	return d.entries[i].value, nil
}

// entryBytes is what an entry of a dict or set is charged with.
// beside its slot: its place in the index, and a boxed key and value.
const entryBytes = 72

// slotBytes is a place in the list of entries.
const slotBytes = 32

// Set assigns a key.
func (d *Dict) Set(t *Thread, k, v Value) error {
	i, key, hash, err := d.find(t, k)
	if err != nil {
		return err
	}
	if i >= 0 {
		d.entries[i].value = v
		return nil
	}
	if len(d.entries) >= math.MaxInt32 {
		return t.outOfMemory()
	}
	bytes := int64(entryBytes)
	if n := len(d.entries); n == cap(d.entries) { // both places are there while it is copied
		room := max(4, n+n/2)
		bytes += int64(room) * slotBytes
		if err := t.Charge(bytes); err != nil {
			return err
		}
		d.entries = append(make([]entry, 0, room), d.entries...)
	} else if err := t.Charge(bytes); err != nil {
		return err
	}
	d.add(key, hash, k, v)
	return nil
}

func (d *Dict) add(key any, hash uint64, k, v Value) {
	i := len(d.entries)
	d.entries = append(d.entries, entry{k, v})
	if key != nil {
		if d.simple == nil {
			d.simple = map[any]int32{}
		}
		d.simple[key] = int32(i)
	} else {
		if d.hashed == nil {
			d.hashed = map[uint64][]int{}
		}
		d.hashed[hash] = append(d.hashed[hash], i)
	}
	d.live++
	d.iterID++
}

// setString assigns a string key, which cannot fail.
func (d *Dict) setString(k string, v Value) {
	if i, ok := d.simple[k]; ok {
		d.entries[i].value = v
		return
	}
	d.add(k, 0, k, v)
}

// SetString assigns a string key.
func (d *Dict) SetString(k string, v Value) { d.setString(k, v) }

// Delete removes a key and returns its value, or nil if it was absent.
func (d *Dict) Delete(t *Thread, k Value) (Value, error) {
	i, key, hash, err := d.find(t, k)
	if err != nil || i < 0 {
		return nil, err
	}
	v := d.entries[i].value
	d.entries[i] = entry{}
	if key != nil {
		delete(d.simple, key)
	} else {
		list := d.hashed[hash]
		for j, x := range list {
			if x == i {
				d.hashed[hash] = append(list[:j:j], list[j+1:]...)
				break
			}
		}
		if len(d.hashed[hash]) == 0 {
			delete(d.hashed, hash)
		}
	}
	d.live--
	d.iterID++
	if d.live == 0 {
		*d = Dict{iterID: d.iterID}
	} else if i == len(d.entries)-1 {
		for n := len(d.entries); n > 0 && d.entries[n-1].key == nil; n-- {
			d.entries = d.entries[:n-1]
		}
	} else if len(d.entries) > 32 && d.live < len(d.entries)/2 {
		d.compact()
	}
	return v, nil
}

// compact removes the gaps that deletions left.
func (d *Dict) compact() {
	moved := make([]int, len(d.entries))
	kept := make([]entry, 0, d.live)
	for i, e := range d.entries {
		moved[i] = len(kept)
		if e.key != nil {
			kept = append(kept, e)
		}
	}
	d.entries = kept
	for k, i := range d.simple {
		d.simple[k] = int32(moved[i])
	}
	for _, list := range d.hashed {
		for j, i := range list {
			list[j] = moved[i]
		}
	}
}

// Clear removes all keys.
func (d *Dict) Clear() { *d = Dict{iterID: d.iterID + 1} }

func (t *Thread) copyDict(d *Dict) (*Dict, error) {
	c := NewDict()
	return c, t.dictMerge(c, d)
}

func (t *Thread) dictMerge(d, other *Dict) error {
	for k, v := range other.All() {
		if err := t.Tick(1); err != nil {
			return err
		}
		if err := d.Set(t, k, v); err != nil {
			return err
		}
	}
	return nil
}

func (t *Thread) dictEqual(x, y *Dict) (bool, error) {
	if x.live != y.live {
		return false, nil
	}
	if err := t.enter(); err != nil {
		return false, err
	}
	defer t.leave()
	for k, v := range x.All() {
		w, err := y.Get(t, k)
		if err != nil || w == nil {
			return false, err
		}
		if eq, err := t.Equal(v, w); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}
