import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BotHome, BotProcess } from "../../support/bot/bot-process.ts";
import { builtProgram } from "../../support/bot/built-program.ts";
import { needs } from "../../support/needs.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { ended, until } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const bot = useBot();
const place = { namespace: "console:local:general", thread: "t1" };

/** A bot that has answered "The door is green", and knows its key. */
async function answered(
  { home, models }: ReturnType<typeof bot>,
  env: Record<string, string> = {},
): Promise<BotProcess> {
  await models.add([
    { match: { userMessage: "green" }, response: { content: "Noted." } },
    { match: { userMessage: "held" }, response: { content: "Here is the answer." } },
    { match: { userMessage: "colour" }, response: { content: "It was green." } },
  ]);
  const running = await home.start({ env });
  const { turn_id } = await running.client.submitTurn({ ...place, text: "The door is green" });
  await ended(running.client, turn_id);
  await home.write("data/secret.key", `${"ab".repeat(32)}\n`);
  return running;
}

/** Everything below a folder but the lock: paths, and sizes of files. */
async function contentOf(folder: string): Promise<unknown[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, entry.isFile() ? await readFile(path, "latin1") : ""];
  });
  return (await Promise.all(files)).filter(([path]) => !path?.includes("lock.db")).toSorted();
}

test("a backup of a running bot begins elsewhere where it was made", async () => {
  const { home, gate } = bot();
  const first = await answered(bot());
  await home.write("data/skills/own.db", "of a skill");
  await home.write("data/notes.db", "of the operator");
  await home.write(`data/threads/${"long".repeat(40)}/${"ü".repeat(60)}.txt`, "");
  await symlink("own.db", join(home.data, "skills/near"));
  await symlink("/etc", join(home.data, "skills/far"));
  await mkdir(join(home.data, "skills/fixed"), { mode: 0o555 });
  gate.close();
  const { turn_id: held } = await first.client.submitTurn({ ...place, thread: "t2", text: "held" });
  await until(first.client, held, "turn_started");
  const file = join(home.folder, "knack.tar.gz");
  const made = await home.run(["backup", file]);
  expect([made.code, made.stderr]).toEqual([0, ""]);
  expect(made.stdout).toMatch(
    /holds conversations and the key of stored tokens[\s\S]*leads out: skills\/far\n/,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  gate.open();
  await first.terminate();

  const env = { KNACK_DATA: join(home.folder, "elsewhere") };
  expect(await home.run(["restore", file], { env })).toMatchObject({ code: 0, stderr: "" });
  const second = await home.start({ env });
  expect(await ended(second.client, held)).toMatchObject({ text: "Here is the answer." });
  const { turn_id } = await second.client.submitTurn({ ...place, text: "Which colour?" });
  expect(await ended(second.client, turn_id)).toMatchObject({ text: "It was green." });
  expect(gate.requests.at(-1)?.body).toContain("The door is green");
  for (const path of ["secret.key", "notes.db", "skills/near"])
    expect(await readFile(join(env.KNACK_DATA, path), "utf8")).toBe(
      await readFile(join(home.data, path), "utf8"),
    );
  expect(await readdir(join(env.KNACK_DATA, "threads", "long".repeat(40)))).toEqual([
    `${"ü".repeat(60)}.txt`,
  ]);
  expect(existsSync(join(env.KNACK_DATA, "skills/far"))).toBe(false);
  const refused = await home.run(["restore", file, "--replace"], { env });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`process ${second.pid}`)]);
});

test("the printed commands take the database of PostgreSQL along", needs("postgresql"), async () => {
  const { home } = bot();
  const env = { DATABASE_URL: await freshDatabase() };
  const print = (argv: string[], more: { DATABASE_URL: string; KNACK_DATA?: string }) =>
    home.run(argv, { env: more }).then(({ stdout }) => /: (pg_.*)/.exec(stdout)?.[1] ?? "no command");
  const sh = (command: string, more: { DATABASE_URL: string }) =>
    execFileSync("sh", ["-ec", command], { cwd: home.folder, env: { ...process.env, ...more } });
  await (await answered(bot(), env)).terminate();
  sh(await print(["backup", "knack.tar.gz"], env), env);
  const other = { DATABASE_URL: await freshDatabase(), KNACK_DATA: join(home.folder, "elsewhere") };
  sh(await print(["restore", "knack.tar.gz"], other), other);
  const { client } = await home.start({ env: other });
  const { turn_id } = await client.submitTurn({ ...place, text: "Which colour?" });
  await ended(client, turn_id);
  expect(bot().gate.requests.at(-1)?.body).toContain("The door is green");
});

