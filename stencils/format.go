package stencils

func decode(data []byte) (*Library, error) { return nil, nil }
