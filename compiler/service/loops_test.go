package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/service"
)

// counter is a program of two tasks: n counts ticks, and slow every other one of them.
const counter = `{"format":"copaflash-graph","version":1,"tasks":[{"name":"slow","divisor":2,"rate":100},{"name":"fast","rate":200}],"nodes":[` +
	`{"op":"input","type":"i32","name":"by","value":1,"meta":{"role":"param","low":0,"high":9}},` +
	`{"op":"state","type":"i32","name":"n","value":0,"next":2,"task":2},{"op":"add","type":"i32","args":[0,1],"task":2},` +
	`{"op":"state","type":"i32","name":"slow","value":0,"next":4,"task":1},{"op":"add","type":"i32","args":[0,3],"task":1}],` +
	`"outputs":[{"name":"n","node":1},{"name":"slow","node":3},{"name":"sum","node":2,"meta":{"role":"output","safe":[-1]}}]}`

// answers carries out requests and decodes what comes.
func answers(t *testing.T, lines ...string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for _, l := range serve(t, options(), `{"do":"load","graph":`+counter+"}\n"+strings.Join(lines, "\n")) {
		var a map[string]any
		require.NoError(t, json.Unmarshal([]byte(l), &a))
		list = append(list, a)
	}
	return list
}

func TestTasksWithoutALoop(t *testing.T) {
	a := answers(t, `{"do":"run","program":1,"n":3}`, `{"do":"run","program":1,"n":2}`, `{"do":"reset","program":1}`, `{"do":"run","program":1,"n":1}`)
	require.Equal(t, map[string]any{"n": 3.0, "slow": 2.0, "sum": 3.0}, a[1]["values"])
	require.Equal(t, map[string]any{"n": 5.0, "slow": 3.0, "sum": 5.0}, a[2]["values"])
	require.Equal(t, map[string]any{"n": 1.0, "slow": 1.0, "sum": 1.0}, a[4]["values"])
	require.Equal(t, map[string]any{"name": "by", "type": "i32", "shape": []any{}, "role": "param", "low": 0.0, "high": 9.0}, a[0]["inputs"].([]any)[0])
}

func TestLoop(t *testing.T) {
	a := answers(t,
		`{"do":"start","program":1}`,
		`{"do":"set","program":1,"set":{"by":2}}`,
		`{"do":"get","program":1,"get":["by"]}`,
		`{"do":"read","program":1,"get":["by"]}`,
		`{"do":"write","program":1,"set":{"by":3}}`,
		`{"do":"stream","program":1,"get":["n","sum"],"every":3}`,
		`{"do":"records","program":1,"max":2,"wait":30}`,
		`{"do":"status","program":1}`,
		`{"do":"run","program":1}`,
		`{"do":"start","program":1}`,
		`{"do":"set","program":1,"set":{"by":10}}`,
		`{"do":"stop","program":1}`,
		`{"do":"records","program":1,"wait":30}`,
		`{"do":"get","program":1,"get":["by","sum"]}`,
		`{"do":"start","program":1,"rate":50}`,
		`{"do":"unload","program":1}`)[1:]
	for i, l := range a {
		refused := map[int]string{8: "the loop of the program is running", 9: "the loop of the program is running", 10: "by: 10 is not within the limits: 0 to 9"}[i]
		require.Equal(t, refused == "", l["ok"], "%d: %v", i, l)
		if refused != "" {
			require.Equal(t, refused, l["error"].(map[string]any)["message"])
		}
	}
	require.Equal(t, true, a[0]["running"])
	require.Equal(t, 5e6, a[0]["period_ns"])
	require.Equal(t, map[string]any{"by": 2.0}, a[2]["values"])
	require.Equal(t, map[string]any{"by": 2.0}, a[3]["values"])
	records := a[6]["records"].([]any)
	require.Len(t, records, 2)
	for _, r := range records {
		r := r.(map[string]any)
		require.Zero(t, int(r["tick"].(float64))%3)
		values := r["values"].(map[string]any)
		require.Equal(t, values["n"], values["sum"], "the state after the tick is what it computed")
	}
	require.Equal(t, 2.0, a[7]["sets"])
	require.Equal(t, "stopped", a[11]["end"])
	require.Equal(t, true, a[12]["end"])
	require.Equal(t, map[string]any{"by": 3.0, "sum": -1.0}, a[13]["values"])
	require.Equal(t, 2e7, a[14]["period_ns"])
}

func TestLoopRefused(t *testing.T) {
	const plain = `{"do":"load","graph":{"format":"copaflash-graph","version":1,"nodes":[{"op":"input","type":"f32","name":"x","value":3}],"outputs":[{"name":"y","node":0}]}}` + "\n"
	for request, message := range map[string]string{
		`{"do":"start","program":1}`:                         "does not say how often it runs",
		`{"do":"start","program":1,"rate":1,"period":1}`:     "either rate",
		`{"do":"start","program":1,"rate":1e9}`:              "a rate of 1e+09",
		`{"do":"start","program":1,"rate":10,"limit":1e9}`:   "limit is 1e+09",
		`{"do":"start","program":1,"rate":10,"misses":-1}`:   "misses is 0 or more",
		`{"do":"stop","program":1}`:                          "the program has no loop",
		`{"do":"status","program":1}`:                        "the program has no loop",
		`{"do":"stream","program":1}`:                        "the program has no loop",
		`{"do":"records","program":1}`:                       "the program has no loop",
		`{"do":"get","program":1,"get":["z"]}`:               `the program has no \"z\"`,
		`{"do":"set","program":1,"set":{"z":1}}`:             `the program has no \"z\"`,
		`{"do":"start","program":2,"rate":1}`:                "there is no program 2",
		`{"do":"start","program":1,"rate":1,"watchdog":-10}`: "watchdog is -10",
	} {
		out := serve(t, options(), plain+request)
		require.Contains(t, out[1], message, request)
	}
	out := serve(t, options(), plain+`{"do":"start","program":1,"rate":100}`+"\n"+`{"do":"records","program":1}`+"\n"+`{"do":"stream","program":1,"every":-1}`)
	require.Contains(t, out[2], "there is no stream")
	require.Contains(t, out[3], "every is -1")
}

// ending is a device that counts the loops that run on it.
type ending struct {
	device.Device
	running *int
}

type endingProgram struct {
	device.Looper
	running *int
}

type endingLoop struct {
	device.Loop
	running *int
}

func (d *ending) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := d.Device.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	return &endingProgram{loaded.(device.Looper), d.running}, nil
}

func (p *endingProgram) StartLoop(ctx context.Context, c device.LoopConfig) (device.Loop, error) {
	l, err := p.Looper.StartLoop(ctx, c)
	if err != nil {
		return nil, err
	}
	*p.running++
	return &endingLoop{l, p.running}, nil
}

func (l *endingLoop) Stop(ctx context.Context) (*device.LoopStatus, error) {
	*l.running--
	return l.Loop.Stop(ctx)
}

// TestLoopsEndWithTheService, whether its client says bye or is gone.
func TestLoopsEndWithTheService(t *testing.T) {
	for _, last := range []string{"", `{"do":"bye"}`, `{"do":"unload","program":1}`} {
		running := 0
		opt := service.Options{Target: "oracle", Open: func(context.Context) (device.Device, error) {
			dev, err := oracle.New("x86_64")
			return &ending{dev, &running}, err
		}}
		out := serve(t, opt, fmt.Sprintf("{\"do\":\"load\",\"graph\":%s}\n{\"do\":\"start\",\"program\":1}\n%s\n", counter, last))
		require.Contains(t, out[1], `"running":true`)
		require.Zero(t, running, last)
	}
}
