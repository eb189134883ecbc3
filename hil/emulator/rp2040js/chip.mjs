// An RP2040 on rp2040js, from the boot ROM's second stage on, with what that package leaves out around the processor: resets
// that take effect, the boot ROM's part, what flash memory needs before it answers, pins that see their own output, the ADC's
// clock. Sections are those of the RP2040 datasheet.

import { BasePeripheral, RP2040 } from 'rp2040js';
import { mend } from './core.mjs';
import { Host } from './usb.mjs';

const FLASH = 0x10000000, RAM = 0x20000000;
const SECOND_STAGE = 256; // bytes, of which the last four are the CRC of the others (2.8.1.3.1)
const SECOND_STAGE_AT = RAM + 0x42000 - SECOND_STAGE;
const SYSTEM_RESETS = 0x01ffffff;
const AFTER_BOOT = (1 << 6) | (1 << 9); // IO_QSPI and PADS_QSPI, which the boot ROM has released
const PROCESSOR_0 = 1 << 15; // of PSM_WDSEL (2.13.5)
const UART_IFLS = 0x34;
const ADC_CYCLES = 96; // of its clock, for a conversion (4.9.3)
const SUPPLY = 3.3; // V
const FLASH_NUMBER = [0xe6, 0x60, 0x38, 0xb7, 0x13, 0x5a, 0x2f, 0x31]; // that it has been given where it was made
const READ_NUMBER = 0x4b;

// What of the boot ROM the runner calls (2.8.3): pointers, a search for routines by two letters, and reset_to_usb_boot, which ends here.
const ROM_POINTERS = 0x14, ROM_SEARCH = 0x40, ROM_TABLE = 0x60, ROM_LOADER = 0x70;
const ROM = {
  [ROM_POINTERS]: ROM_TABLE, [ROM_POINTERS + 4]: ROM_SEARCH | 1,
  // ldrh r2, [r0]; cmp r2, #0; beq 0x4e; cmp r2, r1; beq 0x52; adds r0, #4; b 0x40; 0x4e: movs r0, #0; bx lr; 0x52: ldrh r0, [r0, #2]; bx lr
  0x40: 0x8802, 0x42: 0x2a00, 0x44: 0xd003, 0x46: 0x428a, 0x48: 0xd003, 0x4a: 0x3004, 0x4c: 0xe7f8, 0x4e: 0x2000, 0x50: 0x4770, 0x52: 0x8840, 0x54: 0x4770,
  [ROM_TABLE]: 'U'.charCodeAt(0) | 'B'.charCodeAt(0) << 8, [ROM_TABLE + 2]: ROM_LOADER | 1,
  [ROM_LOADER]: 0xe7fe, // b .
};

// What is held in reset by which bit of RESETS (2.14.3), by the address of the device divided by 0x1000.
const RESET_BITS = {
  0x4004c: 0, 0x40030: 1, 0x50000: 2, 0x40044: 3, 0x40048: 4, 0x40014: 5, 0x40018: 6, 0x4001c: 8, 0x40020: 9, 0x50200: 10, 0x50300: 11,
  0x40028: 12, 0x4002c: 13, 0x40050: 14, 0x4005c: 15, 0x4003c: 16, 0x40040: 17, 0x40004: 18, 0x40000: 19, 0x4006c: 20, 0x40054: 21,
  0x40034: 22, 0x40038: 23, 0x50110: 24,
};

// The CRC of the second stage: polynomial 0x04c11db7 from 0xffffffff, high bit first.
export function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}

class Resets extends BasePeripheral {
  constructor(rp, forget) {
    super(rp, 'RESETS');
    this.forget = forget;
    this.held = SYSTEM_RESETS & ~AFTER_BOOT;
  }

  readUint32(offset) {
    return { 0: this.held, 4: 0, 8: SYSTEM_RESETS & ~this.held }[offset] ?? 0;
  }

  writeUint32(offset, value) {
    if (offset !== 0) return;
    const begun = value & ~this.held & SYSTEM_RESETS;
    this.held = value & SYSTEM_RESETS;
    this.forget(begun);
  }
}

