import { describe, expect, it } from "vitest";
import { changeSettings, channelOf } from "../../../support/bot/ask-app.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ben, createTestApp, home } from "../../../support/test-app.ts";

const newApp = () => createTestApp(scriptedModel(["An answer."]), { time_zone: "Europe/Berlin" });

describe("the time zone of a person", () => {
  it.each([
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["Mars/Phobos", undefined],
    ["", undefined],
  ])("a person's time zone given by a surface as %j is kept with the turn as %s", async (time_zone, kept) => {
    const { app, ask } = newApp();
    const { turnId, end } = await ask("hello", { by: { ...ben, time_zone } });
    expect(end.outcome).toBe("completed");
    expect((await app.turn(turnId))?.author).toEqual({ ...ben, ...(kept && { time_zone: kept }) });
  });
});

describe("/agent timezone", () => {
  it("`/agent timezone` shows the server's zone until a manager sets another, and then that one", async () => {
    const { app, ask } = newApp();
    const before = (await ask("/agent timezone", { by: ben })).end;
    expect(before).toMatchObject({ outcome: "completed", private: true });
    expect(before.text).toContain("**Europe/Berlin** (the server's)");

    const set = (await ask("/agent timezone asia/tokyo")).end;
    expect(set.text).toContain("is **Asia/Tokyo**");
    expect(set.private).toBeUndefined();
    expect((await channelOf(app, home.namespace)).settings.time_zone).toBe("Asia/Tokyo");
    expect((await ask("@Knack agent timezone")).end.text).toContain("**Asia/Tokyo** (set here)");
    expect((await ask("/agent status")).end.text).toContain("time zone: Asia/Tokyo");
    expect((await channelOf(app, "console:local:other")).settings.time_zone).toBeUndefined();
  });

  it.each(["/agent timezone default", "/agent timezone Default", "/agent reset"])(
    "the time zone goes back to the server's with %s",
    async (text) => {
      const { app, ask } = newApp();
      await ask("/agent timezone Asia/Tokyo");
      await ask(text);
      expect((await channelOf(app, home.namespace)).settings.time_zone).toBeUndefined();
      expect((await ask("/agent status")).end.text).toContain("time zone: Europe/Berlin");
    },
  );

  it.each([
    ["Europe/Amsterdm", "`Europe/Amsterdam`"],
    ["amsterdm", "`Europe/Amsterdam`"],
    ["new york", "`America/New_York`"],
    ["+02:00", "area and city"],
    ["Qqqqqqqqqqqqqqq", "area and city"],
  ])("`/agent timezone` refuses %s and says what may be meant", async (zone, advice) => {
    const { app, ask } = newApp();
    const { end } = await ask(`/agent timezone ${zone}`);
    expect(end).toMatchObject({ outcome: "failed", private: true });
    expect(end.text).toContain(`no time zone ${zone}`);
    expect(end.text).toContain(advice);
    expect((await channelOf(app, home.namespace)).settings.time_zone).toBeUndefined();
  });

  it("`/agent timezone` changes nothing for non-managers, but works for everybody in their direct messages", async () => {
    const { ask } = newApp();
    const refused = (await ask("/agent timezone Asia/Tokyo", { by: ben })).end;
    expect(refused).toMatchObject({ outcome: "failed", private: true });
    expect(refused.text).toMatch(/managers/);
    const direct = { by: ben, namespace: "slack:T1:dm-ben", thread: "dm" };
    expect((await ask("/agent timezone Asia/Tokyo", direct)).end.text).toContain("in our direct messages");
  });

  it("`/agent timezone` is completed with zones and shown in the help", async () => {
    const { app, ask } = newApp();
    const texts = async (typed: string) =>
      (await app.complete(typed, home.namespace)).map(({ text }) => text);
    expect(await texts("/agent timezone amster")).toEqual(["/agent timezone Europe/Amsterdam"]);
    expect(await texts("/agent timezone ")).toContain("/agent timezone default");
    expect((await ask("/agent help")).end.text).toContain("/agent timezone [zone|default]");
  });

  it("the API's settings change the time zone with the same words", async () => {
    const { app } = newApp();
    const change = (time_zone: string | null) =>
      changeSettings(app, home.namespace, { time_zone }, { id: "op", name: "Op", trust: "operator" });
    expect(await change("europe/rome")).toMatchObject({
      ok: true,
      value: { settings: { time_zone: "Europe/Rome" } },
    });
    const wrong = await change("Europe/Roma");
    expect(wrong).toMatchObject({
      ok: false,
      status: 400,
      message: expect.stringContaining("`Europe/Rome`"),
    });
    expect(await change("")).toMatchObject({ ok: false, status: 400 });
    expect(await change(null)).toMatchObject({ ok: true, value: { settings: { progress: "steps" } } });
  });
});
