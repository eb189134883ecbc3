//go:build linux

package emulator_test

import "encoding/binary"

// Hand-assembled AArch64: a program gets the data block in x0 and returns by
// RET. resultAt is the first word of data that belongs to a program.
const (
	resultAt = 16 // bytes
	paramAt  = 20

	ret   = 0xd65f03c0 // ret
	store = 0xb9001001 // str w1, [x0, #16]
	spin  = 0x14000000 // b .
)

// movz sets register rd to a 16-bit value at bit 0 or 16.
func movz(rd, value, shift uint32) uint32 { return 0xd2800000 | shift/16<<21 | value<<5 | rd }

// image returns the words as bytes.
func image(words ...uint32) []byte {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

// counter adds one to the result word.
var counter = image(
	0xb9401001, // ldr w1, [x0, #16]
	0x11000421, // add w1, w1, #1
	store,
	ret,
)

// registers fills every register that an interrupt handler might use, counts
// the parameter word down to 0, and stores the sum of them: if one of them
// changed meanwhile, the sum is wrong.
func registers() (code []byte, sum uint32) {
	words := []uint32{0xaa1e03fd} // mov x29, x30
	var general, vector []uint32
	for n := uint32(1); n <= 18; n++ {
		general = append(general, n)
	}
	general = append(general, 30)
	for n := uint32(1); n <= 31; n++ {
		if n < 8 || n > 15 { // d8 to d15 belong to the caller
			vector = append(vector, n)
		}
	}
	for _, n := range general {
		words = append(words, movz(n, n, 0))
		sum += n
	}
	words = append(words, 0x4f000400) // movi v0.4s, #0
	for _, n := range vector {
		words = append(words, 0x4f000400|n<<5|n) // movi v<n>.4s, #n (n < 32)
		sum += n
	}
	words = append(words,
		0xb9401413, // ldr w19, [x0, #20]
		0xf1000673, // subs x19, x19, #1
		0x54ffffe1, // b.ne .-4
		0xd2800014, // mov x20, #0
	)
	for _, n := range general {
		words = append(words, 0x8b000294|n<<16) // add x20, x20, x<n>
	}
	for _, n := range vector {
		words = append(words, 0x4ea08400|n<<16) // add v0.4s, v0.4s, v<n>.4s
	}
	words = append(words,
		0x0e1c3c15, // mov w21, v0.s[3]
		0x0b150294, // add w20, w20, w21
		0xb9001014, // str w20, [x0, #16]
		0xd65f03a0, // ret x29
	)
	return image(words...), sum
}
