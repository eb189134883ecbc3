package main

// storeCases are the bodies of STORE.
var storeCases = []bodyCase{
	{"store look", "request", "a4 00 13 01 00 02 00 03 40", `{"Action":0,"Offset":0,"Bytes":"","Length":0,"Flags":0}`},
	{"store erase", "request", "a4 00 13 01 01 02 19 0400 03 40", `{"Action":1,"Offset":1024,"Bytes":"","Length":0,"Flags":0}`},
	{"store write", "request", "a4 00 13 01 02 02 18 20 03 44 01020304", `{"Action":2,"Offset":32,"Bytes":"AQIDBA==","Length":0,"Flags":0}`},
	{"store commit", "request", "a6 00 13 01 03 02 00 03 48 " + digestHex + " 04 19 03e8 05 01",
		`{"Action":3,"Offset":0,"Bytes":"` + digestJSON + `","Length":1000,"Flags":1}`},
	{"store commit without flags", "request", "a5 00 13 01 03 02 00 03 48 " + digestHex + " 04 19 03e8",
		`{"Action":3,"Offset":0,"Bytes":"` + digestJSON + `","Length":1000,"Flags":0}`},
	{"store clear", "request", "a4 00 13 01 04 02 00 03 40", `{"Action":4,"Offset":0,"Bytes":"","Length":0,"Flags":0}`},
	{"store without key 1", "request", "a3 00 13 02 00 03 40", ""},
	{"store without key 2", "request", "a3 00 13 01 00 03 40", ""},
	{"store without key 3", "request", "a3 00 13 01 00 02 00", ""},
	{"store with key 1 out of range", "request", "a4 00 13 01 1b 0000000100000000 02 00 03 40", ""},
	{"store with key 2 out of range", "request", "a4 00 13 01 01 02 1b 0000000100000000 03 40", ""},
	{"store with a number for the bytes", "request", "a4 00 13 01 02 02 18 20 03 04", ""},
	{"store with a length beyond 32 bits", "request", "a5 00 13 01 03 02 00 03 48 " + digestHex + " 04 1b 0000000100000000", ""},
	{"store with a text for the flags", "request", "a6 00 13 01 03 02 00 03 48 " + digestHex + " 04 19 03e8 05 61 33", ""},
	{"read of the stored program", "request", "a4 00 06 01 10 02 19 0190 03 05", `{"Offset":16,"Length":400,"Region":5}`},

	{"store", "response", "a3 00 13 01 00 02 5830 00800000 00040000 04000000 17000000 01000000 02000000 01000000 e8030000 " + digestHex + " 00000000 00000000",
		`{"Status":0,"SlotLength":32768,"Page":1024,"Unit":4,"EraseMS":23,"State":1,"Sequence":2,"Flags":1,"Length":1000,"Digest":[0,1,2,3,4,5,6,7],"Record":0,"Refusal":0}`},
	{"store of what was refused", "response", "a3 00 13 01 00 02 5830 00800000 00040000 04000000 17000000 03000000 02000000 01000000 e8030000 " + digestHex + " 09000000 fcffffff",
		`{"Status":0,"SlotLength":32768,"Page":1024,"Unit":4,"EraseMS":23,"State":3,"Sequence":2,"Flags":1,"Length":1000,"Digest":[0,1,2,3,4,5,6,7],"Record":9,"Refusal":-4}`},
	{"store refused", "response", "a2 00 13 01 23",
		`{"Status":-4,"SlotLength":0,"Page":0,"Unit":0,"EraseMS":0,"State":0,"Sequence":0,"Flags":0,"Length":0,"Digest":[0,0,0,0,0,0,0,0],"Record":0,"Refusal":0}`},
	{"store that did not take it", "response", "a2 00 13 01 30",
		`{"Status":-17,"SlotLength":0,"Page":0,"Unit":0,"EraseMS":0,"State":0,"Sequence":0,"Flags":0,"Length":0,"Digest":[0,0,0,0,0,0,0,0],"Record":0,"Refusal":0}`},
	{"store without its key", "response", "a2 00 13 01 00", ""},
	{"store with a short answer", "response", "a3 00 13 01 00 02 582f 00800000 00040000 04000000 17000000 03000000 02000000 01000000 e8030000 " + digestHex + " 09000000 fcffff", ""},
}
