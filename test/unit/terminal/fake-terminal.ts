import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

/** A terminal in memory: keys go in, what was written can be looked at and waited for. */
export function fakeTerminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  let written = "";
  let wake = () => {};
  const output = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        written += String(chunk);
        wake();
        done();
      },
    }),
    { isTTY, columns: 60, rows: 20 },
  );
  let seen = 0;
  return {
    input,
    output,
    type: (keys: string) => void input.write(keys),
    raw: () => written,
    text: () => stripVTControlCharacters(written),
    /** Resolves when the text appears in what was written since the last wait. */
    async shows(text: string): Promise<void> {
      for (;;) {
        const plain = stripVTControlCharacters(written);
        const at = plain.indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
