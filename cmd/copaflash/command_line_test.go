package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// section is the part of docs/command-line.md under a heading.
func section(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/command-line.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), heading+"\n")
	require.True(t, found, heading)
	part, _, _ := strings.Cut(rest, "\n## ")
	return part
}

var update = flag.Bool("update", false, "write the table of verbs in docs/command-line.md")

// TestVerbTable: the page's table of verbs is what they say of themselves.
func TestVerbTable(t *testing.T) {
	const head = "| verb | action |\n|---|---|\n"
	want := head
	for _, v := range verbs {
		c := v.command(&app{})
		require.Equal(t, c.Name(), v.name)
		uses := []string{c.Use}
		for _, sub := range c.Commands() {
			uses = append(uses, c.Name()+" "+sub.Use)
		}
		if len(uses) > 1 && c.Use == c.Name() {
			uses = uses[1:]
		}
		want += "| `" + strings.ReplaceAll(strings.Join(uses, "`, `"), "|", `\|`) + "` | " + c.Short + " |\n"
	}
	file := "../../docs/command-line.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), head)
	require.True(t, found)
	end := strings.Index(rest, "\n\n") + 1
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+want+rest[end:]), 0o600))
		return
	}
	assert.Equal(t, want, head+rest[:end], "go test ./cmd/copaflash -run TestVerbTable -update writes it")
}

// TestExitCodesAreDocumented: the page and the help text list each exit code once.
func TestExitCodesAreDocumented(t *testing.T) {
	codes := []exitCode{exitOK, exitFailed, exitUsage, exitNoDevice, exitBusy, exitTransport, exitIncompatible, exitVerify, exitFault, exitBudget}
	begins := []string{"ok", "any other failure", "wrong usage", "no such device", "busy", "transport or timeout", "incompatible", "verification failed",
		"the program faulted", "the timing budget"}
	rows := regexp.MustCompile(`(?m)^\| ([0-9]+) \| (.*) \|$`).FindAllStringSubmatch(section(t, "## Exit codes"), -1)
	require.Len(t, rows, len(codes))
	var stdout bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), []string{"--help"}, &stdout, &bytes.Buffer{}))
	_, help, _ := strings.Cut(strings.ReplaceAll(stdout.String(), "\n", " "), "Exit codes:")
	for i, code := range codes {
		n, err := strconv.Atoi(rows[i][1])
		require.NoError(t, err)
		assert.Equal(t, int(code), n)
		assert.True(t, strings.HasPrefix(rows[i][2], begins[i]), "%d: %s", n, rows[i][2])
		assert.Contains(t, help, " "+rows[i][1]+" ")
	}
}

// TestDocumentedJSON reads the documents of the page as what the program writes, and
// writes them again: no key more or less, in the same order.
func TestDocumentedJSON(t *testing.T) {
	examples := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllStringSubmatch(section(t, "## JSON"), -1)
	require.Len(t, examples, 5)
	for i, into := range []any{
		&struct {
			document
			Error failure `json:"error"`
		}{},
		&runResult{},
		&emulateResult{},
		&tickTiming{},
		&loopState{},
	} {
		d := json.NewDecoder(strings.NewReader(examples[i][1]))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(into), examples[i][1])
		again, err := json.Marshal(into)
		require.NoError(t, err)
		assert.Equal(t, examples[i][1], string(again))
	}
}
