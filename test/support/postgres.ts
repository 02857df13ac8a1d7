import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chownSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { findInitdb } from "./needs.ts";

/** A PostgreSQL server of the process that the tests run in, which has it to itself. */
export interface TestPostgres {
  /** Address of its database for its owner, with a password. */
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
  /** Ends all connections and starts the server again, or leaves it off until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Runs statements as the owner, on a connection of their own; returns the rows of the last. */
  query(...statements: string[]): Promise<Record<string, unknown>[]>;
}

let server: Promise<TestPostgres> | undefined;
let schemas = 0;
let databases = 0;

/** The server, started when it is first asked for. It ends with this process. */
export function testPostgres(): Promise<TestPostgres> {
  server ??= startPostgres(settings);
  return server;
}

/** A name that no other test uses for its schema. */
export function freshSchema(): string {
  schemas += 1;
  return `test_${schemas}`;
}

/** The address of a new database. */
export async function freshDatabase(): Promise<string> {
  const { url, query } = await testPostgres();
  databases += 1;
  await query(`CREATE DATABASE knack_${databases}`);
  return new URL(`/knack_${databases}`, url).href;
}

/** The tables of a bot's database in which a row has one of these words, as text or as bytes. */
export async function tablesWith(url: string, words: readonly string[]): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'knack'");
  const sought = words.flatMap((word) => [word, Buffer.from(word).toString("hex")]);
  const found: string[] = [];
  for (const { tablename } of tables) {
    const sql = `SELECT 1 FROM knack.${tablename} AS row WHERE row::text LIKE ANY ($1) LIMIT 1`;
    const { rows } = await client.query(sql, [sought.map((word) => `%${word}%`)]);
    if (rows.length > 0) found.push(tablename);
  }
  await client.end();
  return found;
}

/** The server refuses to run as root: it runs as this user, who needs no entry but `nobody`'s. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Data of tests need not survive a crash of the machine. What commits without waiting stays unwritten for long enough to see that. */
const settings = [
  "wal_writer_delay=10s",
  ...["fsync=off", "full_page_writes=off", "autovacuum=off", "jit=off"],
  ...["shared_buffers=16MB", "max_connections=100", "max_wal_senders=0", "wal_level=minimal"],
];

/** Starts a server with these settings; it has PostgreSQL's own values for the others. It ends with this process. */
export async function startPostgres(settings: readonly string[] = []): Promise<TestPostgres> {
  const programs = programsFolder();
  const home = mkdtempSync(join(tmpdir(), "knack-postgres-"));
  const folder = join(home, "data");
  const password = randomUUID();
  writeFileSync(join(home, "password"), password, { mode: 0o600 });
  if (nobody.uid !== undefined)
    for (const path of [home, join(home, "password")]) chownSync(path, nobody.uid, nobody.gid);
  const options = ["--username=knack", "--auth=scram-sha-256", `--pwfile=${join(home, "password")}`];
  execFileSync(
    join(programs, "initdb"),
    [`--pgdata=${folder}`, ...options, "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"],
    { ...nobody, stdio: ["ignore", "ignore", "pipe"], cwd: home },
  );
  const port = await freePort();
  const url = `postgresql://knack:${password}@127.0.0.1:${port}/postgres`;
  let running: ChildProcess | undefined;
  removeAtEnd(home, join(folder, "postmaster.pid"));
  const query = async (...statements: string[]) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) rows = (await client.query(sql)).rows;
    await client.end();
    return rows;
  };
  const start = async () => {
    const args = ["-D", folder, "-k", home, "-p", String(port), "-c", "listen_addresses=127.0.0.1"];
    const child = spawn(join(programs, "postgres"), [...args, ...settings.flatMap((each) => ["-c", each])], {
      ...nobody,
      cwd: home,
      stdio: ["ignore", "ignore", "pipe"],
    });
    running = child;
    const ready = Promise.withResolvers<void>();
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-5_000);
      if (log.includes("ready to accept connections")) ready.resolve();
    });
    child.once("exit", () => ready.reject(new Error(`PostgreSQL ended: ${log}`)));
    await ready.promise;
    // The process of the tests does not wait for the server.
    child.unref();
    (child.stderr as Socket).unref();
  };
  const stop = async () => {
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGINT");
    await ended;
  };
  await start();
  return { url, folder, start, stop, query };
}

/** Ends the server and removes its folder when this process ends, even by a signal: then the standard input of the shell ends. */
function removeAtEnd(home: string, pidFile: string): void {
  const script = `cat
    if [ -f "$1" ]; then
      pid=$(head -n 1 "$1")
      kill -QUIT "$pid" && while [ -f "$1" ]; do sleep 0.1; done
    fi
    rm -rf "$2"`;
  const guard = spawn("sh", ["-c", script, "sh", pidFile, home], {
    ...nobody,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  (guard.stdin as Socket).unref();
}

/** Debian does not put these programs on the PATH. */
function programsFolder(): string {
  const found = execFileSync("sh", ["-c", findInitdb], { encoding: "utf8" });
  return dirname(realpathSync(found.trim().split("\n").at(-1) ?? ""));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
