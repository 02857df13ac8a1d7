import { describe, expect, it } from "vitest";
import { ann, createBot, general } from "./schedule-bot.ts";

const answerTo = async (text: string, { generative = false } = {}) => {
  const bot = createBot(["The agent answers."], { generative });
  const events = await bot.app.events(await bot.say(text));
  const last = events.at(-1);
  return {
    text: last?.type === "turn_finished" ? last.text : "",
    asked: JSON.stringify(bot.model.requests.at(-1)?.messages ?? []),
    list: async () => {
      const call = { input: { namespace: general }, asker: { by: ann, namespace: general } };
      const listed = await bot.app.app.run("schedule.list", call);
      return listed.ok ? listed.value.schedules : [];
    },
  };
};

describe("the command /agent schedule add", () => {
  it.each<[string, RegExp, string, string]>([
    [
      "at 2026-12-24 09:00 pay",
      /on Thu 2026-12-24 09:00 \(Europe\/Berlin\): pay\nNext: Thu 2026-12-24/,
      "reminder",
      "pay",
    ],
    ["AT 2026-12-24T09:00+00:00 pay\nnow", /on Thu 2026-12-24 10:00/, "reminder", "pay\nnow"],
    ["at 2026-12-24 09:00 +00:00 pay", /on Thu 2026-12-24 10:00/, "reminder", "pay"],
    ["in PT2H remind me of it", /on Wed 2026-11-25 13:00/, "reminder", "remind me of it"],
    [
      'cron "0 9 * * 1-5" post it --task',
      /every weekday at 09:00.*\nNext: Thu.*, Fri.*, Mon/s,
      "task",
      "post it",
    ],
    [
      "cron “0 9 * * 1” cron '30 8 * * 2' post",
      /every Monday at 09:00 and every Tuesday at 08:30/,
      "reminder",
      "post",
    ],
  ])("reads the exact form, with a model and without: %s", async (words, said, what, text) => {
    for (const generative of [false, true]) {
      const answer = await answerTo(`/agent schedule add ${words}`, { generative });
      expect(answer.text).toMatch(said);
      expect(await answer.list()).toMatchObject([{ what, text }]);
    }
  });

  const others = [
    "tomorrow at 9 remind me",
    "in 2 hours pay",
    "at noon pay",
    "cron 0 9 * * 1 pay",
    "at 2026-12-24 pay",
  ];

  it.each(others)(
    "a schedule in other words is left to the agent where there is a model: %s",
    async (words) => {
      const answer = await answerTo(`/agent schedule add ${words}`, { generative: true });
      expect([answer.text, answer.asked]).toEqual(["The agent answers.", expect.stringContaining(words)]);
    },
  );

  it.each(["", ...others])(
    "a schedule in other words is refused with the forms where there is no model: %s",
    async (words) => {
      const answer = await answerTo(`/agent schedule add ${words}`.trim());
      expect(answer.text).toContain('`at 2026-12-24 09:00 …`, `in PT2H …` or `cron "0 9 * * 1-5" …`');
      expect(await answer.list()).toEqual([]);
    },
  );

  it.each([
    ["at 2026-13-24 09:00 pay", /not a valid time/],
    ["at 2020-01-01 09:00 pay", /has passed/],
    ["in P1X pay", /not a valid duration/],
    ['cron "0 9 31 2 *" pay', /never runs/],
    ['cron "0 0 9 * * 1" pay', /five fields/],
  ])("refuses a wrong time itself, with a model too: %s", async (words, problem) => {
    expect((await answerTo(`/agent schedule add ${words}`, { generative: true })).text).toMatch(problem);
  });
});

