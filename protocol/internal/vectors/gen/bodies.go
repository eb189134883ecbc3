package main

import (
	"fmt"
	"slices"
	"strings"
)

const (
	digestHex  = "0001020304050607"
	digestJSON = "AAECAwQFBgc="
)

// A bodyCase is a body as hexadecimal with spaces for the eye. What a body
// says is given as the JSON form of the Go type, byte strings in base64.
type bodyCase struct{ name, dir, body, says string }

var bodyCases = []bodyCase{
	{"hello", "request", "a3 00 01 01 01 02 1a efbeadde", `{"Version":1,"Nonce":4022250974}`},
	{"hello of version 2", "request", "a3 00 01 01 02 02 00", `{"Version":2,"Nonce":0}`},
	{"hello of version 256", "request", "a3 00 01 01 19 0100 02 00", `{"Version":256,"Nonce":0}`},
	{"hello of a version beyond 32 bits", "request", "a3 00 01 01 1b 0000000100000001 02 00", ""},
	{"chunk without bytes", "request", "a4 00 03 01 01 02 00 03 40", `{"Region":1,"Offset":0,"Bytes":""}`},
	{"chunk of no region", "request", "a4 00 03 01 19 012c 02 00 03 41 aa", `{"Region":300,"Offset":0,"Bytes":"qg=="}`},
	{"begin", "request", "a9 00 02 01 02 02 04 03 19 1000 04 18 40 05 1a 00100000 06 09 07 82 00 19 0200 08 48 " + digestHex,
		`{"Arch":2,"Features":4,"CodeLength":4096,"DataLength":64,"BSSLength":1048576,"PatchLength":9,"Entries":[0,512],"Digest":"` + digestJSON + `"}`},
	{"begin with a 64-bit feature", "request", "a9 00 02 01 01 02 1b 8000000000000000 03 01 04 00 05 00 06 00 07 81 00 08 48 " + digestHex,
		`{"Arch":1,"Features":9223372036854775808,"CodeLength":1,"DataLength":0,"BSSLength":0,"PatchLength":0,"Entries":[0],"Digest":"` + digestJSON + `"}`},
	{"chunk", "request", "a4 00 03 01 01 02 1a 00011170 03 43 010203", `{"Region":1,"Offset":70000,"Bytes":"AQID"}`},
	{"seal", "request", "a1 00 04", `{}`},
	{"run", "request", "a7 00 05 01 00 02 19 03e8 03 1a 0007a120 04 1a 80000000 05 1b 0000000200000000 06 19 0bb8",
		`{"Entry":0,"Count":1000,"Period":500000,"Rest":2147483648,"Limit":8589934592,"Silence":3000}`},
	{"run without key 1", "request", "a6 00 05 02 19 03e8 03 1a 0007a120 04 1a 80000000 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run without key 2", "request", "a6 00 05 01 00 03 1a 0007a120 04 1a 80000000 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run without key 3", "request", "a6 00 05 01 00 02 19 03e8 04 1a 80000000 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run without key 4", "request", "a6 00 05 01 00 02 19 03e8 03 1a 0007a120 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run without key 5", "request", "a6 00 05 01 00 02 19 03e8 03 1a 0007a120 04 1a 80000000 06 19 0bb8", ""},
	{"run without key 6", "request", "a6 00 05 01 00 02 19 03e8 03 1a 0007a120 04 1a 80000000 05 1b 0000000200000000", ""},
	{"run with key 1 out of range", "request", "a7 00 05 01 1b 0000000100000000 02 19 03e8 03 1a 0007a120 04 1a 80000000 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run with key 2 out of range", "request", "a7 00 05 01 00 02 1b 0000000100000000 03 1a 0007a120 04 1a 80000000 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run with key 3 out of range", "request", "a7 00 05 01 00 02 19 03e8 03 20 04 1a 80000000 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run with key 4 out of range", "request", "a7 00 05 01 00 02 19 03e8 03 1a 0007a120 04 1b 0000000100000000 05 1b 0000000200000000 06 19 0bb8", ""},
	{"run with key 5 out of range", "request", "a7 00 05 01 00 02 19 03e8 03 1a 0007a120 04 1a 80000000 05 20 06 19 0bb8", ""},
	{"run with key 6 out of range", "request", "a7 00 05 01 00 02 19 03e8 03 1a 0007a120 04 1a 80000000 05 1b 0000000200000000 06 20", ""},
	{"read", "request", "a3 00 06 01 10 02 19 0190", `{"Offset":16,"Length":400,"Region":null}`},
	{"write", "request", "a3 00 07 01 18 18 02 44 0000803f", `{"Offset":24,"Bytes":"AACAPw==","Region":null}`},
	{"write nothing", "request", "a3 00 07 01 00 02 40", `{"Offset":0,"Bytes":"","Region":null}`},
	{"code that no message has any more", "request", "a3 00 08 01 18 64 02 18 32", ""},
	{"read samples", "request", "a4 00 06 01 19 0190 02 18 c8 03 04", `{"Offset":400,"Length":200,"Region":4}`},
	{"status", "request", "a1 00 09", `{}`},
	{"drop", "request", "a1 00 0a", `{}`},
	{"baud", "request", "a2 00 0b 01 1a 000e1000", `{"Baud":921600}`},
	{"key from the future", "request", "a2 00 09 18 1e 82 01 19 012c", `{}`},
	{"key above 63", "request", "a2 00 09 18 40 00", `{}`},
	{"key as large as can be", "request", "a2 00 09 1a fffffffe 00", `{}`},

	{"empty", "request", "", ""},
	{"not a map", "request", "81 09", ""},
	{"map without its end", "request", "a1 00", ""},
	{"byte after the map", "request", "a1 00 09 00", ""},
	{"indefinite map", "request", "bf 00 09 ff", ""},
	{"indefinite byte string", "request", "a3 00 07 01 00 02 5f 41 01 ff", ""},
	{"number not in its shortest form", "request", "a1 00 18 09", ""},
	{"length not in its shortest form", "request", "a3 00 07 01 00 02 58 01 aa", ""},
	{"key not in its shortest form", "request", "a2 00 09 18 01 00", ""},
	{"reserved head", "request", "a1 00 1c", ""},
	{"keys descend", "request", "a3 01 00 00 06 02 0a", ""},
	{"key twice", "request", "a3 00 06 01 00 01 00", ""},
	{"key of 2^32 - 1", "request", "a2 00 09 1a ffffffff 00", ""},
	{"key beyond 32 bits", "request", "a2 00 09 1b 0000000100000000 00", ""},
	{"text key", "request", "a2 00 09 61 78 00", ""},
	{"negative key", "request", "a2 00 09 20 00", ""},
	{"tag", "request", "a2 00 09 18 1e c1 00", ""},
	{"nested too deeply", "request", "a2 00 09 18 1e 81 81 81 81 00", ""},
	{"byte string longer than the body", "request", "a3 00 07 01 00 02 5a ffffffff 00", ""},
	{"array longer than the body", "request", "a2 00 09 18 1e 9b ffffffffffffffff 00", ""},
	{"map longer than the body", "request", "bb ffffffffffffffff 00 09", ""},
	{"no message code", "request", "a1 01 01", ""},
	{"unknown message code", "request", "a1 00 17", ""},
	{"message code beyond 32 bits", "request", "a1 00 1b 0000000100000009", ""},
	{"message code as text", "request", "a1 00 61 39", ""},
	{"key missing", "request", "a2 00 06 01 00", ""},
	{"offset beyond 32 bits", "request", "a3 00 06 01 1b 0000000100000000 02 00", ""},
	{"negative offset", "request", "a3 00 06 01 20 02 00", ""},
	{"text for bytes", "request", "a3 00 07 01 00 02 61 61", ""},
	{"array for bytes", "request", "a3 00 07 01 00 02 81 01", ""},
	{"number for an array", "request", "a9 00 02 01 02 02 04 03 19 1000 04 18 40 05 00 06 00 07 00 08 48 " + digestHex, ""},
	{"true for a number", "request", "a3 00 06 01 00 02 f5", ""},

	{"hello", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 48 00c2010000100e00 07 48 " + digestHex,
		`{"Status":0,"Version":2,"Session":77,"Arch":1,"Features":3,"Board":"local","Firmware":"1.0","BootNonce":5,"CodeCapacity":1048576,` +
			`"DataCapacity":16777216,"MaxPacket":4096,"Window":65536,"SampleCapacity":1000,"TimerHz":1000000000,"Bauds":[115200,921600],"State":5,"Digest":"` + digestJSON + `","Nonce":3735928559,` +
			`"LoopFeatures":7,"LiveCapacity":8192,"Guard":100,"Conditions":0}`},
	{"hello of an idle runner whose line has no rate", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000000000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 40 07 48 0000000000000000",
		`{"Status":0,"Version":2,"Session":77,"Arch":1,"Features":3,"Board":"local","Firmware":"1.0","BootNonce":5,"CodeCapacity":1048576,` +
			`"DataCapacity":16777216,"MaxPacket":4096,"Window":65536,"SampleCapacity":1000,"TimerHz":1000000000,"Bauds":[],"State":0,"Digest":"","Nonce":3735928559,` +
			`"LoopFeatures":7,"LiveCapacity":8192,"Guard":100,"Conditions":0}`},
	{"hello of a runner with something to tell", "response", "a9 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000000000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 40 07 48 0000000000000000 08 05",
		`{"Status":0,"Version":2,"Session":77,"Arch":1,"Features":3,"Board":"local","Firmware":"1.0","BootNonce":5,"CodeCapacity":1048576,` +
			`"DataCapacity":16777216,"MaxPacket":4096,"Window":65536,"SampleCapacity":1000,"TimerHz":1000000000,"Bauds":[],"State":0,"Digest":"","Nonce":3735928559,` +
			`"LoopFeatures":7,"LiveCapacity":8192,"Guard":100,"Conditions":5}`},
	{"hello with conditions of another type", "response", "a9 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000000000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 40 07 48 0000000000000000 08 41 05", ""},
	{"hello with a short first part", "response", "a8 00 01 01 00 02 02 03 5818 4d000000efbeadde050000000500000000ca9a3b64000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 48 00c2010000100e00 07 48 " + digestHex, ""},
	{"hello with a long first part", "response", "a8 00 01 01 00 02 02 03 5820 4d000000efbeadde050000000500000000ca9a3b640000000700000000000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 48 00c2010000100e00 07 48 " + digestHex, ""},
	{"hello with short limits", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 581f 010000000300000000001000000000010010000000000100e8030000002000 05 49 6c6f63616c0a312e30 06 48 00c2010000100e00 07 48 " + digestHex, ""},
	{"hello with half a rate", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 46 00c201000010 07 48 " + digestHex, ""},
	{"hello with one text", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 45 6c6f63616c 06 48 00c2010000100e00 07 48 " + digestHex, ""},
	{"hello with a text that is none", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 ff6f63616c0a312e30 06 48 00c2010000100e00 07 48 " + digestHex, ""},
	{"hello with numbers for the limits", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 8101 05 49 6c6f63616c0a312e30 06 40 07 48 " + digestHex, ""},
	{"hello with half a digest", "response", "a8 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 48 00c2010000100e00 07 50 000102030405060708090a0b0c0d0e0f", ""},
	{"hello with a session beyond 16 bits", "response", "a8 00 01 01 00 02 02 03 581c 00000100efbeadde050000000500000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 48 00c2010000100e00 07 48 " + digestHex, ""},
	{"hello without its digest", "response", "a7 00 01 01 00 02 02 03 581c 4d000000efbeadde050000000500000000ca9a3b6400000007000000 04 5820 010000000300000000001000000000010010000000000100e803000000200000 05 49 6c6f63616c0a312e30 06 48 00c2010000100e00", ""},
	{"hello refused", "response", "a3 00 01 01 22 02 02",
		`{"Status":-3,"Version":2,"Session":0,"Arch":0,"Features":0,"Board":"","Firmware":"","BootNonce":0,"CodeCapacity":0,"DataCapacity":0,` +
			`"MaxPacket":0,"Window":0,"SampleCapacity":0,"TimerHz":0,"Bauds":null,"State":0,"Digest":null,"Nonce":0,"LoopFeatures":0,"LiveCapacity":0,"Guard":0,"Conditions":0}`},
	{"begin", "response", "a2 00 02 01 00", `{"Status":0,"Detail":0}`},
	{"begin refused", "response", "a3 00 02 01 24 02 19 1000", `{"Status":-5,"Detail":4096}`},
	{"chunk refused", "response", "a3 00 03 01 27 02 19 1000", `{"Status":-8,"Detail":4096}`},
	{"seal", "response", "a2 00 04 01 00", `{"Status":0,"Detail":0}`},
	{"seal refused", "response", "a2 00 04 01 28", `{"Status":-9,"Detail":0}`},
	{"run", "response", "a3 00 05 01 00 02 5824 0000000000010000030000000000000009000000000000000a0000000100000002000000",
		`{"Status":0,"Runs":10,"Total":1099511627776,"Min":3,"Max":9,"Late":1,"Sticky":2,"Fault":null}`},
	{"run faulted", "response", "a4 00 05 01 2b 02 5824 1e000000000000000a000000000000000a00000000000000030000000000000000000000 03 5838 0100000000000000450000960000000040000000000000001000000000000000000000000000000003000000000000000100000000000000",
		`{"Status":-12,"Runs":3,"Total":30,"Min":10,"Max":10,"Late":0,"Sticky":0,"Fault":{"Kind":1,"PC":64,"Address":16,"Entry":0,"Run":3,"Cause":2516582469,"Inside":true}}`},
	{"run faulted, in numbers of 32 bits", "response", "a4 00 05 01 2b 02 5824 1e000000000000000a000000000000000a00000000000000030000000000000000000000 03 581c 01000000450000964000000010000000000000000300000001000000",
		`{"Status":-12,"Runs":3,"Total":30,"Min":10,"Max":10,"Late":0,"Sticky":0,"Fault":{"Kind":1,"PC":64,"Address":16,"Entry":0,"Run":3,"Cause":2516582469,"Inside":true}}`},
	{"run whose host was silent", "response", "a3 00 05 01 2f 02 5824 1e000000000000000a000000000000000a00000000000000030000000000000000000000",
		`{"Status":-16,"Runs":3,"Total":30,"Min":10,"Max":10,"Late":0,"Sticky":0,"Fault":null}`},
	{"run without its key", "response", "a2 00 05 01 00", ""},
	{"run with a short figure", "response", "a3 00 05 01 00 02 5823 0000000000010000030000000000000009000000000000000a00000001000000020000", ""},
	{"run with a number", "response", "a3 00 05 01 00 02 03", ""},
	{"run with half a fault", "response", "a4 00 05 01 2b 02 5824 1e000000000000000a000000000000000a00000000000000030000000000000000000000 03 581b 010000004500009640000000100000000000000003000000010000", ""},
	{"run with a fault inside of more than one", "response", "a4 00 05 01 2b 02 5824 1e000000000000000a000000000000000a00000000000000030000000000000000000000 03 581c 01000000000000004000000010000000000000000300000002000000", ""},
	{"read", "response", "a3 00 06 01 00 02 44 01020304", `{"Status":0,"Bytes":"AQIDBA==","Tick":null}`},
	{"read refused", "response", "a2 00 06 01 27", `{"Status":-8,"Bytes":null,"Tick":null}`},
	{"write", "response", "a2 00 07 01 00", `{"Status":0}`},
	{"code that no message has any more", "response", "a3 00 08 01 00 02 44 01000000", ""},
	{"status", "response", "a4 00 09 01 00 02 5818 010000000200000003000000040000000500000002000000 03 48 " + digestHex,
		`{"Status":0,"State":2,"Digest":"` + digestJSON + `","Fault":null,"Counters":{"FramesOK":1,"CRCErrors":2,"FramingErrors":3,"Overruns":4,"Duplicates":5}}`},
	{"status with a fault", "response", "a5 00 09 01 00 02 5818 010000000200000003000000040000000500000004000000 03 48 " + digestHex + " 04 5838 0100000000000000450000960000000040000000000000001000000000000000000000000000000003000000000000000100000000000000",
		`{"Status":0,"State":4,"Digest":"` + digestJSON + `","Fault":{"Kind":1,"PC":64,"Address":16,"Entry":0,"Run":3,"Cause":2516582469,"Inside":true},"Counters":{"FramesOK":1,"CRCErrors":2,"FramingErrors":3,"Overruns":4,"Duplicates":5}}`},
	{"status of an idle runner", "response", "a4 00 09 01 00 02 5818 010000000200000003000000040000000500000000000000 03 48 0000000000000000",
		`{"Status":0,"State":0,"Digest":"","Fault":null,"Counters":{"FramesOK":1,"CRCErrors":2,"FramingErrors":3,"Overruns":4,"Duplicates":5}}`},
	{"status with five counters", "response", "a4 00 09 01 00 02 54 0100000002000000030000000400000005000000 03 48 " + digestHex, ""},
	{"status with a short digest", "response", "a4 00 09 01 00 02 5818 010000000200000003000000040000000500000002000000 03 41aa", ""},
	{"status with a map for the fault", "response", "a5 00 09 01 00 02 5818 010000000200000003000000040000000500000002000000 03 48 " + digestHex + " 04 a0", ""},
	{"status without its digest", "response", "a3 00 09 01 00 02 5818 010000000200000003000000040000000500000002000000", ""},
	{"drop", "response", "a2 00 0a 01 00", `{"Status":0}`},
	{"baud refused", "response", "a2 00 0b 01 2e", `{"Status":-15}`},
	{"status of the future", "response", "a2 00 07 01 38 63", `{"Status":-100}`},

	{"no status", "response", "a1 00 04", ""},
	{"key missing", "response", "a2 00 06 01 00", ""},
	{"status beyond 8 bits", "response", "a2 00 07 01 38 ff", ""},
}

func bodies() string {
	var b strings.Builder
	b.WriteString(banner + `#
# Message bodies. "bad" ones must be refused: by a runner with status bad-message, by a host as not received.
# What a good one says is JSON with the field names of package packet; byte strings are base64.
# name | request or response | body | ok or bad | what it says, or -

`)
	for _, c := range slices.Concat(bodyCases, loopCases, storeCases) {
		verdict, says := "ok", c.says
		if says == "" {
			verdict, says = "bad", "-"
		}
		body := unhex(strings.ReplaceAll(c.body, " ", ""))
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s\n", c.name, c.dir, hexText(body), verdict, says)
	}
	return b.String()
}
