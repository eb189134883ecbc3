"""Texts of characters, and templates."""

whitespace = " \t\n\r\v\f"
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = ascii_lowercase.upper()
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or " ").join([w.capitalize() for w in s.split(sep)])


class Template:
    """A text with $names."""

    def __init__(self, template): self.template = template

    def _fill(self, mapping, kw, safe):
        out, s, i = [], self.template, 0
        values = {**(mapping or {}), **kw}
        while i < len(s):
            if s[i] != "$":
                j = s.find("$", i)
                j = len(s) if j < 0 else j
                out.append(s[i:j])
                i = j
                continue
            if s[i + 1:i + 2] == "$":
                out.append("$")
                i += 2
                continue
            brace = s[i + 1:i + 2] == "{"
            j = i + 2 if brace else i + 1
            start = j
            while j < len(s) and (s[j].isalpha() or s[j] == "_" or j > start and s[j].isdigit()) and s[j].isascii():
                j += 1
            name = s[start:j]
            bad = not name or brace and s[j:j + 1] != "}"
            if bad and not safe:
                line = s[:i].count("\n") + 1
                raise ValueError(f"Invalid placeholder in string: line {line}, col {i - s.rfind(chr(10), 0, i)}")
            if bad:
                out.append("$")
                i += 1
                continue
            end = j + 1 if brace else j
            if name in values:
                out.append(str(values[name]))
            elif safe:
                out.append(s[i:end])
            else:
                raise KeyError(name)
            i = end
        return "".join(out)

    def substitute(self, mapping=None, /, **kw): return self._fill(mapping, kw, False)
    def safe_substitute(self, mapping=None, /, **kw): return self._fill(mapping, kw, True)
