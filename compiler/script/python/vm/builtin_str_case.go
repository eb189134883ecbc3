package vm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var strCaseTable = []Row{
	defCase("lower", strings.ToLower),
	defCase("casefold", strings.ToLower),
	defCase("upper", toUpper),
	defCase("capitalize", capitalize),
	defCase("swapcase", swapCase),
	defCase("title", toTitle),
}

var strTestTable = []Row{
	defTest("isdigit", isDigits),
	defTest("isdecimal", isDigits),
	defTest("isnumeric", isNumeric),
	defTest("isalpha", isAlpha),
	defTest("isspace", isBlank),
	defTest("isalnum", isAlnum),
	defTest("isupper", isUpper),
	defTest("islower", isLower),
	defTest("isascii", isASCII),
	defTest("isprintable", isPrintable),
	defTest("isidentifier", isIdentifier),
	defTest("istitle", isTitle),
}

// defCase is a method of str without arguments that gives a text.
func defCase(name string, convert func(s string) string) Row {
	return defStr(name, func(t *Thread, s string, _ []Value) (Value, error) {
		if err := t.Charge(int64(len(s))); err != nil {
			return nil, err
		}
		return convert(s), nil
	})
}

// defTest is a method of str without arguments that gives a truth value.
func defTest(name string, test func(s string) bool) Row {
	return defStr(name, func(_ *Thread, s string, _ []Value) (Value, error) { return test(s), nil })
}

func toUpper(s string) string { return strings.ReplaceAll(strings.ToUpper(s), "ß", "SS") }

func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToTitle(s[:n]) + strings.ToLower(s[n:])
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func toTitle(s string) string {
	inWord := false
	return strings.Map(func(r rune) rune {
		first := !inWord
		inWord = unicode.IsLetter(r)
		if inWord && first {
			return unicode.ToTitle(r)
		}
		return unicode.ToLower(r)
	}, s)
}

// all reports whether s has characters, and f holds for each of them.
func all(s string, f func(r rune) bool) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !f(r) }) < 0
}

func isDigits(s string) bool { return all(s, unicode.IsDigit) }

func isNumeric(s string) bool { return all(s, unicode.IsNumber) }

func isAlpha(s string) bool { return all(s, unicode.IsLetter) }

func isBlank(s string) bool { return all(s, isSpace) }

func isAlnum(s string) bool {
	return all(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

func isUpper(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && !strings.ContainsFunc(s, unicode.IsLower)
}

func isLower(s string) bool {
	return strings.ContainsFunc(s, unicode.IsLower) && !strings.ContainsFunc(s, unicode.IsUpper)
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

func isTitle(s string) bool {
	inWord, any := false, false
	for _, r := range s {
		if unicode.IsUpper(r) == inWord && unicode.IsLetter(r) {
			return false
		}
		inWord = unicode.IsLetter(r)
		any = any || inWord
	}
	return any
}
