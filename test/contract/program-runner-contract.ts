import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, type TestOptions } from "vitest";
import { ProgramError, type ProgramRunner } from "../../src/core/skill/programs.ts";
import { startProgram, writeModule } from "../unit/sandbox/program-fixture.ts";
import { ScriptFixture } from "../unit/sandbox/script-fixture.ts";

/** Answers each message with what it is and where it runs. */
const echo = `
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { prefix } from "./inner/prefix.ts";
const say = (value: unknown) => process.stdout.write(JSON.stringify(value) + "\\n");
say({ ready: process.env.DECLARED ?? null });
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message === "read") say(readFileSync(process.env.KNACK_SKILL_DIR + "/notes.txt", "utf8"));
  else if (message === "print") console.log("not JSON"), console.error("an error"), say("printed");
  else if (message === "exit") process.exit(3);
  else say([prefix, message]);
}
`;

/** What everyone who keeps a program running may rely on. `open` answers a runner for a data folder. */
export function programRunnerContract(
  name: string,
  options: TestOptions,
  open: (dataDir: string) => Promise<ProgramRunner>,
): void {
  describe(`${name} runs programs that stay`, options, () => {
    const fixture = new ScriptFixture();
    const skill = fixture.skill({ "notes.txt": "the skill's notes" }, "bundled");
    const files = { "echo.ts": echo, "inner/prefix.ts": 'export const prefix: string = "echo";' };
    const module = writeModule(fixture.root, files);
    let runner: ProgramRunner;
    beforeAll(async () => {
      runner = await open(fixture.dataDir);
    });
    afterAll(() => fixture[Symbol.dispose]());

    it("a program runner exchanges JSON with a module of the bot that sees the skill's folder and its own, and hands on as text what is not JSON", async () => {
      expect(await runner.allows(skill)).toEqual({ ok: true });
      const program = await startProgram(runner, { skill, module, env: { DECLARED: "yes" } });
      expect(await program.next()).toEqual({ ready: "yes" });
      program.send({ text: "two\nlines, grüße" });
      program.send([1, null]);
      expect(await program.next()).toEqual(["echo", { text: "two\nlines, grüße" }]);
      expect(await program.next()).toEqual(["echo", [1, null]]);
      program.send("read");
      expect(await program.next()).toBe("the skill's notes");
      program.send("print");
      expect(await program.next()).toBe("printed");
      program.kill();
      expect(await program.ended).toBe("It was stopped.");
      expect(program.text).toContain("not JSON");
      expect(program.messages).not.toContain("not JSON");
    });

    it("a program runner keeps two programs of one skill apart, says how they ended, and leaves no folder behind", async () => {
      const [one, two] = await Promise.all([
        startProgram(runner, { skill, module, env: { DECLARED: "1" } }),
        startProgram(runner, { skill, module, env: { DECLARED: "2" } }),
      ]);
      expect([await one.next(), await two.next()]).toEqual([{ ready: "1" }, { ready: "2" }]);
      one.send("exit");
      expect(await one.ended).toBe("It ended by itself, with the exit code 3.");
      one.send("anyone?");
      one.kill();
      two.send("still there");
      expect(await two.next()).toEqual(["echo", "still there"]);
      two.kill();
      await two.ended;
      expect(await readdir(join(fixture.dataDir, "workspaces"))).toEqual([]);
    });

    it("a program runner refuses what cannot be started with an error for people", async () => {
      const gone = { ...skill, origin: { ...skill.origin, path: join(fixture.root, "gone") } };
      expect(existsSync(gone.origin.path)).toBe(false);
      for (const changes of [{ skill: gone }, { env: { "A=B": "x" } }]) {
        await expect(startProgram(runner, { skill, module, ...changes })).rejects.toThrow(ProgramError);
      }
    });
  });
}
