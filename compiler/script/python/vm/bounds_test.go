package vm_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// TestBounds runs what asks for more than there is: each ends with an error.
func TestBounds(t *testing.T) {
	for source, kind := range map[string]string{
		"'%1000000000d' % 3":                        "ValueError",
		"'%*d' % (1000000000, 3)":                   "ValueError",
		"'%.1000000000f' % 3":                       "ValueError",
		"f'{1:1000000000}'":                         "ValueError",
		"'a' * 10**10":                              "MemoryError",
		"b'a' * 10**10":                             "MemoryError",
		"2 ** 10**9":                                "OverflowError",
		"[0] * 10**10":                              "MemoryError",
		"'a'.ljust(10**10)":                         "MemoryError",
		"(1).to_bytes(10**11, 'big')":               "MemoryError",
		"bytes(10**10)":                             "MemoryError",
		"x = []\nwhile True: x.append(lambda: x)":   "MemoryError",
		"import random\nrandom.getrandbits(10**10)": "OverflowError",
		"import json\njson.loads('[' * 100000)":     "RecursionError",
		"from functools import reduce\ndef f(a, b): return reduce(f, [1, 2])\nf(1, 2)": "RecursionError",
	} {
		var out bytes.Buffer
		_, err := newThread(&out, vm.Limits{Memory: 64 << 20}).Run("test", []byte(source+"\n"))
		var e *vm.Error
		require.ErrorAs(t, err, &e, source)
		require.Equal(t, kind, e.Kind, source)
	}
}
