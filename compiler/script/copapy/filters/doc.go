// Package filters puts the elements along an axis of an array in order, plain or traced, in
// a time that does not depend on their numbers: sort, argsort and medians.
package filters
