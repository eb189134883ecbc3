package main

import (
	"fmt"
	"strings"
)

// telCases are packets of telemetry and what they say; no values: a host refuses them. Sequence numbers, ticks
// and times wrap.
var telCases = []struct {
	name               string
	session, seq, next uint16
	record             int
	body               string
	tick, time, drops  uint32
	values             string // records with commas between them
}{
	{"one record", 77, 0, 9, 4, "e8030000 40e20100 00000000 0000803f", 1000, 123456, 0, "0000803f"},
	{"three records of two values", 77, 1, 9, 8, "e9030000 28e60100 00000000 0000803f00000040 0000a03f01000040 0000c03f02000040", 1001, 124456, 0,
		"0000803f00000040,0000a03f01000040,0000c03f02000040"},
	{"after drops", 77, 0xffff, 9, 4, "ffffffff ffffffff 11000000 01000000 02000000", 0xffffffff, 0xffffffff, 17, "01000000,02000000"},
	{"zeros", 0xffff, 0, 0, 4, "00000000 00000000 00000000 00000000", 0, 0, 0, "00000000"},

	{"no record", 77, 0, 9, 4, "e8030000 40e20100 00000000", 0, 0, 0, ""},
	{"short head", 77, 0, 9, 4, "e8030000 40e20100 000000", 0, 0, 0, ""},
	{"empty", 77, 0, 9, 4, "", 0, 0, 0, ""},
	{"half a record", 77, 0, 9, 8, "e8030000 40e20100 00000000 0000803f", 0, 0, 0, ""},
	{"a record and a half", 77, 0, 9, 8, "e8030000 40e20100 00000000 0000803f00000040 0000a03f", 0, 0, 0, ""},
	{"a byte too many", 77, 0, 9, 4, "e8030000 40e20100 00000000 0000803f 00", 0, 0, 0, ""},
}

func telemetry() string {
	var b strings.Builder
	b.WriteString(banner + `#
# Telemetry: packets of kind tel, without frame and checksum. A host passes over "bad" ones and counts their records as lost.
# name | bytes of a record | session | sequence number | ack | packet | ok or bad | tick | time | drops | records, or -

`)
	for _, c := range telCases {
		verdict, values := "ok", c.values
		if values == "" {
			verdict, values = "bad", "-"
		}
		head := []byte{4, 2, byte(c.session), byte(c.session >> 8), byte(c.seq), byte(c.seq >> 8), byte(c.next), byte(c.next >> 8)}
		packet := append(head, unhex(strings.ReplaceAll(c.body, " ", ""))...)
		fmt.Fprintf(&b, "%s | %d | %d | %d | %d | %s | %s | %d | %d | %d | %s\n", c.name, c.record, c.session, c.seq, c.next,
			hexText(packet), verdict, c.tick, c.time, c.drops, values)
	}
	return b.String()
}
