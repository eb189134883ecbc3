// Package volume finds mounted cards and boot drives: it looks for folders that
// hold certain files, and touches no device.
package volume

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// UF2Info is the file by which the drive of a UF2 boot loader says what it is.
const UF2Info = "INFO_UF2.TXT"

// maxInfo bounds what is read of it.
const maxInfo = 4096 // bytes

// Mounted returns the folders at which FAT file systems may be mounted.
func Mounted() []string {
	switch runtime.GOOS {
	case "linux":
		f, err := os.Open("/proc/self/mounts")
		if err != nil {
			return nil
		}
		defer f.Close()
		return fatMounts(f)
	case "windows":
		var drives []string
		for d := 'A'; d <= 'Z'; d++ {
			drives = append(drives, string(d)+`:\`)
		}
		return drives
	}
	found, _ := filepath.Glob("/Volumes/*")
	return found
}

// fatMounts reads the table of mounts in the form of fstab(5).
func fatMounts(r io.Reader) []string {
	var found []string
	for s := bufio.NewScanner(r); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) > 2 && (fields[2] == "vfat" || fields[2] == "msdos") && fields[1] != "/boot/efi" {
			found = append(found, unescape(fields[1]))
		}
	}
	return found
}

// unescape replaces \ooo, which the table has for blanks in names.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(v))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// With returns those of the folders that hold one of the files.
func With(folders []string, names ...string) []string {
	var found []string
	for _, folder := range folders {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				found = append(found, folder)
				break
			}
		}
	}
	return found
}

// BoardID returns what the boot drive in a folder says that it is, such as
// RPI-RP2; empty if the folder is no such drive.
func BoardID(folder string) string {
	path := filepath.Join(folder, UF2Info)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	return boardID(f)
}

// boardID reads the text of a boot drive.
func boardID(r io.Reader) string {
	for s := bufio.NewScanner(io.LimitReader(r, maxInfo)); s.Scan(); {
		if id, ok := strings.CutPrefix(s.Text(), "Board-ID:"); ok {
			return strings.TrimSpace(id)
		}
	}
	return ""
}
