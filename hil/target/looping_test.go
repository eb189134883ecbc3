package target

import (
	"testing"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
)

func TestLoopsInside(t *testing.T) {
	devicetest.Loops{Device: openInside(t, Options{}), Hz: 500}.Run(t)
}
