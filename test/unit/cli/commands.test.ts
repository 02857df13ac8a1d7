import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeBot, finished, healthy, type Route, turnRoutes } from "./fake-bot.ts";
import { findingsOf, runKnack } from "./run-knack.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
});
afterEach(() => rm(cwd, { recursive: true }));

async function json(argv: string[], routes: Record<string, Route> = {}, env: Record<string, string> = {}) {
  const { code, out, err } = runKnack([...argv, "--json"], { cwd, bot: fakeBot(routes), env });
  return { code: await code, value: JSON.parse(out.text()), err: err.text() };
}

describe("--json prints one value", () => {
  it.each([
    ["completed", 0, true],
    ["failed", 1, false],
  ])("`--json` prints one value for a slash command that %s", async (outcome, code, ok) => {
    const routes = turnRoutes([finished(outcome, "memory is on.")]);
    expect(await json(["command", "/skill enable memory"], routes)).toEqual({
      code,
      value: { text: "memory is on.", ok },
      err: "",
    });
  });

  it("`--json` prints one value for a slash command that needs approval, which nobody can give without a running bot", async () => {
    const asked = { type: "approval_requested", approval_id: "a1", tool: "send", input: { to: "all" } };
    const decided: unknown[] = [];
    const routes: Record<string, Route> = {
      ...turnRoutes([asked, finished("failed", "It was refused.")]),
      "POST /approvals/a1": async (request) => {
        decided.push(await request.json());
        return { decided: true };
      },
    };
    const { code, value } = await json(["command", "/skill run send"], routes);
    expect([code, value]).toEqual([1, { text: "It was refused.", ok: false }]);
    expect(decided).toEqual([{ approve: false }]);
  });

  it.each([
    [{ cost_usd: 0.0031 }, "1,204 tokens, $0.0031"],
    [{}, "1,204 tokens"],
  ])(
    "`--json` prints one value for a run with its receipt, which says the cost where it has one: %j",
    async (cost, line) => {
      const used = { type: "usage", model: "m", input_tokens: 1_200, output_tokens: 4, ...cost };
      const events = [used, finished("completed", "Done.")].map((event, seq) => ({ ...event, seq, at: 1 }));
      const turn = { turn_id: "t1", namespace: "console:local:dm", thread: "th", accepted_at: 1 };
      const run = { turn, events };
      const receipt = { text: line };
      const routes = { "GET /runs/t1": () => run, "GET /turns/t1/receipt": () => receipt };
      expect((await json(["runs", "show", "t1"], routes)).value).toEqual({ ...run, receipt });
      const bot = fakeBot(routes);
      const shown = runKnack(["runs", "show", "t1"], { cwd, bot, env: {} });
      await shown.code;
      expect(shown.out.text().trimEnd().split("\n").at(-1)).toBe(line);
    },
  );

  it("`--json` prints one value for the configuration, without opening a bot or showing a secret", async () => {
    const { code, out } = runKnack(["config", "--json"], { cwd, env: { OPENAI_API_KEY: "sk-s3cret" } });
    expect(await code).toBe(0);
    expect(out.text()).not.toContain("s3cret");
    const { settings } = JSON.parse(out.text());
    const choice = settings.find((setting: { key: string }) => setting.key === "model.choice");
    expect(choice).toMatchObject({ value: "openai/gpt-6.1-terra", source: "environment OPENAI_API_KEY" });
  });
});

describe("knack skills validate", () => {
  it("`knack skills validate` checks a folder with a plugin.json as an agent skill of AnythingLLM", async () => {
    const folder = path.join(cwd, "dice");
    await mkdir(folder);
    const plugin = {
      name: "Dice",
      hubId: "dice",
      schema: "skill-1.0.0",
      version: "1.0.0",
      description: "Rolls.",
      entrypoint: { file: "handler.js", params: {} },
    };
    await writeFile(path.join(folder, "plugin.json"), JSON.stringify(plugin));
    const validate = () => json(["skills", "validate", "dice"]);
    expect(await validate()).toMatchObject({
      code: 1,
      value: { valid: false, errors: ["Missing required file: handler.js"] },
    });
    await writeFile(path.join(folder, "handler.js"), "module.exports.runtime = {};");
    expect(await validate()).toMatchObject({ code: 0, value: { valid: true, errors: [] } });
    await writeFile(path.join(folder, "plugin.json"), "no");
    expect((await validate()).value.errors).toEqual([
      expect.stringContaining("plugin.json: It holds no JSON object"),
    ]);
  });

  it("`knack skills validate` answers whether a folder is a valid skill", async () => {
    const folder = path.join(cwd, "good-skill");
    await mkdir(folder);
    await writeFile(
      path.join(folder, "SKILL.md"),
      "---\nname: good-skill\ndescription: Does good.\n---\nBe good.\n",
    );
    const validate = (name: string) => json(["skills", "validate", name]);
    expect(await validate("good-skill")).toMatchObject({ code: 0, value: { valid: true, errors: [] } });
    await writeFile(path.join(folder, "SKILL.md"), "---\nname: Other\ndescription: x\n---\n");
    expect(await validate("good-skill")).toMatchObject({ code: 1, value: { valid: false } });
  });
});

