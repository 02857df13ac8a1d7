import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkDatabase } from "../../../src/cli/doctor/check-database.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { needs } from "../../support/needs.ts";
import { freshDatabase, testPostgres } from "../../support/postgres.ts";

const check = (database_url: string | undefined) =>
  checkDatabase(systemClock, { data: { folder: "unused", database_url } } as never);

describe("the database in `knack doctor`", needs("postgresql", "pgbouncer"), () => {
  it("a database that notifies at once is all right, and so is none at all", async () => {
    expect(await check(undefined)).toEqual([]);
    const findings = await check(await freshDatabase());
    expect(findings).toContainEqual({ name: "database", status: "ok", detail: "no process uses it" });
    expect(findings.filter(({ status }) => status === "error")).toEqual([]);
    expect(findings.map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining("notifications arrive"),
    );
  });

  it("a server with the wrong settings is described with what to do", async () => {
    const { query } = await testPostgres();
    const url = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    await query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    expect(await check(url)).toContainEqual(
      expect.objectContaining({
        status: "error",
        detail: expect.stringContaining("synchronous_commit is off"),
      }),
    );
  });

  it("a pooler that swallows notifications is found", async () => {
    const url = await startPooler(await freshDatabase());
    expect(await check(url)).toContainEqual(
      expect.objectContaining({
        status: "error",
        advice: expect.stringContaining("a pooler in session mode"),
      }),
    );
  });

  it("a server that does not answer is described", async () => {
    expect(await check("postgresql://knack@127.0.0.1:1/knack")).toMatchObject([{ status: "error" }]);
  });
});

/** A pooler in transaction mode before a database; returns its address. */
async function startPooler(database: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(database);
  const folder = await mkdtemp(join(tmpdir(), "knack-pooler-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const own = await freePort();
  const login = `user=${username} password=${password}`;
  const file = join(folder, "pgbouncer.ini");
  await writeFile(
    file,
    `[databases]
pooled = host=${hostname} port=${port} dbname=${pathname.slice(1)} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
`,
  );
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  const pooler: ChildProcess = spawn("pgbouncer", [file], {
    ...user,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(async () => {
    pooler.kill();
    if (pooler.exitCode === null) await once(pooler, "exit");
  });
  for await (const text of pooler.stderr ?? []) if (String(text).includes("process up")) break;
  return `postgresql://anyone@127.0.0.1:${own}/pooled`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
