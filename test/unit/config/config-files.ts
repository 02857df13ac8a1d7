import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { ConfigError } from "../../../src/config/config-error.ts";
import { type LoadConfigOptions, loadConfig } from "../../../src/config/load-config.ts";

/** Loads configurations from a file `own.yaml` in a folder that each test of the surrounding file has for itself. */
export function useConfigFiles() {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), "knack-config-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  const load = async (yaml: string | Buffer, more: Partial<LoadConfigOptions> = {}) => {
    await writeFile(path.join(cwd, "own.yaml"), yaml);
    return loadConfig({ file: "own.yaml", env: {}, cwd, ...more });
  };
  /** What is wrong with a configuration that is refused. */
  const problemsOf = async (yaml: string, more: Partial<LoadConfigOptions> = {}) => {
    const error = await load(yaml, more).then(
      () => expect.fail("the configuration was accepted"),
      (reason: unknown) => reason,
    );
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  };
  return { load, problemsOf, folder: () => cwd };
}
