import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptRunner } from "../../../../src/core/skill/programs.ts";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../../support/needs.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "../script-fixture.ts";

/** The command lines of all processes of the machine. */
function processList(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        // Ended in between.
        return "";
      }
    });
}

describe("a hostile script in the bubblewrap sandbox", needs("bubblewrap", "python3"), () => {
  const fixture = new ScriptFixture();
  let sandbox: Sandbox;
  let runner: ScriptRunner;

  beforeAll(async () => {
    mkdirSync(fixture.dataDir);
    writeFileSync(join(fixture.dataDir, "tokens.db"), "TOP-SECRET-TOKEN");
    writeFileSync(join(fixture.root, "shadow"), "TOP-SECRET-HASH", { mode: 0o644 });
    process.env.KNACK_TEST_SECRET = "TOP-SECRET-ENV";
    sandbox = await createSandbox({ dataDir: fixture.dataDir });
    runner = sandbox.scripts;
  });

  afterAll(() => {
    delete process.env.KNACK_TEST_SECRET;
    fixture[Symbol.dispose]();
  });

  it("the attack suite really runs in bubblewrap: where it is missing the suite fails, and is not skipped", () => {
    expect(sandbox.describe()).toMatchObject({ isolation: "bubblewrap" });
    expect(sandbox.describe().detail).toContain("no network");
  });

  it("a hostile script finds no secret file, no data folder and no home outside", async () => {
    const skill = fixture.skill({
      "look.py": `import os, sys
for path in sys.argv[1:]:
    try:
        print(os.listdir(path) if os.path.isdir(path) else open(path).read())
    except OSError as error:
        print("refused", error.errno)`,
    });
    const targets = [
      join(fixture.root, "shadow"),
      fixture.dataDir,
      "/etc/shadow",
      "/root",
      "/home",
      process.cwd(),
      "/var",
    ];
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "look.py", { args: targets }));
    expect(stdout.trim().split("\n")).toEqual(targets.map(() => "refused 2"));
  });

  it("a hostile script sees the declared variables and nothing of the bot's environment, even in other processes [sandbox-1]", async () => {
    const skill = fixture.skill({ "env.sh": "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'" });
    const env = { DECLARED: "yes", PATH: "/evil", HOME: "/root", LD_PRELOAD: "/skill/evil.so" };
    const { stdout, stderr } = await runToEnd(runner, scriptRequest(skill, "env.sh", { env }));
    expect(stdout).toContain("DECLARED=yes");
    expect(stdout).toContain("PATH=/usr/local/bin:/usr/bin:/bin");
    expect(stdout).toContain("HOME=/tmp/home");
    expect(stdout + stderr).not.toContain("TOP-SECRET");
    expect(stdout).not.toContain("/evil\n");
  });

  it("a hostile script's declared values stay out of the machine's process list", async () => {
    const skill = fixture.skill({ "wait.sh": "echo ready; sleep 30" });
    const controller = new AbortController();
    let commands: string[] = [];
    const running = runner.run(
      scriptRequest(skill, "wait.sh", {
        env: { KEY: "hush-hush-value" },
        signal: controller.signal,
        onLine: () => {
          commands = processList();
          controller.abort(new Error("seen enough"));
        },
      }),
    );
    await expect(running).rejects.toThrow("seen enough");
    expect(commands.join("\n")).toContain("/skill/wait.sh");
    expect(commands.join("\n")).not.toContain("hush-hush-value");
  });

  it("a hostile script writes only to its workspace, /tmp and /dev/shm, which vanish [sandbox-2]", async () => {
    const skill = fixture.skill({
      "write.sh": `for f in /x /usr/x /etc/x /dev/x /opt/x /skill/x ${fixture.root}/x; do (echo hi > $f) 2>/dev/null && echo "wrote $f"; done
echo mine > /workspace/file && echo temp > /tmp/file && echo shared > /dev/shm/shared && cat /workspace/file /tmp/file /dev/shm/shared; pwd`,
    });
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "write.sh"));
    expect(stdout).toBe("mine\ntemp\nshared\n/workspace\n");
    expect(existsSync(join(skill.origin.path, "x"))).toBe(false);
    expect(await readdir(join(fixture.dataDir, "workspaces"))).toEqual([]);
  });

  it("a hostile script cannot fill more than its share of the machine's memory with files", async () => {
    const { scripts: small } = await createSandbox({
      dataDir: fixture.dataDir,
      limits: { workspaceBytes: 1_000_000 },
    });
    const skill = fixture.skill({ "fill.sh": 'head -c 5000000 /dev/zero > "$1"; wc -c < "$1"' });
    for (const file of ["big", "/tmp/big", "/dev/shm/big"]) {
      const { stdout } = await runToEnd(small, scriptRequest(skill, "fill.sh", { args: [file] }));
      expect(Number(stdout.trim())).toBeLessThanOrEqual(1_000_000);
    }
  });

  it("a hostile script reaches no server on the machine's loopback", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const skill = fixture.skill({
      "connect.py":
        "import socket, sys\ntry:\n  socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2); print('connected')\nexcept OSError: print('refused')",
    });
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "connect.py", { args: [port] }));
    server.close();
    expect({ stdout, connections }).toEqual({ stdout: "refused\n", connections: 0 });
  });

  it("a hostile script is not root and has no capabilities to become it", async () => {
    const skill = fixture.skill({
      "who.sh": `id -u; whoami; grep -E 'Cap(Prm|Eff|Bnd|Amb)' /proc/self/status
python3 -c 'import ctypes; print("NoNewPrivs: %d" % ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))'`,
    });
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "who.sh"));
    const [uid, name, ...status] = stdout.trim().split("\n");
    expect(Number(uid)).toBeGreaterThan(0);
    expect(name).toBe("script");
    expect(status.filter((line) => /Cap(Prm|Eff|Amb):/.test(line)).every((line) => /:\s0+$/.test(line))).toBe(
      true,
    );
    expect(stdout).toMatch(/NoNewPrivs:\s1/);
  });

  it("a hostile script opens no socket that leads past its network, such as one to the host of a virtual machine", async () => {
    const skill = fixture.skill({
      "sockets.py": `import errno, socket
for family in range(1, 46):
    try:
        socket.socket(family, socket.SOCK_STREAM)
        print(family)
    except OSError as error:
        # What the kernel does not know says EAFNOSUPPORT too; any other answer means that it was asked.
        if error.errno != errno.EAFNOSUPPORT: print(family, error.errno)`,
    });
    const { stdout, stderr } = await runToEnd(runner, scriptRequest(skill, "sockets.py"));
    expect(stderr).toBe("");
    const asked = stdout
      .trim()
      .split("\n")
      .map((line) => Number(line.split(" ")[0]));
    expect(asked.filter((family) => ![1, 2, 10, 16].includes(family))).toEqual([]);
    expect(asked).toEqual(expect.arrayContaining([1, 2]));
  });

  it("a hostile script makes no namespaces of its own, and has no io_uring [sandbox-5]", async () => {
    const skill = fixture.skill({
      "calls.py": `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
numbers = {"x86_64": (272, 56), "aarch64": (97, 220)}[os.uname().machine]
new_user = 0x10000000
for number, first in ((numbers[0], new_user), (numbers[1], new_user | 17), (435, 0), (425, 1)):
    answer = libc.syscall(number, first, 0, 0, 0, 0)
    print(answer, ctypes.get_errno())`,
    });
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "calls.py"));
    expect(stdout).toBe("-1 1\n-1 1\n-1 38\n-1 38\n");
  });

  it("a hostile script stops at its memory limit", async () => {
    const skill = fixture.skill({
      "eat.py":
        "try:\n  block = bytearray(3_000_000_000); print('got it')\nexcept MemoryError: print('out of memory')",
    });
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "eat.py"));
    expect(stdout).toBe("out of memory\n");
  });

  it("a hostile script cannot flood the machine with processes [sandbox-6]", async () => {
    const skill = fixture.skill({
      "flood.py": `import os, time
count = 0
try:
    while count < 500:
        if os.fork() == 0:
            time.sleep(30); os._exit(0)
        count += 1
except OSError: pass
print(count)`,
    });
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "flood.py"));
    expect(Number(stdout.trim())).toBeGreaterThan(5);
    expect(Number(stdout.trim())).toBeLessThan(64);
  });

  it("a hostile script does not get out through a link in its folder, or a script path", async () => {
    const skill = fixture.skill({ "read.sh": "cat linked" });
    symlinkSync(join(fixture.root, "shadow"), join(skill.origin.path, "linked"));
    symlinkSync("/usr/bin/id", join(skill.origin.path, "escape.sh"));
    const read = await runToEnd(runner, scriptRequest(skill, "read.sh"));
    expect(read.stdout + read.stderr).not.toContain("TOP-SECRET");
    for (const script of [
      "../shadow",
      "a/../../x.sh",
      "/usr/bin/id",
      "..\\x.sh",
      "escape.sh",
      "missing.sh",
      "",
    ]) {
      const outcome = await runner.run(scriptRequest(skill, script));
      expect(outcome, script).toMatchObject({ status: "refused" });
    }
  });
});
