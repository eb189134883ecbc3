package pylib

import (
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

func orNil(v vm.Value) vm.Value {
	if v == vm.None {
		return nil
	}
	return v
}

func (h *host) json(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_json")
	m.Define(
		vm.DefFunc("loads", jsonLoads, "s", "fail", "object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant"),
		vm.DefFunc("dumps", jsonDumps, "obj", "skipkeys", "ascii", "nan", "indent", "comma", "colon", "default", "sort_keys"),
	)
	return m, nil
}

func jsonLoads(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	s, ok := vm.Unwrap(vs[0]).(string)
	if b, isBytes := vs[0].(vm.Bytes); isBytes {
		s, ok = string(b), true
	}
	if !ok {
		return nil, vm.TypeErrorf("the JSON object must be str, bytes or bytearray, not %s", vm.TypeName(vs[0]))
	}
	r := &jsonReader{t: t, s: s, fail: vs[1], hook: orNil(vs[2]), pairs: orNil(vs[3]), toFloat: orNil(vs[4]), toInt: orNil(vs[5]), toNum: orNil(vs[6])}
	if strings.HasPrefix(s, "\ufeff") {
		return nil, r.error("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
	}
	r.space()
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	if r.space(); r.i < len(r.s) {
		return nil, r.error("Extra data", r.i)
	}
	return v, nil
}

func jsonDumps(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	w := &jsonWriter{t: t, fallback: orNil(vs[7]), comma: vs[5].(string), colon: vs[6].(string)}
	w.skip, w.ascii, w.nan, w.sorted = vs[1] == true, vs[2] == true, vs[3] == true, vs[8] == true
	if s, ok := vs[4].(string); ok {
		w.indent, w.lines = s, true
	}
	if err := w.write(vs[0]); err != nil {
		return nil, err
	}
	return w.b.String(), nil
}
