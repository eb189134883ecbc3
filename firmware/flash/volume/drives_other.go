//go:build !linux

package volume

import (
	"path/filepath"
	"runtime"
)

// Below finds the drives: letters on Windows, /Volumes on macOS, where the folder has the name of the label. What there is
// beside their folders these systems do not tell without a device being opened.
func Below(string) []Drive {
	var drives []Drive
	if runtime.GOOS == "windows" {
		for d := 'A'; d <= 'Z'; d++ {
			drives = append(drives, Drive{Folder: string(d) + `:\`})
		}
		return drives
	}
	found, _ := filepath.Glob("/Volumes/*")
	for _, folder := range found {
		drives = append(drives, Drive{Folder: folder, Label: filepath.Base(folder)})
	}
	return drives
}
