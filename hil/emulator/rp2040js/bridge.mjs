// Runs a UF2 image of a runner on the RP2040 of the npm package rp2040js:
//
//   node bridge.mjs pico.uf2 [--control DESCRIPTOR [--usb DESCRIPTOR]]
//
// Standard input and output are the UART's line, the second descriptor that of the serial port over USB. Lines of JSON on the descriptor are answered by one line each: commands below.
// The board's time is never ahead of the host's, unless bytes wait for it.

import fs from 'node:fs';
import net from 'node:net';
import { Chip } from './chip.mjs';

const FLASH = 0x10000000;
const SLICE = 20000; // instructions between looks at what has arrived
const LAG = 50e6; // ns by which the board may be behind, to catch up with while it would sleep
const BITS = 10; // of a byte on the line

// flashOf is what a UF2 file puts into flash memory (github.com/microsoft/uf2).
function flashOf(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const parts = [];
  for (let at = 0; at < file.length; at += 512) {
    const word = (n) => view.getUint32(at + 4 * n, true);
    if (word(0) !== 0x0a324655 || word(1) !== 0x9e5d5157 || view.getUint32(at + 508, true) !== 0x0ab16f30) throw new Error('this is no UF2 file');
    if (word(7) !== 0xe48bff56) throw new Error('this UF2 file is for another chip');
    parts.push({ at: word(3) - FLASH, bytes: file.subarray(at + 32, at + 32 + word(4)) });
  }
  const flash = new Uint8Array(Math.max(...parts.map((part) => part.at + part.bytes.length))).fill(0xff);
  for (const part of parts) flash.set(part.bytes, part.at);
  return flash;
}

// The line: bytes reach the UART at its rate, whatever that of the sender was, and are lost while it is off.
class Line {
  constructor(chip) {
    Object.assign(this, { chip, waiting: [], first: 0, sending: [] });
    chip.sent = (byte) => this.sending.push(byte);
  }

  get empty() {
    return this.first === this.waiting.length;
  }

  receive(bytes) {
    if (this.empty) {
      this.waiting = [];
      this.first = 0;
    }
    for (const byte of bytes) this.waiting.push(byte);
    if (!this.alarm?.scheduled) this.schedule();
  }

  // schedule has the next byte arrive when its last bit would; a reset takes the chip's alarms away.
  schedule() {
    const { rp } = this.chip, uart = rp.uart[0];
    const rate = uart.enabled && uart.baudDivider ? uart.baudRate : 115200;
    if (this.alarm?.clock !== rp.clock || this.owner !== rp) this.alarm = rp.clock.createAlarm(() => this.arrive());
    this.owner = rp;
    this.alarm.schedule((BITS * 1e9) / rate);
  }

  arrive() {
    this.alarm.scheduled = false;
    const uart = this.chip.rp.uart[0];
    const byte = this.waiting[this.first++];
    if (uart.enabled && uart.rxEnabled && this.chip.rp.gpio[1].functionSelect === 2) {
      if (uart.rxFIFO.full) this.chip.lost++;
      uart.feedByte(byte);
    }
    if (!this.empty) this.schedule();
  }

  // settle has the line go on after a reset, and sends what is ready.
  settle() {
    if (this.owner !== this.chip.rp && !this.empty) this.schedule();
    if (this.sending.length) {
      process.stdout.write(Uint8Array.from(this.sending));
      this.sending = [];
    }
  }
}

// meter watches a pin for a time, in ms of the board's, and says what its edges were: from the first rising one to the last.
function meter(chip, n, ms, done) {
  const { rp } = chip, { clock } = rp, pin = rp.gpio[n];
  let rises = 0, first = 0, last = 0, since = 0, high = 0, sum = 0;
  const stop = pin.addListener(() => {
    if (pin.outputValue) {
      if (!rises++) first = clock.nanos;
      else high = sum;
      last = since = clock.nanos;
    } else if (rises) {
      sum += clock.nanos - since;
    }
  });
  clock.createAlarm(() => {
    stop();
    const periods = Math.max(0, rises - 1);
    done({ high: pin.outputValue, periods, hz: periods ? (periods * 1e9) / (last - first) : 0, duty: periods ? high / (last - first) : 0 });
  }).schedule(ms * 1e6);
}

