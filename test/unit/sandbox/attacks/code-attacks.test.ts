import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../../support/needs.ts";
import { ScriptFixture } from "../script-fixture.ts";
import { type AttackOptions, attackDrivers } from "./attack-drivers.ts";

/** Whether any process on the machine has this text in its command line. */
async function isRunning(text: string): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return commands.some((command) => command.includes(text));
}

const megabyte = 1_048_576;

describe.each(attackDrivers)("a hostile $name", needs("bubblewrap"), ({ attack }) => {
  const fixture = new ScriptFixture();
  let sandbox: Sandbox;
  let small: Sandbox;
  const run = (code: string, options?: AttackOptions) => attack(sandbox, fixture, code, options);

  beforeAll(async () => {
    mkdirSync(fixture.dataDir);
    writeFileSync(join(fixture.dataDir, "tokens.db"), "TOP-SECRET-TOKEN");
    process.env.KNACK_TEST_SECRET = "TOP-SECRET-ENV";
    sandbox = await createSandbox({ dataDir: fixture.dataDir });
    const limits = { totalMemoryBytes: 500 * megabyte, processes: 100 };
    small = await createSandbox({ dataDir: fixture.dataDir, limits });
    // Without bubblewrap nothing below is true: this must be seen, not passed over.
    expect(sandbox.describe()).toMatchObject({ isolation: "bubblewrap" });
  });
  afterAll(() => {
    delete process.env.KNACK_TEST_SECRET;
    fixture[Symbol.dispose]();
  });

  it("hostile code reads no database, no environment of others, no home, no program of the bot [sandbox-1]", async () => {
    const paths = [
      join(fixture.dataDir, "tokens.db"),
      ...["/etc/shadow", "/root", "/home", "/var", process.cwd(), "/proc/1/root/root", "/proc/1/cwd/../root"],
      ...["/skill/../root", "/workspace/../../root", "/proc/self/root/root", "/proc/self/cwd/../root"],
      `/proc/${process.pid}/environ`,
    ];
    const { reported, said } = await run(
      `
      const look = (path) => attempt(() => fs.statSync(path).isDirectory() ? fs.readdirSync(path).join() : fs.readFileSync(path, "utf8"));
      const processes = fs.readdirSync(fs.existsSync("/proc") ? "/proc" : "/").filter((name) => /^\\d+$/.test(name));
      const all = processes.flatMap((pid) => ["environ", "cmdline", "maps"].map((name) => look("/proc/" + pid + "/" + name)));
      report({ found: ${JSON.stringify(paths)}.filter((path) => !look(path).startsWith("refused")), all: all.join(), own: process.env.DECLARED });`,
      { env: { DECLARED: "yes" } },
    );
    expect(reported).toMatchObject([{ found: [], own: "yes" }]);
    expect(said + JSON.stringify(reported)).not.toContain("TOP-SECRET");
  });

  it("hostile code finds where the bot is in no file of its processes but the kernel's list of mounts", async () => {
    const { reported } = await run(`
      const root = ${JSON.stringify(fixture.root.split("-"))}.join("-");
      const pids = ["self", "1"].filter((pid) => fs.existsSync("/proc/" + pid));
      const names = ["environ", "cmdline", "maps", "cgroup", "status", "stat", "comm", "mounts", "mountstats", "mountinfo", "cwd", "exe", "root"];
      const held = (pid, name) => [fs.readFileSync, fs.readlinkSync].some((read) =>
        attempt(() => String(read("/proc/" + pid + "/" + name, "utf8"))).includes(root));
      report({ named: names.filter((name) => pids.some((pid) => held(pid, name))) });`);
    const [{ named }] = reported as [{ named: string[] }];
    // Its fourth field is the path of a mounted folder in its file system, which no namespace changes.
    expect(named.filter((name) => name !== "mountinfo")).toEqual([]);
  });

  it("hostile code writes only to its workspace and /tmp, not even through a link", async () => {
    const { reported } = await run(`
      fs.symlinkSync("${fixture.root}", "/workspace/link");
      fs.symlinkSync("/skill", "/workspace/skill");
      const targets = ["/x", "/usr/x", "/etc/x", "/opt/x", "/opt/knack/x", "/skill/x", "/dev/x", "/proc/sys/kernel/hostname",
        "/workspace/link/x", "/workspace/skill/x", "/skill/SKILL.md", "${fixture.root}/x", "/workspace/own", "/tmp/own"];
      report(targets.filter((target) => attempt(() => fs.writeFileSync(target, "x")) === "done"));
      report(attempt(() => fs.chmodSync("/skill", 0o777)));
      report(attempt(() => fs.linkSync("/etc/passwd", "/workspace/hard")));`);
    const [written, mode, link] = reported;
    expect(written).toEqual(["/workspace/own", "/tmp/own"]);
    expect([mode, link]).toEqual([expect.stringContaining("refused"), expect.stringContaining("refused")]);
    expect(existsSync(join(fixture.root, "x"))).toBe(false);
  });

  it("hostile code reaches nobody without a grant: not the machine's loopback, its sockets, metadata or the internet [sandbox-3]", async () => {
    let connections = 0;
    const count = () =>
      createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
    const servers: Server[] = [count().listen(0, "127.0.0.1"), count().listen(`\0knack-${process.pid}`)];
    await Promise.all(servers.map((server) => once(server, "listening")));
    const address = servers[0]?.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { reported } = await run(
      `
      const targets = [["127.0.0.1", ${port}], ["::1", ${port}], ["169.254.169.254", 80], ["10.0.0.1", 80], ["1.1.1.1", 443], ["example.com", 80]];
      const reach = (options) => new Promise((done) => {
        const socket = net.connect(options, () => done("connected"));
        socket.on("error", (error) => done("refused")); socket.setTimeout(1500, () => done("silent"));
      });
      report(await Promise.all([...targets.map(([host, port]) => reach({ host, port })), reach({ path: "\\0knack-${process.pid}" })]));
      process.exit(0);`,
    );
    for (const server of servers) server.close();
    expect(connections).toBe(0);
    expect(JSON.stringify(reported)).not.toContain("connected");
    expect(reported).toHaveLength(1);
  });

  it("hostile code cannot flood the machine with processes", async () => {
    const { reported } = await run(`
      let count = 0;
      const grow = () => new Promise((done) => {
        const child = spawn("/bin/sleep", ["30"]);
        child.once("spawn", () => done(true)); child.once("error", () => done(false));
      });
      while (count < 300 && await grow().catch(() => false)) count += 1;
      report(count);
      process.exit(0);`);
    expect(reported[0]).toBeGreaterThan(2);
    expect(reported[0]).toBeLessThan(64);
  });

  it("hostile code gets no 2 GB at once, and ends when all its processes together have too much [sandbox-6]", async () => {
    const alone = await run(`report(attempt(() => String(Buffer.alloc(2_200_000_000, 1).length)));`);
    expect(alone.reported[0] ?? "died").not.toBe("2200000000");
    const together = await attack(
      small,
      fixture,
      `
      const eat = "const kept = []; for (let i = 0; i < 25; i += 1) kept.push(Buffer.alloc(10_000_000, 1)); setInterval(() => kept, 1000)";
      for (let i = 0; i < 4; i += 1) spawn(process.execPath, ["-e", eat]);
      setInterval(() => undefined, 1000);`,
    );
    expect(together.said).toContain("together needed more memory than the 500 MB");
    expect(together.tookMs).toBeLessThan(9_000);
  });

  it("hostile code leaves nothing running when it is killed: no loop, no child that left its group and its session [sandbox-4]", async () => {
    const marker = `7${Date.now()}.${attack.length}`;
    const { reported } = await run(
      `
      const nap = (name) => "touch /tmp/" + name + "; exec sleep ${marker}";
      const daemon = "setsid sh -c 'setsid sh -c \\"" + nap("a") + "\\" & " + nap("b") + "' & trap '' TERM HUP INT; " + nap("c");
      spawn("/bin/sh", ["-c", daemon], { detached: true, stdio: "ignore" }).unref();
      while (!["a", "b", "c"].every((name) => fs.existsSync("/tmp/" + name)));
      report("up");
      for (;;);`,
      { timeoutMs: 2_500 },
    );
    expect(reported).toEqual(["up"]);
    expect(await isRunning(marker)).toBe(false);
    expect(await readdir(join(fixture.dataDir, "workspaces"))).toEqual([]);
  });

  it("hostile code does not fill the bot's memory with 1 GB of output [sandbox-7]", async () => {
    const before = process.memoryUsage().rss;
    const { said, reported } = await run(
      `
      const block = Buffer.alloc(1_000_000, "x");
      for (let i = 0; i < 1_000; i += 1) fs.writeSync(1, block);`,
      { timeoutMs: 15_000 },
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(250 * megabyte);
    expect(said).toMatch(/line longer than 8 MB|"truncated":true/);
    expect(reported).toEqual([]);
  });
});
