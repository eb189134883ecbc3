package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/copaflash/copaflash/hil/target"
)

// autoPort is the name that stands for the one port with a board.
const autoPort = "auto"

// resolve gives the target to use, whose name is one.
func (f *targetFlags) resolve(ctx context.Context, a *app) (place, error) {
	p, err := f.settle()
	if err != nil || p.name == "" {
		return p, err
	}
	if p.name == autoPort {
		p.name, err = a.findPort(ctx, true)
		return p, err
	}
	return p, target.Check(p.name)
}

// need resolves the target and, where nothing says which, takes the only board that there is. It never asks the user.
func (f *targetFlags) need(ctx context.Context, a *app) (place, error) {
	p, err := f.resolve(ctx, a)
	if err != nil || p.name != "" {
		return p, err
	}
	p.name, err = a.findPort(ctx, false)
	return p, err
}

// findPort finds the one port with a board. Only those are asked that tell by their USB identity that they are boards; with
// auto, which asks for it, also debug probes and serial adapters. To others nothing is ever sent.
func (a *app) findPort(ctx context.Context, auto bool) (string, error) {
	ports, err := a.desk.ports()
	if err != nil {
		return "", err
	}
	var may []*knownPort
	for i := range ports {
		if p := &ports[i]; len(p.Boards) > 0 || auto && p.candidate {
			may = append(may, p)
		}
	}
	if len(may) == 0 {
		return "", noBoard(ports, auto)
	}
	answered := may
	if len(may) > 1 {
		answered = nil
		a.desk.ask(ctx, may)
		for _, p := range may {
			if p.Answer.Error == nil {
				answered = append(answered, p)
			}
		}
	}
	switch len(answered) {
	case 0:
		return "", &failure{Code: exitNoDevice, Message: "no board answers: " + listPorts(may), Hint: "name one with --port, to wait longer; a board without a runner gets it by: copaflash flash BOARD"}
	case 1:
		if !a.ui.json {
			a.ui.note("using %s", answered[0])
		}
		return answered[0].Name, nil
	}
	return "", &failure{Code: exitUsage, Message: fmt.Sprintf("%d boards answer: %s", len(answered), listPorts(answered)), Hint: "name one with --port"}
}

func listPorts(ports []*knownPort) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.String()
	}
	return strings.Join(names, ", ")
}

// noBoard is the error where no port is known to be a board's. It names the ports that there are.
func noBoard(ports []knownPort, auto bool) error {
	f := &failure{Code: exitNoDevice, Message: "no board given",
		Hint: "name it with --port or COPAFLASH_PORT, with --target or COPAFLASH_TARGET, or emulate a board: copaflash emulate rpi3"}
	var there []*knownPort
	ask := false
	for i := range ports {
		if !ports[i].Phantom {
			there = append(there, &ports[i])
			ask = ask || ports[i].candidate
		}
	}
	switch {
	case len(there) == 0:
	case ask && !auto:
		f.Hint = "choose a port with --port: " + listPorts(there) + "; --port auto asks all that may lead to a board"
	default:
		f.Hint = "choose a port with --port: " + listPorts(there)
	}
	if auto {
		f.Message = "no port is known to lead to a board"
	}
	return f
}
