package lir

import "github.com/copaflash/copaflash/compiler/graph"

// machineOp is a row of the table of machine ops: all that the compiler knows of one.
type machineOp struct {
	name string // of its stencils
	// types are those of operands for which every architecture has the op that has
	// the type at all.
	types []graph.DType
	// also are types for which some have it: where it is shorter or faster than what it
	// stands for.
	also []graph.DType
	// operands has a letter for each: v, a value of the type, s, a single one of several lanes,
	// or i, an index or another integer.
	operands string
	gives    graph.DType // type of the result where it is another one
	imm      Imm
	memory   access
	// keepsFlags: it may stand between a test and its picks, which read what the test leaves.
	keepsFlags bool
	inARow     uint8    // registers that the result takes; 0: one
	latency    uint8    // typical cycles until the result can be used; 0: 2 and its instructions
	of         graph.Op // what it does is this op of the graph, with an operand from memory, a limit or a mask; 0: none
	as         Op       // it counts as this one; 0: as what it does, or itself
}

var (
	moved  = []graph.DType{graph.F32, graph.I32, graph.F64, F32x4, F32x8}
	wide   = []graph.DType{F32x4, F32x8}
	widest = []graph.DType{F32x8}
	narrow = []graph.DType{F32x4}
	ints   = []graph.DType{graph.I32}
	// pointed are the types for which there may be pointers.
	pointed  = []graph.DType{graph.F32, graph.I32, F32x4}
	floats   = []graph.DType{graph.F32, graph.F64}
	single   = []graph.DType{graph.F32}
	picked   = []graph.DType{graph.F32, graph.I32, graph.Bool}
	compared = []graph.DType{graph.F32, graph.I32, graph.F64}
	words    = []graph.DType{graph.I32, graph.Bool}
	chosen   = []graph.DType{graph.F32, graph.I32, graph.Bool, graph.F64}
	wideInts = []graph.DType{I32x4, I32x8}
	masked   = []graph.DType{graph.F32, F32x4, F32x8}
	masks    = append(wideInts, masked...)
	shifted  = append(wideInts, graph.I32)
	produced = []graph.DType{graph.I32, I32x4}
	coupled  = []graph.DType{graph.F32, graph.I32}
)

