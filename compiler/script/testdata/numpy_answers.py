"""What NumPy gives for the expressions of numpy.txt, from 1.24 on.

python3 numpy_answers.py rewrites the results in numpy.txt, behind the tab of each line: of each
value its type, its shape and its elements, row by row. The tests need no NumPy.
"""
import pathlib

import numpy as np

KINDS = {"b": "bool", "i": "int", "f": "float"}


class Module:
    """NumPy under the names of copapy."""

    def __getattr__(self, name):
        return np.array if name in ("vector", "matrix", "tensor") else getattr(np, name)


def shown(value):
    a = np.asarray(value)
    return " ".join([KINDS[a.dtype.kind] if a.size else "none", str(a.shape), *map(str, a.ravel().tolist())])


file = pathlib.Path(__file__).with_name("numpy.txt")
names = {"cp": Module(), "V": lambda x: x}
lines = []
for line in file.read_text().splitlines():
    source = line.split("\t")[0]
    if source.startswith("#") or not source:
        lines.append(line)
    elif " = " in source:
        exec(source, names)
        lines.append(source)
    else:
        with np.errstate(all="ignore"):
            lines.append(source + "\t" + "; ".join(map(shown, eval("[" + source + "]", names))))
file.write_text("\n".join(lines) + "\n")
