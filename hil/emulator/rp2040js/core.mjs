// The processor of an RP2040 as rp2040js has it, with what that leaves out: faults, the memory protection unit, programs
// without privileges, the exact SysTick. By the Armv6-M Architecture Reference Manual (DDI 0419); sections in brackets.

const THREAD = 0, HANDLER = 1;
const NMI = 2, HARD_FAULT = 3, SVC = 11, PENDSV = 14, SYSTICK = 15, IRQ0 = 16;
const READ = 1, WRITE = 2, EXECUTE = 4, KNOWN = 8;
const RAM = 0x20000000, RAM_BYTES = 0x42000, GRANULE = 5;
const MEMORY = 0b00011011; // which of the eight 512 MiB of addresses can be executed without an MPU (B3.1)
const THUMB = 1 << 24;

// Thrown by what raises a HardFault in the middle of an instruction.
const FAULT = new Error('HardFault');

// Rights by the AP field of MPU_RASR (B3.5.9): without privileges, with them.
const NONE = 0, BOTH = READ | WRITE;
const AP = [[NONE, NONE], [NONE, BOTH], [READ, BOTH], [BOTH, BOTH], [NONE, NONE], [NONE, READ], [READ, READ], [READ, READ]];

// ProtectionUnit is the MPU (B3.5): eight regions, the highest that matches counts.
class ProtectionUnit {
  constructor() {
    this.ctrl = 0;
    this.number = 0;
    this.regions = Array.from({ length: 8 }, () => ({ base: 0, attributes: 0 }));
    this.cache = [new Uint8Array(RAM_BYTES >> GRANULE), new Uint8Array(RAM_BYTES >> GRANULE)];
  }

  read(offset) {
    const { base, attributes } = this.regions[this.number];
    return { 0xd90: 8 << 8, 0xd94: this.ctrl, 0xd98: this.number, 0xd9c: base | this.number, 0xda0: attributes }[offset];
  }

  write(offset, value) {
    switch (offset) {
      case 0xd94:
        this.ctrl = value & 7;
        break;
      case 0xd98:
        this.number = value & 7;
        break;
      case 0xd9c:
        if (value & 0x10) this.number = value & 7;
        this.regions[this.number].base = (value & ~0xff) >>> 0;
        break;
      case 0xda0:
        this.regions[this.number].attributes = value;
        break;
    }
    for (const known of this.cache) known.fill(0);
  }

  // rights are what code may do at an address.
  rights(address, privileged) {
    const usual = BOTH | ((MEMORY >> (address >>> 29)) & 1 ? EXECUTE : 0);
    if (address >>> 20 === 0xe00) return privileged ? BOTH : NONE;
    if (!(this.ctrl & 1)) return usual;
    for (let i = 7; i >= 0; i--) {
      const { base, attributes } = this.regions[i];
      const log2 = ((attributes >>> 1) & 31) + 1;
      if (!(attributes & 1) || log2 < 8) continue;
      const size = 2 ** log2;
      const start = base - (base % size);
      if (address < start || address >= start + size) continue;
      if (attributes & (0x100 << Math.floor((address - start) / (size / 8)))) continue;
      const rights = AP[(attributes >>> 24) & 7][privileged ? 1 : 0];
      return rights & READ && !(attributes & (1 << 28)) ? rights | (usual & EXECUTE) : rights;
    }
    return privileged && this.ctrl & 4 ? usual : NONE;
  }

  inRAM(address, privileged) {
    const known = this.cache[privileged ? 1 : 0];
    const granule = (address - RAM) >>> GRANULE;
    return known[granule] || (known[granule] = this.rights(address, privileged) | KNOWN);
  }
}

// SysTick (B3.3) counts cycles of the processor.
class SysTick {
  constructor(core, clock, cycle) {
    Object.assign(this, { core, clock, cycle, csr: 0, rvr: 0, counted: false, from: 0, begun: 0, runs: false });
    this.zero = clock.createAlarm(() => this.ended());
    this.reload = clock.createAlarm(() => this.begin());
  }

  // begin is the cycle after a 0, in which the counter becomes what RVR says.
  begin() {
    this.runs = this.rvr !== 0;
    this.from = this.rvr;
    this.begun = this.clock.nanos;
    if (this.runs) this.zero.schedule(this.rvr * this.cycle());
  }

  ended() {
    this.runs = false;
    this.counted = true;
    if (this.csr & 2) {
      this.core.pendingSystick = true;
      this.core.interruptsUpdated = true;
    }
    this.reload.schedule(this.cycle());
  }

  get value() {
    return this.runs ? this.from - Math.floor((this.clock.nanos - this.begun) / this.cycle() + 1e-6) : this.from && 0;
  }

  read(offset) {
    if (offset === 0x14) return this.rvr;
    if (offset === 0x18) return this.value;
    const counted = this.counted ? 1 << 16 : 0;
    this.counted = false;
    return this.csr | counted;
  }

