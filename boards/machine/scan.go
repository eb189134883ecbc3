package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Found is a driver that a machine has.
type Found struct {
	Name  string   `json:"name"`            // what --allow takes
	Kinds []string `json:"kinds"`           // of channels
	Title string   `json:"title,omitempty"` // what the device calls it, and its label
	Taken string   `json:"taken,omitempty"` // by whom
	File  string   `json:"file,omitempty"`  // that is opened
	Lacks string   `json:"lacks,omitempty"` // why this user cannot use it
}

// A class is files of sysfs that are drivers.
type class struct {
	word    string
	folders string         // glob below the root
	device  *regexp.Regexp // of a folder: its number
	file    *regexp.Regexp // in it: the input
	name    string         // in front of the number
	mode    int
}

var classes = sync.OnceValue(func() []class {
	return []class{
		{"iio", "sys/bus/iio/devices/iio:device*", regexp.MustCompile(`iio:device(\d+)$`), regexp.MustCompile(`^(in_.+)_raw$`), "iio", os.O_RDONLY},
		{"hwmon", "sys/class/hwmon/hwmon*", regexp.MustCompile(`hwmon(\d+)$`), regexp.MustCompile(`^((?:temp|fan|in|curr|power|humidity)\d+)_input$`), "hwmon", os.O_RDONLY},
		{"hwmon", "sys/class/hwmon/hwmon*", regexp.MustCompile(`hwmon(\d+)$`), regexp.MustCompile(`^(pwm\d+)$`), "hwmon", os.O_WRONLY},
	}
})

// Scan lists what a Linux machine has, in the order of kinds; root is in front of /sys and /dev.
func Scan(root string) ([]Found, error) {
	all, err := scanLines(root)
	if err != nil {
		return nil, err
	}
	for _, c := range classes() {
		folders, err := filepath.Glob(filepath.Join(root, c.folders))
		if err != nil {
			return nil, err
		}
		for _, folder := range folders {
			all = append(all, c.scan(folder)...)
		}
	}
	all = append(all, scanPWM(root)...)
	return append(all, scanCAN(root)...), nil
}

func (c *class) scan(folder string) []Found {
	m := c.device.FindStringSubmatch(folder)
	entries, err := os.ReadDir(folder)
	if m == nil || err != nil {
		return nil
	}
	device := line(filepath.Join(folder, "name"))
	var all []Found
	for _, e := range entries {
		f := c.file.FindStringSubmatch(e.Name())
		if f == nil {
			continue
		}
		d := &Driver{Word: c.word, In: true, Out: true, Properties: map[string]string{"input": f[1]}}
		kinds, _ := read(d)
		if len(kinds) == 0 {
			continue
		}
		file := filepath.Join(folder, e.Name())
		all = append(all, Found{
			Name: c.name + m[1] + "/" + f[1], Kinds: kinds, File: file, Lacks: lacks(file, c.mode),
			Title: strings.TrimSpace(device + " " + line(filepath.Join(folder, f[1]+"_label"))),
		})
	}
	return all
}

func scanPWM(root string) []Found {
	chips, _ := filepath.Glob(filepath.Join(root, "sys/class/pwm/pwmchip*"))
	var all []Found
	for _, chip := range chips {
		n := 0
		for _, digit := range line(filepath.Join(chip, "npwm")) {
			n = min(10*n+int(digit-'0'), most)
		}
		file := filepath.Join(chip, "export")
		for i := range n {
			all = append(all, Found{Name: filepath.Base(chip) + "/" + strconv.Itoa(i), Kinds: []string{"pwm"}, File: file, Lacks: lacks(file, os.O_WRONLY)})
		}
	}
	return all
}

// arphrdCAN is the type of CAN interfaces in sysfs, linux/if_arp.h.
const arphrdCAN = "280"

func scanCAN(root string) []Found {
	types, _ := filepath.Glob(filepath.Join(root, "sys/class/net/*/type"))
	var all []Found
	for _, file := range types {
		if line(file) != arphrdCAN {
			continue
		}
		folder := filepath.Dir(file)
		f := Found{Name: filepath.Base(folder) + "/ID", Kinds: []string{"signal", "age", "send"}, Title: "frames; ID is 123 or, extended, 12345678"}
		if state := line(filepath.Join(folder, "operstate")); state == "down" {
			f.Lacks = "the interface is down"
		}
		all = append(all, f)
	}
	return all
}

// line is the only line of a file, empty if there is none.
func line(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// lacks tells why a file cannot be opened.
func lacks(file string, mode int) string {
	f, err := os.OpenFile(file, mode, 0)
	switch {
	case err == nil:
		f.Close()
		return ""
	case errors.Is(err, fs.ErrPermission):
		return "no right to " + file
	}
	return err.Error()
}
