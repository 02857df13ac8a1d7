import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ScriptOutcome } from "../../../src/core/ports/work-means.ts";
import type { ScriptRequest, ScriptRunner } from "../../../src/core/skill/programs.ts";
import { type Skill, skillMetadataSchema } from "../../../src/core/skill/skill.ts";

/** A temporary folder that removes itself, with a data folder and skills in it. */
export class ScriptFixture {
  readonly root = mkdtempSync(join(tmpdir(), "knack-sandbox-"));
  readonly dataDir = join(this.root, "data");

  /** A skill whose folder holds these files. */
  skill(files: Record<string, string>, source = "managed"): Skill {
    const path = mkdtempSync(join(this.root, "skill-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    }
    return {
      ...skillMetadataSchema.parse({ id: "probe", name: "Probe", description: "Tries things." }),
      kind: "document",
      origin: { source, precedence: 1, path },
      hash: "0",
      instructions: "",
      tools: [],
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A request with everything that a test does not care about. */
export function scriptRequest(
  skill: Skill,
  script: string,
  changes: Partial<ScriptRequest> = {},
): ScriptRequest {
  return {
    skill,
    work: { kind: "script", path: script },
    args: [],
    stdin: "",
    env: {},
    signal: new AbortController().signal,
    timeout_ms: 10_000,
    max_output_bytes: 100_000,
    ...changes,
  };
}

/** Runs a script that is expected to end by itself. */
export async function runToEnd(
  runner: ScriptRunner,
  request: ScriptRequest,
): Promise<Extract<ScriptOutcome, { status: "exited" }>> {
  const outcome = await runner.run(request);
  if (outcome.status !== "exited") throw new Error(`expected an exit, got ${JSON.stringify(outcome)}`);
  return outcome;
}
