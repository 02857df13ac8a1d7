import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../../support/needs.ts";
import {
  type Bot,
  type BotProcess,
  botUsers,
  type RanScript,
  type ScriptRun,
  startBot,
} from "../bot-as-user.ts";

/** Python's way to make system calls by number, on the architectures that the filter knows. */
const calls = `import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
arm = os.uname().machine == "aarch64"
def call(x64, arm64, *arguments):
    ctypes.set_errno(0)
    answer = libc.syscall(ctypes.c_long(arm64 if arm else x64), *[ctypes.c_long(each) if isinstance(each, int) else each for each in arguments])
    return "refused" if answer == -1 and ctypes.get_errno() in (errno.ENOSYS, errno.EPERM) else (answer, ctypes.get_errno())
add_key = lambda *arguments: call(248, 217, *arguments)
request_key = lambda *arguments: call(249, 218, *arguments)
keyctl = lambda *arguments: call(250, 219, *arguments)
ptrace = lambda *arguments: call(101, 117, *arguments)
others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
`;

function processesNamed(name: string): number {
  const commands = readdirSync("/proc").map((pid) => {
    try {
      return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
    } catch {
      // Ended in between.
      return "";
    }
  });
  return commands.filter((command) => command.startsWith(name)).length;
}

describe.each(botUsers)(
  "code in the sandbox of a bot that runs as %s",
  needs("bubblewrap", "python3"),
  (user) => {
    const start = (how: Partial<BotProcess> = {}) =>
      startBot<ScriptRun, RanScript>("script-process.ts", { user, ...how });
    let shared: Bot<ScriptRun, RanScript>;
    beforeAll(() => {
      shared = start();
    });
    afterAll(() => shared[Symbol.asyncDispose]());

    const attack = async (code: string, bot = shared) => {
      const run = { files: { "attack.py": calls + code }, script: "attack.py", timeoutMs: 20_000 };
      const { isolation, outcome } = await bot.ask(run);
      expect(isolation).toMatchObject({ isolation: "bubblewrap" });
      if (outcome.status !== "exited") throw new Error(JSON.stringify(outcome));
      expect(outcome.stderr).toBe("");
      return outcome.stdout.trim().split("\n");
    };

    it("sandboxed code reads no key of the bot's session, and leaves none for other code", async () => {
      const folder = mkdtempSync(join(tmpdir(), "knack-keys-"));
      // A login gives every process a session keyring; here a program makes one with a secret in it, and becomes the bot.
      chmodSync(folder, 0o755);
      const login = join(folder, "login.py");
      writeFileSync(
        login,
        `${calls}keyctl(1, 0)
if isinstance(add_key(b"user", b"knack-ticket", b"SECRET", 6, -3), str): sys.exit("no keyring")
os.execv(sys.argv[1], sys.argv[1:])`,
        { mode: 0o644 },
      );
      await using bot = start({ startedBy: ["/usr/bin/python3", login] });
      const answers = await attack(
        `print(keyctl(10, -3, b"user", b"knack-ticket", 0))
print(request_key(b"user", b"knack-ticket", 0, -3))
print(*{add_key(b"user", b"knack-left", b"text", 4, ring) for ring in (-1, -2, -3, -4, -5)})
print("keys:", *[open(path).read() for path in ("/proc/keys", "/proc/key-users") if os.path.exists(path)])`,
        bot,
      ).finally(() => rmSync(folder, { recursive: true }));
      expect(answers).toEqual(["refused", "refused", "refused", "keys:"]);
    });

    it("sandboxed code takes over no process, and its user has none without its limits [sandbox-4]", async () => {
      const answers = await attack(`print("attach", *{ptrace(16, pid, 0, 0) for pid in others})
print("seize", *{ptrace(0x4206, pid, 0, 0) for pid in others})
buffer = ctypes.create_string_buffer(64)
for number in ((310, 270), (311, 271)):
    print("memory", *{call(*number, pid, buffer, 0, buffer, 0, 0) for pid in others})
print("compare", *{call(312, 272, pid, os.getpid(), 0, 0, 0) for pid in others})
print("descriptor", call(438, 438, os.pidfd_open(others[0]), 0, 0))
own = [pid for pid in others + [os.getpid()] if os.stat(f"/proc/{pid}").st_uid == os.getuid()]
for pid in others:
    try:
        if pid not in own: print("opened the memory of", pid, open(f"/proc/{pid}/mem", "r+b"))
    except OSError: pass
for pid in own:
    lines = open(f"/proc/{pid}/limits").read().splitlines()
    for name in ("processes", "data size", "file size", "cpu time"):
        print(*{line.split("  ")[0] + ": " + line[26:47].strip() for line in lines if line.startswith("Max " + name)})`);
      expect(answers.slice(0, 6)).toEqual([
        ...["attach refused", "seize refused", "memory refused", "memory refused", "compare refused"],
        "descriptor refused",
      ]);
      expect(new Set(answers.slice(6))).toEqual(
        new Set([
          ...["Max processes: 64", "Max data size: 1073741824", "Max file size: 268435456"],
          "Max cpu time: 21",
        ]),
      );
    });

    it("sandboxed code does not hold up its call by attaching to what runs it and ending", async () => {
      const began = performance.now();
      expect(await attack("for pid in others: ptrace(16, pid, 0, 0)\nprint('done')")).toEqual(["done"]);
      expect(performance.now() - began).toBeLessThan(15_000);
    });

    it("sandboxed code has none of the file descriptors that the bot inherited [sandbox-4]", async () => {
      const folder = mkdtempSync(join(tmpdir(), "knack-open-"));
      const file = join(folder, "journal");
      const descriptor = openSync(file, "w");
      try {
        await using bot = start({
          descriptors: { 3: descriptor, 4: descriptor, 17: descriptor, 251: descriptor },
        });
        const answers = await attack(
          `for number in range(3, 300):
    try: os.write(number, b"written by a script")
    except OSError: pass
for pid in others + ["self"]:
    try: numbers = os.listdir(f"/proc/{pid}/fd")
    except OSError: numbers = []
    for number in numbers:
        try: print(os.readlink(f"/proc/{pid}/fd/{number}"))
        except OSError: pass`,
          bot,
        );
        expect(answers.filter((link) => link.includes("journal"))).toEqual([]);
        expect(readFileSync(file, "utf8")).toBe("");
      } finally {
        closeSync(descriptor);
        rmSync(folder, { recursive: true });
      }
    });

    it("sandboxed code has no capability and no way to get one [sandbox-4]", async () => {
      const answers = await attack(`for line in open("/proc/self/status"):
    if line[:6] in ("CapInh", "CapPrm", "CapEff", "CapAmb"): print(int(line.split()[1], 16))
    if line.startswith("NoNewPrivs"): print(line.split()[1])
print(call(165, 40, b"none", b"/workspace", b"tmpfs", 0, 0))`);
      expect(answers).toEqual(["0", "0", "0", "0", "1", "refused"]);
    });

    it("sandboxed code ends with a bot that is killed", async () => {
      const name = `knack-left-${process.pid}-${user}`;
      const files = {
        "stay.sh": `bash -c 'exec -a ${name} sleep 60' & bash -c 'exec -a ${name} setsid sleep 60' & sleep 60`,
      };
      const bot = start();
      onTestFinished(() => void bot.child.kill("SIGKILL"));
      const answer = bot.ask({ files, script: "stay.sh", timeoutMs: 60_000 }).catch(() => undefined);
      await expect.poll(() => processesNamed(name), { timeout: 30_000 }).toBeGreaterThan(0);
      bot.child.kill("SIGKILL");
      expect(await answer).toBeUndefined();
      await expect.poll(() => processesNamed(name), { timeout: 5_000 }).toBe(0);
    });

    it.each(["/workspace", "/tmp"])(
      "sandboxed code fills %s with a bounded number of files only",
      async (folder) => {
        const [made, room] = await attack(`count = 0
try:
    while count < 200000:
        os.mkdir(f"${folder}/{count}")
        count += 1
except OSError as error: pass
print(count)
print(os.statvfs("${folder}").f_files)`);
        expect(Number(made)).toBeGreaterThan(10_000);
        expect(Number(made)).toBeLessThan(65_536);
        expect(Number(room)).toBe(65_536);
      },
    );
  },
);
