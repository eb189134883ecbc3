package chips_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/registers"
)

// display is a driver with an input and an output.
const display = `{
  "name": "display", "title": "four digits", "values": {"steps": "100"},
  "registers": {"KEYS": {"offset": "0x0", "fields": "PRESSED 3:0"}, "NUMBER": {"offset": "0x4", "width": 16}},
  "channels": {
    "pressed": {"title": "keys", "direction": "in", "type": "bool", "before": ["load DRIVER.KEYS PRESSED -> keys"],
      "slots": {"keys": []}, "value": ["bool"], "low": "0", "high": "1"},
    "number": {"title": "what it shows", "direction": "out", "type": "f32", "after": ["store DRIVER.NUMBER 0xffff <- word"],
      "slots": {"word": []}, "value": ["clamp 0 99.99", "scale steps", "round"], "low": "0", "high": "99.99", "default": "0"}
  }
}`

func TestDriverFile(t *testing.T) {
	d, err := chips.ParseDriver("./display.json", []byte(display))
	require.NoError(t, err)
	require.Equal(t, []string{"pressed"}, d.Names(chips.In))
	in, err := d.Expand("pressed", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []registers.Entry{{Op: registers.Load, Width: 32, Address: 0xef000000, Mask: 0xf, Slot: "keys"}}, []registers.Entry{in.Before[0].Entry})
	require.Equal(t, []chips.Use{{Resource: "display.pressed"}}, in.Uses)
	safe := 1.5
	out, err := d.Expand("number", nil, &safe)
	require.NoError(t, err)
	require.Equal(t, registers.Entry{Op: registers.Write, Width: 16, Address: 0xef000004, Value: 150}, out.Safe[0].Entry)
	require.Equal(t, map[string]int32{"word": 9999}, out.Raw(1e6))

	for old, want := range map[string][2]string{
		`"name": "display"`:        {`"name": "other"`, `name "other": want a small letter`},
		`"title": "four digits"`:   {`"colour": 1`, `unknown field "colour"`},
		`"offset": "0x4"`:          {`"offset": "0x10000"`, "NUMBER at 0xef010000 is in no window"},
		`"width": 16`:              {`"width": 12`, "width of 12 bits"},
		`DRIVER.NUMBER`:            {`GPIO.NUMBER`, `no block "GPIO"; there are: DRIVER`},
		`load DRIVER.KEYS PRESSED`: {`load DRIVER.KEYS HELD`, "no field HELD"},
		`"before": ["load DRIVER.KEYS PRESSED -> keys"],`: {``, "an input wants before"},
		`"value": ["bool"]`: {`"value": []`, "the steps give i32, not bool"},
		`"steps": "100"`:    {`"steps": "none"`, "values.steps"},
		`"registers": {`:    {`"registers": {"X": null, `, "registers.X: null"},
	} {
		require.Contains(t, display, old)
		_, err := chips.ParseDriver("display.json", []byte(strings.Replace(display, old, want[0], 1)))
		require.ErrorContains(t, err, want[1], old)
		require.ErrorContains(t, err, "display.json: ")
	}
	_, err = chips.ParseDriver("display.json", []byte(display+"{}"))
	require.ErrorContains(t, err, "text after the end")
}

// TestDocsDriver: the page's file is one, and so is the example's.
func TestDocsDriver(t *testing.T) {
	page, err := os.ReadFile("../../docs/own-drivers.md")
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(page), "```json\n")
	require.True(t, ok)
	text, _, _ = strings.Cut(text, "```")
	d, err := chips.ParseDriver("display.json", []byte(text))
	require.NoError(t, err)
	require.Equal(t, []string{"number"}, d.Names(chips.Out), "the page binds to it")
	example, err := os.ReadFile("../../examples/drivers/cmsdk_timer.json")
	require.NoError(t, err)
	_, err = chips.ParseDriver("cmsdk_timer.json", example)
	require.NoError(t, err)
}