/** An archive that GNU tar makes of the unpacked backup, after `change`. */
async function changed(home: BotHome, file: string, change: string): Promise<string> {
  const folder = join(home.folder, "unpacked");
  await mkdir(folder);
  const script = `tar xzf ${file} && names="backup.json $(ls | grep -v backup.json)"; ${change}`;
  execFileSync("sh", ["-ec", `${script}; tar czPf ../changed.tar.gz $names`], { cwd: folder });
  return join(home.folder, "changed.tar.gz");
}

const refusals = [
  ["no file", async () => "none.tar.gz", "none.tar.gz does not exist"],
  ["another file", (home: BotHome) => written(home, "Hello"), "is damaged or no backup"],
  ["a backup cut off in the middle", (home: BotHome, file: string) => cutOff(home, file, 0.5), "damaged"],
  ["a backup cut off at its end", (home: BotHome, file: string) => cutOff(home, file, 0.999), "damaged"],
  ["another archive", edited('names="turns.db backup.json"'), "is not a backup"],
  ["a first file that is no JSON", edited("echo '{' > backup.json"), "is not a backup"],
  ["one of a later format", edited("echo '{\"knack_backup\":2}' > backup.json"), "is not a backup"],
  ["no turn log", edited("rm turns.db; names=$(ls)"), "There is no turns.db"],
  ["a damaged database", edited("head -c 9000 /dev/zero > state.db"), "state.db is damaged"],
  ["one of a bot on PostgreSQL", edited("sed -i s/sqlite/postgresql/ backup.json"), "set DATABASE_URL"],
  ["a path that leads out", edited('echo > ../x; names="$names ../x"'), "has an entry"],
  ["an absolute path", edited('names="$names /etc/hostname"'), "has an entry"],
  ["a link that leads out", edited('ln -s ../.. out; names="$names out"'), "has an entry"],
  ["a lock", edited('echo > lock.db; names="$names lock.db"'), "has an entry"],
] as const;

function edited(change: string) {
  return (home: BotHome, file: string) => changed(home, file, change);
}

async function written(home: BotHome, text: string | Buffer): Promise<string> {
  const path = join(home.folder, "written.tar.gz");
  await writeFile(path, text);
  return path;
}

async function cutOff(home: BotHome, file: string, part: number): Promise<string> {
  const whole = await readFile(file);
  return written(home, whole.subarray(0, Math.floor(whole.length * part)));
}

test("a restore that is refused leaves everything as it was", async () => {
  const { home } = bot();
  await (await answered(bot())).terminate();
  const file = join(home.folder, "knack.tar.gz");
  expect(await home.run(["backup", file])).toMatchObject({ code: 0 });
  expect(await home.run(["backup", file])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("exists"),
  });
  const before = await contentOf(home.data);
  const full = await home.run(["restore", file]);
  expect([full.code, full.stderr]).toEqual([1, expect.stringContaining("is not empty")]);
  for (const [what, make, words] of refusals) {
    const archive = await make(home, file);
    const { code, stderr } = await home.run(["restore", archive, "--replace"]);
    expect([what, code, stderr]).toEqual([what, 1, expect.stringContaining("Nothing was restored.")]);
    expect(stderr, what).toContain(words);
    expect(await contentOf(home.data), what).toEqual(before);
    execFileSync("rm", ["-rf", join(home.folder, "unpacked"), join(home.folder, "changed.tar.gz")]);
  }
});

test("a restore that was interrupted is undone by the next one", async () => {
  const { home } = bot();
  await (await answered(bot())).terminate();
  await home.write("data/skills/own.md", "old");
  const before = await contentOf(home.data);
  const interrupted = async () => {
    const started = await home.run(["start"]);
    expect([started.code, started.stderr]).toEqual([1, expect.stringContaining("was interrupted")]);
    await home.run(["restore", "none.tar.gz"]);
    expect(await contentOf(home.data)).toEqual(before);
  };
  await mkdir(join(home.data, "restore.leaving"));
  await rename(join(home.data, "turns.db"), join(home.data, "restore.leaving/turns.db"));
  await interrupted();
  await mkdir(join(home.data, "restore.aside"));
  for (const name of await readdir(home.data))
    if (!/^(lock|restore)/.test(name))
      await rename(join(home.data, name), join(home.data, "restore.aside", name));
  await home.write("data/skills/new.md", "new");
  await home.write("data/turns.db", "new");
  await interrupted();
});

