// Package sdcard puts a runner's files on the boot partition of a Raspberry Pi's
// card, or into any other folder. It writes files and never devices, each file
// whole or not at all, and leaves other files there alone.
package sdcard

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Mode says what to do about a config.txt that others have written.
type Mode string

// The modes.
const (
	Refuse  Mode = ""        // change nothing and say so
	Merge   Mode = "merge"   // add a section of ours at the end, where it prevails
	Replace Mode = "replace" // keep theirs as a backup
	Keep    Mode = "keep"    // write the other files only
)

// Modes lists what a user may ask for.
var Modes = []Mode{Merge, Replace, Keep}

// BackupSuffix is added to the name of a file of others before it is changed.
const BackupSuffix = ".before-copaflash"

// A Card is what is to be on the card.
type Card struct {
	Files  []File
	Config File     // settings, lines of text; no name: none
	Needs  []string // files of the maker that have to be there, too
}

// A File is one file of ours.
type File struct {
	Name string
	Data []byte
}

// A Result says what was done, by names.
type Result struct {
	Written, Unchanged []string
	Kept               []string // left as others had it
	Backup             string   // empty: none was made
	Missing            []string // of Card.Needs
}

// A ForeignError says that a file of others is in the way.
type ForeignError struct{ Path string }

func (e *ForeignError) Error() string { return e.Path + " is there and was not written by copaflash" }

// Hint says what to do next.
func (e *ForeignError) Hint() string {
	return "choose with --config: merge (a section at the end, with a backup), replace (with a backup) or keep"
}

// A FolderError says that the place to write to is no folder.
type FolderError struct {
	Path   string
	Device bool
}

func (e *FolderError) Error() string {
	if e.Device {
		return e.Path + " is a device; copaflash writes files and never a device"
	}
	return e.Path + " is not a folder"
}

// Hint says what to do next.
func (e *FolderError) Hint() string {
	return "mount the card's first partition (FAT) and name that folder, or make a folder and copy its content later"
}

// Write puts a card's files into a folder. Where it refuses, nothing was written.
func Write(folder string, c Card, m Mode) (*Result, error) {
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, &FolderError{folder, err == nil && info.Mode()&fs.ModeDevice != 0}
	}
	if err != nil {
		return nil, err
	}
	r := &Result{}
	files := c.Files
	if c.Config.Name != "" {
		text, err := r.settings(folder, c.Config, m)
		if err != nil {
			return nil, err
		}
		if text != nil {
			// Last, so that the card boots what it did until the rest is there.
			files = append(files[:len(files):len(files)], File{c.Config.Name, text})
		}
	}
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		if same(path, f.Data) {
			r.Unchanged = append(r.Unchanged, f.Name)
			continue
		}
		if err := replace(path, f.Data); err != nil {
			return nil, err
		}
		r.Written = append(r.Written, f.Name)
	}
	for _, name := range c.Needs {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			r.Missing = append(r.Missing, name)
		}
	}
	return r, nil
}

// settings returns what the file of settings is to hold, nil to leave it alone,
// and makes the backup of what others wrote.
func (r *Result) settings(folder string, ours File, m Mode) ([]byte, error) {
	path := filepath.Join(folder, ours.Name)
	old, err := readText(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	theirs, merged, err := split(old)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	foreign := len(bytes.TrimSpace(theirs)) > 0
	switch {
	case !foreign:
		return section(ours.Data), nil
	case m == Keep:
		r.Kept = append(r.Kept, ours.Name)
		return nil, nil
	case m == Refuse && !merged:
		return nil, &ForeignError{path}
	}
	if !merged {
		// The first state is the one to go back to: a later one never replaces it.
		if _, err := os.Stat(path + BackupSuffix); errors.Is(err, fs.ErrNotExist) {
			if err := replace(path+BackupSuffix, old); err != nil {
				return nil, err
			}
			r.Backup = ours.Name + BackupSuffix
		}
	}
	if m == Replace {
		return section(ours.Data), nil
	}
	if !bytes.HasSuffix(theirs, []byte("\n")) {
		theirs = append(theirs[:len(theirs):len(theirs)], '\n')
	}
	return append(theirs[:len(theirs):len(theirs)], section(ours.Data)...), nil
}

// maxText bounds files of settings, in bytes; those of the makers have some kilobytes.
const maxText = 1 << 20

// readText reads a file of settings: any folder may be named, and anything be in it.
func readText(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > maxText:
		return nil, fmt.Errorf("%s is too long for settings: %d bytes", path, info.Size())
	}
	return os.ReadFile(path)
}

// same reports whether a file holds just this.
func same(path string, data []byte) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	old, err := os.ReadFile(path)
	return err == nil && bytes.Equal(old, data)
}

// Comments around the settings of ours.
const (
	sectionBegin = "# copaflash: begin\n"
	sectionEnd   = "# copaflash: end\n"
)

// section is the text with its marks. [all] ends a filter, such as [pi4], that
// lines before may have set; of two settings of a name the last one counts.
func section(text []byte) []byte {
	return []byte(sectionBegin + "[all]\n" + string(text) + sectionEnd)
}

// split takes our sections out of a file, and says if there was one. More than one is
// there where somebody has copied it: the last one would count.
func split(text []byte) (theirs []byte, found bool, err error) {
	for from := 0; ; found = true {
		begin, behind := lineOf(text, sectionBegin, from)
		if begin < 0 {
			return append(theirs, text[from:]...), found, nil
		}
		end, behind := lineOf(text, sectionEnd, behind)
		if end < 0 {
			return nil, false, fmt.Errorf("%q without %q: remove the lines between them", sectionBegin[:len(sectionBegin)-1], sectionEnd[:len(sectionEnd)-1])
		}
		theirs = append(theirs, text[from:begin]...)
		from = behind
	}
}

// lineOf finds a line from an offset on, which may end as on Windows, or with the
// text; -1 if it is not there.
func lineOf(text []byte, line string, from int) (begin, behind int) {
	for begin = from; begin < len(text); begin = behind {
		behind = len(text)
		if n := bytes.IndexByte(text[begin:], '\n'); n >= 0 {
			behind = begin + n + 1
		}
		if string(bytes.TrimRight(text[begin:behind], "\r\n"))+"\n" == line {
			return begin, behind
		}
	}
	return -1, len(text)
}

// replace writes a file under another name, has it stored, gives it its name and
// reads it back.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".copaflash-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone after the rename
	_, err = f.Write(data)
	_ = f.Chmod(0o644) // FAT has no such bits, and may say so
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	// Not every system can sync a folder; the file itself is stored.
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync()
		d.Close()
	}
	back, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(back, data) {
		err = fmt.Errorf("%s: reads back differently: is the card worn or full?", path)
	}
	return err
}
