package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKnownAnswers compares what examples must print, which the tests of package
// hil check on every target, with plain Python in double precision.
func TestKnownAnswers(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("python3 is not installed: %v", err)
	}
	for _, name := range []string{"cartpole", "vehicle", "madgwick", "mlp", "mpc", "ekf", "supervisor"} {
		t.Run(name, func(t *testing.T) {
			want, err := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "known_answers.py"), name).Output()
			require.NoError(t, err)
			text, err := os.ReadFile(filepath.Join("..", "..", "examples", name+".out"))
			require.NoError(t, err)
			assert.Equal(t, string(want), string(text))
		})
	}
}
