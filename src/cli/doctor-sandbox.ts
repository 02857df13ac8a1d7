import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Config } from "../config/schema.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { sandboxOptions } from "../wiring/code-runners.ts";
import type { Finding } from "./doctor-finding.ts";

/** Which isolation scripts of skills get here. Tried in a folder of its own: a running bot's workspaces stay untouched. */
export async function checkSandbox(config: Config): Promise<Finding> {
  const name = "sandbox";
  const folder = await mkdtemp(path.join(tmpdir(), "knack-doctor-"));
  try {
    const sandbox = await createSandbox({ ...sandboxOptions(config), dataDir: folder });
    const { isolation, detail, lacks } = sandbox.describe();
    if (isolation === "bubblewrap") return { name, status: "ok", detail: `bubblewrap. ${detail}` };
    const warning = { name, status: "warning" as const, detail: `process only, which is weaker. ${detail}` };
    return lacks === undefined ? warning : { ...warning, advice: lacks.cure };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
