package release

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRunnersHaveTheVersion holds the one number that two languages need against the other.
func TestRunnersHaveTheVersion(t *testing.T) {
	text, err := os.ReadFile("../../firmware/core/version.h")
	require.NoError(t, err)
	require.Contains(t, string(text), "#define CF_FIRMWARE_VERSION \""+Version+"\"\n")
}
