import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeBot, healthy, problem, type Route } from "./fake-bot.ts";
import { findingsOf, runKnack } from "./run-knack.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
});
afterEach(() => rm(cwd, { recursive: true }));

const now = () => Date.UTC(2026, 10, 22, 12);
const policy = { conversation_days: 365, run_detail_days: 30, file_days: "never", audit_days: 1 };
const coming = { policy, from: Date.UTC(2026, 11, 6) };
const inForce = { policy, from: 0 };
const kept = "conversations 365 days after their last message, steps of turns 30 days, audit 1 day";
const keep =
  "To keep it, set conversation_days, run_detail_days, file_days or audit_days of retention to more days, or to never.";

describe("knack retention", () => {
  const counts = { threads: 2, turns: 9, run_details: 30, files: 0, audit: 4, openings: 1 };
  const counted = [
    "",
    "• conversations: 2, with 9 turns (older than 22 November 2025)",
    "• steps: of 30 turns; question and answer stay (older than 23 October 2026)",
    "• files: of 0 turns (kept forever)",
    "• audit: 4 lines (older than 21 November 2026)",
  ];

  /** What is printed of a report, and what the bot was asked. */
  async function printed(argv: string[], report: object) {
    const bodies: unknown[] = [];
    const post: Route = async (request) => {
      bodies.push(await request.json());
      return { counts, ...report };
    };
    const { code, out } = runKnack(["retention", ...argv], {
      cwd,
      now,
      bot: fakeBot({ "POST /retention": post }),
    });
    expect(await code).toBe(0);
    return { lines: out.text().trimEnd().split("\n"), bodies };
  }

  it("`knack retention` says what it deleted", async () => {
    const { lines, bodies } = await printed([], { ...inForce, ran: true });
    expect(lines).toEqual(["Deleted:", ...counted]);
    expect(bodies).toEqual([{ dry_run: false }]);
  });

  it("`knack retention` says what it would delete", async () => {
    const { lines, bodies } = await printed(["--dry-run"], { ...inForce, ran: false });
    expect(lines).toEqual([`Kept: ${kept}`, "Would be deleted now:", ...counted]);
    expect(bodies).toEqual([{ dry_run: true }]);
  });

  it("`knack retention` says from when on something is deleted, and how to keep it", async () => {
    const { lines } = await printed([], { ...coming, ran: false });
    expect(lines).toEqual([
      `Kept: ${kept}; what is older is deleted from 6 December 2026 on`,
      "Nothing is deleted yet. Already old:",
      ...counted,
      "",
      keep,
    ]);
  });

  it("`knack retention` prints the report as JSON", async () => {
    const { lines } = await printed(["--json", "--dry-run"], { ...coming, ran: false });
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ ...coming, counts, ran: false }]);
  });

  it("`knack retention` fails when the bot refuses", async () => {
    const bot = fakeBot({ "POST /retention": () => problem(403, "Only operators may.") });
    const { code, err } = runKnack(["retention"], { cwd, bot });
    expect([await code, err.text()]).toEqual([1, "Only operators may.\n"]);
  });
});

describe("what a bot keeps", () => {
  it.each([
    [coming, `  kept: ${kept}; what is older is deleted from 6 December 2026 on. ${keep}\n`],
    [inForce, `  kept: ${kept}\n`],
    [
      {
        policy: { ...policy, conversation_days: "never", run_detail_days: "never", audit_days: "never" },
        from: 0,
      },
      "  kept: everything, until somebody deletes it\n",
    ],
  ])("the kept data is named at the bot's start: %j", async (status, line) => {
    const bot = fakeBot({ "GET /retention": () => status });
    const { code, out, signal } = runKnack(["start"], { cwd, bot, now });
    await out.shows("kept:");
    signal();
    await code;
    expect(out.text()).toContain(line);
  });

  it.each([
    [{ policy }, "warning", `kept: ${kept}; nothing is deleted in the first 14 days after the bot starts`],
    [coming, "warning", `kept: ${kept}; what is older is deleted from 6 December 2026 on`],
    [inForce, "ok", `kept: ${kept}`],
  ])("the kept data is a finding of the doctor: %j", async (answer, status, detail) => {
    const bot = fakeBot({ ...healthy, "GET /retention": () => answer });
    const found = (await findingsOf({ cwd, bot, now })).find(({ name }) => name === "retention");
    expect(found).toMatchObject({ status, detail, ...(status === "ok" ? {} : { advice: keep }) });
  });
});
