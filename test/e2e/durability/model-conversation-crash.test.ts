import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BotHome, createBotHome } from "../../support/bot/bot-process.ts";
import { prefixDifference } from "../../support/vendors/prefix-stable.ts";
import { startVendors, type Vendors } from "../../support/vendors/vendors.ts";
import type { Script } from "../../support/vendors/view.ts";
import { type Gate, startGateBefore } from "../support/gate.ts";
import { ended, eventsOf, expectWholeTurn, stored } from "../support/turns.ts";

const place = { namespace: "console:local:general", thread: "t1" };

/** Uses a tool that is there from the opening, with a first round of thinking, then answers. */
const note: Script = ({ said, results }) => {
  if (!said.includes("note this")) return { text: "You are welcome." };
  if (results.length > 0) return { text: `It says: ${results.at(-1)?.text.slice(0, 40)}` };
  const input = { name: "day.md", content: "What a lovely day, I like it." };
  return { calls: [{ name: "write_file", input }] };
};

const models = [
  { choice: "anthropic/claude-sonnet-5-5", kind: undefined },
  { choice: "openai/gpt-6.1-terra", kind: undefined },
  { choice: "openai/gpt-5.4-mini", kind: undefined },
  { choice: "openai/deepseek-v4-pro", kind: "deepseek" },
  { choice: "openai/gemini-3-pro", kind: "gemini" },
] as const;

let vendors: Vendors;
let gate: Gate;
let home: BotHome;

beforeAll(async () => {
  vendors = await startVendors({ script: note });
});
beforeEach(async () => {
  vendors.reset();
  gate = await startGateBefore(vendors.url);
});
afterEach(async () => {
  await home.remove();
  await gate[Symbol.asyncDispose]();
});
afterAll(() => vendors.stop());

describe.each(models)("a bot on $choice that is killed in the middle of a round", ({ choice, kind }) => {
  it("a bot killed in the middle of a round continues the same conversation, byte for byte, and loses no reasoning", async () => {
    const openAiUrl = `${gate.url}${kind === undefined ? "" : `/${kind}`}/v1`;
    home = await createBotHome({
      env: {
        KNACK_MODEL: choice,
        ANTHROPIC_API_KEY: "key-of-the-test",
        ANTHROPIC_BASE_URL: gate.url,
        OPENAI_API_KEY: "key-of-the-test",
        OPENAI_BASE_URL: openAiUrl,
      },
    });
    const before = await home.start();
    const first = await before.client.submitTurn({ ...place, text: "hello" });
    await ended(before.client, first.turn_id);

    // Held: the round in which the model is told the result of its call.
    gate.close(({ body }) => body.includes("What a lovely day"));
    const killed = await before.client.submitTurn({ ...place, text: "note this" });
    await gate.reached(1, ({ body }) => body.includes("What a lovely day"));
    await before.kill();
    gate.open();

    const after = await home.start();
    expect(await ended(after.client, killed.turn_id)).toMatchObject({ outcome: "completed" });
    const events = await stored(after.client, killed.turn_id);
    expectWholeTurn(events);
    expect(eventsOf(events, "tool_started")).toHaveLength(1);
    const last = await after.client.submitTurn({ ...place, text: "thank you" });
    expect((await ended(after.client, last.turn_id)).text).toBe("You are welcome.");

    const requests = vendors.requests();
    expect(requests.flatMap(({ refused }) => refused.map(({ message }) => message))).toEqual([]);
    expect(
      requests.map(({ reasoning_lost, reasoning_omitted }) => reasoning_lost + reasoning_omitted),
    ).toEqual(requests.map(() => 0));
    for (const [at, later] of requests.slice(1).entries()) {
      const earlier = requests[at];
      if (earlier !== undefined) expect(prefixDifference(earlier, later)).toBeUndefined();
    }
  });
});