describe("the form of /agent schedule add", () => {
  const form = (text = "/agent schedule add", person = "ann") =>
    createBot(["x"]).intake.formOfCommand(text, { namespace: general, thread: "t1" }, person);
  const filled = { text: "pay", date: "2026-12-24", time: "09:00", repeat: "once", zone: "Asia/Tokyo" };

  it("asks for a text, a date, a time, a repetition and a zone", async () => {
    expect(await form()).toMatchObject({
      title: "Plan a reminder",
      fields: [
        { name: "text", kind: "long_text" },
        { name: "date", kind: "date", default: "2026-11-26" },
        { name: "time", kind: "time", default: "09:00" },
        { name: "repeat", kind: "choice", default: "once" },
        { name: "zone", kind: "text", default: "Europe/Berlin", required: false },
      ],
    });
    expect(await form("/agent schedule add --task")).toMatchObject({ title: "Plan a task" });
    expect(await form("/agent schedule add at noon")).toBeUndefined();
  });

  it.each<[object, object]>([
    [{}, { at: "2026-12-24T09:00", zone: "Asia/Tokyo" }],
    [{ zone: "" }, { at: "2026-12-24T09:00" }],
    [{ repeat: "every day" }, { cron: ["0 9 * * *"], from: "2026-12-24T09:00" }],
    [
      { repeat: "every weekday", time: "9:30" },
      { cron: ["30 9 * * 1-5"], from: "2026-12-24T09:30" },
    ],
    [{ repeat: "every week" }, { cron: ["0 9 * * 4"], from: "2026-12-24T09:00" }],
    [{ repeat: "every month" }, { cron: ["0 9 24 * *"], from: "2026-12-24T09:00" }],
  ])("becomes the exact fields of the operation: %j", async (values, input) => {
    expect((await form())?.command({ ...filled, ...values })).toMatchObject({
      ok: true,
      command: {
        operation: "schedule.add",
        input: { namespace: general, text: "pay", what: "reminder", ...input },
      },
    });
  });

  it("names each field that is wrong", async () => {
    const wrong = { text: " ", date: "2026-02-30", time: "noon", repeat: "often", zone: "Mars/Olympus" };
    const read = (await form())?.command(wrong);
    expect(Object.keys(read?.ok === false ? read.problems : {})).toEqual(Object.keys(filled));
  });

  it("plans what was filled in, and names its next runs", async () => {
    const bot = createBot(["x"]);
    const place = { namespace: general, thread: "t1" };
    const read = (await bot.intake.formOfCommand("/agent schedule add", place, "ann"))?.command(filled);
    if (read?.ok !== true) throw new Error("The form is refused");
    const { text, command } = read;
    await bot.intake.command({
      key: "k",
      place,
      id: "i",
      author: "ann",
      text,
      command,
      said_at: bot.clock.now(),
    });
    await bot.shows(
      /Planned.*Thu 2026-12-24 09:00 \(Asia\/Tokyo\): pay\nNext: Thu 2026-12-24 01:00 Europe\/Berlin/,
    );
  });
});

describe("the operations of schedules", () => {
  const world = async () => {
    const { app } = createBot(["x"]);
    const run = (name: "schedule.add" | "schedule.change", input: object) =>
      app.app.run(name, {
        input: { namespace: general, ...input } as never,
        asker: { by: ann, namespace: general },
      });
    const added = await run("schedule.add", { text: "pay", at: "2026-11-26T09:00" });
    return { app, run, id: added.ok ? added.value.id : "" };
  };

  it("the operation schedule.change gives new times", async () => {
    const { app, run, id } = await world();
    expect(await run("schedule.change", { id, cron: ["0 9 * * 1"], until: "2026-12-08" })).toMatchObject({
      ok: true,
      value: { id, when: "every Monday at 09:00, until Tue 2026-12-08 23:59 (Europe/Berlin)" },
    });
    const command = `/agent schedule change ${id} at 2026-11-27 08:00`;
    const last = (await app.events(await app.say(command, { by: ann, namespace: general }))).at(-1);
    expect(last).toMatchObject({ text: expect.stringMatching(/^Changed .*on Fri 2026-11-27 08:00/) });
  });

  it("the operation schedule.change refuses what is not a time, and other people", async () => {
    const { app, run, id } = await world();
    expect(await run("schedule.change", { id, at: "noon" })).toMatchObject({ ok: false, status: 400 });
    const input = { namespace: general, id, in: "PT1H" };
    const asker = { by: { ...ann, id: "ben" }, namespace: general };
    expect(await app.app.run("schedule.change", { input, asker })).toMatchObject({ ok: false, status: 403 });
  });
});
