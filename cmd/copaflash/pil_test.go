package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/record"
)

// carryOutLine runs a command line.
func carryOutLine(t *testing.T, args ...string) (code exitCode, stdout, stderr string) {
	t.Helper()
	var out, diagnostics strings.Builder
	code = run(t.Context(), args, &out, &diagnostics)
	return code, out.String(), diagnostics.String()
}

const (
	pilController = "../../examples/pil/speed_controller.py"
	pilPlant      = "../../examples/pil/motor.py"
)

// TestPilExample: the example prints what is in the file beside it, and its recordings are replayed.
func TestPilExample(t *testing.T) {
	want, err := os.ReadFile("../../examples/pil/speed_controller.out")
	require.NoError(t, err)
	dir := t.TempDir()
	file, plant := filepath.Join(dir, "run.cbor"), filepath.Join(dir, "plant.cbor")
	code, out, said := carryOutLine(t, "pil", pilController, pilPlant, "--every", "100", "--get", "speed,voltage,plant.current", "-o", file, "--plant-output", plant)
	require.Equal(t, exitOK, code, said)
	require.Equal(t, string(want), out)
	require.Contains(t, said, "1000 ticks on local: equal to the oracle, bit for bit")
	require.Contains(t, said, "plant.speed -> controller.speed")

	for _, f := range []string{file, plant} {
		code, out, said = carryOutLine(t, "replay", f)
		require.Equal(t, exitOK, code, said)
		require.Regexp(t, `(?m)^oracle +1000 +\d+ +1000 +0 +0 +0 +equal$`, out)
		require.Regexp(t, `(?m)^local +1000 .* equal$`, out)
	}
	code, out, _ = carryOutLine(t, "pil", pilController, pilPlant, "--ticks", "300", "--set", "wanted=-5", "--set-plant", "load=0", "--get", "plant.speed", "--json")
	require.Equal(t, exitOK, code)
	var doc pilResult
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(out, `"value"`, `"-"`)), &doc))
	require.True(t, doc.Checked)
	require.Equal(t, 300, doc.Ticks)
	require.Regexp(t, `"name":"plant.speed".*"value":-(5.0|4.9)`, out)
}

// TestIntegralsComeBack: controllers that only integrate leave the limit of their output when the error changes its sign.
func TestIntegralsComeBack(t *testing.T) {
	code, out, said := carryOutLine(t, "pil", pilController, pilPlant, "--ticks", "6000", "--set", "kp=0", "--set", "wanted=150", "--every", "1", "--get", "voltage,speed")
	require.Equal(t, exitOK, code, said)
	rows := strings.Split(strings.TrimSpace(out), "\n")
	require.Contains(t, out, ",12,", "it has been at the limit")
	require.Regexp(t, `^5999,8\.1\d*,150(\.0\d*)?$`, rows[len(rows)-1])

	script, err := os.ReadFile("../../examples/motor_pid.py")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "motor_pid.py")
	more := `
tg.set(speed_ref=200.0, kp_speed=0.0, ki_speed=2.0)
speeds = []
for _ in range(100):
    tg.run(20)
    speeds.append(tg.get("speed"))
print("over", max(speeds) > 300, "under", min(speeds[speeds.index(max(speeds)):]) < 200)
`
	require.NoError(t, os.WriteFile(file, append(script, more...), 0o600))
	code, out, said = carryOutLine(t, "run", file)
	require.Equal(t, exitOK, code, said)
	require.Contains(t, out, "over True under True\n")
}

// TestReplayDiffers: one bit that is not as it was computed is found, shown, and an error.
func TestReplayDiffers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.cbor")
	code, _, said := carryOutLine(t, "pil", pilController, pilPlant, "--ticks", "50", "-o", file)
	require.Equal(t, exitOK, code, said)
	r, err := openRecording(file)
	require.NoError(t, err)
	i := r.Index(2, "voltage") // an output
	require.GreaterOrEqual(t, i, 0)
	r.Value(r.Records[17].Data, i)[0] ^= 4
	rewrite(t, file, r)
	code, out, said := carryOutLine(t, "replay", file)
	require.Equal(t, exitVerify, code)
	require.Contains(t, said, "tick 17: output voltage was recorded as")
	require.Contains(t, out, "differs at tick 17: voltage")
	code, out, _ = carryOutLine(t, "replay", file, "--on", "oracle", "--json")
	require.Equal(t, exitVerify, code)
	require.Contains(t, out, `"difference":{"tick":17,"kind":"output","name":"voltage"`)
	require.Contains(t, out, `"code":7`)

	r.Programs = nil
	rewrite(t, file, r)
	code, _, said = carryOutLine(t, "replay", file)
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, "record it again with: copaflash record --inputs")
}

func rewrite(t *testing.T, file string, r *record.Recording) {
	t.Helper()
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, r.Write(f))
	require.NoError(t, f.Close())
}

func TestPilRefused(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "run.cbor")
	require.NoError(t, os.WriteFile(junk, []byte("tick,u\n1,2\n"), 0o600))
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{"pil", pilController}, "takes two files"},
		{[]string{"pil", pilController, "p.copa"}, "is compiled already"},
		{[]string{"pil", pilController, pilPlant, "--ticks", "0"}, "--ticks must be at least 1"},
		{[]string{"pil", pilController, pilPlant, "--every", "-1"}, "--every must not be negative"},
		{[]string{"pil", pilController, pilPlant, "-o", "run.csv"}, "recordings are .cbor files"},
		{[]string{"pil", pilController, pilPlant, "--connect", "u"}, "this is not CONTROLLER=PLANT"},
		{[]string{"pil", pilController, pilPlant, "--connect", "u=v"}, "hint: name pairs, the controller's variable first"},
		{[]string{"pil", pilController, pilPlant, "--get", "plant.wanted"}, "neither program has such a variable"},
		{[]string{"pil", pilController, pilPlant, "--set", "speed"}, "NAME=VALUE"},
		{[]string{"pil", pilController, pilController}, "speed_controller.py"},
		{[]string{"replay"}, "takes one recording"},
		{[]string{"replay", "missing.cbor"}, "check the name"},
		{[]string{"replay", junk}, "this is no recording"},
		{[]string{"replay", junk, "--on", "qemu:nothing"}, "unknown target"},
	} {
		code, _, said := carryOutLine(t, c.args...)
		if c.text == "speed_controller.py" {
			require.Equal(t, exitUsage, code, c.args)
			require.Contains(t, said, "no input of the", c.args)
			continue
		}
		require.Equal(t, exitUsage, code, "%v: %s", c.args, said)
		require.Contains(t, said, c.text, c.args)
	}
}
