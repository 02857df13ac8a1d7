import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A change of the schema as later versions make them: it only adds. */
const expanding = `
  ALTER TABLE turns ADD COLUMN later_note text NOT NULL DEFAULT 'none';
  CREATE INDEX turns_later ON turns (later_note) WHERE later_note <> 'none';
  CREATE TABLE later (id bigint PRIMARY KEY);
`;

/** The sources of this version with a step to a next format of the PostgreSQL schema, as a program of its own. */
export async function makeNextVersion(): Promise<{ program: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "knack-next-"));
  for (const part of ["src", "skills", "flows", "config", "package.json"])
    await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const schema = join(folder, "src/storage/postgres/postgres-schema.ts");
  const before = await readFile(schema, "utf8");
  const after = before.replace(
    /number: (\d+),/,
    (_, number) => `number: ${Number(number) + 1}, steps: [${JSON.stringify(expanding)}],`,
  );
  if (after === before) throw new Error("The number of the format was not found");
  await writeFile(schema, after);
  return {
    program: join(folder, "src/cli.ts"),
    remove: () => rm(folder, { recursive: true }),
  };
}
