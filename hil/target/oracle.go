package target

import (
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
)

// Oracle is the name of the target that evaluates programs.
const Oracle = "oracle"

// Canonical is the one name of a target that may be spelled in two ways.
func Canonical(name string) string {
	if name == "reference" {
		return Oracle
	}
	return name
}

// openOracle opens the oracle, for programs that are laid out as for the host.
func openOracle(opt Options) (Target, error) {
	dev, err := oracle.New(HostArch())
	if err != nil {
		return nil, err
	}
	dev.SetWarn(opt.warn)
	return oracleTarget{dev}, nil
}

type oracleTarget struct{ *oracle.Device }

func (oracleTarget) Name() string  { return Oracle }
func (oracleTarget) Board() string { return "" }
func (oracleTarget) Close()        {}

// warn tells what sticky flags mean.
func (o *Options) warn(flags device.Flags) {
	if o.Warn == nil {
		return
	}
	for _, text := range flags.Texts() {
		o.Warn(text)
	}
}
