package bind

import (
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// feedLoop makes an input what an output had when the tick before ended; before the first, its own
// initial value.
func feedLoop(j *job, in compiler.Port, c *channel) error {
	outs := j.w.Outputs()
	var out compiler.Port
	if c.arg == "" {
		fit := fitting(outs, in)
		if len(fit) != 1 {
			return refuse("say which: "+in.Name+"="+simulated+"loop=OUTPUT; outputs of its type and shape are "+listOr(names(fit), "none"),
				"%d outputs could be fed to %q", len(fit), in.Name)
		}
		out = fit[0]
	} else {
		var ok bool
		if out, ok = find(outs, c.arg); !ok {
			return refuse("its outputs are "+listOr(names(outs), "none"), "the program has no output %q", c.arg)
		}
	}
	v, err := j.left(in, in.Name+".loop", out)
	if err != nil {
		return err
	}
	return j.w.Feed(in, v)
}

// fitting are the outputs of the role output, or all if none has it, that have an input's type and shape.
func fitting(outs []compiler.Port, in compiler.Port) []compiler.Port {
	var all, meant []compiler.Port
	for _, o := range outs {
		if o.DType != in.DType || !o.Shape.Equal(in.Shape) || o.Name == "" {
			continue
		}
		all = append(all, o)
		if o.Meta.Role == graph.RoleOutput {
			meant = append(meant, o)
		}
	}
	if len(meant) > 0 {
		return meant
	}
	return all
}

// left is a value of the type of an input: what an output of the program had when the tick before ended.
func (j *job) left(in compiler.Port, name string, out compiler.Port) (graph.Value, error) {
	if out.DType != in.DType || !out.Shape.Equal(in.Shape) {
		return graph.Value{}, refuse("outputs of its type and shape are "+listOr(names(fitting(j.w.Outputs(), in)), "none"),
			"%q is %v of shape %v, and the output %q %v of shape %v", in.Name, in.DType, in.Shape, out.Name, out.DType, out.Shape)
	}
	if v, ok := j.w.StateOf(out); ok {
		return v, nil
	}
	state, err := j.w.Graph.State(name, in.DType, in.Shape, in.Init)
	if err != nil {
		return state, err
	}
	j.w.After(func() error {
		v, task := j.w.Output(out)
		return j.w.SetNext(state, v, task)
	})
	return state, nil
}
