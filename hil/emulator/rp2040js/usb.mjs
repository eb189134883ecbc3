// The host at the other end of the RP2040's USB cable, in the place of the package's, which knows no SET_LINE_CODING and asks for
// no strings: it enumerates what pulls its line up as Linux does, opens the serial port that it finds, and carries bytes. It checks what the
// package lets pass: toggles, the order of a buffer's bits, the clock, packets without a place. Sections are those of USB 2.0.

const IN = 0x80, CLASS = 0x20, INTERFACE = 0x01;
const GET_DESCRIPTOR = 6, SET_ADDRESS = 5, SET_CONFIGURATION = 9; // table 9-4
const SET_LINE_CODING = 0x20, SET_CONTROL_LINE_STATE = 0x22; // PSTN 1.2, table 13
const DEVICE = 1, CONFIGURATION = 2, STRING = 3;
const ENGLISH = 0x0409;
const PULL_UP = 1 << 16, CONTROLLER_ON = 1;
const AVAILABLE = 1 << 10, STALL = 1 << 11, DATA1 = 1 << 13, FULL = 1 << 15;
const SIE_CTRL = 0x4c, EP_STALL_ARM = 0x68, USB_MUXING = 0x74, USB_PWR = 0x78;
const BUFFERS = 0x80, CONTROL = 0x100; // of DPRAM
const ATTACH_MS = 100; // 7.1.7.3
const PATIENCE_MS = 500; // 9.2.6.4 allows this for data, 50 ms for the rest
const BETWEEN_NS = 20e3; // the end of a transfer and the next one
const CLK_USB_ON = 1 << 11;

export class Host {
  // received gets the bytes of the serial port.
  constructor(chip, received) {
    Object.assign(this, { chip, received, waiting: [], first: 0, queue: [], under: null, device: null, cable: true });
    this.watch();
  }

  // watch has the controller of the chip call this host; each power-up makes a new one.
  watch() {
    const { rp } = this.chip, usb = rp.usbCtrl;
    this.drop('powered down');
    Object.assign(this, { rp, usb, attached: false, toggles: {}, before: {}, armed: {}, muxing: 0 });
    this.plug = rp.clock.createAlarm(() => this.attached && this.reset());
    this.late = rp.clock.createAlarm(() => this.under && this.finish({ error: 'no answer in time' }));
    usb.onEndpointWrite = (endpoint, bytes) => this.fromDevice(endpoint, bytes);
    usb.onEndpointRead = (endpoint, size) => this.toDevice(endpoint, size);
    usb.onResetReceived = () => this.wasReset();
    const write = usb.writeUint32.bind(usb);
    usb.writeUint32 = (offset, value) => {
      this.clocked();
      write(offset, value);
      if (offset === SIE_CTRL) this.pulled((value & PULL_UP) !== 0);
      if (offset === USB_MUXING) this.muxing = value;
      if (offset === EP_STALL_ARM && value & 3 && this.under) this.finish({ stall: true });
    };
    const update = usb.DPRAMUpdated.bind(usb);
    usb.DPRAMUpdated = (offset, value) => {
      if (offset >= BUFFERS && offset < CONTROL) this.buffer(offset, value >>> 0);
      update(offset, value);
    };
  }

  clocked() {
    const { clocks, pllUsb } = this.rp;
    if (!(clocks.usbCtrl & CLK_USB_ON) || (clocks.usbCtrl >>> 5) & 7 || pllUsb.pwr & 0x29 || pllUsb.frequency !== 48e6) {
      this.chip.complain('USB without a clock of 48 MHz');
    }
  }

