package lir

import "github.com/copaflash/copaflash/compiler/graph"

// OperandClasses are the classes of the operands of an op; beyond its arity, any class.
func OperandClasses(o Op) (classes [3]Class) {
	t := o.DType()
	for k := range classes {
		switch operands := o.row().operands; {
		case k < len(operands) && operands[k] == 'i':
			classes[k] = Int
		case o.Code() < graph.NumOps && Lanes(t) == 1:
			classes[k] = ClassOf(o.Code().OperandType(k, t))
		default:
			classes[k] = ClassOf(t)
		}
	}
	return classes
}

// IsSingle reports whether operand k of an op on several lanes is a single word of a lane's type.
func (o Op) IsSingle(k int) bool {
	operands := o.row().operands
	return k < len(operands) && operands[k] == 's'
}

// ResultClass is the class of the results of an op.
func ResultClass(o Op) Class {
	if t := o.row().gives; t != 0 {
		return ClassOf(t)
	}
	if o.Code() >= graph.NumOps || Lanes(o.DType()) > 1 {
		return ClassOf(o.DType())
	}
	return ClassOf(o.Code().ResultType(o.DType()))
}
