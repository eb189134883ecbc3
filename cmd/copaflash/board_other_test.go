//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// boardCmd is for Linux, see board_linux_test.go.
func boardCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("pseudo terminals are opened in the Linux way")
}

// resetCmd is for Linux, see board_linux_test.go.
func resetCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("pseudo terminals are opened in the Linux way")
}

// romCmd is for Linux, see rom_linux_test.go.
func romCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("pseudo terminals are opened in the Linux way")
}

// espromCmd is for Linux, see flash_esp_linux_test.go.
func espromCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("pseudo terminals are opened in the Linux way")
}

// terminalCmd is for Linux, see terminal_linux_test.go.
func terminalCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("pseudo terminals are opened in the Linux way")
}

// The commands of desk_linux_test.go are for Linux, whose files they make.
var attachCmd, detachCmd, builtinCmd, runnerCmd, probeCmd, uf2Cmd, dfuCmd = onLinux, onLinux, onLinux, onLinux, onLinux, onLinux, onLinux

func onLinux(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("a desk is made of the files of Linux")
}

var openForTests = openUSB
