package emulator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
)

// A Simulation is a board whose chip QEMU does not know: a Pico, simulated by rp2040js, a package of npm's, or an ESP32-C3, by package
// esp32c3. It is for tests of this repository, whose folder hil/emulator/rp2040js has what runs the former.
type Simulation struct {
	*Machine
	serial   string             // the tty of its port over USB
	commands map[string]command // of a chip in this process; nil: the bridge has them
	mu       sync.Mutex
	control  *os.File
	answers  *bufio.Scanner
}

// bridgeControl and the others are descriptors of the bridge.
const bridgeControl, bridgeImage, bridgeUSB = 3, 4, 5

// simulators are of chips.
var simulators = map[string]func(ctx context.Context, board boards.Board, folder string) (*Simulation, error){
	"rp2040": simulateRP2040,
	"esp32c3": func(ctx context.Context, board boards.Board, _ string) (*Simulation, error) {
		return simulateESP32C3(ctx, board)
	},
}

// Simulate starts the board with its runner in flash memory, as a boot ROM does. The folder is hil/emulator/rp2040js, with its packages
// installed, which a Pico needs; where they or node are not, the error is a *MissingError.
func Simulate(ctx context.Context, board boards.Board, folder string) (*Simulation, error) {
	simulator := simulators[board.Chip]
	if simulator == nil {
		return nil, fmt.Errorf("emulator: no simulator knows %s", board.Name)
	}
	return simulator(ctx, board, folder)
}

// simulateRP2040 starts a Pico with the UF2 file that `copaflash flash` writes.
func simulateRP2040(ctx context.Context, board boards.Board, folder string) (*Simulation, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, &MissingError{Binary: "node", Package: "nodejs", Err: err}
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "rp2040js")); err != nil {
		return nil, &MissingError{Binary: "rp2040js", Package: "npm, which `make deps` installs it with", Err: err}
	}
	flat, err := board.Flat()
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	content, err := uf2.Encode(uint32(board.Flash.UF2.Family), uint32(flat.Address), flat.Data)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	image, err := imageFile(content)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	defer image.Close()
	defer os.Remove(image.Name())
	control, inside, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	defer inside.Close()
	s := &Simulation{control: control, answers: bufio.NewScanner(control)}
	line, tty, err := newTTY()
	if err != nil {
		control.Close()
		return nil, fmt.Errorf("emulator: %w", err)
	}
	port, err := newUSBPort()
	if err != nil {
		control.Close()
		line.Close()
		return nil, fmt.Errorf("emulator: %w", err)
	}
	defer port.theirs.Close()
	s.serial = port.name
	running, kill := context.WithCancel(ctx)
	s.Machine = &Machine{name: "rp2040js", tty: tty, kill: kill, output: newOutput(), done: make(chan struct{})}
	cmd := exec.CommandContext(running, node, filepath.Join(folder, "bridge.mjs"), fmt.Sprintf("/dev/fd/%d", bridgeImage),
		"--control", fmt.Sprint(bridgeControl), "--usb", fmt.Sprint(bridgeUSB))
	cmd.ExtraFiles = []*os.File{inside, image, port.theirs}
	cmd.Stderr = s.output
	s.remove = func() {
		control.Close()
		line.Close()
		port.close()
	}
	if err := s.launch(cmd, line); err != nil {
		kill()
		s.remove()
		return nil, fmt.Errorf("emulator: starting %s: %w", node, err)
	}
	go port.carry(s.Do)
	return s, nil
}

// USB returns the tty of the serial port over USB: of a Pico beside TTY, that of its UART, of an ESP32-C3 the same.
func (s *Simulation) USB() string { return s.serial }

// launch starts the bridge, with the line as its standard input and output.
func (s *Simulation) launch(cmd *exec.Cmd, line *os.File) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, output, err := os.Pipe()
	if err != nil {
		return err
	}
	defer output.Close()
	cmd.Stdout = output
	if s.release, err = holdTTY(s.tty); err != nil {
		out.Close()
		return err
	}
	if err := s.start(cmd); err != nil {
		out.Close()
		s.release()
		return err
	}
	go func() {
		_, _ = io.Copy(in, line) // until the line or the bridge is closed
		in.Close()
	}()
	go func() {
		_, _ = io.Copy(line, out)
		out.Close()
	}()
	return nil
}

// Do has the simulator carry out a command, with these arguments, and decodes its answer; commands are those of bridge.mjs, some of
// which an ESP32-C3 has, too.
func (s *Simulation) Do(command string, args map[string]any, answer any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.commands != nil {
		return s.call(command, args, answer)
	}
	request := map[string]any{"command": command}
	for name, value := range args {
		request[name] = value
	}
	if err := json.NewEncoder(s.control).Encode(request); err != nil {
		return err
	}
	if !s.answers.Scan() {
		return errors.Join(fmt.Errorf("emulator: no answer to %q", command), s.answers.Err(), s.Err())
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(s.answers.Bytes(), answer)
}

// call carries out a command of a chip in this process.
func (s *Simulation) call(name string, args map[string]any, answer any) error {
	f := s.commands[name]
	if f == nil {
		return fmt.Errorf("emulator: no command %q", name)
	}
	got, err := f(args)
	if err != nil || answer == nil {
		return err
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

func socketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(pair[0], true); err != nil { // so that Close ends a read
		return nil, nil, errors.Join(err, unix.Close(pair[0]), unix.Close(pair[1]))
	}
	return os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "bridge"), nil
}

// newTTY makes a pseudo-terminal that changes no byte, and returns what is behind it, and its name.
func newTTY() (line *os.File, name string, err error) {
	line, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, "", err
	}
	conn, err := line.SyscallConn()
	if err == nil {
		var inner error
		err = conn.Control(func(fd uintptr) { name, inner = prepareTTY(int(fd)) })
		err = errors.Join(err, inner)
	}
	if err != nil {
		line.Close()
		return nil, "", err
	}
	return line, name, nil
}

func prepareTTY(fd int) (name string, err error) {
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return "", err
	}
	mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return "", err
	}
	mode.Iflag, mode.Oflag, mode.Lflag = 0, 0, 0
	mode.Cflag = mode.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
	return fmt.Sprintf("/dev/pts/%d", number), unix.IoctlSetTermios(fd, unix.TCSETS, mode)
}
