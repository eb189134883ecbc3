package chips

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/firmware/chip"
)

func stm32f405(t *testing.T) string {
	t.Helper()
	text, err := chip.Files.ReadFile("stm32f405/chip.json")
	require.NoError(t, err)
	return string(text)
}

func TestParseErrors(t *testing.T) {
	text := stm32f405(t)
	for _, c := range []struct{ old, new, want string }{
		{`"name": "stm32f405"`, `"name": "other"`, `name "other" differs from the folder's`},
		{`"revision"`, `"revisio"`, `unknown field "revisio"`},
		{`"revision": "19"`, `"revision": ""`, "revision of the manual, is missing"},
		{`"0x1c00"`, `"0xc00"`, "blocks.GPIOE: AFR at 0x40021024 is in no window"},
		{`"0x1c00"`, `"0x1c02"`, "windows: 0x40020400, 0x1c02 bytes: want multiples of 4"},
		{`"address": "0x40020400"`, `"address": "0x7c"`, "windows: 0x7c: want no address below 0x80"},
		{`ADC1EN 8`, `ADC1EN 32`, `types.rcc: APB2ENR: field "ADC1EN 32": want`},
		{`"offset": "0x18"`, `"offset": "0x1a"`, "types.gpio: BSRR: offset 0x1a or stride 0x4 is not aligned to 32 bits"},
		{`"adc ch=5"`, `"adx ch=5"`, `pins.PA5: no kind "adx"; there are: adc, count, `},
		{`"direction": "out"`, `"direction": "on"`, `kinds.out: direction "on": want in or out`},
		{`"vdd": "3.3"`, `"Vdd": "3.3"`, "values.Vdd: want a name that begins with a small letter"},
	} {
		require.Contains(t, text, c.old)
		_, err := Parse("stm32f405", map[string][]byte{"stm32f405": []byte(strings.Replace(text, c.old, c.new, 1))})
		require.ErrorContains(t, err, c.want)
	}
}

// What a template says wrong is named with its list, its place and its text.
func TestTextErrors(t *testing.T) {
	text := stm32f405(t)
	for _, c := range []struct{ old, new, want string }{
		{"load GPIO{port}.IDR 1<<n", "load GPIO{port}.IDX 1<<n", `before[0]: "load GPIO{port}.IDX 1<<n -> level": GPIOA has no register "IDX"; there are: AFR, BSRR, IDR, `},
		{"load GPIO{port}.IDR 1<<n", "load PORT{port}.IDR 1<<n", `no block "PORTA"`},
		{"load GPIO{port}.IDR 1<<n", "load GPIO{port}.IDR 1<<m", `expression "1<<m": no value m; there are: active, apb1, apb1_timers, apb2_timers, core, main_output, n, pin`},
		{"clear GPIO{port}.MODER 3<<(2*n)", "clear GPIO{port}.MODER 3<<18", `change32 0x40020000 0xc0000 0x0: the windows of the chip do not allow that`},
		{"load GPIO{port}.IDR 1<<n", "load GPIO{port}.IDR 1<<40", "is not a whole number of 32 bits"},
		{"load GPIO{port}.IDR 1<<n", "load GPIO{port}.IDR 1/0", "division by 0"},
		{"1<<n -> level", "1<<n -> lavel", `no slot "lavel"; there are: level`},
		{"1<<n -> level", "1<<n level", "want load REGISTER MASK -> SLOT"},
		{`"load GPIO`, `"fetch GPIO`, `"fetch": want one of change, clear, load, read, set, store, wait, write`},
		{"GPIO{port}EN\"]", "GPIO{portEN\"]", "{ without }"},
		{`"load GPIO`, `"if pul: load GPIO`, `before[0]: "if pul: load GPIO{port}.IDR 1<<n -> level": expression "pul": no value pul`},
		{`"load GPIO`, `"if pull load GPIO`, "want if EXPRESSION: and what follows it"},
		{`["flip active", "bool"]`, `["flip active"]`, "value: the steps give i32, not bool"},
		{`["flip active", "bool"]`, `["flop active", "bool"]`, `value: step "flop active": want one of`},
	} {
		require.Contains(t, text, c.old)
		chip, err := Parse("stm32f405", map[string][]byte{"stm32f405": []byte(strings.Replace(text, c.old, c.new, 1))})
		require.NoError(t, err)
		_, err = chip.Expand("PA5", "in", nil, nil)
		require.ErrorContains(t, err, c.want)
	}
}

