package device

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/copaflash/copaflash/compiler/graph"
)

func TestFlags(t *testing.T) {
	assert.Empty(t, Flags(0).Names())
	assert.Empty(t, Flags(1<<31).Texts())
	assert.Equal(t, []string{"divide", "shift"}, Flags(graph.FlagDivide|graph.FlagShift).Names())
	assert.Equal(t, []string{"a shift count was negative: the result was 0"}, Flags(graph.FlagShift).Texts())
}
