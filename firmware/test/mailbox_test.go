package test

import "testing"

// What a Raspberry Pi's runner asks the VideoCore, on a model of it.
func TestMailbox(t *testing.T) {
	t.Parallel()
	onModel(t, nil, "test/mailbox/cases.c", "drivers/bcm_mailbox.c")
}
