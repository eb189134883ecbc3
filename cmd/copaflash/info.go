package main

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
)

func infoCommand(a *app) *cobra.Command {
	var flags targetFlags
	c := &cobra.Command{
		Use:   "info",
		Short: "Show the board at the other end: memory, link, state",
		Example: `  copaflash info --port /dev/ttyACM0
  copaflash info --target local --json`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		at, err := flags.need(c.Context(), a)
		if err != nil {
			return err
		}
		dev, err := a.open(c.Context(), at)
		if err != nil {
			return err
		}
		defer dev.Close()
		d := targetDocument{document: okDocument("info"), Target: dev.Name(), Board: dev.Board(), Arch: dev.Arch(),
			Features: dev.Features().String()}
		rows := [][]string{
			{"target", d.Target},
			{"board", cmp.Or(d.Board, "none: programs are evaluated, and no code is run")},
			{"architecture", d.Arch},
			{"features", cmp.Or(d.Features, "none")},
		}
		runner, how := runsIn(dev)
		if d.RunsIn = how.name; how.name != "" {
			rows = append(rows, []string{"programs", how.text})
		}
		if runner != nil {
			status, err := runner.Status(c.Context())
			if err != nil {
				return err
			}
			h := runner.Hello()
			d.runnerInfo = describeRunner(h, status)
			// Behind the version the runner for Linux tells what rights it has.
			if version, _, _ := strings.Cut(h.Firmware, "; "); version != runnerOfThis && !a.ui.json {
				a.ui.note("warning: the runner is %s, this program has %s; put it on the board with: copaflash flash", version, runnerOfThis)
			}
			rows = append(rows, runnerRows(h, status)...)
			if h.LoopFeatures&packet.LoopStore != 0 {
				if d.Store, err = lookStore(c.Context(), runner.Session()); err != nil {
					return err
				}
				rows = append(rows, []string{"stored", d.Store.line()}, []string{"at the start", d.Store.atStart()})
			}
		}
		if a.ui.json {
			return a.ui.doc(d)
		}
		return a.ui.table(rows)
	}
	flags.add(c)
	return c
}

// manner is where programs run that are for this machine, in documents and for people.
type manner struct{ name, text string }

// runsIn tells how a target of this machine runs programs, and finds the runner of a target, if it has one.
func runsIn(dev target.Target) (*target.Runner, manner) {
	switch dev := dev.(type) {
	case *target.InProcess:
		runner, err := dev.Sandbox()
		if err != nil {
			return nil, manner{"process", "run inside copaflash; image files do not run: " + err.Error()}
		}
		return runner, manner{"process", "run inside copaflash; image files and long runs in the sandbox, whose runner this is:"}
	case *target.Runner:
		kind, _, _ := strings.Cut(dev.Name(), ":")
		sandboxed := manner{"sandbox", "run in a sandboxed process"}
		switch {
		case dev.Instead() != nil:
			sandboxed.text += ", since they cannot run inside copaflash: " + dev.Instead().Error()
		case kind != target.LocalName:
			return dev, manner{}
		}
		return dev, sandboxed
	}
	return nil, manner{}
}

// runnerRows is what people are told of a runner.
func runnerRows(h *packet.HelloResponse, status *packet.StatusResponse) [][]string {
	rows := [][]string{
		{"firmware", h.Firmware},
		{"protocol", fmt.Sprint(h.Version)},
		{"memory", fmt.Sprintf("code %s, data %s", bytesText(uint64(h.CodeCapacity)), bytesText(uint64(h.DataCapacity)))},
		{"link", fmt.Sprintf("packets up to %d B, window %d B", h.MaxPacket, h.Window)},
		{"timer", fmt.Sprintf("%d Hz, keeps %d run times", h.TimerHz, h.SampleCapacity)},
		{"loops", loopsText(h)},
		{"state", status.State.String()},
	}
	for _, text := range conditionTexts(h) {
		rows = append(rows, []string{"mind", text})
	}
	if len(status.Digest) > 0 {
		rows = append(rows, []string{"program", hex.EncodeToString(status.Digest)[:16]})
	}
	if f := status.Fault; f != nil {
		rows = append(rows, []string{"last fault", fmt.Sprintf("%s at pc 0x%x, address 0x%x", f.Kind, f.PC, f.Address)})
	}
	k := status.Counters
	return append(rows, []string{"frames", fmt.Sprintf("%d good, %d bad CRC, %d malformed, %d bytes lost, %d repeated",
		k.FramesOK, k.CRCErrors, k.FramingErrors, k.Overruns, k.Duplicates)})
}

