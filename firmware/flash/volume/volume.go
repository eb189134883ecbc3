// Package volume finds mounted cards and boot drives: it looks for folders that
// hold certain files, and touches no device.
package volume

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// UF2Info is the file by which the drive of a UF2 boot loader says what it is.
const UF2Info = "INFO_UF2.TXT"

// maxInfo bounds what is read of it.
const maxInfo = 4096 // bytes

// A Drive is a FAT file system that is there.
type Drive struct {
	Folder string // where it is mounted; empty: nowhere
	Device string // such as /dev/sdb; empty where the system does not tell
	Label  string // empty where the system does not tell
	USB    string // where the system describes the USB device (Linux: a folder of sysfs); else empty
}

// Folders are those of the drives that are mounted.
func Folders(drives []Drive) []string {
	var found []string
	for _, d := range drives {
		if d.Folder != "" {
			found = append(found, d.Folder)
		}
	}
	return found
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

// Text reads a short file of a drive; it is empty if there is none.
func Text(folder, name string) string {
	path := filepath.Join(folder, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxInfo))
	if err != nil {
		return ""
	}
	return string(text)
}

// BoardID returns what the boot drive in a folder says that it is, such as
// RPI-RP2; empty if the folder is no such drive.
func BoardID(folder string) string { return boardID(Text(folder, UF2Info)) }

// boardID reads the text of a boot drive.
func boardID(text string) string {
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		if id, ok := strings.CutPrefix(s.Text(), "Board-ID:"); ok {
			return strings.TrimSpace(id)
		}
	}
	return ""
}

// The drive of a debug probe says in these which board it is on: by the first four digits of the probe's identity. DAPLink has
// both (https://github.com/ARMmbed/DAPLink, USERS-GUIDE.md and the wiki's Board-IDs), an ST-Link the second one only.
var codeFiles = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"DETAILS.TXT": regexp.MustCompile(`(?im)^\s*Unique ID:\s*([0-9a-f]{4})`),
		"MBED.HTM":    regexp.MustCompile(`(?i)[?&]code=([0-9a-f]{4})`),
	}
})

// Code returns the four digits by which the drive of a debug probe tells the board, in upper case; empty if it tells none.
func Code(folder string) string {
	for _, name := range []string{"DETAILS.TXT", "MBED.HTM"} {
		if c := codeIn(name, Text(folder, name)); c != "" {
			return c
		}
	}
	return ""
}

// codeIn finds the code in the text of a file.
func codeIn(name, text string) string {
	if m := codeFiles()[name].FindStringSubmatch(text); m != nil {
		return strings.ToUpper(m[1])
	}
	return ""
}

// IsProbe tells the drive of a debug probe.
func IsProbe(folder string) bool {
	return len(With([]string{folder}, "DETAILS.TXT", "MBED.HTM")) > 0
}

// Failure is what a debug probe says of the last file that it was given; empty: nothing. ASSERT.TXT tells of an error of the
// probe itself.
func Failure(folder string) string {
	for _, name := range []string{"FAIL.TXT", "ASSERT.TXT"} {
		if text := strings.Join(strings.Fields(Text(folder, name)), " "); text != "" {
			return text
		}
	}
	return ""
}
