package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
	"github.com/copaflash/copaflash/compiler/sweep"
	"github.com/copaflash/copaflash/compiler/sweep/cluster"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/hil/soak"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/live"
	"github.com/copaflash/copaflash/protocol/transport"
)

// exitCode tells programs what went wrong.
type exitCode int

const (
	exitOK           exitCode = 0
	exitFailed       exitCode = 1
	exitUsage        exitCode = 2 // usage or script error
	exitNoDevice     exitCode = 3
	exitBusy         exitCode = 4
	exitTransport    exitCode = 5 // transport or timeout
	exitIncompatible exitCode = 6
	exitVerify       exitCode = 7
	exitFault        exitCode = 8 // program fault on the target
	exitBudget       exitCode = 9 // timing budget missed
)

// failure is an error as the user sees it.
type failure struct {
	Code    exitCode `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Came    string   `json:"-"` // how far a command came before it was interrupted
	Report  string   `json:"-"` // longer form for people, such as a traceback
}

func (f *failure) Error() string { return f.Message }

// classify finds the exit code, the position and the next step for an error.
func classify(err error) *failure {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	f := &failure{Code: codeOf(err), Message: err.Error(), Hint: hintOf(err)}
	var script *vm.Error
	if errors.As(err, &script) {
		f.placeScript(script, err)
	}
	return f
}

// interrupted is what became of a command that a signal ended: whatever failed then
// failed for that reason. A script is named with the line that it had come to.
func (f *failure) interrupted() *failure {
	i := &failure{Code: exitFailed, Message: "interrupted", File: f.File, Line: f.Line, Column: f.Column}
	if f.Came != "" {
		i.Message += " " + f.Came
	}
	if f.Line > 0 {
		i.Message = fmt.Sprintf("interrupted in %s, line %d", f.File, f.Line)
	}
	return i
}

// placeScript adds where in a script the error arose. An error of the target
// that a script ran into keeps its own exit code.
func (f *failure) placeScript(e *vm.Error, err error) {
	f.File, f.Line, f.Column = e.File, e.Line, e.Column
	f.Message = e.Kind + ": " + e.Message
	if e.Message == "" {
		f.Message = e.Kind
	}
	if e.Hint != "" {
		f.Hint = e.Hint
	}
	f.Report = e.Report()
	if f.Code == exitFailed {
		f.Code = exitUsage
	}
}

// hinted is an error that knows the next step.
type hinted interface{ Hint() string }

func hintOf(err error) string {
	var h hinted
	if errors.As(err, &h) {
		return h.Hint()
	}
	for _, c := range hints {
		if errors.Is(err, c.err) {
			return c.hint
		}
	}
	return ""
}

// hints are the next steps for errors that carry none.
var hints = []struct {
	err  error
	hint string
}{
	{transport.ErrNoDevice, "see what is connected: copaflash ports"},
	{transport.ErrBusy, "close the program that uses the port, such as a terminal, and try again; several copaflash commands use a board together over: copaflash share"},
	{transport.ErrPermission, "join the group that owns the port (often dialout) and log in again"},
	{device.ErrTicking, "change the running program with copaflash set or swap, or end its loop with copaflash stop"},
	{device.ErrPinsInLoops, "start its loop: give --rate or --period, and no number of runs"},
	{target.ErrStartPins, "copaflash stop, then copaflash start"},
	{device.ErrNoPins, "name the board with --port, or feed inputs by simulated channels: --bind INPUT=sim:sine"},
	{device.ErrNoRate, "give the rate: --rate 1kHz, or --period 1ms"},
	{transport.ErrHangup, "check the cable and the board's power, then try again"},
	{target.ErrNotEmulated, "copaflash boards shows what QEMU emulates; a board of this kind is reached with --port"},
	{target.ErrNoRunner, "run scripts and graph files there; for images, read and write give a board or --target local"},
	{target.ErrUnknown, "targets are local, local:sandbox, local:ARCH, user:ARCH, oracle, qemu:BOARD, tcp:HOST:PORT, unix:PATH and serial ports; see copaflash boards"},
	{share.ErrReadOnly, "who holds the port lets others change things with: copaflash share --tune"},
	{share.ErrTaken, "other commands find that share by themselves; end it with Ctrl-C where it runs to share anew"},
	{share.ErrSeveral, "name one with --port or --target"},
	{share.ErrChanged, "run the command again: it finds the new program's variables"},
	{share.ErrFolder, "make it a folder that only you can use: chmod 700, or remove it if it is not yours"},
	{fs.ErrPermission, "choose a place that you may write to, or ask the owner of this one"},
	{syscall.EROFS, "choose a place that can be written to"},
	{syscall.ENOSPC, "make room there, or choose another place"},
	{local.ErrUnsupported, "use --target local for scripts and graph files, or --target qemu:BOARD, --port or --target oracle"},
}

// codeTable maps errors that are values to exit codes; codeOf handles the types.
var codeTable = []struct {
	err  error
	code exitCode
}{
	{transport.ErrNoDevice, exitNoDevice},
	{transport.ErrPermission, exitNoDevice},
	{transport.ErrBusy, exitBusy},
	{session.ErrTaken, exitBusy},
	{share.ErrTaken, exitBusy},
	{share.ErrReadOnly, exitUsage},
	{share.ErrSeveral, exitUsage},
	{device.ErrTicking, exitBusy},
	{session.TickingError{}, exitBusy},
	{device.ErrNoRate, exitUsage},
	{device.ErrNoPins, exitIncompatible},
	{target.ErrStartPins, exitUsage},
	{device.ErrPinsInLoops, exitUsage},
	{transport.ErrHangup, exitTransport},
	{transport.ErrClosed, exitTransport},
	{local.ErrUnsupported, exitIncompatible},
	{target.ErrUnknown, exitUsage},
	{target.ErrNoRunner, exitUsage},
	{target.ErrNotEmulated, exitUsage},
	{target.ErrNoEmulatedWatchdog, exitUsage},
	{fs.ErrNotExist, exitUsage},
	{context.DeadlineExceeded, exitTransport},
	{os.ErrDeadlineExceeded, exitTransport},
}

func codeOf(err error) exitCode {
	var (
		timeout *session.TimeoutError
		version *session.VersionError
		arch    *session.ArchError
		size    *session.SizeError
		remote  *session.RemoteError
		fault   *session.FaultError
		restart *session.RestartError
		baud    *session.BaudError
		rate    *session.RateError
		limit   *session.LimitError
		answer  *session.AnswerError
		missing *emulator.MissingError
		doubles *compiler.NoDoubles
		wrong   *sweep.Error
		load    *device.OversubscribedError
		noLoop  *session.NoLoopError
		feature *session.FeatureError
		beside  *session.BesideError
		room    *live.RoomError
		ended   *session.EndedError
		dog     *session.WatchdogError
		servers *cluster.Error
		length  *soak.LengthError
		pins    *session.PinsError
		noStore *session.NoStoreError
		slot    *session.StoreSizeError
		unit    *session.StoreUnitError
	)
	switch {
	case errors.As(err, &fault), errors.As(err, &pins) && pins.Vain:
		return exitFault
	case errors.As(err, &version), errors.As(err, &arch), errors.As(err, &size), errors.As(err, &doubles), errors.As(err, &answer),
		errors.As(err, &noLoop), errors.As(err, &feature), errors.As(err, &beside), errors.As(err, &room), errors.As(err, &pins),
		errors.As(err, &noStore), errors.As(err, &slot), errors.As(err, &unit):
		return exitIncompatible
	case isBinding(err), errors.As(err, &rate), errors.As(err, &limit), errors.As(err, &wrong), errors.As(err, &load), errors.As(err, &length), errors.As(err, &dog):
		return exitUsage
	case errors.As(err, &ended) && loopEnds[ended.End.String()].code != exitOK:
		return loopEnds[ended.End.String()].code
	case errors.As(err, &remote):
		return remoteCode(remote.Status)
	case errors.As(err, &timeout) && timeout.Others > 0:
		return exitBusy
	case errors.As(err, &timeout), errors.As(err, &restart), errors.As(err, &baud), errors.As(err, &servers):
		return exitTransport
	case errors.As(err, &missing):
		return exitNoDevice
	}
	for _, c := range codeTable {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return exitFailed
}

func remoteCode(s packet.Status) exitCode {
	switch s {
	case packet.StatusWrongArch, packet.StatusMissingFeature, packet.StatusBadVersion, packet.StatusNoMemory, packet.StatusUnsupported:
		return exitIncompatible
	case packet.StatusDigestMismatch, packet.StatusIncomplete, packet.StatusBadPatch, packet.StatusNotStored:
		return exitVerify
	case packet.StatusFault, packet.StatusTimeLimit:
		return exitFault
	case packet.StatusBusy:
		return exitBusy
	case packet.StatusSilence:
		return exitTransport
	}
	return exitFailed
}
