import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Builder, programToRun } from "../../.ci/build.ts";

/** A repository whose program starts a thread and serves a page, and has one shipped skill. */
function repository() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "knack-build-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("package-lock.json", "{}");
  write(
    "src/cli.ts",
    `import { word } from "./word.ts";
const thread: URL = new URL("./thread.ts", import.meta.url);
const page: URL = new URL("./console/page.html", import.meta.url);
console.log(JSON.stringify({ word, thread, page, folder: import.meta.dirname }));`,
  );
  write("src/word.ts", 'export const word: string = "one …";\n');
  write("src/thread.ts", "console.log(import.meta.url as string);\n");
  write("src/console/page.html", '<link rel="stylesheet" href="page.css"><script src="page.ts"></script>');
  write("src/console/page.css", '@import url("part.css");');
  write("src/console/part.css", "b { top: 1px }\n");
  write("src/console/page.ts", "console.log(1 as number);\n");
  write("skills/greet/skill.ts", "export const skill = 1;\n");
  return { root, write };
}

function run(file: string): string {
  return execFileSync(process.execPath, [file], { encoding: "utf8" });
}

test("a build has what the sources have, and is reused until they change, also where nothing can be written", async () => {
  const { root, write } = repository();
  const file = await new Builder(root).build("src/cli.ts");
  const said = JSON.parse(run(file));
  expect(said).toMatchObject({ word: "one …", folder: join(root, "src") });
  expect(readFileSync(file, "utf8")).toMatch(/^[\0-\x7f]*$/);
  expect(run(fileURLToPath(said.thread))).toBe(`file://${join(root, "src/thread.ts")}\n`);
  const page = readFileSync(fileURLToPath(said.page), "utf8");
  const [styles = "", script = ""] = [...page.matchAll(/"\/assets\/([\w.-]+)"/g)].map(([, name]) =>
    readFileSync(new URL(name ?? "", said.page), "utf8"),
  );
  expect([styles, script]).toEqual(["b { top: 1px }\n", expect.stringContaining("console.log(1);")]);
  expect(await new Builder(root).build("src/cli.ts")).toBe(file);

  const copy = `${root}-copy`;
  cpSync(root, copy, { recursive: true });
  onTestFinished(() => rmSync(copy, { recursive: true }));
  expect(await programToRun(copy)).toEqual({ file: file.replace(root, copy) });

  write("src/word.ts", 'export const word: string = "two";\n');
  expect(JSON.parse(run(await new Builder(root).build("src/cli.ts")))).toMatchObject({ word: "two" });
  // A bot that runs goes on with its own.
  expect(existsSync(file)).toBe(true);
}, 60_000);

test("another build is made after anything it was made from changes", async () => {
  const { root, write } = repository();
  const builds = new Set<string>();
  for (const [path, text] of [
    ["src/word.ts", 'export const word: string = "two";\n'],
    ["src/thread.ts", "console.log(2 as number);\n"],
    ["src/console/part.css", "b { top: 2px }\n"],
    ["package-lock.json", '{"packages": {}}'],
    ["skills/part/skill.ts", "export const skill = 2;\n"],
  ] as const) {
    write(path, text);
    const builder = new Builder(root);
    for (const entry of ["src/thread.ts", "src/console/page.html", "src/cli.ts"]) await builder.make(entry);
    builds.add(await builder.build("src/cli.ts"));
  }
  expect(builds.size).toBe(5);
});

test("the sources run where no build can be written, with a note on what to do", async () => {
  const { root, write } = repository();
  write(".build", "a file where the folder belongs");
  const { file, problem } = await programToRun(root);
  expect(file).toBe(join(root, "src/cli.ts"));
  expect(problem).toContain(`Run \`node .ci/build.ts\` in ${root} as a user who may write there.`);
});
