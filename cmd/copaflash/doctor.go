package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/stencils"
)

// check is one thing that doctor looks at.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

func doctorCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what works on this machine, and say how to install what is missing",
		Long: `Check the compiler's libraries, the local target, the serial ports and QEMU.
Nothing is changed. The exit code is 0 even if optional parts are missing;
it is 1 if the program itself is broken.`,
		Example: "  copaflash doctor\n  copaflash doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			broken := checkLibraries()
			checks := append(broken, checkLocal(c.Context()), checkPorts())
			checks = append(checks, checkQEMU()...)
			var err error
			for _, k := range broken {
				if !k.OK {
					err = &failure{Code: exitFailed, Message: k.Name + ": " + k.Detail, Hint: "build or download copaflash again"}
				}
			}
			if a.ui.json {
				if err != nil {
					return err
				}
				return a.ui.doc(struct {
					document
					Checks []check `json:"checks"`
				}{okDocument("doctor"), checks})
			}
			for _, k := range checks {
				mark := "ok      "
				if !k.OK {
					mark = "missing "
				}
				a.ui.out("%s%-22s %s\n", mark, k.Name, k.Detail)
				if k.Hint != "" {
					a.ui.out("        %-22s %s\n", "", k.Hint)
				}
			}
			return err
		},
	}
}

// checkLibraries decodes what is embedded.
func checkLibraries() []check {
	var out []check
	for _, arch := range stencils.Archs() {
		k := check{Name: "stencils " + arch, OK: true}
		if lib, err := stencils.Load(arch); err != nil {
			k.OK, k.Detail = false, err.Error()
		} else {
			k.Detail = fmt.Sprintf("%s, %s", plural(len(lib.Stencils()), "stencil"), plural(len(lib.Kernels()), "kernel"))
		}
		out = append(out, k)
	}
	return out
}

func checkLocal(ctx context.Context) check {
	k := check{Name: "local target"}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	dev, err := target.Open(ctx, target.LocalName, target.Options{})
	if err != nil {
		k.Detail, k.Hint = err.Error(), hintOf(err)
		return k
	}
	defer dev.Close()
	runner, how := runsIn(dev)
	k.OK, k.Detail = true, dev.Arch()
	if runner != nil {
		k.Detail += ", " + runner.Hello().Firmware
	}
	k.Detail += ", in " + how.name
	return k
}

func checkPorts() check {
	k := check{Name: "serial ports"}
	ports, err := transport.Ports()
	if err != nil {
		k.Detail = err.Error()
		return k
	}
	k.OK = len(ports) > 0
	k.Detail = plural(len(ports), "port")
	if !k.OK {
		k.Hint = "plug in a board; on Linux its driver shows up in dmesg"
	}
	return k
}

// checkQEMU looks for each emulator that a board names.
func checkQEMU() []check {
	all, err := boards.All()
	if err != nil {
		return []check{{Name: "boards", Detail: err.Error()}}
	}
	var out []check
	seen := map[[2]string]bool{}
	for _, b := range all {
		if b.QEMU == nil {
			continue
		}
		key := [2]string{b.QEMU.Binary, b.QEMU.Least}
		if seen[key] {
			continue
		}
		seen[key] = true
		k := check{Name: b.QEMU.Binary}
		if b.QEMU.Least != "" {
			k.Name += " " + b.QEMU.Least
		}
		if path, err := emulator.Find(b.QEMU); err == nil {
			k.OK, k.Detail = true, path
		} else {
			k.Detail, k.Hint = "not installed; needed to emulate boards", err.Error()
		}
		out = append(out, k)
	}
	return out
}
