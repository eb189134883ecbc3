// Package copapy is the module that scripts import to compute on a target:
//
//	import copapy as cp
//
// Its values are handles on nodes of one graph per script. Numbers that are
// plain Python stay plain Python until they meet a traced value; they then
// become constants of that value's type. States keep values from one run to the
// next: see docs/states.md.
//
// Here are the module itself, targets, jit functions, derivatives, states, loops and files. What
// scripts compute with is in packages below: array, and on top of it linalg, filters and quaternion.
// What scripts can call are rows of the type array.Row, from all of them.
//
// The package compiles programs but does not know where they run: the caller
// provides a device.Device.
package copapy