// The ring oscillator, of which runners use random bits (2.17).
class Ring extends BasePeripheral {
  readUint32(offset) {
    return offset === 0x1c ? Math.round(Math.random()) : 0;
  }
  writeUint32() {}
}

export class Chip {
  // flash is what flash memory has from its first address on; tell gets lines about what the image does wrong.
  constructor(flash, tell) {
    Object.assign(this, { flash, tell, sent: () => {}, outside: new Array(30).fill(null), said: new Set() });
    this.resets = this.lost = 0;
    this.loader = null; // what it was called with
    this.serial = () => {};
    this.powerOn(null);
  }

  complain(text) {
    if (this.said.has(text)) return;
    this.said.add(text);
    this.tell(text);
  }

  // powerOn starts a new chip, or that of before with its RAM and outside levels, after a reset of all.
  powerOn(before) {
    const rp = new RP2040(before?.clock);
    if (before) {
      rp.clock.nextAlarm = null;
      rp.sram.set(before.sram);
    }
    this.rp = rp;
    rp.flash.set(this.flash);
    rp.clkSys = rp.clkPeri = rp.roscFreq;
    const none = () => {};
    rp.logger = {
      debug: none, info: none,
      warn: (who, what) => this.warned(who, what),
      error: (who, what) => this.complain(`${who}: ${what}`),
    };
    for (const [at, half] of Object.entries(ROM)) rp.bootrom[at >> 2] |= half << (at & 2 ? 16 : 0);
    this.devices();
    if (this.host) this.host.watch();
    else this.host = new Host(this, (bytes) => this.serial(bytes));
    this.core = mend(rp, (address) => this.isMapped(address), () => (this.wanted = 'core'));
    this.boot();
  }

  warned(who, what) {
    if (/not implemented yet/.test(what)) this.core.undefined();
    if (!/^Opcode/.test(what)) this.complain(`${who}: ${what}`);
  }

  devices() {
    const { rp } = this, { peripherals: at } = rp;
    this.reset = at[0x4000c] = new Resets(rp, (bits) => this.forget(bits));
    at[0x40060] = new Ring(rp, 'ROSC');
    const watchdog = at[0x40058];
    watchdog.onWatchdogTrigger = () => {
      watchdog.timer.enable = false; // or it goes off again at this very moment
      if (at[0x40010].wdsel & PROCESSOR_0) this.wanted = 'chip';
    };
    const find = rp.findPeripheral.bind(rp);
    rp.findPeripheral = (address) => {
      const device = find(address);
      const bit = RESET_BITS[(address >>> 14) << 2];
      if (!device || bit === undefined || !(this.reset.held & (1 << bit))) return device;
      this.complain(`access to ${device.name} at 0x${address.toString(16)}, which is in reset`);
      return this.nothing;
    };
    this.nothing = { readUint32: () => 0, writeUint32Atomic: () => {} };
    for (const pll of [rp.pllSys, rp.pllUsb]) {
      const readPLL = pll.readUint32.bind(pll);
      pll.readUint32 = (offset) => (offset === 0 && !this.pllRuns(pll) ? pll.cs & 0x7fffffff : readPLL(offset));
    }
    this.flashMemory(at[0x18000]);
    for (const name of ['readUint16', 'readUint32']) {
      const read = rp[name].bind(rp);
      rp[name] = (address) => (address >>> 26 === FLASH >>> 26 && !this.flashAnswers() ? 0 : read(address));
    }
    rp.adc.onADCRead = (input) => {
      rp.adc.currentChannel = input;
      const hz = this.adcHz();
      if (hz > 0) rp.adc.sampleAlarm.schedule((ADC_CYCLES * 1e9) / hz);
      else this.complain('conversion by an ADC without a clock');
    };
    rp.pwm.gpioOnInput = (n) => rp.pwm.channels[(n >> 1) & 7].gpioBChanged();
    for (const slice of rp.pwm.channels) {
      const write = slice.writeRegister.bind(slice);
      slice.writeRegister = (offset, value) => {
        write(offset, value);
        slice.updateEnable(); // a divider would let it count
      };
    }
    rp.gpio.forEach((pin, n) => pin.addListener(() => this.settle(n)));
    const [uart] = rp.uart, writeUART = uart.writeUint32.bind(uart);
    uart.writeUint32 = (offset, value) => offset !== UART_IFLS && writeUART(offset, value); // each byte raises the interrupt, as if at once
    uart.onByte = (byte) => this.sent(byte);
  }

