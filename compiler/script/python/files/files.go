// Package files is what a script sees of the file system: regular files below its own
// folder, for reading, and below one other folder that the user names, for writing.
//
// Names are resolved by os.Root, so that neither `..` nor links lead out of a folder,
// also while somebody else moves things about. Devices, FIFOs and sockets are refused
// without being opened: reading one could block forever or change something.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Errors that callers tell apart, beside fs.ErrNotExist and fs.ErrExist.
var (
	ErrOutside    = errors.New("outside of the folder that scripts may use")
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("file too large")
	ErrNoOut      = errors.New("scripts write files only below the folder that --out names")
)

// Folder is the folder of a script and, for what it writes, another one. The zero
// Folder has neither.
type Folder struct {
	dir, out   string
	root, sink *os.Root // opened at first use
	written    map[string]bool
	left       int64 // bytes that may still be written
}

// maxWritten bounds what one run of a script writes, in bytes.
const maxWritten = 4 << 30

// New makes the Folder of a script in dir that writes below out; "" is none. Nothing
// is opened before it is used, and out is made when it is.
func New(dir, out string) *Folder {
	return &Folder{dir: dir, out: out, written: map[string]bool{}, left: maxWritten}
}

// Close gives the folders back.
func (f *Folder) Close() error {
	var errs []error
	for _, r := range []**os.Root{&f.root, &f.sink} {
		if *r != nil {
			errs = append(errs, (*r).Close())
			*r = nil
		}
	}
	return errors.Join(errs...)
}

// Read returns the contents of a file of at most limit bytes. What the script has
// written before under the same name comes first.
func (f *Folder) Read(name string, limit int64) ([]byte, error) {
	file, size, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size > limit {
		return nil, tooLarge(name, size, limit)
	}
	text := make([]byte, 0, size+1)
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := file.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if int64(len(text)) > limit { // it has grown since
			return nil, tooLarge(name, int64(len(text)), limit)
		}
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, wrap(name, err)
		}
	}
}

// Size returns the length of a file that Read would read.
func (f *Folder) Size(name string) (int64, error) {
	file, size, err := f.open(name)
	if err != nil {
		return 0, err
	}
	return size, wrap(name, file.Close())
}

// Stat tells what a name in the script's folder stands for; links are followed
// inside of the folder.
func (f *Folder) Stat(name string) (fs.FileInfo, error) {
	root, rel, err := f.find(name)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(rel)
	return info, wrap(name, err)
}

// List returns the names in a folder of the script, in order.
func (f *Folder) List(name string) ([]string, error) {
	root, rel, err := f.find(name)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(rel))
	if err != nil {
		return nil, wrap(name, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// Create opens a file below the output folder for writing. flags are os.O_TRUNC,
// os.O_APPEND and os.O_EXCL as for os.OpenFile.
func (f *Folder) Create(name string, flags int) (io.WriteCloser, error) {
	rel, err := f.outName(name)
	if err != nil {
		return nil, err
	}
	if err := regular(f.sink, rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wrap(name, err)
	}
	file, err := f.sink.OpenFile(rel, os.O_WRONLY|os.O_CREATE|nonblock|flags&(os.O_TRUNC|os.O_APPEND|os.O_EXCL), 0o644)
	if err != nil {
		return nil, wrap(name, err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, wrap(name, errors.Join(err, ErrNotRegular))
	}
	f.written[rel] = true
	return &sinkFile{File: file, folder: f, name: name}, nil
}

// MakeDir makes a folder, with those above it, below the output folder.
func (f *Folder) MakeDir(name string) error {
	rel, err := f.outName(name)
	if err != nil {
		return err
	}
	return wrap(name, f.sink.MkdirAll(rel, 0o755))
}

// sinkFile counts what is written.
type sinkFile struct {
	*os.File
	folder *Folder
	name   string
}

func (s *sinkFile) Write(p []byte) (int, error) {
	if int64(len(p)) > s.folder.left {
		return 0, fmt.Errorf("%s: the script has written %d MB, which is the limit: %w", s.name, maxWritten>>20, ErrTooLarge)
	}
	n, err := s.File.Write(p)
	s.folder.left -= int64(n)
	return n, err
}

// open opens a regular file for reading.
func (f *Folder) open(name string) (*os.File, int64, error) {
	root, rel, err := f.find(name)
	if err != nil {
		return nil, 0, err
	}
	if err := regular(root, rel); err != nil {
		return nil, 0, wrap(name, err)
	}
	file, err := root.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, 0, wrap(name, err)
	}
	info, err := file.Stat() // what lies there may be another file by now
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		file.Close()
		return nil, 0, wrap(name, err)
	}
	return file, info.Size(), nil
}

// regular fails unless name is a regular file.
func regular(root *os.Root, name string) error {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return ErrIsFolder
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return nil
}

// ErrIsFolder is ErrNotRegular for folders.
var ErrIsFolder = fmt.Errorf("a folder, %w", ErrNotRegular)

// find opens the folder that a file to be read lies in.
func (f *Folder) find(name string) (*os.Root, string, error) {
	if f.sink != nil {
		if rel, err := below(f.out, name); err == nil && (f.written[rel] || filepath.IsAbs(name)) {
			return f.sink, rel, nil
		}
	}
	if f.dir == "" {
		return nil, "", fmt.Errorf("%s: %w", name, ErrOutside)
	}
	rel, err := below(f.dir, name)
	if err != nil {
		return nil, "", err
	}
	if f.root == nil {
		if f.root, err = os.OpenRoot(f.dir); err != nil {
			return nil, "", wrap(name, err)
		}
	}
	return f.root, rel, nil
}

// outName opens the output folder.
func (f *Folder) outName(name string) (string, error) {
	if f.out == "" {
		return "", fmt.Errorf("%s: %w", name, ErrNoOut)
	}
	rel, err := below(f.out, name)
	if err != nil {
		return "", err
	}
	if f.sink == nil {
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return "", wrap(name, err)
		}
		if f.sink, err = os.OpenRoot(f.out); err != nil {
			return "", wrap(name, err)
		}
	}
	return rel, nil
}

// below returns name relative to dir. An absolute name may lie in dir, too.
func below(dir, name string) (string, error) {
	if strings.IndexByte(name, 0) >= 0 || name == "" {
		return "", fmt.Errorf("%q: %w", name, fs.ErrNotExist)
	}
	rel := filepath.FromSlash(name)
	if filepath.IsAbs(rel) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", wrap(name, err)
		}
		if rel, err = filepath.Rel(abs, rel); err != nil {
			return "", fmt.Errorf("%s: %w", name, ErrOutside)
		}
	}
	rel = filepath.Clean(rel)
	if !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s: %w", name, ErrOutside)
	}
	return rel, nil
}

func tooLarge(name string, size, limit int64) error {
	return fmt.Errorf("%s: %w: %d bytes, %d at most", name, ErrTooLarge, size, limit)
}

// wrap puts the name that the script used before an error, in place of that of the system call.
func wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		if strings.Contains(p.Err.Error(), "escapes") {
			return fmt.Errorf("%s: a link that leads out: %w", name, ErrOutside)
		}
		err = p.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
