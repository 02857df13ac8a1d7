import { describe, expect, it } from "vitest";
import { shapingRules } from "../../../../src/app/chat/present/shape-answer.ts";
import { createPlaceDescriber } from "../../../../src/app/reading/place-description.ts";
import { channelThread, createChatPlatforms } from "../../../../src/core/ports/chat-platform.ts";
import type { Place } from "../../../../src/core/values/place.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";

const general = { namespace: "fake:team:general" };
const minute = 60_000;

type Answer = { name?: string; topic?: string };

/** A describer whose platform answers with what is next in `answers`, and the last of them ever after. */
function describer(
  answers: (Answer | Error | Promise<Answer>)[] = [{ name: "general", topic: "Everything" }],
) {
  const clock = createFakeClock();
  const asked: Place[] = [];
  const reported: unknown[] = [];
  const platforms = createChatPlatforms();
  platforms.add({
    ...createFakePlatform(),
    async describe(place) {
      asked.push(place);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer ?? {};
    },
  });
  const report = (error: unknown) => void reported.push(error);
  return {
    clock,
    asked,
    reported,
    ...createPlaceDescriber(platforms, clock, report, shapingRules),
  };
}

describe("a place is described", () => {
  it("a place is described by the platform, which is asked about the channel and not about a thread", async () => {
    const { describe: place, asked } = describer();
    expect(await place({ ...general, thread: "t1" } as Place)).toEqual({
      platform: "Fake",
      kind: "channel",
      id: "fake:team:general",
      name: "general",
    });
    expect(asked).toEqual([{ ...general, thread: channelThread }]);
  });

  it("a place is described without asking where there is nothing to ask", async () => {
    const { describe: place, asked } = describer();
    const direct = { namespace: "fake:team:dm-ada" };
    expect(await place(direct)).toEqual({ platform: "Fake", kind: "direct_message", id: direct.namespace });
    const web = { namespace: "console:local:general" };
    expect(await place(web)).toEqual({
      platform: "the web chat",
      kind: "channel",
      id: web.namespace,
      name: "general",
    });
    expect(asked).toEqual([]);
  });

  it("a place is described by one question in ten minutes, however many ask", async () => {
    const { describe: place, asked, clock } = describer([{ name: "old" }, { name: "new" }]);
    await Promise.all([place(general), place(general), place(general)]);
    clock.advance(10 * minute - 1);
    expect((await place(general)).name).toBe("old");
    expect(asked).toHaveLength(1);
    clock.advance(1);
    expect(await place(general)).toMatchObject({ name: "new" });
    expect(asked).toHaveLength(2);
  });
});

describe("a platform that does not tell", () => {
  const unnamed = { platform: "Fake", kind: "channel", id: "fake:team:general" };

  it.each<[string, Answer | Error]>([
    ["nothing", {}],
    ["an empty name", { name: "" }],
    ["an error", new Error("broken")],
  ])(
    "a platform that answers with %s does not erase a known name, and is asked again after a minute",
    async (_what, bad) => {
      const { describe: place, clock, asked } = describer([{ name: "general" }, bad, { name: "new" }]);
      await place(general);
      clock.advance(10 * minute);
      expect(await place(general)).toMatchObject({ name: "general" });
      expect(await place(general)).toMatchObject({ name: "general" });
      expect(asked).toHaveLength(2);
      clock.advance(minute);
      expect((await place(general)).name).toBe("new");
    },
  );

  it("a platform that never answers leaves the channel without a name", async () => {
    const { describe: place, reported } = describer([new Error("broken")]);
    expect(await place(general)).toEqual(unnamed);
    expect(reported).toHaveLength(1);
  });

  it("a slow platform is waited for at most two seconds in all, and its answer is kept", async () => {
    const late = Promise.withResolvers<Answer>();
    const { describe: place, clock, asked } = describer([late.promise]);
    const first = place(general);
    clock.advance(1_500);
    const second = place(general);
    clock.advance(500);
    expect(await Promise.all([first, second])).toEqual([unnamed, unnamed]);
    clock.advance(minute);
    expect(await place(general)).toEqual(unnamed);
    expect(asked).toHaveLength(1);
    late.resolve({ name: "general" });
    await expect.poll(async () => (await place(general)).name).toBe("general");
    expect(asked).toHaveLength(1);
  });
});

describe("how to write", () => {
  it("the advice on writing is what the platform says, with what becomes of long answers", () => {
    const { writing } = describer();
    expect(writing(general)).toMatchObject({ name: "Fake", mentions: "Nobody is called." });
    expect(writing(general).formatting).toMatch(/^Markdown is shown.*attached whole/);
    expect(writing({ namespace: "console:local:general" }).name).toBe("the web chat");
  });
});