  // Oscillator on, its dividers may still be off, and a frequency that it can have (2.18.2).
  pllRuns(pll) {
    const hz = (this.rp.xoscFreq / (pll.refdiv || 1)) * pll.fbdiv;
    return !(pll.pwr & 0x21) && hz >= 750e6 && hz <= 1600e6;
  }

  // What flash memory answers to plain bytes (4.10.8: one back for each): its number, behind a command and four others.
  flashMemory(ssi) {
    const read = ssi.readUint32.bind(ssi), write = ssi.writeUint32.bind(ssi);
    let sent = [], back = [];
    ssi.writeUint32 = (offset, value) => {
      if (offset === 8) sent = back = [];
      if (offset !== 0x60) return write(offset, value);
      if (!(ssi.ssienr & 1) || ((ssi.crtlr0 >>> 16) & 31) !== 7 || (ssi.crtlr0 & 0x300) !== 0) return this.complain('bytes for flash memory that its interface does not send');
      sent = [...sent, value & 255];
      back = [...back, sent[0] === READ_NUMBER ? (FLASH_NUMBER[sent.length - 6] ?? 0xff) : 0xff];
      if (back.length > 16) this.complain('more bytes for flash memory than its interface has room for');
    };
    ssi.readUint32 = (offset) => {
      if (offset === 0x60) {
        const [byte, ...rest] = back;
        back = rest;
        return byte ?? 0;
      }
      return offset === 0x28 ? 6 | (back.length ? 8 : 0) : read(offset);
    };
  }

  // The serial interface is on, and sends a read command with 24 bits of address (4.10.2, 4.10.13).
  flashAnswers() {
    const ssi = this.rp.peripherals[0x18000];
    const control = ssi.spictlr0;
    return (ssi.ssienr & 1) === 1 && control >>> 24 === 0x03 && ((control >>> 2) & 15) === 6 && ((control >>> 8) & 3) === 2
      && ((ssi.crtlr0 >>> 16) & 31) === 31 && ((ssi.crtlr0 >>> 8) & 3) === 3 && ssi.baudr >= 2;
  }

  // clk_adc (2.15.3): from the crystal or one of the PLLs, divided.
  adcHz() {
    const { clocks, xoscFreq, roscFreq, pllSys, pllUsb } = this.rp;
    if (!(clocks.adcCtrl & (1 << 11))) return 0;
    const source = [pllUsb.frequency, pllSys.frequency, roscFreq, xoscFreq][(clocks.adcCtrl >>> 5) & 7] ?? 0;
    return source / ((clocks.adcDiv >>> 8) & 3 || 4);
  }

  isMapped(address) {
    const page = address >>> 28;
    if (page === 2) return address - RAM < 0x42000;
    if (page === 4 || page === 5) return this.rp.peripherals[(address >>> 14) << 2] !== undefined || address >>> 12 === 0x50100;
    if (page === 1) return address < 0x14000000 || address >>> 12 === 0x18000;
    return address < 0x4000 || (page === 13 && address - 0xd0000000 < 0x180) || address >>> 20 === 0xe00;
  }

