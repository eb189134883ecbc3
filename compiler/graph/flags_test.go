package graph

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEveryFlagIsListed: what an op may raise has a text, and nothing else has.
func TestEveryFlagIsListed(t *testing.T) {
	listed, raised := uint32(0), uint32(0)
	for i, f := range Flags {
		assert.Equal(t, uint32(1)<<i, f.Bit, f.Name)
		assert.NotEmpty(t, f.Name)
		assert.NotEmpty(t, f.Ops)
		assert.NotEmpty(t, f.Text)
		listed |= f.Bit
	}
	for op := range NumOps {
		raised |= op.Info().Flags
	}
	assert.Equal(t, listed, raised)
}