  // buffer checks what is given to the controller (RP2040 datasheet, 4.1.2.5): DATA0 and DATA1 in turn, but for what begins anew, and
  // AVAILABLE behind the other bits.
  buffer(offset, value) {
    const before = this.before[offset] ?? 0;
    this.before[offset] = value;
    if (value & STALL || !(value & AVAILABLE)) {
      if (!(value & FULL) && (value & 0x3ff) === 0 && !(value & DATA1)) delete this.toggles[offset];
      return;
    }
    if ((before | AVAILABLE) !== value) this.chip.complain(`AVAILABLE of 0x${offset.toString(16)} together with other bits`);
    const toggle = (value & DATA1) !== 0, first = offset < BUFFERS + 8;
    if (toggle !== (this.toggles[offset] ?? first)) this.chip.complain(`wrong toggle in 0x${offset.toString(16)}`);
    this.toggles[offset] = !toggle;
    if ((value & 0x3ff) > 64) this.chip.complain('a packet of more than 64 bytes');
  }

  // pulled is what a device does when it can be seen, or no more.
  pulled(up) {
    if (up === this.attached) return;
    if (!up && this.device?.state === 'default') this.chip.complain('it goes while it is enumerated');
    this.attached = up;
    this.drop('unplugged');
    if (!up || !this.cable) return;
    const { usb } = this;
    if (!(usb.mainCtrl & CONTROLLER_ON)) this.chip.complain('a device that shows itself with its controller off');
    if ((this.muxing & 9) !== 9 || (usb.usbPwr & 12) !== 12) this.chip.complain('a transceiver that is not connected');
    this.plug.schedule(ATTACH_MS * 1e6);
  }

  // gone is a reset of the controller.
  gone() {
    this.pulled(false);
    const { usb, rp } = this;
    Object.assign(usb, { mainCtrl: 0, sieCtrl: 0, intEnable: 0, intForce: 0, intRaw: 0, sieStatus: 0, buffStatus: 0, addrEndp: 0, usbPwr: 0 });
    Object.assign(this, { toggles: {}, before: {}, armed: {}, muxing: 0 });
    rp.setInterrupt(5, false);
  }

  connect(cable) {
    this.cable = cable;
    const up = this.attached;
    this.drop('unplugged');
    this.attached = false;
    this.pulled(up);
  }

  reset() {
    this.fail('reset');
    this.device = { state: 'reset', address: 0 };
    this.toggles = {};
    this.usb.resetDevice();
  }

  wasReset() {
    const { device } = this;
    if (device?.state !== 'reset') return;
    this.armed = {};
    device.state = 'default';
    this.enumerate(device).catch((error) => {
      // One that has been dropped was interrupted from outside, or has been complained of.
      if (this.device === device) this.chip.complain(`enumeration: ${error.message}`);
    });
  }

  async enumerate(device) {
    const want = async (setup, data) => {
      const answer = await this.control(setup, data);
      if (answer.stall || answer.error) throw new Error(`${setup}: ${answer.error ?? 'stall'}`);
      return Uint8Array.from(answer.data ?? []);
    };
    const get = (kind, index, length, language = 0) =>
      want([IN, GET_DESCRIPTOR, index, kind, language & 255, language >> 8, length & 255, length >> 8]);
    const text = async (index) => {
      if (!index) return '';
      const bytes = await get(STRING, index, 255, ENGLISH);
      return String.fromCharCode(...new Uint16Array(bytes.slice(2).buffer));
    };
    const short = await get(DEVICE, 0, 64);
    if (short[7] !== 16 || short[0] !== 18) throw new Error('device descriptor');
    const address = (this.last = ((this.last ?? 4) % 100) + 1);
    await want([0, SET_ADDRESS, address, 0, 0, 0, 0, 0]);
    await new Promise((done) => this.rp.clock.createAlarm(done).schedule(2e6)); // 9.2.6.3
    if ((this.usb.addrEndp & 0x7f) !== address) throw new Error('it does not listen to its address');
    device.address = address;
    device.descriptor = [...(await get(DEVICE, 0, 18))];
    const head = await get(CONFIGURATION, 0, 9);
    device.configuration = [...(await get(CONFIGURATION, 0, head[2] | head[3] << 8))];
    await get(STRING, 0, 255);
    device.product = await text(device.descriptor[15]);
    device.maker = await text(device.descriptor[14]);
    device.serial = await text(device.descriptor[16]);
    await want([0, SET_CONFIGURATION, 1, 0, 0, 0, 0, 0]);
    device.state = 'configured';
    this.flow();
  }

