package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
)

// What a boot ROM stores from the UF2 file is the runner's image, from the first
// sector of flash memory on, and only on the chip that it is for.
func TestUF2File(t *testing.T) {
	for name, family := range map[string]uint32{"pico": 0xe48bff56, "pico2": 0xe48bff59} {
		b, err := boards.Find(name)
		require.NoError(t, err)
		file, err := uf2File(&b)
		require.NoError(t, err)
		stored, err := uf2.Parse(file)
		require.NoError(t, err)
		require.Equal(t, family, stored.Family, name)
		require.EqualValues(t, 0x1000_0000, stored.Address, name)
		img, err := b.Flat()
		require.NoError(t, err)
		require.Equal(t, img.Data, stored.Data[:len(img.Data)], name)
	}
}
