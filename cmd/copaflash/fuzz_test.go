package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

func FuzzSettings(f *testing.F) {
	for _, text := range []string{`{"port":"/dev/ttyACM0","baud":115200}`, `{"target":"local"} {}`, `{"baud":-1}`, `[`, `{"baud":1e99}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSettings(data)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, s.Baud, 0)
		text, err := json.Marshal(s)
		require.NoError(t, err)
		again, err := parseSettings(text)
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}

// FuzzSet gives variables of every type and shape values from the command line: what is
// taken has just the size of the variable, at its place.
func FuzzSet(f *testing.F) {
	img := &image.Image{Data: make([]byte, 64)}
	at := uint32(16)
	for i, v := range []struct {
		t     graph.DType
		shape graph.Shape
	}{{graph.F32, nil}, {graph.I32, graph.Shape{2}}, {graph.Bool, nil}, {graph.F64, graph.Shape{1, 2}}, {graph.F32, graph.Shape{0}}} {
		s := image.Symbol{Name: string(rune('a' + i)), Kind: image.Input, DType: v.t, Shape: v.shape, Offset: at}
		img.Symbols = append(img.Symbols, s)
		at += uint32(s.Size()+7) &^ 7
	}
	for _, arg := range []string{"a=1.5", "a=nan", "b=[1,2]", "b=99999999999,1", "c=True", "d=1e400,-0", "e=", "=", "a=1=2", "a=0x1p-149", "b=0x10,-0b1"} {
		f.Add(arg)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		stores, err := parseStores(img, []string{arg})
		if err != nil {
			return
		}
		name, _, _ := strings.Cut(arg, "=")
		s, ok := img.Symbol(image.Input, name)
		require.True(t, ok)
		require.Len(t, stores, 1)
		require.Equal(t, s.Offset, stores[0].Offset)
		require.Len(t, stores[0].Bytes, s.Size())
	})
}
