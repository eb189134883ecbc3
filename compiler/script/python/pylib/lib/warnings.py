"""Warnings, printed to standard error."""

import sys as _sys


def warn(message, category=None, stacklevel=1, source=None):
    if isinstance(message, Warning):
        category = type(message)
    _sys.stderr.write(f"{(category or UserWarning).__name__}: {message}\n")


def simplefilter(*args, **kw): pass
filterwarnings = resetwarnings = simplefilter


class catch_warnings:
    """Leave warnings as they are: they are printed, and cannot be recorded."""
    def __init__(self, *, record=False, **kw):
        if record:
            raise ValueError("catch_warnings(record=True) is not supported")
    def __enter__(self): return []
    def __exit__(self, *exc): pass
