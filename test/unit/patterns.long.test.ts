import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import ts from "typescript";
import { expect, it, onTestFinished } from "vitest";
import { type Nasty, nastyStrings } from "../support/nasty-strings.ts";

const root = resolve(import.meta.dirname, "../..");

/** Where a hostile text holds up nobody: in processes that are ended when they take too long, and in a person's own browser. */
const elsewhere = /^src\/(?:\w+\/inside|console)\//;

/** What reads only files that ship with the bot. */
const own = new Set(["src/server/bundle-page.ts"]);

interface Pattern {
  place: string;
  source: string;
  flags: string;
}

const sources = ["src", "skills"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith(".ts")),
);
const files = sources.filter((file) => !elsewhere.test(file) && !own.has(file));

/** The regular expressions that are written in a file. */
function literalsOf(file: string, text: string): Pattern[] {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const line = parsed.getLineAndCharacterOfPosition(node.getStart(parsed)).line + 1;
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      found.push({ place: `${file}:${line}`, source, flags });
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

/** Those that `base/pattern.ts` puts together when a file is loaded. */
async function composedIn(modules: readonly string[]): Promise<Pattern[]> {
  const thread = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
    const made = [];
    let file = "";
    globalThis.RegExp = new Proxy(RegExp, {
      construct(target, args) {
        const pattern = new target(...args);
        if (new Error().stack.includes("base/pattern.ts")) made.push({ place: file, source: pattern.source, flags: pattern.flags });
        return pattern;
      },
    });
    (async () => {
      for (file of workerData) await import(file);
      parentPort.postMessage(made);
    })();`,
    { eval: true, workerData: modules },
  );
  try {
    const made = await new Promise<Pattern[]>((done, failed) =>
      thread.on("message", done).on("error", failed),
    );
    return made.map((each) => ({ ...each, place: relative(root, each.place) }));
  } finally {
    await thread.terminate();
  }
}

/** Tries patterns one after another, by the time of the processor it takes, whatever else the machine does. */
const trial = `const { parentPort } = require("node:worker_threads");
const cost = (pattern, { pre, pump, end }, length) => {
  const text = Buffer.from(pre + pump.repeat(Math.ceil(length / pump.length)) + end).toString();
  const before = process.threadCpuUsage();
  text.replace(pattern, "");
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};
const least = (...of) => Math.min(cost(...of), cost(...of), cost(...of));
const grows = (pattern, text, length) => {
  const [some, twice, most] = [length, 2 * length, 4 * length].map((each) => least(pattern, text, each));
  return most > 3 * twice && twice > 3 * some;
};
parentPort.on("message", ({ source, flags, texts }) => {
  const pattern = new RegExp(source, flags.replace("g", "") + "g");
  const slow = texts.find((text) => {
    parentPort.postMessage({ trying: text });
    if (cost(pattern, text, 20_000) < 8 || least(pattern, text, 20_000) < 8) return false;
    // Twice: other work on the machine spoils a measurement, but seldom two in the same way.
    return least(pattern, text, 20_000) > 100 || (grows(pattern, text, 5_000) && grows(pattern, text, 8_000));
  });
  parentPort.postMessage({ slow });
});`;

/** Longer than any text takes that is not for ever, on a machine with much else to do, ms. */
const forEver = 30_000;

/** The text that a pattern takes more than its share of time for; undefined where there is none. */
function triedIn(thread: Worker, { source, flags }: Pattern, limitMs = forEver): Promise<Nasty | undefined> {
  const { promise, resolve: done, reject } = Promise.withResolvers<Nasty | undefined>();
  let limit: NodeJS.Timeout | undefined;
  thread.removeAllListeners("message").removeAllListeners("error");
  thread.on("error", reject);
  thread.on("message", (message: { trying: Nasty } | { slow?: Nasty }) => {
    clearTimeout(limit);
    if ("trying" in message) limit = setTimeout(() => done(message.trying), limitMs);
    else done(message.slow);
  });
  thread.postMessage({ source, flags, texts: nastyStrings(source, flags) });
  return promise.finally(() => clearTimeout(limit));
}

/** Files that make patterns of parts. */
const composing = (texts: ReadonlyMap<string, string>) =>
  [...texts.keys()].filter((file) => /base\/pattern\.ts"|\.\/pattern\.ts"/.test(texts.get(file) ?? ""));

/** Longer patterns, each with its reason. There is none. */
const longer: ReadonlySet<string> = new Set();

it("no pattern has more than 200 characters, also none that is made of parts", async () => {
  const texts = new Map(sources.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const made = composing(texts).filter((file) => files.includes(file));
  const all = [
    ...[...texts].flatMap(([file, text]) => literalsOf(file, text)),
    ...(await composedIn(made.map((file) => join(root, file)))),
  ];
  const long = all.filter(({ source, flags }) => `/${source}/${flags}`.length > 200);
  expect(long.map(({ place }) => place).filter((place) => !longer.has(place))).toEqual([]);
});

it("the patterns take time in proportion to the text, whoever wrote it [text-4]", {
  timeout: 900_000,
}, async () => {
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const all = [
    ...[...texts].flatMap(([file, text]) => literalsOf(file, text)),
    ...(await composedIn(composing(texts).map((file) => join(root, file)))),
  ];
  expect(all.length).toBeGreaterThan(1_000);
  const each = new Map(all.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]));
  let thread = new Worker(trial, { eval: true });
  onTestFinished(async () => void (await thread.terminate()));
  const slow: string[] = [];
  for (const [written, pattern] of each) {
    const text = await triedIn(thread, pattern);
    if (text === undefined) continue;
    slow.push(`${pattern.place} ${written} on ${JSON.stringify(text)}`);
    // It may still be at it.
    await thread.terminate();
    thread = new Worker(trial, { eval: true });
  }
  expect(slow).toEqual([]);
});

it.each([
  ["(a+)+$", "two repetitions within each other"],
  ["\\s+$", "a search from every place of a run"],
  ["<a[^>]*>", "a search from every beginning to an end that is not there"],
  ["^(?:x\\s*,?\\s*)*$", "two ways to take the same spaces"],
])("quadratic time is detected in %s: %s", async (source) => {
  const thread = new Worker(trial, { eval: true });
  onTestFinished(async () => void (await thread.terminate()));
  expect(await triedIn(thread, { place: "", source, flags: "" }, 1_000)).toBeDefined();
});

it("patterns are made from values by one module only: a rule of the linter finds all others", () => {
  const folder = mkdtempSync(join(tmpdir(), "patterns-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ["biome.json", ".ci/made-patterns.grit"]) cpSync(join(root, file), join(folder, file));
  const planted = {
    "src/core/made.ts": "export const made = (text: string) => new RegExp(text);",
    "src/app/called.ts": 'export const made = (text: string) => RegExp(text, "u");',
    "skills/any/member.ts": "export const made = (text: string) => new globalThis.RegExp(text);",
    "src/core/renamed.ts": "const Made = RegExp;\nexport const made = (text: string) => new Made(text);",
    "src/core/given.ts": "export const made = (given: RegExp) => /a/.test(given.source);",
    "src/base/pattern.ts": "export const made = (text: string) => new RegExp(text);",
  };
  for (const [file, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${text}\n`);
  }
  const linter = join(root, "node_modules/.bin/biome");
  const { stdout, stderr } = spawnSync(linter, ["lint", "--colors=off", "--vcs-enabled=false", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  const found = `${stdout}${stderr}`.matchAll(/^(\S+?):\d+:\d+ plugin/gm);
  expect([...new Set([...found].map(([, file]) => file))].toSorted()).toEqual([
    "skills/any/member.ts",
    "src/app/called.ts",
    "src/core/made.ts",
    "src/core/renamed.ts",
  ]);
});
