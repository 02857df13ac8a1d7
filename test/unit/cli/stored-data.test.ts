import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeBot, problem } from "./fake-bot.ts";
import { runKnack } from "./run-knack.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "knack-cli-"));
});
afterEach(() => rm(cwd, { recursive: true }));

const started = '{"type":"export_started","version":1,"at":1}\n';
const finished = '{"type":"export_finished","turns":0}\n';
const exporting = (text: string) => fakeBot({ "GET /export": () => new Response(text) });

describe("knack export", () => {
  it("`knack export` prints the lines, and nothing else", async () => {
    const { code, out } = runKnack(["export"], { cwd, bot: exporting(started + finished) });
    expect(await code).toBe(0);
    expect(out.text()).toBe(started + finished);
  });

  it("`knack export` writes a new file for its owner only", async () => {
    const file = join(cwd, "export.jsonl");
    const { code } = runKnack(["export", "--out", file], { cwd, bot: exporting(started + finished) });
    expect(await code).toBe(0);
    expect(await readFile(file, "utf8")).toBe(started + finished);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("`knack export` leaves an existing file unchanged", async () => {
    const file = join(cwd, "export.jsonl");
    await writeFile(file, "mine");
    const { code, err } = runKnack(["export", "--out", file], { cwd, bot: exporting(started + finished) });
    expect(await code).toBe(1);
    expect(err.text()).toContain("already exists and was not changed");
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  it("`knack export` fails when the last line is missing, and makes no file of what is refused", async () => {
    const cut = runKnack(["export"], { cwd, bot: exporting(started) });
    expect(await cut.code).toBe(1);
    expect(cut.err.text()).toContain("The export is incomplete");
    const bot = fakeBot({ "GET /export": () => problem(404, "Nothing is stored of the channel slack:T:C.") });
    const file = join(cwd, "none.jsonl");
    const refused = runKnack(["export", "--namespace", "slack:T:C", "--out", file], { cwd, bot });
    expect(await refused.code).toBe(1);
    expect(refused.err.text()).toContain("Nothing is stored");
    await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

const nothing = {
  facts: 0,
  allowances: 0,
  accounts: 0,
  documents: 0,
  messages: 0,
  plans: 0,
  feedback: 0,
  stored: 0,
};
const person = {
  ...{ user: "slack:T1:U1", dry_run: false, complete: true, kept: [] as string[], left: [] as string[] },
  ...{ ...nothing, turns: 3, other_turns: 1, blanked: 2 },
};

describe("knack forget", () => {
  it("`knack forget` says what is deleted, and what nobody can find", async () => {
    const bot = fakeBot({ "DELETE /people/U1": () => person });
    const { code, out } = runKnack(["forget", "--user", "U1"], { cwd, bot });
    expect(await code).toBe(0);
    expect(out.text()).toContain(
      "Deleted of slack:T1:U1:\n- their messages, with answers and files: 3\n- messages of other",
    );
    expect(out.text()).toContain("- their name in lines of the audit, settings and grants: 2\n");
    expect(out.text()).toContain("Not found, and not deleted: answers to other people");
    expect(out.text()).not.toContain("facts");
    expect(out.text()).not.toContain("upgrade");
  });

  it("`knack forget` names the copies from before an upgrade that were deleted", async () => {
    const bot = fakeBot({
      "DELETE /people/U1": () => ({ ...person, copies: ["state.db.v0", "turns.db.v7"] }),
    });
    const { code, out } = runKnack(["forget", "--user", "U1"], { cwd, bot });
    expect(await code).toBe(0);
    expect(out.text()).toContain(
      "Deleted too, databases from before an upgrade, which hold everybody's words:\n- state.db.v0\n- turns.db.v7",
    );
  });

  it("`knack forget` only looks with --dry-run", async () => {
    const bot = fakeBot({ "GET /people/slack:T1:U1": () => ({ ...person, dry_run: true }) });
    const { code, out } = runKnack(["forget", "--user", "slack:T1:U1", "--dry-run"], { cwd, bot });
    expect(await code).toBe(0);
    expect(bot.requests).toEqual(["GET /people/slack:T1:U1"]);
    expect(out.text()).toContain("Would be deleted of slack:T1:U1:");
  });

  it("`knack forget` ends with 1 when something is left, and says what to do", async () => {
    const left = ["Turn t1 of theirs in slack:T1:C1: it is stopped, but has not ended yet."];
    const bot = fakeBot({ "DELETE /people/U1": () => ({ ...person, complete: false, left }) });
    const text = runKnack(["forget", "--user", "U1"], { cwd, bot });
    expect(await text.code).toBe(1);
    expect(text.out.text()).toContain(`Not deleted:\n- ${left[0]}\n`);
    const json = runKnack(["forget", "--user", "U1", "--json"], { cwd, bot });
    expect(await json.code).toBe(1);
    expect(JSON.parse(json.out.text())).toEqual({ ...person, complete: false, left });
  });

  it("`knack forget` sends whether posts may stay, and needs to know who", async () => {
    let address = "";
    const answer = (request: Request) => {
      address = request.url;
      return person;
    };
    const given = runKnack(["forget", "--user", "U1", "--leave-posts"], {
      cwd,
      bot: fakeBot({ "DELETE /people/U1": answer }),
    });
    expect(await given.code).toBe(0);
    expect(address).toContain("leave_posts=true");
    const missing = runKnack(["forget"], { cwd });
    expect(await missing.code).toBe(2);
  });
});
