package main

// spare is how many samples of an operand key are compiled beyond those that its code follows from.
const spare = 2

// determining are those of the variants, in their order, from which the code of all of them follows, and a few more of each
// operand key that may contradict. Templates that are made of them are the same as those made of all where all agree, in a
// quarter of the time: that is what a comparison with the committed files needs, which were made of all.
func (j *job) determining(all []variant) []variant {
	type known struct {
		system system
		more   int
	}
	byKey := map[uint32]*known{}
	var out []variant
	for _, v := range all {
		k := byKey[j.key(v)]
		if k == nil {
			k = &known{}
			byKey[j.key(v)] = k
		}
		if rest, _ := k.system.reduce(j.pattern(v), nil); rest == 0 {
			if k.more++; k.more > spare {
				continue
			}
		} else if err := k.system.add(rest, nil); err != nil {
			panic(err) // without code there is nothing to contradict
		}
		out = append(out, v)
	}
	return out
}
