package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/internal/vectors"
)

func TestVectorsAreCurrent(t *testing.T) {
	all := files()
	require.NotEmpty(t, all)
	for name, want := range all {
		have, err := os.ReadFile(filepath.Join(vectors.Dir(), name))
		require.NoError(t, err)
		assert.Equal(t, want, string(have), "%s is out of date: go run ./protocol/internal/vectors/gen", name)
	}
}

func TestChecksum(t *testing.T) {
	// RFC 3720, appendix B.4
	assert.Equal(t, uint32(0x8a9136aa), crc32c(make([]byte, 32)))
	assert.Equal(t, uint32(0xe3069283), crc32c([]byte("123456789")))
}
