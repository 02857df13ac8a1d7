import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Child } from "./child.ts";

it("processes that start at the same time have one random text, and leave nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "knack-key-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const children = Array.from(
    { length: 3 },
    () => new Child("make-random-text.ts", join(folder, "secret.key")),
  );
  onTestFinished(async () => {
    for (const child of children) await child.kill();
  });
  for (const child of children) expect(await child.line()).toBe("ready");
  for (const child of children) child.process.stdin.write("go\n");
  const texts = (await Promise.all(children.map((child) => child.rest()))).flat();
  expect(texts).toHaveLength(30);
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(await readdir(folder)).toEqual(["secret.key"]);
});