describe("wrong usage", () => {
  const ns = "--namespace console:local:general";
  it.each([
    ["audit --since yesterday", "--since: expected a time"],
    ["audit --cursor zzz", "--cursor: is not the `next`"],
    ["skills restore memory first", "<version>: has to be a number"],
    [`message send ${ns} --key= hello`, "--key: must not be empty"],
    ["sandbox add python =1", "[package...]: expected a package, such as"],
    ["sandbox add ruby x", "the value 'ruby' is invalid for argument 'language'"],
    ["goal show here t", "expected platform:workspace:channel"],
    ["files list console:local:dm a/b", "<thread>: expected letters, digits"],
    ["forget --user= --dry-run", "expected a user id, e.g. U012AB3CD"],
    ["migrate --to nope", "expected postgresql://USER:PASSWORD@HOST/DATABASE"],
  ])("`knack %s` is refused in the words of the command line, and asks no bot", async (line, words) => {
    const bot = fakeBot({});
    const { code, err } = runKnack(line.split(" "), { cwd, bot });
    expect(await code).toBe(2);
    expect(err.text()).toContain(words);
    expect(bot.requests).toEqual([]);
  });
});

describe("knack start", () => {
  it("`knack start` says where it listens, and stops in order at the first signal", async () => {
    const bot = fakeBot({});
    const { code, out, signal, exits } = runKnack(["start"], { cwd, bot });
    await out.shows("Knack is ready: http://127.0.0.1:1\n");
    expect(bot.closed).toBe(0);
    signal();
    expect(await code).toBe(0);
    expect([bot.closed, exits]).toEqual([1, []]);
  });

  it("`knack start` prints what it found, and what cannot run here with its cure", async () => {
    const skills = [{ eligible: true }, { eligible: false }, { eligible: true }];
    const lacks = { problem: "There is no bubblewrap.", cure: "Run `get bubblewrap`." };
    const bot = { ...fakeBot({ "GET /skills": () => ({ skills, diagnostics: [] }) }) };
    bot.isolation = async () => ({ lacks });
    const env = {
      OPENAI_API_KEY: "sk-test",
      DISCORD_TOKEN: "MTIzNDU2Nzg5.Gabcde.abcdefghijklmnopqrstuvwxyz0123",
    };
    const { code, out, signal } = runKnack(["start"], { cwd, bot, env });
    await out.shows("get bubblewrap");
    signal();
    await code;
    expect(out.text().split("\n")).toEqual([
      "Knack is ready: http://127.0.0.1:1",
      "  models: openai/gpt-6.1-terra",
      "  platforms: console, Discord",
      "  skills: 3 found, 2 can be used here; `knack skills list` says why not the others",
      "  cannot run here: code of skills that did not ship with Knack. There is no bubblewrap. Run `get bubblewrap`.",
      "",
    ]);
  });

  it("`knack start` takes a signal that npm repeats as one, and a later one as the second", async () => {
    const closing = Promise.withResolvers<void>();
    const bot = { ...fakeBot({}), close: () => closing.promise };
    let time = 1_000;
    const options = { cwd, bot, env: { npm_lifecycle_event: "start" }, now: () => time };
    const { code, out, signal, exits, takesSignals } = runKnack(["start"], options);
    await out.shows("ready");
    signal();
    time += 50;
    signal();
    expect(exits).toEqual([]);
    time += 500;
    signal();
    expect(exits).toEqual([130]);
    closing.resolve();
    await code;
    // What ends a start that hangs is over once it has started.
    expect(exits).toEqual([130]);
    expect(takesSignals()).toBe(true);
  });

  it("`knack start` ends when it is told to while its start hangs", async () => {
    const { err, signal, exits, takesSignals } = runKnack(["start"], { cwd, bot: new Promise(() => {}) });
    await expect.poll(takesSignals).toBe(true);
    expect(exits).toEqual([]);
    signal();
    await err.shows("exit 130");
  });

  it("`knack start` ends at once at the second signal", async () => {
    const closing = Promise.withResolvers<void>();
    const bot = { ...fakeBot({}), close: () => closing.promise };
    const { code, out, signal, exits } = runKnack(["start"], { cwd, bot });
    await out.shows("ready");
    signal();
    signal();
    expect(exits).toEqual([130]);
    closing.resolve();
    await code;
  });

  it("`knack start` says who has the data folder", async () => {
    const holder = { url: "http://127.0.0.1:3000", pid: 42 };
    const { code, err } = runKnack(["start"], { cwd, running: () => ({ running: true, holder }) });
    expect(await code).toBe(1);
    expect(err.text()).toMatch(/process 42.*127\.0\.0\.1:3000.*KNACK_DATA/);
  });

  it("`knack start` closes the bot when it cannot listen", async () => {
    const bot = {
      ...fakeBot({}),
      listen: () => Promise.reject(Object.assign(new Error("Port taken"), { code: "x" })),
    };
    let closed = 0;
    bot.close = async () => void closed++;
    const { code, err } = runKnack(["start"], { cwd, bot });
    expect(await code).toBe(1);
    expect([closed, err.text()]).toEqual([1, "knack: Port taken\n"]);
  });
});

