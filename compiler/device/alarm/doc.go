// Package alarm lets a thread of this process sleep until absolute times, as exactly as the system can.
package alarm
