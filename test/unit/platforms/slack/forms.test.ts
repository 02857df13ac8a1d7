import type { ViewOutput } from "@slack/bolt";
import { expect, test } from "vitest";
import type { ChatIntake } from "../../../../src/app/chat/chat-intake.ts";
import type { FormField, SkillForm } from "../../../../src/app/chat/skill-form.ts";
import { skillRunCommand } from "../../../../src/app/services/run-skill-now.ts";
import type { SkillListing } from "../../../../src/app/services/skill-listing.ts";
import { askModal, readAsk } from "../../../../src/platforms/slack/incoming/ask-modal.ts";
import { formModal, readForm } from "../../../../src/platforms/slack/incoming/form-modal.ts";
import { homeView } from "../../../../src/platforms/slack/incoming/home-view.ts";
import { acceptBlocks } from "../../../support/slack/api/block-rules.ts";

let ids = 0;
const accepted = (blocks: unknown[], surface: "modal" | "home") =>
  acceptBlocks(blocks, surface, () => `b${++ids}`);

const place = { namespace: "slack:T1:C1", thread: "commands" };
const field = (more: Partial<FormField> & Pick<FormField, "name" | "kind">): FormField => ({
  label: more.name,
  description: "d".repeat(400),
  required: false,
  ...more,
});

const form: SkillForm = {
  skill_id: "weather",
  title: "A title that is longer than Slack's headings",
  summary: "Tells the weather of a place",
  fields: [
    field({ name: "city", kind: "text", required: true, default: "Bern" }),
    field({ name: "story", kind: "long_text" }),
    field({ name: "days", kind: "number", default: 3 }),
    field({ name: "metric", kind: "boolean", default: true }),
    field({ name: "kind", kind: "choice", choices: ["a", "b"], default: "b" }),
    field({
      name: "many",
      kind: "choice",
      choices: Array.from({ length: 150 }, (_, i) => `${i}`.repeat(60)),
    }),
    field({ name: "long", kind: "choice", choices: ["short", "x".repeat(151)] }),
    field({ name: "more", kind: "json", default: { x: 1 } }),
    field({ name: "day", kind: "date", default: "2026-12-24" }),
    field({ name: "clock", kind: "time", default: "09:00" }),
  ],
  command: (values) =>
    values.city === "Bern"
      ? { ok: true, ...skillRunCommand("weather", values) }
      : { ok: false, problems: { city: "Only Bern.", elsewhere: "Something else." } },
};
const intake = { form: async (id: string) => (id === "weather" ? form : undefined) } as unknown as ChatIntake;

function filled(values: Record<string, object>, view = formModal(form, place)): ViewOutput {
  return { id: "V1", private_metadata: view.private_metadata, state: { values } } as unknown as ViewOutput;
}

test("every kind of field becomes an input that Slack takes, with its default", () => {
  const view = formModal(form, place);
  accepted(view.blocks, "modal");
  expect(view.title.text.length).toBeLessThanOrEqual(24);
  expect(view.blocks[0]).toMatchObject({ elements: [{ text: "Tells the weather of a place" }] });
  expect(view.blocks[2]).toMatchObject({ element: { multiline: true }, hint: { text: "d".repeat(400) } });
  expect(view.blocks[4]).toMatchObject({ element: { initial_option: { value: "true" } } });
  expect(view.blocks.slice(6, 8)).toMatchObject([
    { element: { type: "plain_text_input" } },
    { element: { type: "plain_text_input" } },
  ]);
  expect(view.blocks[8]).toMatchObject({ element: { initial_value: '{"x":1}', multiline: true } });
  expect(view.blocks.slice(9)).toMatchObject([
    { element: { type: "datepicker", initial_date: "2026-12-24" } },
    { element: { type: "timepicker", initial_time: "09:00" } },
  ]);
});

test("a filled-in form is the command, in the place it was opened for", async () => {
  const values = {
    city: { value: { value: "Bern" } },
    kind: { value: { selected_option: { value: "a" } } },
    story: { value: { value: null } },
    day: { value: { selected_date: "2026-12-25" } },
    clock: { value: { selected_time: "08:30" } },
  };
  expect(await readForm(filled(values), intake, { team: "T1", person: "U1" })).toEqual({
    ok: true,
    place,
    ...skillRunCommand("weather", { city: "Bern", kind: "a", day: "2026-12-25", clock: "08:30" }),
  });
});

test("problems are shown at their fields, and those of no field at the first", async () => {
  const values = { city: { value: { value: "Ulm" } } };
  expect(await readForm(filled(values), intake, { team: "T1", person: "U1" })).toEqual({
    ok: false,
    errors: { city: "Something else." },
  });
});

test("a form of another workspace, or of a skill that is gone, runs nothing", async () => {
  const values = { city: { value: { value: "Bern" } } };
  expect((await readForm(filled(values), intake, { team: "T2", person: "U1" })).ok).toBe(false);
  const gone = formModal({ ...form, skill_id: "gone" }, place);
  expect((await readForm(filled(values, gone), intake, { team: "T1", person: "U1" })).ok).toBe(false);
});

test("the home tab shows hundreds of skills in pages that Slack takes", () => {
  const skill = (index: number) =>
    ({
      id: `skill-${index}`,
      name: `Skill ${index} <!here>`,
      summary: "d".repeat(100),
      state: index % 2 === 0 ? "available" : "pinned",
      eligible: index % 3 !== 0,
      reasons: ["it lacks a key"],
    }) as unknown as SkillListing;
  const skills = Array.from({ length: 230 }, (_, index) => skill(index));
  const seen = new Set<string>();
  for (let page = 0; page < 6; page += 1) {
    const { blocks } = homeView({ botName: "Knack", model: "a/b", skills, page });
    accepted(blocks, "home");
    const mrkdwn = blocks.flatMap((block) =>
      "text" in block && block.type === "section" ? [block.text] : [],
    );
    expect(JSON.stringify(mrkdwn)).not.toContain("<!here>");
    for (const [, id = ""] of JSON.stringify(blocks).matchAll(
      /"home:(?:en|dis)able".*?"value":"(skill-\d+)"/g,
    )) {
      seen.add(id);
    }
  }
  expect(seen.size).toBe(230);
});

test("a question about a conversation without the bot is answered in direct messages, and says so", () => {
  const values = { question: { value: { value: "What?" } } };
  const asked = (channel: string, elsewhere: boolean) => {
    const view = askModal(channel, { ts: "1.2", thread_ts: "1.1", text: "psst" }, elsewhere);
    return {
      view: JSON.stringify(accepted(view.blocks, "modal") ?? view.blocks),
      ...readAsk(filled(values, view), { team: "T1", direct: "threads" }, { author: "U1", now: 5 }),
    };
  };
  const direct = { namespace: "slack:T1:dm-U1", thread: "dm" };
  expect(asked("D0OTHERS", true)).toMatchObject({ place: direct, in_thread: false });
  expect(asked("C0OTHER", true)).toMatchObject({ place: direct, in_thread: false });
  expect(asked("C0OTHER", true).view).toContain("in our direct messages");
  expect(asked("D0BOT", false).place).toEqual({ namespace: "slack:T1:dm-U1", thread: "1.1" });
  expect(asked("C0OURS", false)).toMatchObject({ place: { namespace: "slack:T1:C0OURS", thread: "1.1" } });
  expect(asked("C0OURS", false).view).toContain("into the thread");
});
