"""Classes of values that have no name of their own."""
import abc as _abc

FunctionType = LambdaType = type(lambda: 0)
BuiltinFunctionType = type(len)
MethodType = type(type("_C", (), {"f": lambda self: 0})().f)
GeneratorType = type(x for x in ())
ModuleType = type(_abc)
NoneType = type(None)
UnionType = type(int | None)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)
MappingProxyType = dict


class SimpleNamespace:
    """An object with the attributes that it is given."""

    def __init__(self, /, **kw):
        for k, v in kw.items():
            setattr(self, k, v)

    def __repr__(self):
        return "namespace(" + ", ".join([f"{k}={v!r}" for k, v in self.__dict__.items()]) + ")"

    def __eq__(self, other):
        return self.__dict__ == other.__dict__ if isinstance(other, SimpleNamespace) else NotImplemented
