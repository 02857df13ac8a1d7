/** A bot that takes the steps of each story in the working folder of a thread, with the real sandbox: see `startBot`. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScriptOutcome } from "../../../src/core/ports/work-means.ts";
import type { FolderUse, MountedFolder } from "../../../src/core/ports/working-folder.ts";
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import { createDiskWorkingFolders } from "../../../src/storage/folders/disk-working-folders.ts";
import { attached, inWords, noSignal, textAt } from "../../support/fakes/folder-code.ts";
import { answerLines } from "./bot-as-user.ts";
import type { Answer, FolderStep, Told } from "./folder-story.ts";
import { ScriptFixture, scriptRequest } from "./script-fixture.ts";

using fixture = new ScriptFixture();
// What code must never see: beside the folders, and in another thread.
const root = mkdtempSync(join(tmpdir(), "knack-folder-story-"));
mkdirSync(join(root, "outside"));
for (const name of ["f", "secret.txt"]) writeFileSync(join(root, "outside", name), "TOP-SECRET");
mkdirSync(join(root, "data"), { mode: 0o700 });
writeFileSync(join(root, "data", "tokens.db"), "TOP-SECRET");
const sandbox = await createSandbox({ dataDir: join(root, "data") });
const folders = createDiskWorkingFolders(join(root, "data", "threads"), { maxBytes: 50_000_000 });
await folders
  .of({ namespace: "n:w:c", thread: "other" })
  .attach(attached("secret.txt", "TOP-SECRET"), { turn_id: "other" });
/** The folder of the story that is told, and the calls in it so far. */
let folder = folders.of({ namespace: "n:w:c", thread: "t" });
let calls = 0;

async function run(
  writer: FolderUse["writer"],
  text: string,
  work: (working: MountedFolder) => Promise<ScriptOutcome>,
): Promise<Answer> {
  calls += 1;
  const how = { writer, turn_id: "t", call_id: `c${calls}`, text };
  const { value, changed } = await folder.use(how, work, noSignal);
  const output = "stdout" in value ? `${value.stdout}${value.stderr}` : value.reason;
  return { status: value.status, output: output.replaceAll(root, "ROOT"), changed: inWords(changed) };
}

async function take(step: FolderStep): Promise<Answer> {
  const rooted = (text: string) => text.replaceAll("ROOT", root);
  switch (step.do) {
    case "attach":
      return (await folder.attach(attached(step.name, step.text), { turn_id: "t" })).path;
    case "code": {
      const { language, timeout_ms = 20_000 } = step;
      const limits = { timeout_ms, max_output_bytes: 100_000, signal: noSignal };
      const code = rooted(step.code);
      return await run({ kind: "agent" }, code, (working) =>
        sandbox.code.run({ ...limits, language, code, working }),
      );
    }
    case "script": {
      const { id, name, args = [], own } = step;
      const skill = { ...fixture.skill({ [name]: rooted(step.text) }), id };
      const more = { args: args.map(rooted), timeout_ms: 20_000 };
      const writer = own ? { kind: "skill" as const, id } : { kind: "agent" as const };
      return await run(writer, JSON.stringify(args), (working) =>
        sandbox.scripts.run(scriptRequest(skill, name, { ...more, working })),
      );
    }
    case "list": {
      const { files, bytes } = await folder.list();
      return { paths: files.slice(0, 50).map(({ path }) => path), count: files.length, bytes };
    }
    case "read":
      return (await textAt(folder, step.path)) ?? null;
    case "hand over":
      return [...(await folder.handOver(step.paths))];
    case "owners": {
      const thread = join(root, "data", "threads");
      const found = readdirSync(thread, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(step.name))
        .map((path) => statSync(join(thread, path)).uid);
      return found.map((uid) => uid === 0);
    }
    case "race": {
      const code = rooted(step.code);
      const seen = new Set<string>();
      let over = false;
      const racing = take({ do: "code", language: "python", code }).finally(() => {
        over = true;
      });
      while (!over) {
        const text = await textAt(folder, step.path);
        if (text !== undefined) seen.add(text);
        for (const { path, bytes } of (await folder.list()).files) seen.add(`${path} ${bytes}`);
      }
      await racing;
      return [...seen];
    }
    case "clear": {
      await folder.clear();
      return readdirSync(join(root, "data", "threads")).length;
    }
    default:
      return step satisfies never;
  }
}

let stories = 0;

async function tell(steps: readonly FolderStep[]): Promise<Told> {
  stories += 1;
  folder = folders.of({ namespace: "n:w:c", thread: `t${stories}` });
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await take(step));
  await folder.clear();
  return { isolation: sandbox.describe().isolation, answers };
}

try {
  await answerLines(tell);
} finally {
  await Array.fromAsync(folders.all(), ({ place }) => folders.of(place).clear());
  rmSync(root, { recursive: true, force: true });
}
