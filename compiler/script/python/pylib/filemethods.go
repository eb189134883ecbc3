package pylib

import (
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

type fileMethod struct {
	params []string
	fn     func(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error)
}

var fileMethods = map[string]fileMethod{
	"read": {[]string{"size?", "/"}, func(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
		if err := f.readable(); err != nil {
			return nil, err
		}
		rest := f.text[f.at:]
		if n, ok := vm.AsInt(vs[0]); ok && n >= 0 {
			rest = rest[:f.prefix(rest, int(min(n, int64(len(rest)))))]
		}
		f.at += len(rest)
		return f.value(rest), t.Tick(len(rest)/64 + 1)
	}},
	"readline": {[]string{"size?", "/"}, func(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
		limit := int64(-1)
		if n, ok := vm.AsInt(vs[0]); ok {
			limit = min(n, int64(len(f.text)))
		}
		s, err := f.line(t, int(limit))
		return f.value(s), err
	}},
	"readlines": {[]string{"hint?", "/"}, func(t *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
		if err := f.readable(); err != nil {
			return nil, err
		}
		lines, err := t.Collect(f)
		return vm.NewList(lines), err
	}},
	"write": {[]string{"text", "/"}, func(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
		n, err := f.write(t, vs[0])
		return int64(n), err
	}},
	"writelines": {[]string{"lines", "/"}, func(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
		it, err := t.Iter(vs[0])
		if err != nil {
			return nil, err
		}
		for {
			v, err := it.Next(t)
			if v == nil || err != nil {
				return vm.None, err
			}
			if _, err := f.write(t, v); err != nil {
				return nil, err
			}
		}
	}},
	"seek": {[]string{"offset", "whence?", "/"}, func(_ *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
		if err := f.readable(); err != nil {
			return nil, err
		}
		at, ok := vm.AsInt(vs[0])
		whence, _ := vm.AsInt(vs[1])
		switch whence {
		case 1:
			at += int64(f.at)
		case 2:
			at += int64(len(f.text))
		}
		if !ok || at < 0 {
			return nil, vm.ValueErrorf("negative seek position %d", at)
		}
		f.at = int(min(at, int64(len(f.text))))
		for !f.binary && f.at < len(f.text) && !utf8.RuneStart(f.text[f.at]) {
			f.at++
		}
		return int64(f.at), nil
	}},
	"tell":     {nil, func(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) { return int64(f.at), nil }},
	"readable": {nil, func(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) { return f.sink == nil, nil }},
	"writable": {nil, func(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) { return f.sink != nil, nil }},
	"isatty":   {nil, func(*vm.Thread, *file, []vm.Value) (vm.Value, error) { return false, nil }},
	"flush":    {nil, func(*vm.Thread, *file, []vm.Value) (vm.Value, error) { return vm.None, nil }},
	"close":    {nil, func(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) { return vm.None, f.close() }},
	"__enter__": {nil, func(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
		if f.closed {
			return nil, vm.ValueErrorf("I/O operation on closed file.")
		}
		return f, nil
	}},
	"__exit__": {[]string{"kind", "exc", "tb"}, func(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) { return false, f.close() }},
	"__iter__": {nil, func(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) { return f, nil }},
	"__next__": {nil, func(t *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
		v, err := f.Next(t)
		if v == nil && err == nil {
			err = vm.Raise(vm.StopIteration, "")
		}
		return v, err
	}},
}

func init() {
	for name, m := range fileMethods {
		fileClass.SetMethod(name, func(t *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
			vs, err := a.Bind(name, m.params...)
			if err != nil {
				return nil, err
			}
			return m.fn(t, self.(*file), vs)
		})
	}
	property := func(name string, get func(f *file) vm.Value) {
		fileClass.SetProperty(name, func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) { return get(self.(*file)), nil }, nil)
	}
	property("name", func(f *file) vm.Value { return f.name })
	property("mode", func(f *file) vm.Value { return f.mode })
	property("closed", func(f *file) vm.Value { return f.closed })
	property("encoding", func(*file) vm.Value { return "utf-8" })
}

// files are the functions that os and pathlib need.
func (h *host) files(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_files")
	named := func(name string, f func(t *vm.Thread, path string) (vm.Value, error)) {
		m.Func(name, func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			vs, err := a.Bind(name, "path")
			if err != nil {
				return nil, err
			}
			path, err := pathName(t, vs[0])
			if err != nil {
				return nil, err
			}
			return f(t, path)
		})
	}
	m.Func("open", h.open)
	named("kind", func(_ *vm.Thread, path string) (vm.Value, error) {
		info, err := h.Files.Stat(path)
		switch {
		case err != nil:
			return "", nil
		case info.IsDir():
			return "folder", nil
		case info.Mode().IsRegular():
			return "file", nil
		}
		return "other", nil
	})
	named("size", func(_ *vm.Thread, path string) (vm.Value, error) {
		n, err := h.Files.Size(path)
		return n, pythonError(err)
	})
	named("list", func(t *vm.Thread, path string) (vm.Value, error) {
		names, err := h.Files.List(path)
		if err != nil {
			return nil, pythonError(err)
		}
		list := make([]vm.Value, len(names))
		for i, n := range names {
			list[i] = n
		}
		return vm.NewList(list), t.Charge(int64(len(names)) * 64)
	})
	named("makedirs", func(_ *vm.Thread, path string) (vm.Value, error) { return vm.None, pythonError(h.Files.MakeDir(path)) })
	return m, nil
}