  write(offset, value) {
    if (offset === 0x14) {
      this.rvr = value & 0xffffff;
      return;
    }
    const on = this.csr & 1;
    if (offset === 0x10) this.csr = value & 7;
    if (offset === 0x18 || on !== (this.csr & 1)) { // the counter's start is unknown: here it is 0
      this.zero.cancel();
      this.reload.cancel();
      this.runs = this.counted = false;
      if (this.csr & 1) this.reload.schedule(this.cycle());
    }
  }
}

// mend gives the core of a chip what it lacks. isMapped says what answers on the bus, restart is what SYSRESETREQ asks for.
// The result carries out instructions.
export function mend(rp, isMapped, restart) {
  const core = rp.core, original = Object.getPrototypeOf(core);
  const unit = new ProtectionUnit();
  const systick = new SysTick(core, rp.clock, () => 1e9 / rp.clkSys);
  let thumb = true, masked = false, late = false;
  const self = { locked: false, run };

  const privileged = () => core.currentMode === HANDLER || !core.nPRIV;
  const rightsAt = (address, allowed) => {
    if (!isMapped(address)) return NONE;
    if ((core.IPSR === NMI || core.IPSR === HARD_FAULT) && !(unit.ctrl & 2)) return BOTH | EXECUTE;
    return address >= RAM && address - RAM < RAM_BYTES ? unit.inRAM(address, allowed) : unit.rights(address, allowed);
  };
  const need = (address, bytes, right) => {
    if (address & (bytes - 1) || !(rightsAt(address, privileged()) & right)) throw FAULT;
  };
  // RAM has a short way, as most accesses are there.
  const short = (address, bytes, right) =>
    address >= RAM && address - RAM < RAM_BYTES && !(address & (bytes - 1))
    && (unit.cache[privileged() ? 1 : 0][(address - RAM) >>> GRANULE] & right) !== 0;
  const ram = rp.sramView;
  const reader = (bits, get) => {
    const slow = rp[`readUint${bits}`].bind(rp), bytes = bits / 8;
    return (address) => {
      address >>>= 0;
      if (short(address, bytes, READ)) return get(address - RAM);
      need(address, bytes, READ);
      return slow(address);
    };
  };
  const writer = (bits, set) => {
    const slow = rp[`writeUint${bits}`].bind(rp), bytes = bits / 8;
    return (address, value) => {
      address >>>= 0;
      if (short(address, bytes, WRITE)) return set(address - RAM, value);
      need(address, bytes, WRITE);
      slow(address, value);
    };
  };
  core.readUint8 = reader(8, (at) => ram.getUint8(at));
  core.readUint16 = reader(16, (at) => ram.getUint16(at, true));
  core.readUint32 = reader(32, (at) => ram.getUint32(at, true));
  core.writeUint8 = writer(8, (at, value) => ram.setUint8(at, value));
  core.writeUint16 = writer(16, (at, value) => ram.setUint16(at, value, true));
  core.writeUint32 = writer(32, (at, value) => ram.setUint32(at, value, true));

  // The private peripheral bus: SysTick, MPU, and AIRCR, by which software resets the core (B3.2.6).
  const { ppb } = rp, readRest = ppb.readUint32.bind(ppb), writeRest = ppb.writeUint32.bind(ppb);
  ppb.systickAlarm.enable = false;
  const partOf = (offset) => (offset >= 0x10 && offset < 0x1c ? systick : offset >= 0xd90 && offset < 0xda4 ? unit : null);
  ppb.readUint32 = (offset) => (partOf(offset) ? partOf(offset).read(offset) >>> 0 : readRest(offset));
  ppb.writeUint32 = (offset, value) => {
    if (partOf(offset)) partOf(offset).write(offset, value);
    else if (offset !== 0xd0c) writeRest(offset, value);
    else if (value >>> 16 === 0x5fa && value & 4) restart();
  };

  // Without privileges, writes to special registers but the flags change nothing (B5.2.3), and most read as 0 (B5.2.2).
  Object.defineProperty(core, 'PM', { get: () => masked, set: (value) => (masked = privileged() ? value : masked) });
  core.writeSpecialRegister = (number, value) => {
    if (number < 4) core.APSR = value;
    else if (number > 7 && privileged()) original.writeSpecialRegister.call(core, number, value);
  };
  core.readSpecialRegister = (number) => (privileged() || number < 4 || number === 20 ? original.readSpecialRegister.call(core, number) : 0);

  // An address without bit 0 leaves the Thumb state, which this core knows no other than.
  core.BXWritePC = (address) => {
    const returns = core.currentMode === HANDLER && address >>> 28 === 15;
    if (!returns) thumb = (address & 1) === 1;
    original.BXWritePC.call(core, address);
  };
  core.blTaken = (_, byRegister) => {
    if (byRegister) {
      const register = (rp.readUint16((core.LR & ~1) - 2) >>> 3) & 15;
      thumb = register === 14 || (core.registers[register] & 1) === 1;
    }
  };
  core.exceptionReturn = (value) => {
    const frame = (value & 15) === 13 ? core.SPprocess : core.SPmain;
    thumb = (core.readUint32(frame + 0x1c) & THUMB) !== 0;
    original.exceptionReturn.call(core, value);
  };

  // Entry to an exception (B1.5.6). Where the frame cannot be written, a HardFault comes instead, and the frame is lost.
  core.exceptionEntry = (number) => {
    const frame = ((core.SPSEL && core.currentMode === THREAD ? core.SPprocess : core.SPmain) - 0x20) & ~4;
    const allowed = privileged();
    let lost = false;
    for (let at = frame; at < frame + 0x20; at += 4) lost ||= !(rightsAt(at >>> 0, allowed) & WRITE);
    const { writeUint32 } = core;
    core.writeUint32 = lost ? () => {} : rp.writeUint32.bind(rp);
    original.exceptionEntry.call(core, lost ? HARD_FAULT : number);
    if (!lost && !thumb) rp.writeUint32(frame + 0x1c, rp.readUint32(frame + 0x1c) & ~THUMB);
    core.writeUint32 = writeUint32;
    thumb = (core.PC & 1) === 1;
    core.PC &= ~1;
    core.waiting = false;
    return !lost;
  };
  const hardFault = () => {
    if (core.IPSR === HARD_FAULT || core.IPSR === NMI) self.locked = true; // B1.5.15
    else core.exceptionEntry(HARD_FAULT);
  };
  rp.onBreak = self.undefined = () => {
    throw FAULT; // BKPT without a debugger, UDF
  };

  let asked = 0; // interrupts that devices ask for: one that is cleared in ICPR is pending again at once (B3.4)

  // The exception that is to come next, of those more urgent than the priority (B1.5.4); 0: none.
  const next = (limit) => {
    if (core.pendingNMI) return core.IPSR === NMI || core.IPSR === HARD_FAULT ? 0 : NMI;
    const enabled = (core.pendingInterrupts | asked) & core.enabledInterrupts;
    for (let priority = 0; priority < limit; priority++) {
      if (core.pendingSVCall && core.svCallPriority === priority) return SVC;
      if (core.pendingPendSV && core.pendSVPriority === priority) return PENDSV;
      if (core.pendingSystick && core.systickPriority === priority) return SYSTICK;
      const some = enabled & core.interruptPriorities[priority];
      if (some) return IRQ0 + 31 - Math.clz32(some & -some);
    }
    return 0;
  };
  const flags = { [NMI]: 'pendingNMI', [SVC]: 'pendingSVCall', [PENDSV]: 'pendingPendSV', [SYSTICK]: 'pendingSystick' };
  core.checkForInterrupts = () => {
    const active = core.exceptionPriority(core.IPSR);
    const number = next(Math.min(active, masked ? 0 : 4));
    if (number) {
      const entered = core.exceptionEntry(number);
      if (entered && flags[number]) core[flags[number]] = false;
      late = !entered && number === SVC;
      return true;
    }
    if (core.waiting && next(active)) core.waiting = false; // WFI ends for what PRIMASK holds back (B1.5.17)
    core.interruptsUpdated = false;
    if (core.pendingSVCall && !late) { // a call cannot wait, unless a HardFault has come in its place
      core.pendingSVCall = false;
      hardFault();
    }
    return false;
  };
  core.setInterrupt = (number, value) => {
    const bit = 1 << number;
    if (!value) {
      asked &= ~bit;
      core.pendingInterrupts &= ~bit;
    } else if (!(asked & bit)) {
      asked |= bit;
      core.pendingInterrupts |= bit;
      core.interruptsUpdated = true;
    }
  };

  // run carries out n instructions at most, or until the core sleeps. One that faults is as if it had not begun, but for
  // registers that a load of several has reached.
  function run(n) {
    const { registers } = core, { clock } = rp;
    let pc = 0, sp = 0;
    for (let i = 0; i < n; i++) {
      try {
        for (; i < n; i++) {
          if (core.interruptsUpdated) core.checkForInterrupts();
          if (core.waiting || self.locked) return;
          pc = registers[15];
          sp = registers[13];
          if (!thumb || !(short(pc, 2, EXECUTE) || rightsAt(pc, privileged()) & EXECUTE)) throw FAULT;
          clock.tick((core.executeInstruction() * 1e9) / rp.clkSys);
          if (core.waiting) core.checkForInterrupts(); // WFI does not wait for what has been held back before it
        }
      } catch (e) {
        if (e !== FAULT) throw e;
        registers[15] = pc;
        registers[13] = sp;
        hardFault();
      }
    }
  }

  return self;
}
