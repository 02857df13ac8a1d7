import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

type ReadJson<T> = { status: "read"; value: T } | { status: "missing" | "damaged" };

export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<ReadJson<T>> {
  try {
    return { status: "read", value: schema.parse(JSON.parse(await readFile(path, "utf8"))) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return { status: "damaged" };
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { status: "missing" };
    throw error;
  }
}

/** A crash leaves the old file or the new one. */
export async function writeJson(root: string, name: string, value: unknown): Promise<void> {
  const draft = join(root, `.${randomUUID()}.draft`);
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, join(root, name));
}
