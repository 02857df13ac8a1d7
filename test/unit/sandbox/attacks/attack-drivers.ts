import type { NetworkAccess } from "../../../../src/core/skill/programs.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import type { Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { startProgram, writeModule } from "../program-fixture.ts";
import { type ScriptFixture, scriptRequest } from "../script-fixture.ts";

/** What became of hostile code: what it reported with `report(value)`, and how it ended. */
interface AttackOutcome {
  reported: Json[];
  /** Everything that was said about it or by it. */
  said: string;
  /** How long it ran, ms. */
  tookMs: number;
}

export interface AttackOptions {
  env?: Record<string, string>;
  network?: NetworkAccess;
  /** After this time the code is killed, as a call that takes too long is. */
  timeoutMs?: number;
}

/** Runs hostile JavaScript as one of the two kinds of code a skill can have. */
export interface AttackDriver {
  name: string;
  attack(
    sandbox: Sandbox,
    fixture: ScriptFixture,
    code: string,
    options?: AttackOptions,
  ): Promise<AttackOutcome>;
}

const preamble = `
import * as fs from "node:fs";
import * as net from "node:net";
import { spawn, spawnSync, execSync } from "node:child_process";
const report = (value) => fs.writeSync(1, JSON.stringify(value) + "\\n");
const attempt = (action) => { try { return action() ?? "done"; } catch (error) { return "refused " + error.code; } };
`;

const script: AttackDriver = {
  name: "script",
  async attack(sandbox, fixture, code, { env = {}, network, timeoutMs = 10_000 } = {}) {
    const began = performance.now();
    const skill = fixture.skill({ "attack.mjs": preamble + code });
    const outcome = await sandbox.scripts.run(
      scriptRequest(skill, "attack.mjs", {
        ...{ env, timeout_ms: timeoutMs, max_output_bytes: 1_000_000 },
        ...(network === undefined ? {} : { network }),
      }),
    );
    const stdout = "stdout" in outcome ? outcome.stdout : "";
    const reported = stdout.split("\n").flatMap((line) => (/^["[{\d]/.test(line) ? [parsed(line)] : []));
    return {
      reported,
      said: JSON.stringify({ ...outcome, stdout: "" }).slice(0, 10_000),
      tookMs: performance.now() - began,
    };
  },
};

const program: AttackDriver = {
  name: "program",
  async attack(sandbox, fixture, code, { timeoutMs = 10_000, ...options } = {}) {
    const began = performance.now();
    const module = writeModule(fixture.root, { "attack.mjs": preamble + code });
    const skill = fixture.skill({ "SKILL.md": "A skill." });
    const running = await startProgram(sandbox.programs, { skill, module, ...options });
    const timer = setTimeout(running.kill, timeoutMs);
    const reason = await running.ended;
    clearTimeout(timer);
    const said = `${reason} ${running.text.join("\n")}`.slice(0, 10_000);
    return { reported: running.messages, said, tookMs: performance.now() - began };
  },
};

export const attackDrivers: readonly AttackDriver[] = [script, program];

function parsed(line: string): Json {
  try {
    return JSON.parse(line);
  } catch {
    // Cut at the limit of output.
    return line.slice(0, 100);
  }
}
