package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImageCache: images are for the user alone, there are only so many, what was used last stays,
// and nothing else in the folder is touched.
func TestImageCache(t *testing.T) {
	loopFile(t, loopImage(0))
	dir, err := imageFolder()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	other := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	for i := range keptImages + 5 {
		img := loopImage(byte(i))
		saveImage(img)
		at := time.Now().Add(time.Duration(i-200) * time.Second)
		require.NoError(t, os.Chtimes(filepath.Join(dir, digestText(img)+imageSuffix), at, at))
		if i == keptImages-1 {
			_, err := savedImage(digestText(loopImage(0))) // it is used again, and outlives those after it
			require.NoError(t, err)
		}
	}
	assert.Len(t, imageFiles(dir), keptImages)
	assert.FileExists(t, other)
	_, err = savedImage(digestText(loopImage(0)))
	require.NoError(t, err)
	_, err = savedImage(digestText(loopImage(1)))
	require.ErrorContains(t, err, "was not sent from here")
	assert.Equal(t, loopImage(0).Digest(), latestImage().Digest())
	if runtime.GOOS != "windows" {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.EqualValues(t, 0o700, info.Mode().Perm())
		assert.EqualValues(t, 0o600, imageFiles(dir)[0].Mode().Perm())
	}

	// A file that is not what its name says is not believed.
	img := loopImage(7)
	data, err := loopImage(8).Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, digestText(img)+imageSuffix), data, 0o600))
	_, err = savedImage(digestText(img))
	require.ErrorContains(t, err, "was not sent from here")
}

// TestImageCacheBytes: images that are too long in all make room, but for the last one.
func TestImageCacheBytes(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a", "b", "c"} {
		file := filepath.Join(dir, name+imageSuffix)
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.NoError(t, os.Truncate(file, keptImageBytes/2))
		at := time.Now().Add(time.Duration(i-10) * time.Second)
		require.NoError(t, os.Chtimes(file, at, at))
	}
	forgetImages(dir, "a"+imageSuffix)
	assert.FileExists(t, filepath.Join(dir, "a"+imageSuffix))
	assert.NoFileExists(t, filepath.Join(dir, "b"+imageSuffix))
	assert.FileExists(t, filepath.Join(dir, "c"+imageSuffix))
}
