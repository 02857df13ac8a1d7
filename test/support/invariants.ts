import { globSync, readFileSync } from "node:fs";

/** The invariants listed at the heads of the rooms' main files, ` * [log-1] One fold …`: id → file. */
export function listedInvariants(files: readonly string[] = globSync("src/**/*.ts")): Map<string, string> {
  const listed = files.flatMap((file) =>
    listedIn(readFileSync(file, "utf8")).map((id) => [id, file] as const),
  );
  return new Map(listed);
}

/** The ids of the invariants that a file lists. */
export function listedIn(text: string): string[] {
  return [...text.matchAll(/^ \* \[([a-z]+-\d+)\] /gm)].flatMap(([, id]) => id ?? []);
}
