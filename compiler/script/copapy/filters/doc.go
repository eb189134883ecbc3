// Package filters has filters of samples: convolution, and what puts the elements along an
// axis in order, sort, argsort and medians. Its time does not depend on the numbers.
package filters
