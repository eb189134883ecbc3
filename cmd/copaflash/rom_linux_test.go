package main

import (
	"flag"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/stm32/romtest"
)

// romCmd connects a simulated STM32F100 in its boot loader to a pseudo terminal,
// whose path it puts into $PORT:
//
//	rom [-id N] [-protected] [-stuck] [-noise]
//
// -id changes the number of the chip, -stuck has a byte of flash that stays 0,
// -noise loses some bytes on the line.
func romCmd(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("rom", flag.ContinueOnError)
	id := flags.Uint("id", 0x420, "")
	protected := flags.Bool("protected", false, "")
	stuck := flags.Bool("stuck", false, "")
	noise := flags.Bool("noise", false, "")
	ts.Check(flags.Parse(args))
	master, slave, err := openPTY()
	ts.Check(err)
	ts.Setenv("PORT", slave.Name())
	ts.Defer(func() {
		master.Close()
		slave.Close()
	})
	b, err := boards.Find("stm32vldiscovery")
	ts.Check(err)
	img, err := b.Flat()
	ts.Check(err)
	r := romtest.New(master)
	r.ID, r.Erase, r.Protected = uint16(*id), 0x43, *protected
	r.Flash = make([]byte, 128<<10)
	if *stuck {
		for at, v := range img.Data {
			if v != 0 {
				r.Stuck = at
			}
		}
	}
	if *noise {
		r.Lose = map[int]bool{20: true, 1000: true}
		r.LoseAnswer = map[int]bool{60: true}
	}
	go r.Serve()
}