func TestLike(t *testing.T) {
	texts := map[string][]byte{
		"stm32f405": []byte(stm32f405(t)),
		"other":     []byte(`{"name": "other", "like": "stm32f405", "values": {"vdd": "3.0"}, "pins": {"PA0": null}}`),
		"lost":      []byte(`{"name": "lost", "like": "nowhere"}`),
		"round":     []byte(`{"name": "round", "like": "round"}`),
	}
	c, err := Parse("other", texts)
	require.NoError(t, err)
	require.NotContains(t, c.Pins, "PA0")
	ch, err := c.Expand("PA4", "adc", nil, nil)
	require.NoError(t, err)
	require.Equal(t, 3.0, ch.High)
	_, err = Parse("lost", texts)
	require.ErrorContains(t, err, `like: no chip "nowhere"`)
	_, err = Parse("round", texts)
	require.ErrorContains(t, err, "too many in a row")
}

func TestQuantities(t *testing.T) {
	s := &scope{}
	o := Option{Unit: "Hz", Low: "10", High: "84000000/100", Default: "1 kHz"}
	for text, want := range map[string]string{"1 kHz": "1000", "20kHz": "20000", "1.5k": "1500", "300": "300", "840000": "840000"} {
		v, err := o.value(s, text)
		require.NoError(t, err, text)
		require.Equal(t, want, v.ExactString())
	}
	for text, want := range map[string]string{
		"1MHz": "1MHz: want 10 to 840000 Hz; the nearest is 840000", "9": "the nearest is 10", "0.5": "want a whole number of Hz", "20 V": "want a number of Hz, such as 1 kHz", "": "want a number",
	} {
		_, err := o.value(s, text)
		require.ErrorContains(t, err, want)
	}
}

// A runner refuses the same: what is changed beside the bits of a window, all of a register that has some, and parts of it.
func TestAllows(t *testing.T) {
	bits := Hex(0xff0f)
	c := &Chip{Windows: []Window{{Address: 0x100, Bytes: 8}, {Address: 0xfffffff0, Bytes: 0x10, Bits: &bits}}}
	e := func(op registers.Op, width registers.Width, address, mask uint32) registers.Entry {
		return registers.Entry{Op: op, Width: width, Address: address, Mask: mask}
	}
	for _, tt := range []struct {
		registers.Entry
		allowed bool
	}{
		{e(registers.Write, 32, 0x104, 0), true},
		{e(registers.Write, 8, 0x107, 0), true},
		{e(registers.Write, 8, 0x108, 0), false},
		{e(registers.Write, 32, 0x106, 0), false},
		{e(registers.Load, 8, 0xff, 0xff), false},
		{e(registers.Load, 32, 0xfffffffc, 0xffffffff), true},
		{e(registers.Wait, 16, 0xfffffffe, 0xffff), true},
		{e(registers.Write, 32, 0xfffffff0, 0), false},
		{e(registers.Change, 32, 0xfffffff0, 0xff0f), true},
		{e(registers.Change, 32, 0xfffffff0, 0x10), false},
		{e(registers.Change, 8, 0xfffffff0, 0x01), false},
		{e(registers.Store, 32, 0xfffffff4, 0x01), true},
		{e(registers.Store, 32, 0xfffffff4, 0xffffffff), false},
		{e(registers.Store, 16, 0x104, 0xffff), true},
	} {
		require.Equal(t, tt.allowed, c.Allows(tt.Entry), "%v", tt.Entry)
	}
}
