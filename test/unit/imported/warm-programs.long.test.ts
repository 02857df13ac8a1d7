import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { needs } from "../../support/needs.ts";
import { handlerOf, importedFixture, useSandbox, writeSkill } from "./imported-fixture.ts";

useSandbox();

/** Answers how often this process was called. */
const counting = { handler: `let calls = 0;\n${handlerOf("calls += 1; return calls;")}` };
const nth = (count: number) => ({ status: "ok", output: String(count) });

describe("the process of an imported skill", needs("bubblewrap"), () => {
  it("an imported skill's process is kept after a call, and another's is not used", async () => {
    const { root, call } = importedFixture();
    writeSkill(root, "one", counting);
    writeSkill(root, "two", counting);
    expect(await call("one")).toEqual(nth(1));
    expect(await call("two")).toEqual(nth(1));
    expect(await call("one")).toEqual(nth(2));
  });

  it("an imported skill has another process in another channel", async () => {
    const { root, call } = importedFixture();
    writeSkill(root, "one", counting);
    const there = { place: { namespace: "test:w:there", thread: "t" } };
    expect(await call("one")).toEqual(nth(1));
    expect(await call("one", {}, there)).toEqual(nth(1));
    expect(await call("one")).toEqual(nth(2));
  });

  it("an imported skill has a new process for a new version", async () => {
    const { root, call } = importedFixture();
    writeSkill(root, "one", counting);
    await call("one");
    writeSkill(root, "one", { handler: `${counting.handler}// changed` });
    expect(await call("one")).toEqual(nth(1));
  });

  it("an imported skill's process ends when it was not used for a while", async () => {
    const clock = createFakeClock();
    const { root, call } = importedFixture({ clock, idle_ms: 60_000 });
    writeSkill(root, "one", counting);
    await call("one");
    clock.advance(59_000);
    expect(await call("one")).toEqual(nth(2));
    clock.advance(59_000);
    expect(await call("one")).toEqual(nth(3));
    clock.advance(61_000);
    expect(await call("one")).toEqual(nth(1));
  });

  it("an imported skill's process gives its place to others, the least recently used first", async () => {
    const { root, call } = importedFixture({ most_idle: 2 });
    for (const name of ["one", "two", "three"]) writeSkill(root, name, counting);
    await call("one");
    await call("two");
    await call("one");
    await call("three");
    expect(await call("one")).toEqual(nth(3));
    expect(await call("two")).toEqual(nth(1));
  });

  it("an imported skill's process serves several calls at the same time", async () => {
    const { root, call } = importedFixture();
    const handler = `const waiting = [];\n${handlerOf(
      "await new Promise((go) => { waiting.push(go); if (waiting.length === 3) for (const each of waiting) each(); }); return args.who;",
    )}`;
    const plugin = { entrypoint: { file: "handler.js", params: { who: { type: "string" } } } };
    writeSkill(root, "meeting", { plugin, handler });
    const results = await Promise.all(["a", "b", "c"].map((who) => call("meeting", { who })));
    expect(results.map((result) => result.status === "ok" && result.output)).toEqual(["a", "b", "c"]);
  });

  it("an imported skill's process tells the other calls when one of them has to be stopped", async () => {
    const { root, call } = importedFixture();
    writeSkill(root, "slow", {
      handler: handlerOf("this.introspect('begun'); await new Promise(() => {});"),
    });
    const begun = Promise.withResolvers<void>();
    const controller = new AbortController();
    const other = call("slow", {}, { progress: () => begun.resolve() });
    await begun.promise;
    void call("slow", {}, { signal: controller.signal, progress: () => controller.abort(new Error("stop")) });
    expect(await other).toMatchObject({
      code: "skill_ended",
      message: expect.stringContaining("Another call of this skill ran too long or was stopped"),
    });
  });

  it("an imported skill's process does not keep what one call put into this", async () => {
    const { root, call } = importedFixture();
    writeSkill(root, "keeper", {
      plugin: { setup_args: { A: { type: "string", value: "clean" } } },
      handler: handlerOf(
        "const before = [this.kept, this.runtimeArgs.A]; this.kept = 1; this.runtimeArgs.A = 'dirty'; return before;",
      ),
    });
    await call("keeper");
    expect(await call("keeper")).toEqual({ status: "ok", output: '[null,"clean"]' });
  });

  it("an imported skill's process ends with the bot, and its calls with it", async () => {
    const { root, call, close } = importedFixture();
    writeSkill(root, "slow", {
      handler: handlerOf("this.introspect('begun'); await new Promise(() => {});"),
    });
    const result = await call("slow", {}, { progress: close });
    expect(result).toMatchObject({ code: "skill_ended", message: expect.stringContaining("shutting down") });
  });
});
