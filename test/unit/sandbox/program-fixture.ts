import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { MountedFolder } from "../../../src/core/ports/working-folder.ts";
import type { NetworkAccess, ProgramRunner, RunningProgram } from "../../../src/core/skill/programs.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import type { Json } from "../../../src/core/values/json.ts";

export interface ProgramOptions {
  skill: Skill;
  module: string;
  env?: Record<string, string>;
  network?: NetworkAccess;
  working?: MountedFolder;
}

/** A program under test, with everything it said so far, and a way to wait for more. */
export interface TalkingProgram extends RunningProgram {
  messages: Json[];
  text: string[];
  /** Resolves with the next message that was not handed out yet; rejects when the program ends before it. */
  next(): Promise<Json>;
  ended: Promise<string>;
}

/** Writes the files of a module into a folder of their own; answers the first one's path. */
export function writeModule(root: string, files: Record<string, string>): string {
  const folder = mkdtempSync(join(root, "module-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, Object.keys(files)[0] ?? "");
}

/** Starts a program and remembers what it says. */
export async function startProgram(runner: ProgramRunner, options: ProgramOptions): Promise<TalkingProgram> {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const messages: Json[] = [];
  const text: string[] = [];
  let handedOut = 0;
  let wake = Promise.withResolvers<void>();
  const program = await runner.start({
    env: {},
    ...options,
    onMessage(message) {
      messages.push(message);
      wake.resolve();
    },
    onText: (line) => text.push(line),
    onEnd: ({ reason }) => end(reason),
  });
  return {
    ...program,
    messages,
    text,
    ended,
    async next() {
      while (messages.length <= handedOut) {
        const over = ended.then((reason) => {
          if (messages.length <= handedOut) throw new Error(`${reason} ${text.join("\n")}`);
        });
        await Promise.race([wake.promise, over]);
        wake = Promise.withResolvers<void>();
      }
      handedOut += 1;
      return messages[handedOut - 1] ?? null;
    },
  };
}