// train drives a pin with pulses.
function train(chip, n, pulses, hz, done) {
  let left = 2 * pulses;
  const alarm = chip.rp.clock.createAlarm(() => {
    chip.drive(n, left-- % 2 === 0);
    if (left) alarm.schedule(0.5e9 / hz);
    else done({});
  });
  alarm.schedule(0.5e9 / hz);
}

const commands = {
  drive: (chip, { pin, high }, done) => done(chip.drive(pin, high) ?? {}), // null: nobody drives it
  volts: (chip, { input, volts }, done) => done(chip.volts(input, volts) ?? {}),
  meter: (chip, { pin, ms }, done) => meter(chip, pin, ms, done),
  train: (chip, { pin, pulses, hz }, done) => train(chip, pin, pulses, hz, done),
  reset: (chip, _, done) => done(chip.restart('chip') ?? {}), // RUN is pulled low
  // The runner itself jumps to an address, with its interrupts masked.
  // A program, which may not mask interrupts, goes on.
  hang: (chip, { pc }, done) => {
    const core = chip.rp.core;
    core.PM = true;
    if (core.PM) Object.assign(core, { PC: pc, waiting: false });
    done({ hung: core.PM });
  },
  // Of the serial port over USB: its rate, DTR, any request of endpoint 0; the cable, and a reset of the bus.
  coding: (chip, { baud }, done) => chip.host.coding(baud).then(done),
  lines: (chip, { ready }, done) => chip.host.lines(ready).then(done),
  control: (chip, { setup, data }, done) => chip.host.control(setup, data).then(done),
  cable: (chip, { plugged }, done) => done(chip.host.connect(plugged) ?? {}),
  busreset: (chip, _, done) => done(chip.host.reset() ?? {}),
  load: (chip, { file }, done) => done(chip.load(flashOf(fs.readFileSync(file))) ?? {}), // copied to the boot loader's drive
  state: (chip, _, done) => {
    const { rp } = chip;
    const pins = rp.gpio.map((pin) => ({
      function: pin.functionSelect, drives: pin.outputEnable && !pin.outputDisable, high: pin.rawInputValue, pad: pin.padValue,
    }));
    done({ pins, hz: rp.clkSys, baud: rp.uart[0].baudRate, cycles: rp.core.cycles, ns: rp.clock.nanos, resets: chip.resets, usb: chip.host.device, loader: chip.loader, lost: chip.lost, complaints: [...chip.said] });
  },
};

function control(chip, wake, descriptor) {
  const socket = new net.Socket({ fd: descriptor });
  let text = '';
  socket.setEncoding('utf8').on('data', (more) => {
    const lines = (text + more).split('\n');
    text = lines.pop();
    for (const line of lines) {
      const { command, ...rest } = JSON.parse(line);
      commands[command](chip, rest, (result) => socket.write(JSON.stringify(result) + '\n'));
    }
    wake();
  });
}

function main([name, option, descriptor, , serial]) {
  const chip = new Chip(flashOf(fs.readFileSync(name)), (text) => process.stderr.write(`${text}\n`));
  const line = new Line(chip);
  let timer = null;
  let behind = process.hrtime.bigint(); // the host's time at which the board's was 0

  const go = () => {
    clearTimeout(timer);
    timer = null;
    chip.run(SLICE);
    line.settle();
    const { clock } = chip.rp;
    const early = clock.nanos - Number(process.hrtime.bigint() - behind);
    // A board that sleeps is late by the time to its next alarm, which a timer that comes a little early must not make it lose.
    if (early < -LAG && !chip.asleep) behind += BigInt(Math.round(-early - LAG));
    if (!chip.asleep) return void setImmediate(go);
    const rest = clock.nanosToNextAlarm;
    if (chip.loader) {
      timer = setTimeout(go, 1000);
      return;
    }
    if (early + rest > 1e6 && line.empty && !chip.host.under && chip.host.empty) {
      timer = setTimeout(go, (early + rest) / 1e6);
      return;
    }
    clock.tick(rest);
    setImmediate(go);
  };
  const wake = () => {
    if (timer) go();
  };
  process.stdin.on('data', (bytes) => {
    line.receive(bytes);
    wake();
  });
  process.stdin.on('end', () => process.exit(0));
  if (serial) {
    const socket = new net.Socket({ fd: Number(serial) });
    chip.serial = (bytes) => socket.write(bytes);
    socket.on('data', (bytes) => {
      chip.host.send(bytes);
      wake();
    });
  }
  if (option === '--control') control(chip, wake, Number(descriptor));
  go();
}

main(process.argv.slice(2));
