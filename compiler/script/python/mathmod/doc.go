// Package mathmod is the module math of scripts: Python's math module for
// plain numbers, with its errors. It is written against the host interface
// of package vm, like any other host module.
package mathmod
