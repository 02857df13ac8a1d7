import { realpath, stat } from "node:fs/promises";
import { findProgram } from "../run/programs.ts";
import { askCode } from "../run/script-runner.ts";
import type { SandboxContext } from "../sandbox-context.ts";

/** The version of the Python that code gets, `3.11`; undefined if there is none. Determined once for each binary. */
export function createPythonVersion(context: SandboxContext): () => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return async () => {
    const python = await findProgram("python3");
    if (python === undefined) return undefined;
    const real = await realpath(python);
    const key = `${real} ${(await stat(real)).mtimeMs}`;
    const found = known.get(key) ?? ask(python, context);
    known.set(key, found);
    const version = await found;
    // On a busy machine the check may fail, so the next call repeats it.
    if (version === undefined) known.delete(key);
    return version;
  };
}

async function ask(python: string, context: SandboxContext): Promise<string | undefined> {
  const entry = { name: "version.py", text: 'import sys\nprint("%d.%d" % sys.version_info[:2])\n' };
  const printed = await askCode({ interpreter: [python, "-I"], entry }, 1_000, context);
  return /^3\.\d+$/.exec(printed?.trim() ?? "")?.[0];
}
