// Package copapy is the module that scripts import to compute on a target:
//
//	import copapy as cp
//
// Its values are handles on nodes of one graph per script. Numbers that are
// plain Python stay plain Python until they meet a traced value; they then
// become constants in the type of the target. What is to be kept from one run to the
// next is a state: see docs/states.md.
//
// Here are the module itself, targets, jit functions, derivatives, states, loops and files. What
// is computed with is in packages below: array, and on top of it linalg, filters and quaternion.
// What scripts can call are rows of all of them, of the type array.Row.
//
// The package compiles programs but does not know where they run: on a device.Device,
// which the caller gives.
package copapy
