package mathmod

import (
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// integerTable has the functions of ints.
var integerTable = []*vm.Builtin{
	fold("gcd", big.NewInt(0), gcd),
	fold("lcm", big.NewInt(1), lcm),
	vm.DefFunc("factorial", factorial, "n", "/"),
	vm.DefFunc("comb", comb, "n", "k", "/"),
	vm.DefFunc("perm", perm, "n", "k?", "/"),
	vm.DefFunc("isqrt", isqrt, "n", "/"),
}

func wantBig(v vm.Value) (*big.Int, error) {
	if i, ok := vm.AsInt(v); ok {
		return big.NewInt(i), nil
	}
	if b, ok := vm.Unwrap(v).(*big.Int); ok {
		return b, nil
	}
	return nil, vm.TypeErrorf("'%s' object cannot be interpreted as an integer", vm.TypeName(v))
}

// fold is a function of any number of ints.
func fold(name string, start *big.Int, f func(x, y *big.Int) *big.Int) *vm.Builtin {
	return vm.NewBuiltin(name, func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		if len(a.Kw) > 0 {
			return nil, vm.TypeErrorf("math.%s() takes no keyword arguments", name)
		}
		r := start
		for _, v := range a.Pos {
			b, err := wantBig(v)
			if err != nil {
				return nil, err
			}
			r = f(r, b)
			if err := work(t, r.BitLen()); err != nil {
				return nil, err
			}
		}
		return vm.NewBig(r), nil
	})
}

// work accounts for a number of n bits and the time to make it.
func work(t *vm.Thread, n int) error {
	if err := t.Tick(n / 64); err != nil {
		return err
	}
	return t.Charge(int64(n / 8))
}

func gcd(x, y *big.Int) *big.Int {
	return new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y))
}

func lcm(x, y *big.Int) *big.Int {
	if x.Sign() == 0 || y.Sign() == 0 {
		return new(big.Int)
	}
	r := new(big.Int).Quo(x, gcd(x, y))
	return r.Abs(r.Mul(r, y))
}

// maxCount bounds the factors of factorial, comb and perm.
const maxCount = 200_000

func tooLarge(name string) error {
	return vm.Raise(vm.OverflowError, "%s() argument should not exceed %d", name, maxCount)
}

func factorial(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	n, err := wantBig(vs[0])
	switch {
	case err != nil:
		return nil, err
	case n.Sign() < 0:
		return nil, vm.ValueErrorf("factorial() not defined for negative values")
	case n.Cmp(big.NewInt(maxCount)) > 0:
		return nil, tooLarge("factorial")
	}
	if err := work(t, int(n.Int64())*20); err != nil {
		return nil, err
	}
	return vm.NewBig(new(big.Int).MulRange(1, n.Int64())), nil
}

func comb(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	return combinations(t, "comb", vs, true)
}

func perm(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	if vs[1] == nil || vs[1] == vm.None {
		return factorial(t, vs)
	}
	return combinations(t, "perm", vs, false)
}

// combinations is n!/(n-k)!, divided by k! for comb.
func combinations(t *vm.Thread, name string, vs []vm.Value, divide bool) (vm.Value, error) {
	n, err := wantBig(vs[0])
	if err != nil {
		return nil, err
	}
	k, err := wantBig(vs[1])
	if err != nil {
		return nil, err
	}
	switch {
	case n.Sign() < 0:
		return nil, vm.ValueErrorf("n must be a non-negative integer")
	case k.Sign() < 0:
		return nil, vm.ValueErrorf("k must be a non-negative integer")
	case k.Cmp(n) > 0:
		return int64(0), nil
	}
	if other := new(big.Int).Sub(n, k); divide && other.Cmp(k) < 0 {
		k = other
	}
	if k.Cmp(big.NewInt(maxCount)) > 0 {
		return nil, tooLarge(name)
	}
	r := big.NewInt(1)
	for i := int64(0); i < k.Int64(); i++ {
		r.Mul(r, new(big.Int).Sub(n, big.NewInt(i)))
		if divide {
			r.Quo(r, big.NewInt(i+1))
		}
		if err := work(t, r.BitLen()); err != nil {
			return nil, err
		}
	}
	return vm.NewBig(r), nil
}

func isqrt(_ *vm.Thread, vs []vm.Value) (vm.Value, error) {
	n, err := wantBig(vs[0])
	if err != nil {
		return nil, err
	}
	if n.Sign() < 0 {
		return nil, vm.ValueErrorf("isqrt() argument must be nonnegative")
	}
	return vm.NewBig(new(big.Int).Sqrt(n)), nil
}
