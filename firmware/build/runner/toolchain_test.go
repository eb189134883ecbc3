package runner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseToolchain(t *testing.T) {
	const budget = `"budget": {"flash": 8192, "variables": 464}`
	for _, tt := range []struct{ name, text, want string }{
		{name: "least", text: `{"compiler": "gcc", "package": "gcc"}`},
		{name: "an architecture", text: `{"compiler": "gcc", "package": "gcc", "architectures": {"z80": {` + budget + `}}}`},
		{name: "unknown field", text: `{"compiler": "gcc", "package": "gcc", "flag": []}`, want: `unknown field "flag"`},
		{name: "no compiler", text: `{"package": "gcc"}`, want: "want compiler and package"},
		{name: "no budget", text: `{"compiler": "gcc", "package": "gcc", "architectures": {"z80": {}}}`, want: "no budget for z80"},
		{name: "no reason", text: `{"compiler": "gcc", "package": "gcc", "flags": [{"flag": "-O3"}]}`, want: `flag "-O3": want what it is and why`},
		{name: "no reason for a chip", text: `{"compiler": "gcc", "package": "gcc", "chips": {"a": [{"flag": "-O3"}]}}`, want: `flag "-O3"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseToolchain([]byte(tt.text))
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// An architecture is in one folder: which one that is depends on nothing else.
func TestArchitecturesAreInOneFolder(t *testing.T) {
	all, err := ReadToolchains("../../..", "firmware/arch")
	require.NoError(t, err)
	found := map[string]string{}
	for folder, tools := range all {
		require.NotEmpty(t, tools.Architectures, folder)
		for name := range tools.Architectures {
			require.NotContains(t, found, name)
			found[name] = folder
		}
	}
	require.NotEmpty(t, found)
}
