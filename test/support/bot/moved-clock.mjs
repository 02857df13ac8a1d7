// Loaded before a program (`node --import`): its wall clock is the real one moved by the milliseconds in the file MOVED_CLOCK names,
// or by those in MOVED_BY.
import { readFileSync } from "node:fs";

const RealDate = Date;
const realNow = Date.now.bind(Date);
const fixed = process.env.MOVED_BY;
let offset = Number(fixed ?? 0);

// Read anew each time: who moved the clock may count on it at once.
function now() {
  if (fixed !== undefined) return realNow() + offset;
  try {
    offset = Number(readFileSync(process.env.MOVED_CLOCK ?? "", "utf8"));
  } catch {
    // Nobody has moved it yet.
    offset = 0;
  }
  return realNow() + offset;
}

export const MovedDate = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};

globalThis.Date = MovedDate;