// machineOps is the table. The rows of the graph's ops are empty.
var machineOps = [1 << opBits]machineOp{
	Store:         {name: "st", types: moved, operands: "v", imm: Place, memory: writes, latency: 1, keepsFlags: true},
	LoadAt:        {name: "ldx", types: moved, operands: "i", imm: Number, memory: reads, latency: 4},
	StoreAt:       {name: "stx", types: moved, operands: "vi", imm: Number, memory: writes, latency: 1},
	LoadIn:        {name: "ldx", types: moved, operands: "i", imm: Place, memory: reads, latency: 4},
	StoreIn:       {name: "stx", types: moved, operands: "vi", imm: Place, memory: writes, latency: 1},
	Address:       {name: "imm", types: ints, imm: Offset, latency: 1},
	AddConst:      {name: "addi", types: ints, operands: "v", imm: Number, latency: 1},
	SinCos:        {name: "sincos", types: []graph.DType{graph.F32}, also: []graph.DType{graph.F64}, operands: "v"},
	Bits:          {name: "bits", also: []graph.DType{graph.F32}, operands: "v", gives: graph.I32, latency: 1},
	OfBits:        {name: "frombits", also: ints, operands: "v", gives: graph.F32, latency: 1},
	FromInt:       {name: "fromint", also: []graph.DType{graph.F32}, operands: "v", latency: 4, as: Of(graph.OpToF32, graph.I32)},
	ToInt:         {name: "toint", also: []graph.DType{graph.F32}, operands: "v", latency: 4, as: Of(graph.OpToI32, graph.F32)},
	AddBy:         {name: "addby", also: ints, operands: "v", imm: Number, latency: 1, as: Of(graph.OpAdd, graph.I32)},
	SubBy:         {name: "subby", also: ints, operands: "v", imm: Number, latency: 1, as: Of(graph.OpSub, graph.I32)},
	AndBy:         {name: "andby", also: ints, operands: "v", imm: Number, latency: 1, as: Of(graph.OpAnd, graph.I32)},
	OrBy:          {name: "orby", also: ints, operands: "v", imm: Number, latency: 1, as: Of(graph.OpOr, graph.I32)},
	XorBy:         {name: "xorby", also: ints, operands: "v", imm: Number, latency: 1, as: Of(graph.OpXor, graph.I32)},
	LtBy:          {name: "ltby", also: ints, operands: "v", imm: Number, as: Of(graph.OpLt, graph.I32)},
	GeBy:          {name: "geby", also: ints, operands: "v", imm: Number, as: Of(graph.OpGe, graph.I32)},
	EqBy:          {name: "eqby", also: ints, operands: "v", imm: Number, as: Of(graph.OpEq, graph.I32)},
	NeBy:          {name: "neby", also: ints, operands: "v", imm: Number, as: Of(graph.OpNe, graph.I32)},
	IsZero:        {name: "iszero", also: ints, operands: "v", latency: 1},
	AddShl:        {name: "addshl", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpAdd, graph.I32)},
	AddShr:        {name: "addshr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpAdd, graph.I32)},
	AddUshr:       {name: "addushr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpAdd, graph.I32)},
	SubShl:        {name: "subshl", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpSub, graph.I32)},
	SubShr:        {name: "subshr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpSub, graph.I32)},
	SubUshr:       {name: "subushr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpSub, graph.I32)},
	AndShl:        {name: "andshl", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpAnd, graph.I32)},
	AndShr:        {name: "andshr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpAnd, graph.I32)},
	AndUshr:       {name: "andushr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpAnd, graph.I32)},
	OrShl:         {name: "orshl", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpOr, graph.I32)},
	OrShr:         {name: "orshr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpOr, graph.I32)},
	OrUshr:        {name: "orushr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpOr, graph.I32)},
	XorShl:        {name: "xorshl", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpXor, graph.I32)},
	XorShr:        {name: "xorshr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpXor, graph.I32)},
	XorUshr:       {name: "xorushr", also: ints, operands: "vv", imm: Number, latency: 2, as: Of(graph.OpXor, graph.I32)},
	FloorToInt:    {name: "floortoi", also: single, operands: "v", gives: graph.I32, latency: 4},
	CeilToInt:     {name: "ceiltoi", also: single, operands: "v", gives: graph.I32, latency: 4},
	RoundToInt:    {name: "roundtoi", also: single, operands: "v", gives: graph.I32, latency: 4},
	MulAdd:        {name: "muladd", also: produced, operands: "vvv", latency: 4, as: Of(graph.OpAdd, graph.I32)},
	MulSub:        {name: "mulsub", also: produced, operands: "vvv", latency: 4, as: Of(graph.OpSub, graph.I32)},
	MulHigh:       {name: "mulhigh", also: shifted, operands: "vv", latency: 4, as: Of(graph.OpMul, graph.I32)},
	MulShr:        {name: "mulshr", also: ints, operands: "vv", imm: Number, latency: 5, as: Of(graph.OpMul, graph.I32)},
	Quotient:      {name: "quotient", also: ints, operands: "vv", as: Of(graph.OpFloorDiv, graph.I32)},
	AbsDiff:       {name: "absdiff", also: []graph.DType{graph.F32, F32x4}, operands: "vv", latency: 4, as: Of(graph.OpSub, graph.F32)},
	Rest:          {name: "rest", also: ints, operands: "vv", as: Of(graph.OpMod, graph.I32)},
	RestUp:        {name: "restup", also: ints, operands: "vv", as: Of(graph.OpMod, graph.I32)},
	Spread:        {name: "spread", also: ints, operands: "v", imm: Number, latency: 1},
	Saturate:      {name: "ssat", also: ints, operands: "v", imm: Number, latency: 1},
	SaturateUp:    {name: "usat", also: ints, operands: "v", imm: Number, latency: 1},
	Row:           {name: "row", also: ints, operands: "v", imm: Number},
	RowUp:         {name: "rowup", also: ints, operands: "v", imm: Number},
	Row2:          {name: "row2", also: ints, operands: "v", imm: Number},
	RowUp2:        {name: "rowup2", also: ints, operands: "v", imm: Number},
	AddShrBack:    {name: "addshrback", also: []graph.DType{I32x4}, operands: "vv", imm: Number, latency: 3, as: Of(graph.OpAdd, graph.I32)},
	Below:         {name: "below", also: []graph.DType{graph.F32}, operands: "v"},
	Key:           {name: "key", also: ints, operands: "v", latency: 2},
	AtMost:        {name: "atmost", also: floats, operands: "vv", of: graph.OpMin},
	AtLeast:       {name: "atleast", also: floats, operands: "vv", of: graph.OpMax},
	Lesser:        {name: "lesser", also: masked, operands: "vv", latency: 4, of: graph.OpMin},
	Greater:       {name: "greater", also: masked, operands: "vv", latency: 4, of: graph.OpMax},
	LtMask:        {name: "ltm", also: masked, operands: "vv", latency: 4},
	LeMask:        {name: "lem", also: masked, operands: "vv", latency: 4},
	EqMask:        {name: "eqm", also: masks, operands: "vv", latency: 4},
	NeMask:        {name: "nem", also: masks, operands: "vv", latency: 4},
	GtMask:        {name: "gtm", also: wideInts, operands: "vv", latency: 1},
	NgtMask:       {name: "ngtm", also: wideInts, operands: "vv", latency: 2},
	SelMask:       {name: "selm", also: masked, operands: "vvv", latency: 3},
	KeepMask:      {name: "keepm", also: masked, operands: "vv", latency: 1},
	DropMask:      {name: "dropm", also: masked, operands: "vv", latency: 1},
	FlagLT:        {name: "flaglt", also: single, operands: "vv", gives: graph.I32, latency: 2},
	FlagLE:        {name: "flagle", also: single, operands: "vv", gives: graph.I32, latency: 3},
	FlagEQ:        {name: "flageq", also: single, operands: "vv", gives: graph.I32, latency: 3},
	IfFlag:        {name: "ifflag", also: picked, operands: "ivv", latency: 2},
	Test:          {name: "test", also: compared, operands: "vv", latency: 2},
	TestBy:        {name: "testby", also: ints, operands: "v", imm: Number, latency: 2},
	PickGT:        {name: "pickgt", also: chosen, operands: "vv", latency: 2},
	PickGE:        {name: "pickge", also: chosen, operands: "vv", latency: 2},
	PickEQ:        {name: "pickeq", also: chosen, operands: "vv", latency: 2},
	PutGT:         {name: "putgt", also: words, operands: "v", imm: Number, latency: 2},
	PutGE:         {name: "putge", also: words, operands: "v", imm: Number, latency: 2},
	PutEQ:         {name: "puteq", also: words, operands: "v", imm: Number, latency: 2},
	PutLE:         {name: "putle", also: words, operands: "v", imm: Number, latency: 2},
	PutLT:         {name: "putlt", also: words, operands: "v", imm: Number, latency: 2},
	PutNE:         {name: "putne", also: words, operands: "v", imm: Number, latency: 2},
	Put:           {name: "put", also: ints, imm: Number, latency: 1, keepsFlags: true},
	MinNum:        {name: "minnum", also: single, operands: "vv", latency: 4},
	MaxNum:        {name: "maxnum", also: single, operands: "vv", latency: 4},
	ShrBack:       {name: "shrback", also: []graph.DType{I32x4}, operands: "v", imm: Number, latency: 2},
	SplatAt:       {name: "splatx", types: wide, operands: "i", imm: Number, memory: reads, latency: 5},
	AddIn:         {name: "addx", types: widest, operands: "vi", imm: Place, memory: reads, latency: 8, of: graph.OpAdd},
	SubIn:         {name: "subx", types: widest, operands: "vi", imm: Place, memory: reads, latency: 8, of: graph.OpSub},
	MulIn:         {name: "mulx", types: widest, operands: "vi", imm: Place, memory: reads, latency: 8, of: graph.OpMul},
	MulSingle:     {name: "muls", also: narrow, operands: "vs", latency: 4, as: Of(graph.OpMul, graph.F32)},
	MulLane:       {name: "mullane", also: narrow, operands: "vv", imm: Number, latency: 4, as: Of(graph.OpMul, graph.F32)},
	Fold4:         {name: "fold4", also: widest, operands: "vv", latency: 8},
	Fold2:         {name: "fold2", also: wide, operands: "vv", latency: 6},
	Fold1:         {name: "fold1", also: wide, operands: "vv", latency: 6},
	Even:          {name: "even", also: wide, operands: "vv", latency: 3},
	Odd:           {name: "odd", also: wide, operands: "vv", latency: 3},
	LoadEvery2:    {name: "everyx2", also: narrow, operands: "i", imm: Number, memory: reads, inARow: 2, latency: 6},
	LoadEvery3:    {name: "everyx3", also: narrow, operands: "i", imm: Number, memory: reads, inARow: 3, latency: 7},
	LoadEvery4:    {name: "everyx4", also: narrow, operands: "i", imm: Number, memory: reads, inARow: 4, latency: 8},
	Beside:        {operands: "v", imm: Number, latency: 1},
	WeaveLow:      {name: "weavelow", also: narrow, operands: "vv", latency: 3},
	WeaveHigh:     {name: "weavehigh", also: narrow, operands: "vv", latency: 3},
	Even4:         {name: "even4", also: widest, operands: "vv", latency: 1},
	Odd4:          {name: "odd4", also: widest, operands: "vv", latency: 1},
	WeaveLow4:     {name: "weavelow4", also: widest, operands: "vv", latency: 1},
	WeaveHigh4:    {name: "weavehigh4", also: widest, operands: "vv", latency: 1},
	LowHalves:     {name: "lowhalves", also: widest, operands: "vv", latency: 3},
	HighHalves:    {name: "highhalves", also: widest, operands: "vv", latency: 3},
	Reverse:       {name: "reverse", also: wide, operands: "v", latency: 4},
	InsertInts:    {name: "insertints", types: ints, operands: "vv", imm: Number, memory: writes},
	InsertFloats:  {name: "insertfloats", types: ints, operands: "vv", imm: Number, memory: writes},
	SortInts:      {name: "sortints", types: ints, operands: "vv", imm: Number, memory: writes},
	SortFloats:    {name: "sortfloats", types: ints, operands: "vv", imm: Number, memory: writes},
	OrderInts:     {name: "orderints", types: ints, operands: "vv", imm: Number, memory: writes},
	OrderFloats:   {name: "orderfloats", types: ints, operands: "vv", imm: Number, memory: writes},
	LargestFloat:  {name: "largestfloat", also: ints, operands: "vv", imm: Number, memory: writes},
	SmallestFloat: {name: "smallestfloat", also: ints, operands: "vv", imm: Number, memory: writes},
	LargestInt:    {name: "largestint", also: ints, operands: "vv", imm: Number, memory: writes},
	SmallestInt:   {name: "smallestint", also: ints, operands: "vv", imm: Number, memory: writes},
	Fence:         {name: "fence"},
	Move:          {name: "mov", types: moved, operands: "v", keepsFlags: true},
	Load:          {name: "ld", types: moved, imm: Place, memory: reads, keepsFlags: true},
	LoopEnd:       {name: "loop", types: ints},
	Splat:         {name: "splat", types: wide, imm: Place, memory: reads},
	Narrow:        {name: "narrow", types: widest},

	LoadBy:         {name: "ldp", also: pointed, operands: "i", imm: Number, memory: reads, latency: 4},
	StoreBy:        {name: "stp", also: pointed, operands: "vi", imm: Number, memory: writes, latency: 1},
	LoadInBy:       {name: "ldp", also: pointed, operands: "i", imm: Place, memory: reads, latency: 4},
	StoreInBy:      {name: "stp", also: pointed, operands: "vi", imm: Place, memory: writes, latency: 1},
	SplatBy:        {name: "splatp", also: narrow, operands: "i", imm: Number, memory: reads, latency: 5},
	LoadEvery2By:   {name: "everyp2", also: narrow, operands: "i", imm: Number, memory: reads, inARow: 2, latency: 6},
	LoadEvery3By:   {name: "everyp3", also: narrow, operands: "i", imm: Number, memory: reads, inARow: 3, latency: 7},
	LoadEvery4By:   {name: "everyp4", also: narrow, operands: "i", imm: Number, memory: reads, inARow: 4, latency: 8},
	Pointer:        {name: "pointer", also: ints, operands: "v", latency: 1, keepsFlags: true},
	StepPointer:    {name: "addp", also: ints, operands: "v", imm: Number, latency: 1},
	StepBack:       {name: "subp", also: ints, operands: "v", imm: Number, latency: 1},
	AddressBy:      {name: "lea", also: ints, imm: Offset, latency: 1},
	RowBy:          {name: "rowp", also: ints, operands: "v", imm: Number},
	RowUpBy:        {name: "rowupp", also: ints, operands: "v", imm: Number},
	Row2By:         {name: "row2p", also: ints, operands: "v", imm: Number},
	RowUp2By:       {name: "rowup2p", also: ints, operands: "v", imm: Number},
	Set:            {name: "imm", types: ints, imm: Number, latency: 1},
	CountEnd:       {name: "count", also: ints},
	UntilEnd:       {name: "until", also: ints, operands: "v"},
	Load2:          {name: "ld2", also: coupled, operands: "vv", imm: Place, memory: reads, keepsFlags: true},
	Store2:         {name: "st2", also: coupled, operands: "vv", imm: Place, memory: writes, latency: 1, keepsFlags: true},
	LoadBy2:        {name: "ldp2", also: pointed, operands: "ivv", imm: Number, memory: reads},
	StoreBy2:       {name: "stp2", also: pointed, operands: "ivv", imm: Number, memory: writes, latency: 1},
	LoadInBy2:      {name: "ldp2", also: pointed, operands: "ivv", imm: Place, memory: reads},
	StoreInBy2:     {name: "stp2", also: pointed, operands: "ivv", imm: Place, memory: writes, latency: 1},
	SkipGT:         {name: "skipgt", also: ints, imm: Number},
	SkipGE:         {name: "skipge", also: ints, imm: Number},
	SkipEQ:         {name: "skipeq", also: ints, imm: Number},
	SkipLE:         {name: "skiple", also: ints, imm: Number},
	SkipLT:         {name: "skiplt", also: ints, imm: Number},
	SkipNE:         {name: "skipne", also: ints, imm: Number},
	SkipZero:       {name: "skipzero", also: ints, operands: "v", imm: Number},
	SkipAny:        {name: "skipany", also: ints, operands: "v", imm: Number},
	SkipLess:       {name: "skipless", also: ints, operands: "vv", imm: Number},
	SkipNoLess:     {name: "skipnoless", also: ints, operands: "vv", imm: Number},
	SkipEqual:      {name: "skipequal", also: ints, operands: "vv", imm: Number},
	SkipOther:      {name: "skipother", also: ints, operands: "vv", imm: Number},
	SkipNegative:   {name: "skipnegative", also: ints, operands: "v", imm: Number},
	SkipNoNegative: {name: "skipnonegative", also: ints, operands: "v", imm: Number},
	SkipPositive:   {name: "skippositive", also: ints, operands: "v", imm: Number},
	SkipNoPositive: {name: "skipnopositive", also: ints, operands: "v", imm: Number},
	ShlBy:          {name: "shli", also: shifted, operands: "v", imm: Number, latency: 1},
	ShrBy:          {name: "shri", also: shifted, operands: "v", imm: Number, latency: 1},
	UshrBy:         {name: "ushri", also: ints, operands: "v", imm: Number, latency: 1},
	ShlPointer:     {name: "shlp", also: ints, operands: "v", imm: Number, latency: 1},
	Skip:           {name: "skip", also: ints, imm: Number},
}
