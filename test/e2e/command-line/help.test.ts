import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordPackages } from "../support/loaded-packages.ts";
import { useHome } from "../support/use-home.ts";

const home = useHome();

/** Another package costs help its time. The help of an operation is made of its schemas, which need more. */
it.each(["--help", "--version", "start --help", "doctor --help"])(
  "`knack %s` loads no package but commander",
  async (line) => {
    const folder = await mkdtemp(join(tmpdir(), "knack-help-"));
    try {
      const { env, packages } = recordPackages(folder);
      const { code } = await home().run(line.split(" "), { env });
      expect(code).toBe(0);
      expect(packages()).toEqual(["commander"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
