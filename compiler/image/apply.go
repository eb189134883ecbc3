package image

import "fmt"

// Addresses are where a runner put the blocks of an image.
type Addresses struct {
	Code     uint64   // where the code block is executed
	Data     uint64   // where the data block lies
	Services []uint64 // addresses of the runner's services, by index
}

// Apply fixes up code and data for the given addresses, as a runner does. It
// is the reference for runners written in other languages: it takes patches
// from any source, and on an error it leaves code and data partly patched.
// Data is the initialised part; targets may also lie in the bss behind it.
func Apply(patches, code, data []byte, bss uint32, at Addresses) error {
	kinds, err := DecodePatches(patches)
	if err != nil {
		return err
	}
	if err := checkPlaces(kinds, uint64(len(code)), uint64(len(data)), uint64(len(data))+uint64(bss)); err != nil {
		return err
	}
	for i := range kinds {
		k := &kinds[i]
		region, base := code, at.Code
		if k.Place == RegionData {
			region, base = data, at.Data
		}
		for _, p := range k.Patches {
			target, err := at.target(k.Target, p.Target)
			if err != nil {
				return fmt.Errorf("patches: kind %d: %w", i, err)
			}
			value := k.value(target, base+uint64(p.Place))
			if !k.fits(value) {
				return fmt.Errorf("patches: kind %d: value %#x at offset %d needs more than %d bits", i, uint64(value), p.Place, k.Bits)
			}
			k.insert(region[p.Place:], uint64(value))
		}
	}
	return nil
}

func (at *Addresses) target(r Region, offset uint32) (uint64, error) {
	switch r {
	case RegionCode:
		return at.Code + uint64(offset), nil
	case RegionData:
		return at.Data + uint64(offset), nil
	}
	if uint64(offset) >= uint64(len(at.Services)) {
		return 0, fmt.Errorf("runner has no service %d", offset)
	}
	return at.Services[offset], nil
}

const pageMask = 0xfff

func (k *PatchKind) value(target, place uint64) int64 {
	var v uint64
	switch k.Relation {
	case Absolute:
		v = target
	case PCRelative:
		v = target - (place + uint64(int64(k.Bias)))
	case Page:
		v = target &^ pageMask
	case PageRelative:
		v = target&^pageMask - place&^pageMask
	}
	return int64(v) >> k.Shift
}

func (k *PatchKind) fits(v int64) bool {
	switch {
	case k.Bits == 0 || k.Bits == 64:
		return true
	case k.Signed:
		return v>>(k.Bits-1) == 0 || v>>(k.Bits-1) == -1
	}
	return uint64(v)>>k.Bits == 0
}

func (k *PatchKind) insert(b []byte, value uint64) {
	var unit uint64
	for i := range k.Unit {
		unit |= uint64(b[i]) << (8 * i)
	}
	for _, f := range k.Fields {
		mask := (^uint64(0) >> (64 - f.Len))
		unit = unit&^(mask<<f.Dst) | (value>>f.Src&mask)<<f.Dst
	}
	for i := range k.Unit {
		b[i] = byte(unit >> (8 * i))
	}
}

// checkPlaces checks that every unit lies inside its block and every target in
// its block or just behind it.
func checkPlaces(kinds []PatchKind, code, data, dataSize uint64) error {
	for i := range kinds {
		k := &kinds[i]
		size, limit := code, code
		if k.Place == RegionData {
			size = data
		}
		if k.Target == RegionData {
			limit = dataSize
		}
		for _, p := range k.Patches {
			if uint64(p.Place)+uint64(k.Unit) > size {
				return fmt.Errorf("patches: kind %d: place %d is outside its block of %d bytes", i, p.Place, size)
			}
			if k.Target != RegionService && uint64(p.Target) > limit {
				return fmt.Errorf("patches: kind %d: target %d is outside its block of %d bytes", i, p.Target, limit)
			}
		}
	}
	return nil
}
