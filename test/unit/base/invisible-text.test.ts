import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  escapedInvisible,
  invisible,
  onOneLine,
  withoutInvisible,
} from "../../../src/base/text/invisible-text.ts";
import { exactText } from "../../../src/core/values/shown.ts";

/** A character of each kind that shows nothing. Generated below for all of Unicode; these are the ones by which a failure is named. */
const hidden =
  "0 7 1b 7f ad 34f 61c 115f 17b4 180b 180e 200b 200e 202e 2060 2066 206f 2800 3164 e000 fe00 fe0f feff ffa0 fff9 " +
  "13430 1bca0 1d173 e0001 e0041 e0100 f0000";
const characters = hidden.split(" ").map((code) => String.fromCodePoint(Number.parseInt(code, 16)));

/** Every character of Unicode that people see nothing of, as its standard says. */
const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
  (each) =>
    /(?![\n\t])(?:\p{C}(?!\p{Cn})|\p{DI}|\p{Zl}|\p{Zp}|\u2800)/u.test(each) &&
    !/(?!\p{DI})\p{Cn}/u.test(each),
);

/** Numbers that are the same in each run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** CPU is counted in ticks of some ms on many machines. */
const tickMs = 16;

/** CPU of this thread in the cheapest of some runs, ms: what else runs on the machine does not count. */
function timeOf(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const start = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

describe("characters that show nothing", () => {
  it.each(characters)(
    "a hidden character is an escape on cards, and missing in what models read: %j",
    (each) => {
      const text = `pay${each}now`;
      expect(escapedInvisible(text)).toMatch(/^pay(?:\\u[0-9a-f]{4}){1,2}now$/);
      expect(JSON.parse(`"${escapedInvisible(text)}"`)).toBe(text);
      expect(withoutInvisible(text)).toBe("paynow");
      expect(onOneLine(text)).toBe("pay now");
    },
  );

  it("a hidden character of any kind, anywhere in any text, is an escape that JSON reads [asks-13]", () => {
    const next = numbersFrom(7);
    const visible = ["a", "1", "✅", "👍🏽", "漢", "é", " ", "🏴", "#", "👩"];
    for (let round = 0; round < 4_000; round += 1) {
      const parts = Array.from({ length: 6 }, () =>
        next(2) === 0 ? (all[next(all.length)] ?? "") : (visible[next(visible.length)] ?? ""),
      );
      const text = parts.join("");
      const shown = escapedInvisible(text);
      expect(JSON.parse(`"${shown}"`)).toBe(text);
      expect(shown.replace(/\p{RGI_Emoji}/gv, "")).not.toMatch(invisible);
    }
  });

  it.each(["\u0085", "\u2028", "\u2029", "\v", "\f"])(
    "a line end of any kind stays a line end: %j",
    (each) => {
      expect([withoutInvisible(`pay${each}now`), onOneLine(`pay${each}now`)]).toEqual([
        "pay\nnow",
        "pay now",
      ]);
      expect(exactText(`pay${each}now`)).toMatch(/^pay\\u[0-9a-f]{4}now$/);
    },
  );

  it("a hidden character after an emoji is no part of it", () => {
    const carried = `Done ✅${"\ufe00\ufe0f\ufe01".repeat(3)}`;
    expect(escapedInvisible(carried)).toBe(`Done ✅${"\\ufe00\\ufe0f\\ufe01".repeat(3)}`);
    expect(withoutInvisible(carried)).toBe("Done ✅");
    expect(escapedInvisible("❤️\ufe0f 🏴\u{e0061}\u{e007f}")).toBe("❤️\\ufe0f 🏴\\udb40\\udc61\\udb40\\udc7f");
  });

  it.each([
    "❤️ 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ 👍🏽 🏳️‍🌈🏳️‍🌈 👩🏽‍🚀👁️‍🗨️ 🧑🏻‍❤️‍💋‍🧑🏿",
    "line\n\tend",
    "naïve café, Straße, 日本語",
    "",
  ])("people see all of %j", (text) => {
    expect([escapedInvisible(text), withoutInvisible(text), exactText(text)]).toEqual([text, text, text]);
  });

  it("a joiner that changes how letters look stays in what models read", () => {
    expect(withoutInvisible("می‌خواهم, क्‍ष, a‌b")).toBe("می‌خواهم, क्‍ष, ab");
  });

  it("a text on one line has one space for each run of blanks", () => {
    expect(onOneLine("  a \u2028\u200b\n b\u3000c ")).toBe("a b c");
  });

  it.each([
    ["Chinese", "漢字の文章です。\n"],
    ["keycaps that are none", "1\ufe0f"],
    ["families that never end", "👩\u200d"],
    ["flags of no country", "🏴\u{e0067}"],
    ["selectors", "\ufe0f"],
  ])("a long text of %s takes time proportional to its length", (_, part) => {
    const [short, long] = [2_000, 20_000].map((length) => part.repeat(length / part.length));
    for (const read of [escapedInvisible, withoutInvisible, onOneLine]) {
      const tenShort = () => {
        for (let times = 0; times < 10; times += 1) read(short ?? "");
      };
      const ratio = timeOf(() => read(long ?? "")) / Math.max(tickMs, timeOf(tenShort));
      expect(ratio).toBeLessThan(5);
    }
  });

  it("a megabyte of Chinese takes no longer than its normal form", () => {
    const text = "漢字の文章です。\n".repeat(110_000);
    const ratio = timeOf(() => escapedInvisible(text)) / timeOf(() => text.normalize("NFKD"));
    expect(ratio).toBeLessThan(5);
  });
});

describe("a text that people decide about", () => {
  it.each([
    [`Lunch at one.${"\n".repeat(201)}vault-code-4711`, "Lunch at one.\n[200 empty lines]\nvault-code-4711"],
    [`Lunch.${"\n \t".repeat(201)}\nvault`, "Lunch.\n[201 empty lines]\nvault"],
    [`Lunch at one.${" ".repeat(400)}vault`, "Lunch at one. [400 blanks] vault"],
    [`Lunch.${"\u3000".repeat(60)}vault`, "Lunch. [60 blanks] vault"],
    ["Lunch. \t \t\t \nAt one.", "Lunch. [6 blanks] \nAt one."],
    ["Lunch \u2003\u2002\u00a0at one", "Lunch [4 blanks] at one"],
    ["Lunch\u2003at\u205fone", "Lunch\\u2003at\\u205fone"],
    ["a\u200b\n\u200b\n\u200bb", "a\\u200b\n\\u200b\n\\u200bb"],
  ])("a run whose end or content nobody sees is said: %j [asks-13]", (text, shown) => {
    expect(exactText(text)).toBe(shown);
  });

  it.each([
    "Dear Ann,\n\n\nlunch?\n",
    "if (a) {\n\t\treturn 1;\n\t }\n        end  \n",
    "Bonjour\u00a0! 10\u00a0000\u202f€",
    "田中\u3000太郎",
  ])("people read %j as it is", (text) => {
    expect(exactText(text)).toBe(text);
  });
});

/** Files in which characters of some of these kinds mean something else than that nobody sees them. */
const exceptions = new Map([
  ["src/base/text/invisible-text.ts", "the list"],
  ["src/base/decode-text.ts", "signs that a text was decoded wrongly"],
  ["src/core/ports/documents.ts", "signs that a text was decoded wrongly"],
  ["src/packages/rules/hidden-text.ts", "kinds of hidden text, by how grave they are, built from the list"],
  ["src/charts/inside/fonts.ts", "which font has a character"],
  ["skills/simple-writing/pdf-words.ts", "which font has a character"],
]);

/** A class with characters that show nothing, by property or by code; blanks that separate digits are none. */
const list =
  /\\p\{(?:Cf|Format|DI|Default_Ignorable_Code_Point|Z[lp]|Co|C|Other|Bidi_C\w*|Join_C\w*|VS|Variation_Selector)\}|\[[^\]\n]*\\u\{?(?:00ad|034f|061c|115f|180[b-f]|200[b-f]|202[a-e]|20[67]\d|2800|3164|fe0\d|feff|ffa0|e0[01])/i;

it("characters that show nothing have one list in the sources", async () => {
  const found: string[] = [];
  for await (const path of glob("{src,skills}/**/*.ts", { cwd: process.cwd() }))
    if (list.test(readFileSync(path, "utf8"))) found.push(path);
  expect(found.toSorted()).toEqual([...exceptions.keys()].toSorted());
});
