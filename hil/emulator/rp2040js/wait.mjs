// Checks that WFI ends at once for an interrupt that is pending and held back by PRIMASK (B1.5.17), and waits where there is none.

import assert from 'node:assert/strict';
import { Chip, crc } from './chip.mjs';

const SECOND_STAGE = 256, DONE = 7;

// chipWith starts with code in place of its second stage.
function chipWith(halves) {
  const flash = new Uint8Array(2 * SECOND_STAGE), view = new DataView(flash.buffer);
  halves.forEach((half, i) => view.setUint16(2 * i, half, true));
  view.setUint32(SECOND_STAGE - 4, crc(flash.subarray(0, SECOND_STAGE - 4)), true);
  const chip = new Chip(flash, assert.fail);
  chip.run(100);
  return chip;
}

// cpsid i; movs r2, #0xe0; lsls r2, #24; movs r3, #0xe1; lsls r3, #8; adds r0, r2, r3; movs r1, #1; str r1, [r0]: ISER
const enable = [0xb672, 0x22e0, 0x0612, 0x23e1, 0x021b, 0x18d0, 0x2101, 0x6001];
const pend = [0x30ff, 0x3001, 0x6001]; // adds r0, #255; adds r0, #1; str r1, [r0]: ISPR
const rest = [0xbf30, 0x2200 + DONE, 0xe7fe]; // wfi; movs r2, #7; b .

const held = chipWith([...enable, ...pend, 0xbf00, ...rest]); // a nop, in which it is looked at and held back
assert.equal(held.asleep, false);
assert.equal(held.rp.core.registers[2], DONE);
assert.equal(chipWith([...enable, 0xbf00, ...rest]).asleep, true);
