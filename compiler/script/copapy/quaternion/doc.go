// Package quaternion has the class quaternion of scripts: rotations in space, of numbers and
// traced scalars, to and from angles, axes and matrices.
package quaternion
