package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/protocol/packet"
)

// TestNextStep: whatever is refused is refused for the right reason, and with the next step.
func TestNextStep(t *testing.T) {
	b := started(t)
	file := imageFile(t, loopImage(1))
	for _, c := range []struct{ line, want string }{
		{"set kp=5mV", "kp is in V, and not in mV: nothing is converted"},
		{"set kp=5 kV", "kp is in V, and not in kV"},
		{"set kp=V", "kp has 1 element, and 0 were given"},
		{"set on=2", "on is a bool: \"2\" is not such a number\nhint: write True or False"},
		{"set n=3000000000", "hint: write it as 2, -5 or 0x1f, from -2147483648 to 2147483647"},
		{"set kp=1 --at 4000000000", "--at 4000000000 is "},
		{"capture --when u>1>2", "an event is one comparison of one variable"},
		{"capture --when u>1_and_n<2", "an event is one comparison of one variable"},
		{"watch --every 3000000000", "want a number of ticks from 1 to 2147483647"},
		{"watch --for -1s", "--for must not be negative"},
		{"record -o x.csv --for -1s", "--for must not be negative"},
		{"record -o x.csv --every 0", "want a number of ticks from 1 to 2147483647"},
		{"record -o x.csv --rate 1kHz", "--rate is for the program of --start"},
		{"record -o x.csv --start " + file + " --image " + file, "the program that is started is known"},
		{"capture --wait -1s", "--wait must not be negative"},
		{"capture --before -1", "numbers of ticks must not be negative"},
		{"start --fast", "--fast is for a PROGRAM to compile"},
		{"start --program 2", "--program is for a PROGRAM to compile"},
		{"start " + file + " --rate 1kHz --period 1ms", "--rate and --period say the same"},
		{"start " + file + " --watchdog -1s", "--watchdog -1s: a time must not be negative"},
		{"start " + file + " --rate 1khz", "it is no rate with a unit"},
		{"start " + file + " --rate -1Hz", "want 0.0002328 Hz to 1 MHz"},
		{"start " + file + " --rate 0Hz", "want 0.0002328 Hz to 1 MHz"},
		{"start " + file + " --rate NaNHz", "want 0.0002328 Hz to 1 MHz"},
		{"start " + file + " --rate 1e-9Hz", "want 0.0002328 Hz to 1 MHz"},
		{"share --rate 1kHz", "--rate is for a PROGRAM to start"},
		{"share --set kp=1", "--set is for a PROGRAM to start"},
		{"share " + file + " --image " + file, "the program that is started is known"},
		{"pil a.py b.py --ticks 0", "--ticks must be at least 1"},
		{"pil a.py b.py -o x.csv", "x.csv: recordings are .cbor files"},
		{"hil soak --for 1000000h", "from 1 to 134217728 can be compared"},
	} {
		args := strings.Split(strings.ReplaceAll(c.line, "=5 kV", "=5_kV"), " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		diag := b.fails(t, exitUsage, args...)
		assert.Contains(t, diag, c.want, c.line)
		assert.Contains(t, diag, "\nhint: ", c.line)
	}
	assert.True(t, b.running())
	out, _ := b.ok(t, "set", "kp= 3 V ")
	assert.Equal(t, "kp = 3 V (was 1)\n", out)
}

func TestRates(t *testing.T) {
	for text, want := range map[string]float64{"1kHz": 1000, " 1kHz ": 1000, "1 kHz": 1000, "0.5Hz": 0.5, "1MHz": 1e6, "1e3Hz": 1000} {
		hz, err := parseHz(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, hz, text)
	}
	for _, text := range []string{"", "1", "kHz", "1k", "1 Hz Hz", "2MHz", "infHz", "--1Hz"} {
		_, err := parseHz(text)
		assert.Error(t, err, text)
	}
}

// TestInDoubt: who interrupts a swap or a set is told that it may be carried out all the same.
func TestInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := started(t)
		b.hangs = true
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"swap", imageFile(t, loopImage(2))}, "interrupted before it was known which program goes on: copaflash status tells"},
			{[]string{"set", "kp=2"}, "interrupted before the values were seen to take effect, which they still may: copaflash get shows them"},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			code, _, diag := b.cli(t, ctx, c.args...)
			cancel()
			assert.Equal(t, exitFailed, code)
			assert.Contains(t, diag, c.want)
		}
	})
}

// TestUnknownRate: a loop whose period only its own host knows is not said to have one.
func TestUnknownRate(t *testing.T) {
	head, _ := loopInfoOf(&device.LoopStatus{Running: true, Ticks: 5}).rows()
	assert.Equal(t, "running, at a rate that is not known here: 5 ticks, 0 missed", head[0])
}

func TestNotInTime(t *testing.T) {
	f := captureFlags{after: 1000, wait: time.Second}
	require.EqualError(t, f.notCome(), "1001 records have not come within 1s")
	f.when = "u>1"
	require.EqualError(t, f.notCome(), "the event u>1 has not come within 1s")
}

// TestHostileNote: a board that says anything of what it keeps is shown, and breaks no document.
func TestHostileNote(t *testing.T) {
	for rate, want := range map[string]float64{"1000": 1000, "NaN": 0, "Inf": 0, "-5": 0, "1e999": 0, "x": 0, "": 0} {
		note, err := packet.EncodeStoreNote(&packet.StoreNote{Name: []byte("a\x1b[31m\xff"), Rate: []byte(rate), Values: []byte("\n\nkp=1\n")})
		require.NoError(t, err)
		var p storedInfo
		p.take(note)
		p.take([]byte{0xa1, 0, 2})
		assert.Equal(t, want, p.RateHz, rate)
		assert.Equal(t, []string{"kp=1"}, p.Values)
		_, err = json.Marshal(&p)
		require.NoError(t, err)
	}
}
