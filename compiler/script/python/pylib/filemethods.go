package pylib

import (
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

var fileTable = []vm.Row{
	vm.Def("read", fileRead, "size?", "/"),
	vm.Def("readline", fileReadline, "size?", "/"),
	vm.Def("readlines", fileReadlines, "hint?", "/"),
	vm.Def("write", fileWrite, "text", "/"),
	vm.Def("writelines", fileWritelines, "lines", "/"),
	vm.Def("seek", fileSeek, "offset", "whence?", "/"),
	vm.Def("tell", fileTell),
	vm.Def("readable", fileReadable),
	vm.Def("writable", fileWritable),
	vm.Def("isatty", fileIsatty),
	vm.Def("flush", fileFlush),
	vm.Def("close", fileClose),
	vm.Def("__enter__", fileEnter),
	vm.Def("__exit__", fileExit, "kind", "exc", "tb"),
	vm.Def("__iter__", fileIter),
	vm.Def("__next__", fileNext),
	vm.DefProperty("name", fileName, nil),
	vm.DefProperty("mode", fileMode, nil),
	vm.DefProperty("closed", fileClosed, nil),
	vm.DefProperty("encoding", fileEncoding, nil),
}

func fileRead(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
	if err := f.readable(); err != nil {
		return nil, err
	}
	rest := f.text[f.at:]
	if n, ok := vm.AsInt(vs[0]); ok && n >= 0 {
		rest = rest[:f.prefix(rest, int(min(n, int64(len(rest)))))]
	}
	f.at += len(rest)
	return f.value(rest), t.Tick(len(rest)/64 + 1)
}

func fileReadline(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
	limit := int64(-1)
	if n, ok := vm.AsInt(vs[0]); ok {
		limit = min(n, int64(len(f.text)))
	}
	s, err := f.line(t, int(limit))
	return f.value(s), err
}

func fileReadlines(t *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	if err := f.readable(); err != nil {
		return nil, err
	}
	lines, err := t.Collect(f)
	return vm.NewList(lines), err
}

func fileWrite(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
	n, err := f.write(t, vs[0])
	return int64(n), err
}

func fileWritelines(t *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
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
}

func fileSeek(_ *vm.Thread, f *file, vs []vm.Value) (vm.Value, error) {
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
}

func fileTell(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	return int64(f.at), nil
}

func fileReadable(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	return f.sink == nil, nil
}

func fileWritable(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	return f.sink != nil, nil
}

func fileIsatty(*vm.Thread, *file, []vm.Value) (vm.Value, error) {
	return false, nil
}

func fileFlush(*vm.Thread, *file, []vm.Value) (vm.Value, error) {
	return vm.None, nil
}

func fileClose(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	return vm.None, f.close()
}

func fileEnter(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	if f.closed {
		return nil, vm.ValueErrorf("I/O operation on closed file.")
	}
	return f, nil
}

func fileExit(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	return false, f.close()
}

func fileIter(_ *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) {
	return f, nil
}

func fileNext(t *vm.Thread, f *file, _ []vm.Value) (vm.Value, error) { return next(t, f) }

func fileName(f *file) vm.Value { return f.name }

func fileMode(f *file) vm.Value { return f.mode }

func fileClosed(f *file) vm.Value { return f.closed }

func fileEncoding(*file) vm.Value { return "utf-8" }

// files are the functions that os and pathlib need.
func (h *host) files(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_files")
	m.Define(
		vm.NewBuiltin("open", h.open),
		pathFunc("kind", h.fileKind),
		pathFunc("size", h.fileSize),
		pathFunc("list", h.listFiles),
		pathFunc("makedirs", h.makeDirs),
	)
	return m, nil
}

// pathFunc is a function of a path.
func pathFunc(name string, f func(t *vm.Thread, path string) (vm.Value, error)) *vm.Builtin {
	return vm.DefFunc(name, func(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
		path, err := pathName(t, vs[0])
		if err != nil {
			return nil, err
		}
		return f(t, path)
	}, "path")
}

func (h *host) fileKind(_ *vm.Thread, path string) (vm.Value, error) {
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
}

func (h *host) fileSize(_ *vm.Thread, path string) (vm.Value, error) {
	n, err := h.Files.Size(path)
	return n, pythonError(err)
}

func (h *host) listFiles(t *vm.Thread, path string) (vm.Value, error) {
	names, err := h.Files.List(path)
	if err != nil {
		return nil, pythonError(err)
	}
	list := make([]vm.Value, len(names))
	for i, n := range names {
		list[i] = n
	}
	return vm.NewList(list), t.Charge(int64(len(names)) * 64)
}

func (h *host) makeDirs(_ *vm.Thread, path string) (vm.Value, error) {
	return vm.None, pythonError(h.Files.MakeDir(path))
}
