import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createDiskWorkingFolders } from "../../../src/storage/folders/disk-working-folders.ts";
import { openPostgres } from "../../../src/storage/postgres/postgres-connection.ts";
import { createPostgresLeases, leaseTables } from "../../../src/storage/postgres/postgres-leases.ts";
import { createSharedMutex } from "../../../src/storage/shared-mutex.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { pathsIn, runThatWrites, textAt } from "../../support/fakes/folder-code.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";
import { Child } from "../../unit/storage/child.ts";
import { workingFolderLimitsContract } from "./working-folder-runs-contract.ts";
import { here, maxBytes } from "./working-folders-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "knack-folders-"));
let opened = 0;
afterAll(() => rmSync(folder, { recursive: true }));

workingFolderLimitsContract("working folders on disk", () => {
  opened += 1;
  const root = join(folder, String(opened));
  return { root, open: () => createDiskWorkingFolders(root, { maxBytes }) };
});

describe("working folders of several processes", { ...needs("postgresql"), timeout: 120_000 }, () => {
  it("working folders lose nothing that a process stored when others work there too and one is killed", async () => {
    const root = join(folder, "shared");
    const schema = freshSchema();
    const { url } = await testPostgres();
    const times = 12;
    const children = Array.from(
      { length: 3 },
      () => new Child("share-folder.ts", url, schema, root, String(times)),
    );
    onTestFinished(async () => {
      for (const child of children) await child.kill();
    });
    for (const child of children) expect(await child.line()).toBe("ready");
    for (const child of children) child.process.stdin.write("go\n");
    const told = await Promise.all(
      children.map(async (child, number) => {
        if (number > 0) return await child.rest();
        const first = [await child.line(), await child.line(), await child.line()];
        await child.kill();
        return [...first, ...(await child.rest())];
      }),
    );
    expect(told.slice(1).map((lines) => lines.length)).toEqual([times, times]);
    const connection = await openPostgres(url, { number: 1, tables: leaseTables }, { schema });
    onTestFinished(() => connection.close());
    const mutex = createSharedMutex(createPostgresLeases(connection, "last"), systemClock);
    const thread = createDiskWorkingFolders(root, { maxBytes, mutex }).of(here);
    const paths = new Set(await pathsIn(thread));
    for (const line of told.flat()) {
      const { attached, text, made } = JSON.parse(line ?? "");
      expect(await textAt(thread, attached)).toBe(text);
      expect(made).toEqual([`made /workspace/${text.replace(" ", "-")}.txt`]);
      expect([...paths]).toEqual(expect.arrayContaining([attached, made[0].slice("made ".length)]));
    }
    expect(await runThatWrites(thread, { "last.txt": "1" })).toEqual(["made /workspace/last.txt"]);
  });
});
