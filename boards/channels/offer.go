package channels

import (
	"slices"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
)

// An Offer is channels of one kind of a device that fits a bus, with what binding the first one of them gives.
type Offer struct {
	Bus      *boards.Bus
	Device   *chips.Device
	Channels []string // sorted
	Kind     string   // of the device
	Channel  *chips.Channel
}

// Offers are those of the devices that are built in, by bus, device and the first channel.
func Offers(b *boards.Board) ([]Offer, error) {
	chip, err := chips.Find(b.Chip)
	if err != nil || chip == nil || len(b.Buses) == 0 {
		return nil, err
	}
	known, err := chips.Devices()
	if err != nil {
		return nil, err
	}
	var all []Offer
	for i := range b.Buses {
		bus := &b.Buses[i]
		for _, name := range fit(chip.Buses[bus.Name].Controller) {
			d := known[name]
			groups := map[string][]string{}
			for c := range d.Channels {
				kind, _, err := d.Offer(c)
				if err != nil {
					return nil, err
				}
				groups[kind] = append(groups[kind], c)
			}
			var ofDevice []Offer
			for kind, list := range groups {
				slices.Sort(list)
				p, err := Resolve(b, []Binding{{Variable: "x", Direction: d.Kinds[kind].Direction, Channel: bus.Name, Kind: d.Name + "." + list[0]}})
				if err != nil {
					return nil, err
				}
				ofDevice = append(ofDevice, Offer{bus, d, list, kind, p.Bound[0].Channel})
			}
			slices.SortFunc(ofDevice, func(a, b Offer) int { return slices.Compare(a.Channels, b.Channels) })
			all = append(all, ofDevice...)
		}
	}
	return all, nil
}
