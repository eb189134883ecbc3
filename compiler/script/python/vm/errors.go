package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// raised is the Go error that carries a Python exception.
type raised struct{ exc *Instance }

func (r *raised) Error() string {
	return r.exc.class.Name + ": " + exceptionText(r.exc)
}

// Unwrap gives the error of the host that the exception stands for, or nil.
func (r *raised) Unwrap() error { return dataOf(r.exc).stands }

// excData is the native part of an exception instance.
type excData struct {
	owner    *Instance
	args     *Tuple
	cause    *Instance // raise ... from cause
	context  *Instance // was being handled when this one was raised
	suppress bool      // raise ... from: do not show the context
	hint     string
	stands   error         // the error of the host that this one stands for (see StandFor)
	syntax   *syntax.Error // the fault in a module, if the exception reports one
	trace    []traceEntry  // innermost first
}

// traceEntry is one place an exception passed through.
type traceEntry struct {
	prog *program
	at   syntax.Pos
}

func dataOf(exc *Instance) *excData { return exc.native.(*excData) }

// LimitError reports that a limit stopped the script, or the context. The
// script cannot catch it.
type LimitError struct {
	Limit string // "steps", "memory", "cancelled", "internal" or "host" (see Abort)
	Msg   string
	hint  string
	cause error
	trace []traceEntry
}

func (e *LimitError) Error() string { return e.Msg }

// Unwrap gives the context's error after a cancellation.
func (e *LimitError) Unwrap() error { return e.cause }

func newException(c *Class, args ...Value) *Instance {
	exc := &Instance{class: c}
	exc.native = &excData{owner: exc, args: NewTuple(args...)}
	return exc
}

// Raise makes a Python exception of the class, which must derive from
// BaseException, with a formatted message.
func Raise(class *Class, format string, args ...any) error {
	return &raised{newException(class, fmt.Sprintf(format, args...))}
}

// TypeErrorf makes a TypeError.
func TypeErrorf(format string, args ...any) error { return Raise(TypeError, format, args...) }

// ValueErrorf makes a ValueError.
func ValueErrorf(format string, args ...any) error { return Raise(ValueError, format, args...) }

// WithHint adds advice to a Python exception; other errors stay as they are.
func WithHint(err error, hint string) error {
	var r *raised
	if errors.As(err, &r) {
		dataOf(r.exc).hint = hint
	}
	return err
}

// StandFor lets a Python exception stand for an error of the host, which errors.As
// then finds in the error of the script; other errors stay as they are.
func StandFor(err, cause error) error {
	var r *raised
	if errors.As(err, &r) {
		dataOf(r.exc).stands = cause
	}
	return err
}

// ExceptionClass returns the class of the Python exception that err carries, or nil.
func ExceptionClass(err error) *Class {
	var r *raised
	if errors.As(err, &r) {
		return r.exc.class
	}
	return nil
}

// isException reports whether err is a Python exception of the class.
func isException(err error, class *Class) bool {
	r, ok := err.(*raised)
	return ok && r.exc.class.IsSubclass(class)
}

// asRaised makes a Python exception of any error but a LimitError.
func asRaised(err error) error {
	var r *raised
	var l *LimitError
	var s *syntax.Error
	switch {
	case errors.As(err, &l):
		return l
	case errors.As(err, &r):
		return r
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &LimitError{Limit: "cancelled", Msg: err.Error(), cause: err}
	case errors.As(err, &s):
		exc := newException(exceptionClasses[s.Kind], s.Msg)
		d := dataOf(exc)
		d.syntax, d.hint = s, s.Hint
		return &raised{exc}
	}
	return Raise(RuntimeError, "%s", err.Error())
}

// Error is a script that failed, with what is needed to show it.
type Error struct {
	Kind    string // name of the exception class, or "LimitError", "Cancelled", "InternalError"
	Message string
	Hint    string // advice, may be empty
	File    string
	Line    int // from 1; 0: no position
	Column  int // from 1, in code points
	Source  string
	Stack   []StackEntry // outermost first; empty for errors of syntax
	// Chain is the exception that led to this one: its cause, or what was
	// being handled when it was raised.
	Chain      *Error
	ChainCause bool // Chain is the cause given by raise ... from
	Err        error
}

// StackEntry is one call on the way to an error.
type StackEntry struct {
	File     string
	Line     int
	Column   int
	Function string
	Source   string
}

// Error returns the message with its position on one line.
func (e *Error) Error() string {
	s := e.Kind
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, s)
	}
	return s
}

// Unwrap gives the error inside, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }
