/** Loads the skills of a folder at every request; the first one is cold. Argument: `{root}`, as JSON. */
import { createFolderSource } from "../src/skills/folder-source.ts";
import { serveBatches } from "./batches.ts";

const { root } = JSON.parse(process.argv[2] ?? "{}") as { root: string };
const source = createFolderSource({ source: "workspace", precedence: 1, root, importModules: false });

serveBatches(async () => {
  const { skills } = await source.load();
  if (skills.length !== 1000) throw new Error(`${skills.length} skills were loaded instead of 1,000`);
});
