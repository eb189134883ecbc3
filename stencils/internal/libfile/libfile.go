// Package libfile is the file format of a stencil library: what the builder
// writes and package stencils reads. Deterministic CBOR; README.md of stencils
// describes it in CDDL.
package libfile

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Version of the format. Readers take no other.
const Version = 8

// Library is the content of a file.
type Library struct {
	Version  int             `cbor:"0,keyasint"`
	Arch     string          `cbor:"1,keyasint"`
	Digest   string          `cbor:"2,keyasint"` // hex SHA-256 of what it was made of, lib/<arch>.sum
	Frame    int             `cbor:"3,keyasint"` // stack bytes of the entry code
	Files    [5]RegisterFile `cbor:"4,keyasint"` // by class: none, float, int, vector, double
	HighBit  uint8           `cbor:"5,keyasint"` // the bit of a register number that makes operand keys
	Stencils []Stencil       `cbor:"6,keyasint"`
	Kernels  []Kernel        `cbor:"7,keyasint"`
	Blobs    []Blob          `cbor:"8,keyasint"`
	Compiler string          `cbor:"9,keyasint"` // its version line, part of the digest
	// FloatsBesideDoubles is how many of the float registers programs with doubles have,
	// where these have registers of their own; 0: the same as for floats.
	FloatsBesideDoubles int `cbor:"10,keyasint"`
	// Features are those beyond the base that stencils may need, best last.
	Features []string `cbor:"11,keyasint,omitempty"`
	// InOrder: typical cores start instructions in the order of the code.
	InOrder bool `cbor:"12,keyasint,omitempty"`
	// EntryNeeds is the feature of a runner that calls its entries; "": every one does.
	EntryNeeds string `cbor:"14,keyasint,omitempty"`
	// Services are bounds on the instructions of the runner's services, by index.
	Services []int `cbor:"13,keyasint,omitempty"`
}

// RegisterFile lists the registers of one class.
type RegisterFile struct {
	_ struct{} `cbor:",toarray"`

	Names     []string
	Numbers   []byte // hardware numbers
	Preserved uint32 // bit r: register r survives kernel calls
}

// Stencil is one operation in one form, for all its data types.
type Stencil struct {
	_ struct{} `cbor:",toarray"`

	Op        string
	DTypes    []string
	Form      uint8
	Dst       uint8
	Src       [3]uint8
	Tied      bool
	Imm       uint8
	MaxDirect int32
	MaxImm    int32
	Insns     int
	Templates Templates
	// Classes is the template of each operand key as (run length - 1, template)
	// byte pairs; empty when there is one template.
	Classes []byte
	// Service is 1 + the index of the runner's service whose address the code takes
	// from the data word at imm; 0: none.
	Service int
	// Feature is 1 + the index of the feature that the code needs; 0: none.
	Feature int
	MinImm  int32
}

// Template is code for operand values 0 with the fields to XOR operands into.
type Template struct {
	Code   []byte
	Fields []byte // packed, FieldSize bytes each
	Origin int    // branch distance counts from here, relative to the code's start
}

// Operands of a field.
const (
	OperandD uint8 = iota // register numbers
	OperandA
	OperandB
	OperandC
	OperandImm
	OperandImm2
	OperandBranch // distance to the branch target
	NumOperands
)

// Field says that bits [Src, Src+Len) of an operand are XORed into bits
// [Dst, Dst+Len) of the code, counted from its start in little-endian order.
type Field struct {
	Operand  uint8
	Src, Len uint8
	Dst      uint16
}

// FieldSize is the packed size of a Field.
const FieldSize = 5

// PackFields is the byte string form of fields.
func PackFields(fields []Field) []byte {
	var out []byte
	for _, f := range fields {
		out = append(out, f.Operand, f.Src, f.Len, byte(f.Dst), byte(f.Dst>>8))
	}
	return out
}

// UnpackField is the first field of a packed list.
func UnpackField(packed []byte) Field {
	return Field{packed[0], packed[1], packed[2], uint16(packed[3]) | uint16(packed[4])<<8}
}

// CheckFields checks that a packed list is whole, and that every field lies
// within size bytes of code and within a 4-byte window that starts at the
// field's first byte.
func CheckFields(packed []byte, size int) error {
	if len(packed)%FieldSize != 0 {
		return errors.New("field list is cut short")
	}
	for ; len(packed) > 0; packed = packed[FieldSize:] {
		f := UnpackField(packed)
		end := int(f.Dst) + int(f.Len)
		if f.Operand >= NumOperands || f.Len == 0 || f.Len > 32 || f.Src > 31 || end > 8*size || int(f.Dst)%8+int(f.Len) > 32 {
			return fmt.Errorf("field %+v does not fit %d bytes of code", f, size)
		}
	}
	return nil
}

// UnpackFields is the inverse of PackFields. It checks the fields by CheckFields.
func UnpackFields(packed []byte, size int) ([]Field, error) {
	if err := CheckFields(packed, size); err != nil {
		return nil, err
	}
	var out []Field
	for ; len(packed) > 0; packed = packed[FieldSize:] {
		out = append(out, UnpackField(packed))
	}
	return out, nil
}

// Kernel is an entry of a blob.
type Kernel struct {
	_ struct{} `cbor:",toarray"`

	Op      string
	DType   string
	Blob    int // index into Blobs
	Entry   int
	Args    int
	Results int
	Stack   int
	Insns   int
	// Feature is 1 + the index of the feature that the code needs; 0: none.
	Feature int
	// Loops are those of a kernel that has some. Insns is what is carried out before them.
	Loops []Loop
}

// Loop is a loop of a kernel.
type Loop struct {
	_ struct{} `cbor:",toarray"`

	Name  string
	Insns int // of an iteration, at most, without those of other loops
}

// Blob is position-independent code and its tables.
type Blob struct {
	_ struct{} `cbor:",toarray"`

	Name  string
	Code  []byte
	Align int
}

// Encode is the file of a library.
func Encode(lib *Library) ([]byte, error) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	return mode.Marshal(lib)
}

// Decode reads a file.
func Decode(data []byte) (*Library, error) {
	mode, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden,
		MaxArrayElements: 1 << 20, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField}.DecMode()
	if err != nil {
		return nil, err
	}
	lib := new(Library)
	if err := mode.Unmarshal(data, lib); err != nil {
		return nil, err
	}
	if lib.Version != Version {
		return nil, fmt.Errorf("format version %d, want %d", lib.Version, Version)
	}
	return lib, nil
}