  // forget has devices as they are after their reset, where the package would not.
  forget(bits) {
    const { rp } = this, is = (bit) => (bits & (1 << bit)) !== 0;
    if (is(0)) {
      Object.assign(rp.adc, { cs: 0, fcs: 0, busy: false });
      rp.adc.sampleAlarm.cancel();
      rp.adc.fifo.reset();
    }
    if (is(5)) rp.gpio.forEach((pin) => (pin.ctrl = 31));
    if (is(8)) rp.gpio.forEach((pin) => (pin.padValue = 0x56));
    if (is(13)) Object.assign(rp.pllUsb, { cs: 1, pwr: 0x2d, fbdivInt: 0, prim: 0x77000 });
    if (is(24)) this.host.gone();
    if (is(12)) Object.assign(rp.pllSys, { cs: 1, pwr: 0x2d, fbdivInt: 0, prim: 0x77000 });
    if (is(14)) {
      rp.pwm.reset();
      rp.pwm.gpioValue = 0;
    }
    if (is(22)) {
      Object.assign(rp.uart[0], { ctrlRegister: 0x300, lineCtrlRegister: 0, interruptMask: 0, interruptStatus: 0, intDivisor: 0, fracDivisor: 0 });
      rp.uart[0].rxFIFO.reset();
      rp.setInterrupt(rp.uart[0].irq, false);
    }
    rp.gpio.forEach((pin) => pin.checkForUpdates());
  }

  // What the boot ROM does with flash memory (2.8.1): copies the second stage, if its CRC is right, and calls it.
  boot() {
    const { rp } = this, block = this.flash.subarray(0, SECOND_STAGE);
    const want = new DataView(block.buffer, block.byteOffset).getUint32(SECOND_STAGE - 4, true);
    if (crc(block.subarray(0, SECOND_STAGE - 4)) !== want) throw new Error('no second stage of booting in flash memory: a boot ROM would wait for a UF2 file now');
    rp.sram.set(block, SECOND_STAGE_AT - RAM);
    rp.peripherals[0x18000].ssienr = 0;
    const { core } = rp;
    core.registers.fill(0);
    Object.assign(core, { VTOR: 0, SP: SECOND_STAGE_AT, PC: SECOND_STAGE_AT, nPRIV: false, PM: false, IPSR: 0, currentMode: 0, waiting: false });
  }

  // restart is what software or the watchdog has asked for. SYSRESETREQ resets the core alone: devices stay as they are (2.4.2.9).
  restart(what) {
    this.wanted = null;
    this.resets++;
    const { rp } = this;
    if (what === 'chip') return this.powerOn(rp);
    const core = rp.core;
    core.switchStack(0);
    Object.assign(core, { currentMode: 1, PM: false, enabledInterrupts: 0, interruptPriorities: [0xffffffff, 0, 0, 0], SHPR2: 0, SHPR3: 0 });
    Object.assign(core, { pendingInterrupts: 0, pendingNMI: false, pendingPendSV: false, pendingSVCall: false, pendingSystick: false });
    rp.ppb.writeUint32(0xd94, 0);
    rp.ppb.writeUint32(0x10, 0);
    this.core.locked = false;
    this.boot();
  }

  // run carries out n instructions at most, or until the core sleeps.
  run(n) {
    if (this.loader) return;
    this.core.run(n);
    if (this.rp.core.PC === ROM_LOADER) {
      this.loader = { lamps: this.rp.core.registers[0], without: this.rp.core.registers[1] };
      this.host.gone();
    }
    if (this.core.locked) this.complain('lockup: a fault in the handler of a fault');
    if (this.wanted) this.restart(this.wanted);
  }

  get asleep() {
    return this.rp.core.waiting || this.core.locked || this.loader !== null;
  }

  // load is what the boot loader does with a file: flash memory has it, and the chip starts.
  load(flash) {
    this.flash = flash;
    this.loader = null;
    this.restart('chip');
  }

  // settle has a pin read as what drives it: the chip, somebody outside, or its resistor.
  settle(n) {
    const pin = this.rp.gpio[n];
    const high = pin.outputEnable && !pin.outputDisable ? pin.outputValue : (this.outside[n] ?? pin.pullupEnabled);
    if (high !== pin.rawInputValue) pin.setInputValue(high);
  }

  drive(n, high) {
    this.outside[n] = high;
    this.settle(n);
  }

  volts(input, volts) {
    this.rp.adc.channelValues[input] = Math.max(0, Math.min(4095, Math.floor((volts / SUPPLY) * 4096)));
  }
}