// conditions are what a runner may tell before it is trusted, or its times are: the name in documents, and what that means.
var conditions = []struct {
	bit        packet.Conditions
	name, text string
}{
	{packet.ConditionUnconfined, "unconfined", "the chip has no memory protection: a program that goes astray can overwrite the runner and use devices"},
	{packet.ConditionInternalClock, "internal_clock", "the board's oscillator did not start: times are by one in the chip, which may be 1 % and more off"},
	{packet.ConditionThrottled, "throttled", "the processor is slowed down now, for heat or low voltage: times are not those of its usual rate"},
	{packet.ConditionWasThrottled, "was_throttled", "the processor has been slowed down since the board was started"},
	{packet.ConditionLowVoltage, "low_voltage", "the supply voltage is too low now"},
	{packet.ConditionWasLowVoltage, "was_low_voltage", "the supply voltage has been too low since the board was started"},
}

func conditionTexts(h *packet.HelloResponse) []string {
	var texts []string
	for _, c := range conditions {
		if h.Conditions&c.bit != 0 {
			texts = append(texts, c.text)
		}
	}
	return texts
}

func conditionNames(h *packet.HelloResponse) []string {
	names := []string{}
	for _, c := range conditions {
		if h.Conditions&c.bit != 0 {
			names = append(names, c.name)
		}
	}
	return names
}

// loopsText is what a runner can do with loops.
func loopsText(h *packet.HelloResponse) string {
	if h.LiveCapacity == 0 {
		return "none"
	}
	return fmt.Sprintf("%s of memory for their lists and records; features: %s", bytesText(uint64(h.LiveCapacity)), listOr(loopFeatures(h), "none"))
}

// loopFeatures are the parts of what loops can do that not every runner has room for.
func loopFeatures(h *packet.HelloResponse) []string {
	names := []string{}
	for _, f := range []struct {
		bit  packet.LoopFeatures
		name string
	}{{packet.LoopCapture, "capture"}, {packet.LoopSwap, "swap"}, {packet.LoopWatchdog, "hardware watchdog"}, {packet.LoopPins, "pins"}, {packet.LoopStore, "store"}, {packet.LoopDrivers, "drivers of its machine"}} {
		if h.LoopFeatures&f.bit != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// targetDocument is the JSON document of info.
type targetDocument struct {
	document
	Target   string `json:"target"`
	Board    string `json:"board,omitempty"`
	Arch     string `json:"arch"`
	Features string `json:"features"`
	RunsIn   string `json:"runs_in,omitempty"` // of this machine: "process" (inside copaflash) or "sandbox"
	*runnerInfo
}

// runnerInfo is what a runner says of itself.
type runnerInfo struct {
	Firmware     string     `json:"firmware"`
	Protocol     uint8      `json:"protocol"`
	CodeBytes    uint32     `json:"code_bytes"`
	DataBytes    uint32     `json:"data_bytes"`
	MaxPacket    uint32     `json:"max_packet"`
	Window       uint32     `json:"window"`
	TimerHz      uint64     `json:"timer_hz"`
	SampleCount  uint32     `json:"samples"`
	LiveBytes    uint32     `json:"live_bytes"` // for loops
	LoopFeatures []string   `json:"loop_features"`
	Conditions   []string   `json:"conditions"` // to mind: unconfined, internal_clock, throttled and others
	Bauds        []uint32   `json:"bauds"`
	State        string     `json:"state"`
	Program      string     `json:"program,omitempty"`
	Fault        *lastFault `json:"fault,omitempty"`
	Store        *storeInfo `json:"store,omitempty"` // missing: the runner keeps no programs
	LinkCounters counters   `json:"counters"`
}

type lastFault struct {
	Kind    string `json:"kind"`
	PC      uint64 `json:"pc"`
	Inside  bool   `json:"inside"`
	Address uint64 `json:"address"`
	Cause   uint64 `json:"cause"`
}

// counters are those of packet.Counters under the names that documents have.
type counters struct {
	FramesOK      uint32 `json:"frames_ok"`
	CRCErrors     uint32 `json:"crc_errors"`
	FramingErrors uint32 `json:"framing_errors"`
	Overruns      uint32 `json:"overruns"`
	Duplicates    uint32 `json:"duplicates"`
}

func describeRunner(h *packet.HelloResponse, s *packet.StatusResponse) *runnerInfo {
	k := s.Counters
	r := &runnerInfo{
		Firmware: h.Firmware, Protocol: h.Version, CodeBytes: h.CodeCapacity, DataBytes: h.DataCapacity,
		MaxPacket: h.MaxPacket, Window: h.Window, TimerHz: h.TimerHz, SampleCount: h.SampleCapacity,
		LiveBytes: h.LiveCapacity, LoopFeatures: loopFeatures(h), Conditions: conditionNames(h),
		Bauds: append([]uint32{}, h.Bauds...), State: s.State.String(), Program: hex.EncodeToString(s.Digest),
		LinkCounters: counters{k.FramesOK, k.CRCErrors, k.FramingErrors, k.Overruns, k.Duplicates},
	}
	if f := s.Fault; f != nil {
		r.Fault = &lastFault{f.Kind.String(), f.PC, f.Inside, f.Address, f.Cause}
	}
	return r
}
