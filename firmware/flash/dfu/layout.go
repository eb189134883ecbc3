package dfu

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Layout is the memory behind an interface, in order of addresses.
type Layout struct {
	Name    string
	Start   uint32
	Sectors []uint32 // sizes in bytes
}

const mostSectors = 4096

var (
	layoutForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^@([^/]*?)\s*/0x([0-9A-Fa-f]{1,8})/([^/]+)$`)
	})
	runForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9]{1,4})\*([0-9]{1,4})([ BKM])([a-g])$`)
	})
)

var units = map[string]uint64{" ": 1, "B": 1, "K": 1 << 10, "M": 1 << 20}

// ParseLayout reads the text of an interface, such as "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg" (UM0424, 10.3.2;
// AN3156). The letter at the end tells what can be done: g is reading, erasing and writing.
func ParseLayout(text string) (Layout, error) {
	m := layoutForm().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Layout{}, fmt.Errorf("%q is not the layout of one memory", text)
	}
	start, err := strconv.ParseUint(m[2], 16, 32)
	if err != nil {
		return Layout{}, err
	}
	l := Layout{Name: m[1], Start: uint32(start)}
	end := start
	for run := range strings.SplitSeq(m[3], ",") {
		r := runForm().FindStringSubmatch(run)
		if r == nil {
			return Layout{}, fmt.Errorf("%q: %q is no run of sectors", text, run)
		}
		count, _ := strconv.Atoi(r[1])
		size, _ := strconv.ParseUint(r[2], 10, 32)
		if size *= units[r[3]]; size == 0 || r[4] != "g" {
			return Layout{}, fmt.Errorf("%q: %q cannot be erased and written", text, run)
		}
		end += uint64(count) * size
		if len(l.Sectors)+count > mostSectors || end > math.MaxUint32 {
			return Layout{}, fmt.Errorf("%q is too large", text)
		}
		for range count {
			l.Sectors = append(l.Sectors, uint32(size))
		}
	}
	return l, nil
}

// cover returns the addresses of the sectors that hold a piece of memory.
func (l *Layout) cover(address uint32, size int) ([]uint32, error) {
	var found []uint32
	at, end := uint64(l.Start), uint64(address)+uint64(size)
	for _, s := range l.Sectors {
		next := at + uint64(s)
		if uint64(address) < next && end > at {
			found = append(found, uint32(at))
		}
		at = next
	}
	if size == 0 || address < l.Start || end > at {
		return nil, fmt.Errorf("%d bytes at %#x are not within the flash at %#x to %#x", size, address, l.Start, at)
	}
	return found, nil
}
