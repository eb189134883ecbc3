package vm

var sliceTable = []Row{
	DefProperty("start", sliceStart, nil),
	DefProperty("stop", sliceStop, nil),
	DefProperty("step", sliceStep, nil),
}

func newSlice(_ *Thread, _ *Class, a Args) (Value, error) {
	switch len(a.Pos) {
	case 1:
		return &Slice{None, a.Pos[0], None}, nil
	case 2:
		return &Slice{a.Pos[0], a.Pos[1], None}, nil
	case 3:
		return &Slice{a.Pos[0], a.Pos[1], a.Pos[2]}, nil
	}
	return nil, TypeErrorf("slice expected 1 to 3 arguments, got %d", len(a.Pos))
}

func sliceStart(s *Slice) Value { return s.Start }

func sliceStop(s *Slice) Value { return s.Stop }

func sliceStep(s *Slice) Value { return s.Step }