test("a full disk, a place that cannot be written, or Ctrl+C leaves no part of a backup", async () => {
  const { home } = bot();
  await (await answered(bot())).terminate();
  await home.write("data/threads/big", "x");
  const backup = (file: string) => home.run(["backup", file]);
  expect(await backup("none/knack.tar.gz")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("ENOENT"),
  });
  expect(await backup("data/knack.tar.gz")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("data folder"),
  });
  await truncate(join(home.data, "threads/big"), 40_000_000_000);
  const under = home.spawn(["backup", "knack.tar.gz"]);
  await expect
    .poll(() => readdir(home.folder, { recursive: true }), { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/part-\w+.archive$/));
  under.signal("SIGINT");
  expect([await under.exited, under.err()]).toEqual([130, expect.stringContaining("no backup was made")]);
  expect((await readdir(home.folder)).filter((name) => name.startsWith("knack.tar"))).toEqual([]);
});

test(
  "a disk that becomes full, and a folder that cannot move, change nothing",
  needs("bubblewrap"),
  async () => {
    const { home } = bot();
    await (await answered(bot())).terminate();
    const [file, small] = [join(home.folder, "knack.tar.gz"), join(home.folder, "small")];
    await mkdir(small);
    await mkdir(join(home.data, "threads"), { recursive: true });
    expect(await home.run(["backup", file])).toMatchObject({ code: 0 });
    await writeFile(join(home.data, "random"), randomBytes(4_000_000));
    const before = await contentOf(home.data);
    const program = await builtProgram();
    /** Runs a command where `mounts` are in place, and lists `small`. */
    const within = (mounts: string[], command: string) =>
      spawnSync(
        "bwrap",
        [
          ...["--dev-bind", "/", "/"],
          ...mounts,
          "sh",
          "-c",
          `node ${program} ${command}; echo $?; ls -A ${small}`,
        ],
        { env: { ...process.env, KNACK_DATA: home.data }, cwd: home.folder, encoding: "utf8" },
      );
    for (const size of ["65536", "2000000"]) {
      const full = within(["--size", size, "--tmpfs", small], `backup ${small}/knack.tar.gz`);
      expect(full).toMatchObject({ stdout: "1\n", stderr: expect.stringContaining("nothing is left of it") });
    }
    const stuck = within(["--bind", small, join(home.data, "threads")], `restore ${file} --replace`);
    expect(stuck).toMatchObject({
      stdout: "1\n",
      stderr: expect.stringContaining("Nothing was restored. EBUSY"),
    });
    expect(await contentOf(home.data)).toEqual(before);
  },
);

test("a bot that has lost its turn log does not start unless it is told to", async () => {
  const { home } = bot();
  const log = join(home.data, "turns.db");
  const refusal = async (words: string) => {
    const { code, stderr } = await home.run(["start"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
  };
  const first = await answered(bot());
  await home.run(["backup", "knack.tar.gz"]);
  await first.kill();
  // Only the write-ahead log has what was stored since the start.
  await rename(`${log}-wal`, join(home.folder, "wal"));
  await refusal("is empty");
  await rename(join(home.folder, "wal"), `${log}-wal`);
  const back = await home.start();
  expect((await back.client.call("run.list", {})).turns).toHaveLength(1);
  await back.terminate();
  for (const name of ["turns.db", "turns.db-wal", "turns.db-shm"])
    await rename(join(home.data, name), join(home.folder, `${name}.lost`)).catch(() => {});
  await refusal("is empty");
  expect(await home.run(["restore", "knack.tar.gz", "--replace"])).toMatchObject({ code: 0 });

  const second = await home.start();
  const { turn_id } = await second.client.submitTurn({ ...place, text: "Which colour?" });
  expect(await ended(second.client, turn_id)).toMatchObject({ text: "It was green." });
  expect(await second.terminate()).toBe(0);
  await copyFile(log, join(home.folder, "old.db"));
  await (await home.start()).terminate();
  await copyFile(join(home.folder, "old.db"), log);
  await refusal("is older than the other stores");
  const accepted = home.spawn(["start", "--accept-empty-log", "--port", "0"]);
  await expect.poll(() => accepted.out(), { timeout: 20_000 }).toContain("http://");
  accepted.signal("SIGTERM");
  expect(await accepted.exited).toBe(0);
  await (await home.start()).terminate();
});
