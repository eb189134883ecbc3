package volume

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Below finds the FAT drives of the folder where the file system begins: "/", or one of a test. It needs no rights.
func Below(root string) []Drive {
	var drives []Drive
	labels := diskLabels(root)
	mounted := map[string]bool{}
	if f, err := os.Open(filepath.Join(root, "proc/self/mountinfo")); err == nil {
		defer f.Close()
		for _, d := range fatMounts(f) {
			d.Device = filepath.Join(root, d.Device)
			mounted[d.Device] = true
			d.Label, d.USB = labels[d.Device], usbOf(root, d.Device)
			drives = append(drives, d)
		}
	}
	for device, label := range labels {
		if usb := usbOf(root, device); !mounted[device] && usb != "" {
			drives = append(drives, Drive{Device: device, Label: label, USB: usb})
		}
	}
	return drives
}

// fatMounts reads the table of mounts, proc_pid_mountinfo(5): after a single dash come type and device.
func fatMounts(r io.Reader) []Drive {
	var found []Drive
	for s := bufio.NewScanner(r); s.Scan(); {
		before, after, ok := strings.Cut(s.Text(), " - ")
		fields, what := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(what) < 2 {
			continue
		}
		if folder := unescape(fields[4]); (what[0] == "vfat" || what[0] == "msdos") && folder != "/boot/efi" {
			found = append(found, Drive{Folder: folder, Device: unescape(what[1])})
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

// diskLabels are the labels of file systems by their device, as udev makes links of them: with \xNN for what a name cannot hold.
func diskLabels(root string) map[string]string {
	labels := map[string]string{}
	folder := filepath.Join(root, "dev/disk/by-label")
	entries, _ := os.ReadDir(folder) // no udev: no labels
	for _, e := range entries {
		to, err := os.Readlink(filepath.Join(folder, e.Name()))
		if err != nil {
			continue
		}
		labels[filepath.Join(root, "dev", filepath.Base(to))] = unescapeUdev(e.Name())
	}
	return labels
}

func unescapeUdev(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], `\x`) && i+3 < len(s) {
			if v, err := strconv.ParseUint(s[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// usbOf finds the USB device that a block device is a part of, the folder above it that has numbers.
func usbOf(root, device string) string {
	top, err := filepath.EvalSymlinks(filepath.Join(root, "sys"))
	if err != nil {
		return ""
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(root, "sys/class/block", filepath.Base(device)))
	if err != nil {
		return ""
	}
	for ; strings.HasPrefix(dir, top) && dir != top; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "idVendor")); err == nil {
			return dir
		}
	}
	return ""
}
