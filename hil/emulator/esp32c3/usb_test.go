package esp32c3

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	rv "github.com/copaflash/copaflash/hil/emulator/rv32/rv32test"
)

// sends has a program that writes count bytes, and ends the packet or not.
func sends(count uint32, flush bool) *rv.Program {
	p := quiet().LI(rv.S0, 0x6004_3000).LI(rv.A0, 0).LI(rv.A1, count)
	top := p.Here()
	wait := p.Here()
	p.LW(rv.T2, 4, rv.S0).ANDI(rv.T2, rv.T2, usbFree).BEQ(rv.T2, rv.Zero, wait)
	p.SW(rv.A0, 0, rv.S0).ADDI(rv.A0, rv.A0, 1).ANDI(rv.A0, rv.A0, 0xff).ADDI(rv.A1, rv.A1, 0xfff).BNE(rv.A1, rv.Zero, top)
	if flush {
		free := p.Here() // of a full packet, which has gone by itself
		p.LW(rv.T2, 4, rv.S0).ANDI(rv.T2, rv.T2, usbFree).BEQ(rv.T2, rv.Zero, free)
		p.LI(rv.T2, 1).SW(rv.T2, 4, rv.S0)
	}
	return p.Loop()
}

// A packet goes when it is full or ended; the host's driver passes on what has come when a packet is short, or two are full.
func TestSending(t *testing.T) {
	for _, tt := range []struct {
		name  string
		count uint32
		flush bool
		want  int
	}{
		{"a short packet", 10, true, 10},
		{"not ended", 10, false, 0},
		{"a full packet waits at the host", 64, false, 0},
		{"until one without bytes", 64, true, 64},
		{"two full ones", 128, false, 128},
		{"a full and a short one", 70, true, 70},
		{"more", 1000, true, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := boot(t, sends(tt.count, tt.flush))
			c.Receive() // from the boot ROM
			c.RunFor(10 * time.Millisecond)
			got := c.Receive()
			require.Len(t, got, tt.want)
			for i, b := range got {
				require.Equal(t, byte(i), b)
			}
			require.Empty(t, c.Complaints())
		})
	}
}

// A host that nobody reads at fetches nothing: the packet stays where it is.
func TestHostThatDoesNotRead(t *testing.T) {
	c := boot(t, sends(300, true))
	c.Receive()
	c.Open(false)
	c.RunFor(10 * time.Millisecond)
	require.Empty(t, c.Receive())
	require.True(t, c.usb.sending)
	require.Zero(t, c.usb.conf()&usbFree)
	c.Open(true)
	c.RunFor(10 * time.Millisecond)
	require.Len(t, c.Receive(), 300)

	c = boot(t, sends(20_000, true)) // to a program that leaves it unread
	c.RunFor(time.Second)
	require.Less(t, len(c.Receive()), backlog+transfer+1000)
	require.True(t, c.usb.sending)
}

// Packets of the host come one by one, each with an interrupt whose flag stays until it is cleared, also where bytes are left.
func TestReceiving(t *testing.T) {
	c := boot(t, interrupted(func(p *rv.Program) {
		p.Store(0x6004_3010, usbIntOut).Store(0x600c_2000+4*sourceUSB, 5).LI(rv.S0, 0x6004_3000)
	}, func(p *rv.Program) {
		p.Store(0x6004_3014, usbIntOut)
		top := p.Here()
		end := top + 6
		p.LW(rv.T2, 4, rv.S0).ANDI(rv.T2, rv.T2, usbAvailable).BEQ(rv.T2, rv.Zero, end)
		p.LW(rv.T2, 0, rv.S0).ADDI(rv.A1, rv.T2, 0).J(top)
		p.Keep(rv.A1, resultAt+8)
	}))
	c.RunFor(time.Millisecond)
	c.Send(bytes.Repeat([]byte{1}, 64))
	c.Send(bytes.Repeat([]byte{2}, 36))
	c.RunFor(100 * time.Microsecond)
	require.Equal(t, []uint32{1, 1}, []uint32{c.result(1), c.result(2)})
	c.RunFor(time.Millisecond)
	require.Equal(t, []uint32{2, 2}, []uint32{c.result(1), c.result(2)})
	require.EqualValues(t, 36, c.usb.count)
	require.Empty(t, c.Complaints())

	u := c.usb
	u.block.write(u.block.at(usbIntEna), 0)
	c.Send([]byte{3, 4})
	c.RunFor(time.Millisecond)
	require.EqualValues(t, usbIntOut, u.raw&usbIntOut)
	u.block.write(u.block.at(usbIntClr), usbIntOut)
	c.Send([]byte{5})
	c.RunFor(time.Millisecond)
	require.Zero(t, u.raw&usbIntOut, "what waits behind a packet does not raise the flag")
	require.EqualValues(t, usbAvailable|usbFree, u.conf())
	require.EqualValues(t, []byte{3, 4}, []byte{byte(u.readByte()), byte(u.readByte())})
	c.RunFor(time.Millisecond)
	require.EqualValues(t, usbIntOut, u.raw&usbIntOut)
}

// Frames begin every millisecond, with a flag.
func TestFrames(t *testing.T) {
	p := quiet()
	top := p.Here()
	p.Load(rv.A0, 0x6004_3024).Keep(rv.A0, resultAt).Load(rv.A0, 0x6004_3008).ANDI(rv.A0, rv.A0, usbIntFrame).BEQ(rv.A0, rv.Zero, top)
	p.Store(0x6004_3014, usbIntFrame).Load(rv.A0, resultAt+4).ADDI(rv.A0, rv.A0, 1).Keep(rv.A0, resultAt+4).J(top)
	c := boot(t, p)
	c.RunFor(time.Millisecond / 2)
	flags := c.result(1)
	c.RunFor(20 * time.Millisecond)
	require.EqualValues(t, 20, c.result(0))
	require.EqualValues(t, 20, c.result(1)-flags)
	require.Empty(t, c.Complaints())
}

// Serve carries bytes in both directions, in the host's time, until its context ends.
func TestServe(t *testing.T) {
	p := quiet().LI(rv.S0, 0x6004_3000).LI(rv.S1, 1)
	top := p.Here()
	p.LW(rv.T2, 4, rv.S0).ANDI(rv.T2, rv.T2, usbAvailable).BEQ(rv.T2, rv.Zero, top)
	p.LW(rv.A0, 0, rv.S0).ADDI(rv.A0, rv.A0, 1).SW(rv.A0, 0, rv.S0).SW(rv.S1, 4, rv.S0)
	wait := p.Here()
	p.LW(rv.T2, 4, rv.S0).ANDI(rv.T2, rv.T2, usbFree).BEQ(rv.T2, rv.Zero, wait).J(top)
	c := boot(t, p)
	c.Receive()
	ours, theirs := net.Pipe()
	defer ours.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx, theirs) }()
	_, err := ours.Write([]byte("HAL"))
	require.NoError(t, err)
	got := make([]byte, 3)
	for at := range got {
		_, err = ours.Read(got[at : at+1])
		require.NoError(t, err)
	}
	require.Equal(t, "IBM", string(got))
	require.Positive(t, c.Time())
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Empty(t, c.Complaints())
}
