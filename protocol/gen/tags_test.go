package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

// goBodies has the Go type of each map in messages.cddl.
var goBodies = map[string]any{
	"hello-request": packet.HelloRequest{}, "hello-response": packet.HelloBody{},
	"begin-request": packet.BeginRequest{}, "begin-response": packet.BeginResponse{},
	"chunk-request": packet.ChunkRequest{}, "chunk-response": packet.ChunkResponse{},
	"seal-request": packet.SealRequest{}, "seal-response": packet.SealResponse{},
	"run-request": packet.RunRequest{}, "run-response": packet.RunBody{},
	"read-request": packet.ReadRequest{}, "read-response": packet.ReadResponse{},
	"write-request": packet.WriteRequest{}, "write-response": packet.WriteResponse{},
	"status-request": packet.StatusRequest{}, "status-response": packet.StatusBody{},
	"drop-request": packet.DropRequest{}, "drop-response": packet.DropResponse{},
	"baud-request": packet.BaudRequest{}, "baud-response": packet.BaudResponse{},
	"start-request": packet.StartRequest{}, "start-response": packet.StartBody{},
	"stop-request": packet.StopRequest{}, "stop-response": packet.StopBody{},
	"live-request": packet.LiveRequest{}, "live-response": packet.LiveBody{},
	"apply-request": packet.ApplyRequest{}, "apply-response": packet.ApplyResponse{},
	"subscribe-request": packet.SubscribeRequest{}, "subscribe-response": packet.SubscribeResponse{},
	"capture-request": packet.CaptureRequest{}, "capture-response": packet.CaptureResponse{},
	"swap-request": packet.SwapRequest{}, "swap-response": packet.SwapResponse{},
	"store-request": packet.StoreRequest{}, "store-response": packet.StoreBody{},
}

// TestGoTagsFollowTheKeys holds the struct tags of package packet, which
// cannot refer to generated constants, to the keys of messages.cddl.
func TestGoTagsFollowTheKeys(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	src, err := os.ReadFile(filepath.Join(root, source))
	require.NoError(t, err)
	s, err := parse(string(src))
	require.NoError(t, err)
	require.Len(t, s.maps, len(goBodies))
	for _, g := range s.maps {
		t.Run(g.name, func(t *testing.T) {
			v, ok := goBodies[g.name]
			require.True(t, ok, "no Go type")
			want := map[string]int64{}
			for _, e := range g.entries {
				if e.name == "message" {
					assert.Zero(t, e.value)
					continue
				}
				want[strings.ToLower(strings.ReplaceAll(e.name, "-", ""))] = e.value
			}
			have := map[string]int64{}
			typ := reflect.TypeOf(v)
			for i := range typ.NumField() {
				key, opts, _ := strings.Cut(typ.Field(i).Tag.Get("cbor"), ",")
				if key == "-" {
					continue
				}
				assert.Contains(t, opts, "keyasint")
				have[strings.ToLower(typ.Field(i).Name)], err = strconv.ParseInt(key, 10, 64)
				require.NoError(t, err)
			}
			assert.Equal(t, want, have)
		})
	}
}