describe("knack doctor", () => {
  it("`knack doctor` reports no error without a model key, and says how to get a model", async () => {
    await writeFile(path.join(cwd, "free.yaml"), "server: {port: 0}\n");
    const { code, value } = await json(["doctor", "--config", "free.yaml"], healthy);
    expect(value.checks.filter((check: { status: string }) => check.status === "error")).toEqual([]);
    expect([code, value.ok]).toEqual([0, true]);
    expect(value.checks.find((check: { name: string }) => check.name === "model")).toMatchObject({
      status: "warning",
      advice: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
  });

  it.each([
    ["a wrong setting", { LOG_LEVEL: "loud" }, "configuration"],
    ["a missing key", { KNACK_MODEL: "openai/x" }, "model"],
  ])("`knack doctor` finds %s", async (_name, env, check) => {
    const { code, value } = await json(["doctor"], healthy, env);
    expect([code, value.ok]).toEqual([1, false]);
    const failed = value.checks.filter(
      (found: { ok: boolean; name: string }) => !found.ok && found.name !== "port",
    );
    expect(failed).toMatchObject([{ name: check, advice: expect.any(String) }]);
  });

  it("`knack doctor` finds a data folder that other users of the machine can read, and says what to do", async () => {
    await writeFile(path.join(cwd, "open.yaml"), "server: {port: 0}\ndata: {folder: ./open}\n");
    await mkdir(path.join(cwd, "open"));
    await chmod(path.join(cwd, "open"), 0o755);
    const { code, value } = await json(["doctor", "--config", "open.yaml"], healthy);
    const found = value.checks.find((check: { name: string }) => check.name === "data folder");
    expect(code).toBe(0);
    expect(found).toMatchObject({
      status: "warning",
      detail: expect.stringContaining("mode 755"),
      advice: expect.stringContaining(`chmod 700 ${path.join(cwd, "open")}`),
    });
  });

  it("`knack doctor` finds a broken skill, and a skill setting that names no skill", async () => {
    await writeFile(path.join(cwd, "knack.yaml"), "skills: {denied: [memroy]}\n");
    const diagnostics = [{ path: "p", severity: "error", code: "broken_yaml", message: "m" }];
    const bot = fakeBot({ ...healthy, "GET /skills": () => ({ skills: [], diagnostics }) });
    const found = (await findingsOf({ cwd, bot })).filter(({ status }) => status !== "ok");
    expect(found).toMatchObject([
      { name: "skills", status: "error", advice: expect.any(String) },
      { name: "configuration", status: "warning", detail: expect.stringContaining("no skill memroy") },
    ]);
  });
});
