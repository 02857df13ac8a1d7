import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxLimits } from "../../../../src/sandbox/isolation.ts";
import { needs } from "../../../support/needs.ts";
import { type Bot, botUsers, type RanScript, type ScriptRun, startBot } from "../bot-as-user.ts";

/** Leaves a word behind only when it is not stopped. */
const lasting = "\nimport time; time.sleep(15); print('it had it all')";

describe.each(botUsers)("code of a bot that runs as %s", needs("bubblewrap", "python3"), (user) => {
  let bot: Bot<ScriptRun, RanScript>;
  beforeAll(() => {
    bot = startBot("script-process.ts", { user });
  });
  afterAll(() => bot[Symbol.asyncDispose]());

  const run = async (code: string, limits: Partial<SandboxLimits> = {}, timeoutMs = 40_000) => {
    const files = { "attack.py": code };
    const { isolation, outcome } = await bot.ask({ files, script: "attack.py", timeoutMs, limits });
    expect(isolation).toMatchObject({ isolation: "bubblewrap" });
    if (outcome.status !== "exited") throw new Error(JSON.stringify(outcome).slice(0, 2_000));
    return outcome;
  };

  it("hoarding code has no memory that outlives its mapping, and nothing that is counted for the whole machine [sandbox-5]", async () => {
    const { stdout, stderr } = await run(`import ctypes, errno, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
arm = os.uname().machine == "aarch64"
name = ctypes.c_char_p(b"hoard")
for what, x64, arm64, arguments in (
    ("shmget", 29, 194, (0, 700 << 20, 0o1600)), ("msgget", 68, 186, (0, 0o1600)), ("semget", 64, 190, (0, 1000, 0o1600)),
    ("mq_open", 240, 180, (name, 0o102, 0o600, 0)), ("memfd_create", 319, 279, (name, 0)), ("memfd_secret", 447, 447, (0,)),
    ("vmsplice", 278, 75, (1, 0, 0, 0)), ("io_setup", 206, 0, (1000, 0)), ("inotify_init1", 294, 26, (0,)),
    ("inotify_init", 253, 26, (0,)), ("fanotify_init", 300, 262, (0x200, 0)), ("userfaultfd", 323, 282, (1,)),
    ("perf_event_open", 298, 241, (0, 0, -1, -1, 0)), ("bpf", 321, 280, (0, 0, 0)), ("process_madvise", 440, 440, (0, 0, 0, 0, 0))):
    ctypes.set_errno(0)
    answer = libc.syscall(arm64 if arm else x64, *arguments)
    if answer != -1 or ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM): print(what, answer, ctypes.get_errno())
def shared(how):
    try: how(); print("mapped", how)
    except OSError: pass
shared(lambda: mmap.mmap(-1, 700 << 20))
shared(lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 700 << 20))
print("done")`);
    expect({ stdout, stderr }).toEqual({ stdout: "done\n", stderr: "" });
  });

  it("hoarding code is stopped for what it sends itself and never reads", async () => {
    const { stdout, stderr } = await run(
      `import socket
kept = []
for at in range(900):
    kept.append(socket.socketpair())
    for each in kept[-1]:
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 50_000_000)
        each.setblocking(False)
        try:
            while True: each.send(b"x" * 100_000)
        except BlockingIOError: pass${lasting}`,
      { totalMemoryBytes: 300_000_000 },
    );
    expect(stderr).toContain("together needed more memory than the 286 MB");
    expect(stdout).toBe("");
  });

  it("hoarding code is stopped for what a child of one of its threads uses", async () => {
    const { stdout, stderr } = await run(
      `import subprocess, sys, threading
eat = "import time; kept = bytearray(400_000_000); time.sleep(15)"
threading.Thread(target=lambda: subprocess.run([sys.executable, "-c", eat])).start()${lasting}`,
      { totalMemoryBytes: 300_000_000 },
    );
    expect(stderr).toContain("together needed more memory than the 286 MB");
    expect(stdout).toBe("");
  });

  it("hoarding code is stopped for the page tables that it makes the kernel keep", async () => {
    const { stdout, stderr } = await run(
      `import mmap
size = 200 << 30
kept = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)
kept.madvise(15)
for at in range(0, size, 2 << 20): kept[at]${lasting}`,
      { totalMemoryBytes: 150_000_000 },
    );
    expect(stderr).toContain("together needed more memory than the 143 MB");
    expect(stdout).toBe("");
  });

  it("hoarding code is stopped when the machine has hardly any memory left, whatever took it [sandbox-6]", async () => {
    const { stdout, stderr } = await run(lasting, { minFreeBytes: Number.MAX_SAFE_INTEGER });
    expect(stderr).toContain("This machine ran short of memory");
    expect(stdout).toBe("");
  });

  it("hoarding code is stopped when it prints without end, and what it printed first is kept", async () => {
    const outcome = await run(`print("first")\nfor at in range(10_000_000): print("x" * 60)`);
    expect(outcome).toMatchObject({ exit_code: 137, truncated: true });
    expect(outcome.stdout).toMatch(/^first\nx{60}\n/);
    expect(outcome.stdout).toHaveLength(100_000);
    expect(outcome.stderr).toMatch(/printed more than 8 MB and was stopped/);
  });

  it("hoarding code learns nothing of how the machine was started, of its disks and of what its devices do", async () => {
    const { stdout } = await run(`import os
names = "keys key-users cmdline modules kallsyms partitions diskstats swaps interrupts softirqs timer_list".split()
print([name for name in names if os.path.exists(f"/proc/{name}") and open(f"/proc/{name}").read() != ""])
print(all(open(f"/proc/{name}").read() for name in ("meminfo", "cpuinfo", "stat", "self/status")))`);
    expect(stdout).toBe("[]\nTrue\n");
  });

  it("limited code does its usual work all the same", async () => {
    const { stdout, stderr } =
      await run(`import asyncio, multiprocessing, mmap, os, sqlite3, subprocess, tempfile
from multiprocessing import shared_memory
def double(value): return 2 * value
def said(*command): return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
async def child():
    process = await asyncio.create_subprocess_exec("echo", "child", stdout=-1)
    return (await process.communicate())[0].decode().strip()
if __name__ == "__main__":
    value = multiprocessing.Value("i", 7)
    with multiprocessing.Pool(2) as pool: print(value.value, pool.map(double, [1, 2]))
    memory = shared_memory.SharedMemory(create=True, size=1000)
    print(len(memory.buf) >= 1000)
    memory.close(); memory.unlink()
    print(asyncio.run(child()))
    database = sqlite3.connect("a.db")
    print(database.execute("pragma journal_mode=wal").fetchone()[0], database.execute("create table t (a)").rowcount)
    with tempfile.TemporaryFile() as file:
        file.truncate(4096)
        mmap.mmap(file.fileno(), 4096)[0] = 1
    print(said("sh", "-c", "echo one > log; timeout 2 tail -n +1 -f log & sleep 0.3; echo two >> log; wait"))
    print(said("sh", "-c", "head -c 5 /dev/zero | wc -c"))
    print(said("node", "-e", """new (require("node:worker_threads").Worker)("0", { eval: true });
console.log(new SharedArrayBuffer(1e6).byteLength, String(require("node:child_process").execSync("echo node")).trim());
require("node:fs").watchFile("log", () => undefined); require("node:fs").unwatchFile("log");"""))`);
    expect({ stdout, stderr }).toEqual({
      stdout: "7 [2, 4]\nTrue\nchild\nwal -1\none\ntwo\n5\n1000000 node\n",
      stderr: "",
    });
  });
});
