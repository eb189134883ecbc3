//go:build race

package session_test

// raceEnabled says that the race detector slows everything down.
const raceEnabled = true
