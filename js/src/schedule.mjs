// Turns of the event loop, and a reason for the garbage collector to run.
import { isNode } from './platform.mjs';

let channel = null;
const waiting = [];

/** Resolves in a macrotask of its own, so that timers, input and finalisers get their turn. */
export function macrotask() {
  if (isNode) return new Promise((resolve) => setImmediate(resolve));
  // setTimeout would be held back to 4 ms after a few rounds
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(0);
  });
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The time of the next animation frame; a macrotask where there are no frames. */
export function nextFrame() {
  return new Promise((resolve) => {
    if (typeof requestAnimationFrame === 'function') requestAnimationFrame(() => resolve());
    else macrotask().then(resolve);
  });
}

export const now = () => performance.now();

/** A timer that does not keep a process alive. */
export function unrefTimer(timer) {
  timer?.unref?.();
}

// JavaScript engines know nothing of the memory behind a tensor: to them a tensor of a megabyte is a small object, and a loop that
// makes them gives no reason to collect. A large, at once forgotten ArrayBuffer is such a reason: its size counts, though its pages
// are never touched. Measured in Node 20 with 600 KB tensors (docs/js.md): without, nothing is collected in 3000 turns; with 128 MiB
// for each 16 MB of garbage the most outstanding is 77 MB, at 0.06 ms a turn.
const kOutstanding = 64e6;
const kStep = 16e6;
const kReason = 128 << 20;

// Finalisers only run between turns. A turn costs as much as several small ops, so it waits until so much, or so many, are new.
const kTurnBytes = 1e6;
const kTurnTensors = 64;

let outstanding = 0;
let sinceReason = 0;
let sinceTurn = 0;
let tensorsSinceTurn = 0;

/** Bytes of tensors that only the collector would free have grown (or shrunk) by so much. */
export function noteOutstanding(bytes) {
  outstanding += bytes;
  if (bytes <= 0) return;
  sinceReason += bytes;
  sinceTurn += bytes;
  ++tensorsSinceTurn;
}

/** Called once a read: lets the collector run when much is outstanding. Null when there is no need to wait. */
export function collectorTurn() {
  if (sinceTurn < kTurnBytes && tensorsSinceTurn < kTurnTensors) return null;
  sinceTurn = 0;
  tensorsSinceTurn = 0;
  if (outstanding > kOutstanding && sinceReason > kStep) {
    sinceReason = 0;
    try {
      reason = new ArrayBuffer(kReason);
    } catch { /* no room for it: then the collector is running already */ }
    reason = null;
  }
  return macrotask();
}
let reason = null;  // a module variable, so that no compiler proves the buffer unused