  // coding sets a rate, lines DTR and RTS.
  coding(baud) {
    return this.control([CLASS | INTERFACE, SET_LINE_CODING, 0, 0, 0, 0, 7, 0], [baud & 255, (baud >> 8) & 255, (baud >> 16) & 255, baud >>> 24, 0, 0, 8]);
  }

  lines(ready) {
    return this.control([CLASS | INTERFACE, SET_CONTROL_LINE_STATE, ready ? 3 : 0, 0, 0, 0, 0, 0]);
  }

  // control carries out a transfer on endpoint 0: what comes of it is {data}, {stall} or {error}.
  control(setup, data) {
    return new Promise((done) => {
      this.queue.push({ setup, data: Uint8Array.from(data ?? []), done, got: [], sent: 0 });
      this.next();
    });
  }

  next() {
    if (this.under || !this.queue.length) return;
    if (!this.device || this.device.state === 'reset') return this.fail('no device');
    const one = (this.under = this.queue.shift());
    one.length = one.setup[6] | one.setup[7] << 8;
    this.late.schedule(PATIENCE_MS * 1e6);
    for (const offset of [BUFFERS, BUFFERS + 4]) delete this.toggles[offset];
    this.armed[0] = undefined;
    this.usb.sendSetupPacket(Uint8Array.from(one.setup));
  }

  finish(result) {
    const one = this.under;
    this.under = null;
    this.late.cancel();
    if (!one) return;
    one.done(result);
    this.next();
  }

  fail(why) {
    const all = [this.under, ...this.queue];
    this.under = null;
    this.queue = [];
    for (const one of all) one?.done({ error: why });
  }

  // drop ends all that is under way: the device is there no more.
  drop(why) {
    this.fail(why);
    this.device = null;
  }

  fromDevice(endpoint, bytes) {
    if (endpoint !== 0) {
      if (this.device?.state === 'configured') this.received(bytes);
      return;
    }
    const one = this.under;
    if (!one) return;
    if (!(one.setup[0] & IN) || one.length === 0) {
      if (bytes.length) this.chip.complain('data where a transfer ends');
      return this.finish({ data: [] });
    }
    if (one.ended) return;
    one.got.push(...bytes);
    if (one.got.length > one.length) this.chip.complain('more data than asked for');
    if (bytes.length < 16 || one.got.length >= one.length) {
      one.ended = true;
      this.status();
    }
  }

  // status ends a transfer to the host, once the device lets it.
  status() {
    const one = this.under;
    if (!one?.ended || this.armed[0] === undefined) return;
    this.armed[0] = undefined;
    this.usb.endpointReadDone(0, new Uint8Array(0));
    this.rp.clock.createAlarm(() => this.under === one && this.finish({ data: one.got })).schedule(BETWEEN_NS);
  }

  toDevice(endpoint, size) {
    if (endpoint !== 0) {
      this.armed[endpoint] = size;
      return this.flow();
    }
    this.armed[0] = size;
    const one = this.under;
    if (!one) return;
    if (one.setup[0] & IN) return this.status();
    this.armed[0] = undefined;
    const piece = one.data.slice(one.sent, one.sent + size);
    one.sent += piece.length;
    this.usb.endpointReadDone(0, piece);
  }

  get empty() {
    return this.first === this.waiting.length;
  }

  send(bytes) {
    if (this.empty) {
      this.waiting = [];
      this.first = 0;
    }
    for (const byte of bytes) this.waiting.push(byte);
    this.flow();
  }

  // flow gives the device what waits for it, as much as it takes.
  flow() {
    if (this.empty || this.armed[2] === undefined || this.device?.state !== 'configured') return;
    const piece = Uint8Array.from(this.waiting.slice(this.first, this.first + this.armed[2]));
    this.armed[2] = undefined;
    this.first += piece.length;
    this.usb.endpointReadDone(2, piece);
  }
}
