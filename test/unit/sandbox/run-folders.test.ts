import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { removeDeadSockets } from "../../../src/sandbox/run/open-run.ts";
import { sharingProcesses } from "../../support/fakes/sharing-processes.ts";

type RunFolders = typeof import("../../../src/sandbox/run/open-run.ts");

/** The module as another process loads it: each process has a name of its own. */
const loadedBy = (process: string): Promise<RunFolders> => {
  const file = new URL("../../../src/sandbox/run/open-run.ts", import.meta.url);
  return import(/* @vite-ignore */ `${file.href}?process=${process}`);
};

it("a process that starts removes the run folders of dead processes, and not those of live ones", async () => {
  const runs = mkdtempSync(join(tmpdir(), "knack-runs-"));
  onTestFinished(() => rmSync(runs, { recursive: true }));
  const processes = sharingProcesses();
  const [one, two, dead] = await Promise.all(["one", "two", "dead"].map(loadedBy));
  if (one === undefined || two === undefined || dead === undefined) throw new Error("not loaded");
  const mutex = processes.next();
  await dead.claimRunFolders(processes.next());
  await dead.makeRunFolder(runs);
  processes.pass(20_000);
  const release = await one.claimRunFolders(mutex);
  await one.makeRunFolder(runs);
  const names = readdirSync(runs);
  expect(names).toHaveLength(2);
  await two.removeLeftovers(runs, processes.next());
  const left = readdirSync(runs);
  expect(left).toHaveLength(1);
  await one.removeLeftovers(runs, mutex);
  expect(readdirSync(runs)).toEqual(left);
  await release();
  await two.removeLeftovers(runs, processes.next());
  expect(readdirSync(runs)).toEqual([]);
});

it("a process that starts removes the sockets of killed processes, and of nobody else on the machine", async () => {
  const system = mkdtempSync(join(tmpdir(), "sockets-"));
  vi.stubEnv("TMPDIR", system);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(system, { recursive: true });
  });
  const folderOf = (name: string) => {
    mkdirSync(join(system, name));
    return join(system, name);
  };
  const [killed, alive, opening] = ["killed", "alive", "opening"].map((name) =>
    folderOf(`knack-sockets-${name}`),
  );
  const foreign = folderOf("sockets-of-another-program");
  const listen = "require('node:net').createServer().listen(process.argv[1], () => console.log('listening'))";
  const other = spawn(process.execPath, ["-e", listen, join(killed ?? "", "net")]);
  await once(other.stdout, "data");
  other.kill("SIGKILL");
  await once(other, "exit");
  const server = createServer((connection) => connection.resume()).listen(join(alive ?? "", "calls"));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  for (const folder of [killed, alive, foreign]) utimesSync(folder ?? "", 1_000, 1_000);
  expect(readdirSync(killed ?? "")).toEqual(["net"]);
  await removeDeadSockets();
  expect([killed, alive, opening, foreign].map((folder) => existsSync(folder ?? ""))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(existsSync(join(alive ?? "", "calls"))).toBe(true);
});
