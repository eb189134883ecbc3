package esp32c3

// A host is what the cable of USB leads to: a driver of serial ports, as Linux has it.
type host struct {
	open   bool   // a program has opened the port: only then is it read
	held   []byte // of a transfer that has not ended
	toHost []byte // for the program
	toChip []byte
	since  uint64 // since when there is something for the chip
}

const (
	// transfer is what the driver asks for at once, in bytes: it passes on what has come when that is full, or a packet is short
	// (Linux' drivers/usb/class/cdc-acm.c).
	transfer = 2 * usbPacket
	// backlog is how much the program leaves unread before the driver reads no more.
	backlog = 4096
)

func (h *host) reads() bool { return h.open && len(h.toHost) < backlog }

func (h *host) take(packet []byte) {
	h.held = append(h.held, packet...)
	if len(packet) < usbPacket || len(h.held) >= transfer {
		h.toHost = append(h.toHost, h.held...)
		h.held = nil
	}
}

// give returns the next packet for the chip.
func (h *host) give() []byte {
	n := min(len(h.toChip), usbPacket)
	packet := append([]byte{}, h.toChip[:n]...)
	h.toChip = h.toChip[n:]
	return packet
}

// Send has the host send bytes to the chip.
func (c *Chip) Send(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send(data)
}

func (c *Chip) send(data []byte) {
	if len(c.host.toChip) == 0 {
		c.host.since = c.now()
	}
	c.host.toChip = append(c.host.toChip, data...)
}

// Receive returns what the program at the host has got since the last call.
func (c *Chip) Receive() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	data := c.host.toHost
	c.host.toHost = nil
	return data
}

// Open says whether a program at the host has the port open. It has at first.
func (c *Chip) Open(open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.host.open = open
}
