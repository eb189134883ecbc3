package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/hil/target"
)

// settings are what a project or a user may fix in a file.
type settings struct {
	Port   string `json:"port,omitempty"`   // serial port of the board
	Baud   int    `json:"baud,omitempty"`   // its rate, bits per second
	Target string `json:"target,omitempty"` // as --target takes it
	// Bind has channels by the names of inputs, as --bind takes them.
	Bind map[string]string `json:"bind,omitempty"`
}

// Names of the settings files: one in the project, found from the working
// folder upwards, one in the user's configuration folder.
const (
	projectFile = "copaflash.json"
	userFile    = "copaflash/config.json"
)

func readSettings(path string) (settings, error) {
	var s settings
	data, err := readFile(path, maxSettings)
	if err != nil {
		return s, err
	}
	if s, err = parseSettings(data); err != nil {
		return s, &failure{Code: exitUsage, Message: fmt.Sprintf("%s: %v", path, err),
			Hint: `a settings file looks like {"port": "/dev/ttyACM0", "baud": 115200}`, File: path}
	}
	return s, nil
}

func parseSettings(data []byte) (s settings, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err = d.Decode(&s)
	if err == nil && d.More() {
		err = errors.New("something follows the settings")
	}
	for variable, channel := range s.Bind {
		if err == nil {
			if err = bind.Check(channel); err != nil {
				err = fmt.Errorf("bind: %s: %w", variable, err)
			}
		}
	}
	if err == nil && s.Baud < 0 {
		err = fmt.Errorf("baud %d: a rate must not be negative", s.Baud)
	}
	return s, err
}

// maxSettings bounds settings files, in bytes.
const maxSettings = 1 << 20

// loadSettings gives the settings in force below flags and environment: those
// of the project, then those of the user. A file that others may have put there
// is passed over, and passed names it: it could send programs to a place of theirs.
func loadSettings() (out settings, passed string, err error) {
	var paths []string
	if dir, err := os.Getwd(); err == nil {
		for {
			p := filepath.Join(dir, projectFile)
			if _, err := os.Stat(p); err == nil {
				if othersWrite(p) {
					passed = p
				} else {
					paths = append(paths, p)
					break
				}
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	if dir, err := os.UserConfigDir(); err == nil {
		paths = append(paths, filepath.Join(dir, userFile))
	}
	for _, p := range paths {
		s, err := readSettings(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return out, passed, err
		}
		out = out.over(s)
	}
	return out, passed, nil
}

// over fills what s leaves open from lower. A target and a port exclude each
// other, so the pair is taken together.
func (s settings) over(lower settings) settings {
	if s.Port == "" && s.Target == "" {
		s.Port, s.Target = lower.Port, lower.Target
	}
	if s.Baud == 0 {
		s.Baud = lower.Baud
	}
	if s.Bind == nil {
		s.Bind = lower.Bind
	}
	return s
}

// targetFlags are the flags that choose where to run.
type targetFlags struct {
	settings
	timeout time.Duration
	allow   []string
}

// addAllow adds --allow, for the commands that start loops on this machine.
func (f *targetFlags) addAllow(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.allow, "allow", nil, "with --target local: let the program use a driver of this machine, such as gpiochip0/17 or hwmon0/temp1=in; may be repeated (copaflash runner channels lists them)")
}

func (f *targetFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.Port, "port", "p", "", "serial port of the board, or auto for the only one with a board (or COPAFLASH_PORT; default: the only port that is known to be a board's)")
	c.Flags().IntVar(&f.Baud, "baud", 0, "baud rate for the board and its serial port, one of those that copaflash info lists (default 115200)")
	c.Flags().StringVarP(&f.Target, "target", "t", "", "local, local:sandbox, local:ARCH, user:ARCH, oracle, qemu:BOARD, tcp:HOST:PORT or unix:PATH (or COPAFLASH_TARGET)")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "how long to wait while the board is silent (default 5s, for the first answer 11s, for an emulator 30s)")
	c.MarkFlagsMutuallyExclusive("port", "target")
}

// place is where to run.
type place struct {
	name    string // of the target; empty: nothing says which
	baud    int
	timeout time.Duration
	warning string        // about the settings, for people
	limit   time.Duration // of each run; 0: the board's own
	allow   []string      // drivers of this machine that programs may use
	runner  bool          // whatever can have a runner has one: "local" is the sandbox
}

// limitFlag is --limit, for the commands that run programs.
func limitFlag(c *cobra.Command, p *time.Duration) {
	c.Flags().DurationVar(p, "limit", 0, "how long a run, or a tick of a loop, may take before it is stopped (default: the board's own limit, 10s at most; of a tick, four periods)")
}

// limited adds the limit of runs.
func (p place) limited(limit time.Duration) (place, error) {
	if limit < 0 || limit > math.MaxUint32*time.Microsecond || limit%time.Microsecond != 0 {
		return p, &failure{Code: exitUsage, Message: fmt.Sprintf("--limit %v: a run may take from 1us to %v, or 0 for the board's own limit", limit, math.MaxUint32*time.Microsecond)}
	}
	p.limit = limit
	return p, nil
}

// settle finds what names the target: flag, then environment, then settings files.
func (f *targetFlags) settle() (place, error) {
	if f.timeout < 0 {
		return place{}, &failure{Code: exitUsage, Message: "--timeout must not be negative"}
	}
	if f.Baud < 0 {
		return place{}, &failure{Code: exitUsage, Message: "--baud must not be negative"}
	}
	s := f.settings
	if s.Port == "" && s.Target == "" {
		s.Port, s.Target = os.Getenv("COPAFLASH_PORT"), os.Getenv("COPAFLASH_TARGET")
		if s.Port != "" && s.Target != "" {
			return place{}, &failure{Code: exitUsage, Message: "COPAFLASH_PORT and COPAFLASH_TARGET are both set", Hint: "unset one of them, or choose with --port or --target"}
		}
	}
	files, passed, err := loadSettings()
	if err != nil {
		return place{}, err
	}
	s = s.over(files)
	p := place{name: s.Port, baud: s.Baud, timeout: f.timeout}
	if passed != "" {
		p.warning = passed + " is passed over, since others can write to it or to its folder"
	}
	if s.Target != "" {
		p.name = target.Canonical(s.Target)
	}
	if p.allow = f.allow; len(f.allow) > 0 && p.name != target.LocalName && p.name != target.SandboxName {
		return place{}, &failure{Code: exitUsage, Message: "--allow is for --target local", Hint: "a runner that listens is started with it: copaflash runner run --allow " + f.allow[0]}
	}
	return p, nil
}
