package main

import (
	"context"
	"time"
)

// lookAgain is how often ports --watch looks; a person who plugs in a cable does not wait for it.
const lookAgain = 300 * time.Millisecond

// portEvent is a line of ports --watch --json.
type portEvent struct {
	Event string    `json:"event"` // "there" when the command begins, then "plugged" and "unplugged"
	Port  knownPort `json:"port"`
}

// watchPorts tells of changes until it is interrupted.
func (a *app) watchPorts(ctx context.Context, all bool) error {
	seen := map[string]knownPort{}
	event := "there"
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		ports, err := a.desk.ports()
		if err != nil {
			return err
		}
		events := portEvents(seen, ports, event, all)
		for _, e := range events {
			if err := a.showPortEvent(e); err != nil {
				return err
			}
		}
		event = "plugged"
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

// portEvents are the differences from what was seen, which it brings up to date. A port that has become another device's is
// unplugged and plugged in; a drive that is mounted later is told as the port again, since it may tell the board.
func portEvents(seen map[string]knownPort, ports []knownPort, event string, all bool) []portEvent {
	var events []portEvent
	there := map[string]bool{}
	for _, p := range ports {
		if p.Phantom && !all {
			continue
		}
		there[p.Name] = true
		old, known := seen[p.Name]
		switch {
		case known && old.PortInfo == p.PortInfo && old.likely() == p.likely():
			continue
		case known && old.PortInfo != p.PortInfo:
			events = append(events, portEvent{"unplugged", old})
		}
		events = append(events, portEvent{event, p})
		seen[p.Name] = p
	}
	for name, p := range seen {
		if !there[name] {
			events = append(events, portEvent{"unplugged", p})
			delete(seen, name)
		}
	}
	return events
}

func (a *app) showPortEvent(e portEvent) error {
	if a.ui.json {
		return a.ui.doc(e)
	}
	a.ui.out("%-9s  %s\n", e.Event, &e.Port)
	return nil
}
