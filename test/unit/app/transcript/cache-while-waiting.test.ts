import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModels } from "../../../../src/models/create-models.ts";
import { systemClock } from "../../../../src/wiring/system-clock.ts";
import { answerTurn } from "../../../support/bot/ask-app.ts";
import { ada, createTestApp } from "../../../support/test-app.ts";
import type { RecordedRequest } from "../../../support/vendors/recording.ts";
import { startVendors, type Vendors } from "../../../support/vendors/vendors.ts";
import type { Script } from "../../../support/vendors/view.ts";

const minute = 60_000;

/** Asks the person once, and then answers. */
const script: Script = ({ results }) =>
  results.length === 0
    ? { calls: [{ name: "ask_user", input: { question: "Which one?" } }] }
    : { text: "Thank you." };

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");

let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors({ script });
});
afterAll(() => vendors.stop());

/** How the requests of the latest turn ended, as its operator counts them. */
let outcomes: string[] = [];

/** The requests of a turn that waits for twenty minutes. */
async function waited(choice: string, text: string): Promise<RecordedRequest[]> {
  vendors.reset({ script });
  outcomes = [];
  const settings = {
    choice,
    idleTimeoutMs: 5_000,
    retry: { attempts: 1 },
    onCall: ({ outcome }: { outcome: string }) => void outcomes.push(outcome),
    providers: {
      anthropic: { kind: "anthropic", apiKey: "key", baseUrl: vendors.anthropicUrl },
      openai: { kind: "openai", apiKey: "key", baseUrl: vendors.openAiUrl },
    },
  } as const;
  const models = createModels(settings, systemClock);
  const limits = { message_tokens: 50_000, transcript_tokens: 100_000 };
  const app = createTestApp(models.main, { models, limits });
  const turn = await app.say(text);
  const { question_id } = await app.until(turn, "question_asked");
  await app.until(turn, "turn_waiting");
  vendors.advance(20 * minute);
  await answerTurn(app.app, turn, question_id, "The first.", ada);
  await app.until(turn, "turn_finished");
  await app.stop(0);
  return vendors.requests();
}

describe("a turn that waits for a person", () => {
  it("the end of a long conversation is kept for the hour, and read when the person has answered", async () => {
    const [first, kept, after] = await waited("anthropic/claude-sonnet-5-5", words(8_000));
    expect(kept).toMatchObject({ outcome: "answered", body: { max_tokens: 0 } });
    expect(kept?.usage?.cache_read).toBeGreaterThan(10_000);
    expect(kept?.usage).toMatchObject({ cache_write: 0, output: 0 });
    expect(after?.usage?.cache_read).toBe(
      (kept?.usage?.cache_read ?? 0) + (kept?.usage?.cache_write_long ?? 0),
    );
    expect(JSON.stringify(after?.body)).toContain(JSON.stringify(first?.body.tools).slice(1, 200));
  });

  it.each([
    { what: "a short conversation", choice: "anthropic/claude-sonnet-5-5", text: "hello" },
    { what: "a vendor that decides by itself", choice: "openai/gpt-6.1-terra", text: words(8_000) },
  ])("nothing is sent for $what, and nothing counts as a failed request", async ({ choice, text }) => {
    expect(await waited(choice, text)).toHaveLength(2);
    expect(outcomes).toEqual(["ok", "ok"]);
  });
});
