package transport

// touchBaud is the rate at which a port over USB is opened and closed again to have a board start its boot loader, as
// Arduino's boards have made common.
const touchBaud = 1200

// Touch asks the board behind a serial port over USB to start its boot loader: DTR goes at 1200 baud. Then the port vanishes, if the
// board heeds that.
func Touch(name string) error {
	t, err := OpenSerial(name, touchBaud)
	if err != nil {
		return err
	}
	_ = t.(*serialPort).port.SetDTR(false) // closing does that, too, but not everywhere
	_ = t.Close()                          // the device may be gone already
	return nil
}
