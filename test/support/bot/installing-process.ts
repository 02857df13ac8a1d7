/** Installs two versions of a skill in turn until it is killed; says a line after each. */
import { join } from "node:path";
import { createPackages } from "../../../src/packages/create-packages.ts";
import { createFolderSource } from "../../../src/skills/folder-source.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { skillText, zipOf } from "../../unit/packages/build-archives.ts";

const root = process.argv[2] ?? "";
const data = join(root, "data");
const packages = await createPackages({
  folders: { skills: join(data, "skills"), flows: join(data, "flows"), staging: join(data, "staging") },
  store: createMemoryKeyValue(),
  clock: { now: () => 0 },
  inspect: (folder) =>
    createFolderSource({ source: "managed", precedence: 3, root: folder, importModules: false }).load(),
  shipped: async () => [],
  find: async () => undefined,
  isolation: () => "",
  download: async () => ({ ok: false, reason: "" }),
  access: { path: "", plainHttpHosts: [] },
});
const files = Array.from({ length: 40 }, (_, at) => ({ name: `f${at}.txt`, data: `${at}` }));
for (let version = 0; ; version += 1) {
  const name = `greeting-${process.pid}`;
  const document = { name: "SKILL.md", data: skillText(name, `Version ${version}.`) };
  const upload = { kind: "upload" as const, name: "g.zip", data: zipOf([document, ...files]) };
  await packages.install(upload, { by: "test", signal: new AbortController().signal });
  process.stdout.write(`${version}\n`);
}
