import { afterEach, describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import { emptyTurnView, foldTurn } from "../../../src/core/log/turn-view.ts";
import { createTranscriber } from "../../../src/models/openai/transcriber.ts";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { createServer } from "../../../src/server/server.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { createTestApp } from "../../support/test-app.ts";
import { recordingOf } from "../../support/vendors/transcriptions.ts";
import { startVendors, type Vendors } from "../../support/vendors/vendors.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

/** A transcriber that asks the stand-in for OpenAI. */
async function ears(): Promise<{ vendors: Vendors; transcriber: ReturnType<typeof createTranscriber> }> {
  const vendors = await startVendors();
  running.push(vendors);
  const openai = { kind: "openai", apiKey: "sk-1234", baseUrl: vendors.openAiUrl } as const;
  const settings = { choice: "openai/m", transcription: "openai/gpt-transcribe", providers: { openai } };
  return { vendors, transcriber: createTranscriber(settings, systemClock) };
}

const clip = (words: string) => ({
  ...{ name: "audio_message.webm", mimetype: "video/webm", duration_ms: 3_200 },
  content_base64: recordingOf(words).toString("base64"),
});

describe("a voice message", () => {
  test("a voice message in a direct message on Slack is answered as the person's words, and is known afterwards", async () => {
    const slack = await fakeSlack();
    const { vendors, transcriber } = await ears();
    const model = scriptedModel(["Oslo is nice.", "Oslo."]);
    await slackBot(slack, model, { transcriber });

    const { ts } = await slack.say({
      user: "U0BEN",
      channel: "D0BEN",
      text: "",
      files: [clip("My city is Oslo")],
    });
    await slack.until((state) => answers(state, "D0BEN", ts, 1), "an answer");
    await slack.say({ user: "U0BEN", channel: "D0BEN", text: "what is my city?", thread_ts: ts });
    await slack.until((state) => answers(state, "D0BEN", ts, 2), "a second answer");

    const [first, second] = model.requests.map(({ messages }) =>
      messages.flatMap((message) => (message.role === "user" ? message.text : [])),
    );
    expect(first?.at(-1)).toContain(
      "a voice message of 0:03, transcribed: words may be misheard. It is the message below",
    );
    expect(first?.at(-1)).toMatch(/\/>\n\nMy city is Oslo$/);
    expect(second?.join("\n")).toContain("My city is Oslo");
    expect(vendors.transcriptions()).toMatchObject([{ type: "audio/webm", key: "sk-1234", status: 200 }]);
  });

  test("a voice message that the service refuses is reported to the model, and the turn continues", async () => {
    const slack = await fakeSlack();
    const { vendors, transcriber } = await ears();
    vendors.fail({ kind: 400, message: "Audio file might be corrupted" });
    const model = scriptedModel(["I could not hear you."]);
    await slackBot(slack, model, { transcriber });

    const { ts } = await slack.say({ user: "U0BEN", channel: "D0BEN", text: "", files: [clip("hello")] });
    const [answer] = (await slack.until((state) => answers(state, "D0BEN", ts, 1), "an answer")) ?? [];

    expect(answer).toContain("I could not hear you.");
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("the voice message could not be heard: ");
  });

  test("a voice message through the console's API is the message, and the console shows what was said", async () => {
    const { transcriber } = await ears();
    const model = scriptedModel(["Four."]);
    const app = createTestApp(model, { transcriber });
    const server = createServer({
      app: app.app,
      assets: loadConsoleAssets(),
      security: { host: "127.0.0.1", port: 0 },
      version: "1",
      logger: { error: () => undefined },
    });
    running.push({ stop: () => app.stop(1_000) }, { stop: () => server.close() });
    const { url } = await server.listen();
    const form = new FormData();
    form.set("namespace", "console:local:general");
    form.set(
      "file",
      new File([Uint8Array.from(recordingOf("What is two plus two?"))], "memo.ogg", { type: "audio/ogg" }),
    );

    const response = await fetch(`${url}/api/v1/turns`, {
      method: "POST",
      body: form,
      headers: { origin: url },
    });
    const { turn_id } = (await response.json()) as { turn_id: string };
    await app.events(turn_id);

    expect(JSON.stringify(model.requests[0]?.messages)).toContain("What is two plus two?");
    const seen = await fetch(`${url}/api/v1/turns/${turn_id}/events`);
    const lines = (await seen.text()).split("\n").filter((line) => line.startsWith("data:"));
    const events = lines.map((line) => JSON.parse(line.slice(5)) as TurnEvent);
    const view = events.reduce(foldTurn, emptyTurnView(turn_id));
    expect(view).toMatchObject({ said: "What is two plus two?", text: "Four." });
  });
});
