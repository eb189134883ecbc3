"""What NumPy gives for the expressions of numpy.txt and the programs of numpy_assign.txt, from 1.24 on.

python3 numpy_answers.py rewrites the results in both files, behind the tab of each line: of each
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


def answer(source, names):
    """The values of the last line of a program."""
    *lines, last = source.replace("\\n", "\n").split(";; ")
    here = dict(names)
    exec("\n".join(lines), here)
    return "; ".join(map(shown, eval("[" + last + "]", here)))


for file in map(pathlib.Path(__file__).with_name, ("numpy.txt", "numpy_assign.txt")):
    names = {"cp": Module(), "V": lambda x: x, "A": np.array}
    lines = []
    for line in file.read_text().splitlines():
        source = line.split("\t")[0]
        if source.startswith("#") or not source:
            lines.append(line)
        elif " = " in source and ";; " not in source:
            exec(source, names)
            lines.append(source)
        else:
            with np.errstate(all="ignore"):
                lines.append(source + "\t" + answer(source, names))
    file.write_text("\n".join(lines) + "\n")
