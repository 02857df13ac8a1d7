import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Recording, TranscriptionError } from "../../../src/core/ports/documents.ts";
import { createTranscriber, type TranscriptionSettings } from "../../../src/models/openai/transcriber.ts";
import { recordingOf } from "../../support/vendors/transcriptions.ts";
import { startVendors, type Vendors } from "../../support/vendors/vendors.ts";
import { recordingClock } from "./recording-clock.ts";

let vendors: Vendors;
beforeEach(async () => {
  vendors = await startVendors();
});
afterEach(() => vendors.stop());

const signal = new AbortController().signal;

function transcriber(
  transcription = "openai/gpt-transcribe",
  settings: Partial<TranscriptionSettings> = {},
  clock = recordingClock(),
) {
  const openai = {
    kind: "openai",
    apiKey: "sk-voice-1234",
    baseUrl: vendors.openAiUrl,
    server: "openai",
  } as const;
  const providers = { openai, groq: { ...openai, server: "groq" } };
  return createTranscriber({ choice: "openai/gpt-6.1-terra", transcription, providers, ...settings }, clock);
}

function recording(words: string, more: Partial<Recording> = {}): Recording {
  return {
    ...{ name: "audio_message.m4a", media_type: "audio/mp4", seconds: 12 },
    data: recordingOf(words),
    ...more,
  };
}

describe("a recording", () => {
  it("a recording is sent as a file with its key, and becomes text with its length", async () => {
    const heard = await transcriber()(recording("What is on the menu today?"), signal);
    expect(heard).toMatchObject({
      text: "What is on the menu today?",
      seconds: 12,
      model: "openai/gpt-transcribe",
    });
    expect(vendors.transcriptions()).toMatchObject([
      {
        model: "gpt-transcribe",
        file: "audio_message.m4a",
        type: "audio/mp4",
        key: "sk-voice-1234",
        status: 200,
      },
    ]);
  });

  it.each([
    ["voice-message", "audio/ogg", "voice-message.ogg"],
    ["Aufnahme 3.opus", "audio/ogg", "Aufnahme 3.opus.ogg"],
    ["clip", "audio/webm", "clip.webm"],
    ["memo.M4A", "audio/x-m4a", "memo.M4A"],
  ])("a recording called %s of type %s has a name that says its format", async (name, media_type, sent) => {
    await transcriber()(recording("hi", { name, media_type }), signal).catch(() => undefined);
    expect(vendors.transcriptions().map(({ file }) => file)).toEqual([sent]);
  });

  it("a recording whose length only the server knows has that length", async () => {
    const heard = await transcriber()(recording("one two three four", { seconds: undefined }), signal);
    expect(heard.seconds).toBe(2);
  });
});

describe("the cost of a recording", () => {
  it("a recording's cost is counted by the second, or by the token, as the model bills", async () => {
    const prices = { "openai/gpt-4o-transcribe": { input: 5, output: 10 } };
    const usage = async (name: string) =>
      (await transcriber(name, { prices })(recording("word ".repeat(240)), signal)).usage;
    expect(await usage("groq/whisper-large-v3-turbo")).toEqual({
      ...{ input_tokens: 0, output_tokens: 0 },
      cost_usd: expect.closeTo((0.04 / 60) * 2, 9),
    });
    expect(await usage("openai/gpt-4o-transcribe")).toEqual({
      ...{ input_tokens: 1_200, output_tokens: 360 },
      cost_usd: expect.closeTo((1_200 * 5 + 360 * 10) / 1_000_000, 9),
    });
  });

  it("a recording's cost is not counted where the price is unknown, as at one's own address", async () => {
    const { usage } = await transcriber()(recording("hello"), signal);
    expect(usage).toEqual({ input_tokens: 0, output_tokens: 0 });
  });
});

describe("a failure", () => {
  const failure = async (more: Parameters<typeof transcriber> = [], of = recording("hello")) => {
    const outcome = await transcriber(...more)(of, signal).catch((error: unknown) => error);
    if (outcome instanceof TranscriptionError) return outcome;
    throw new Error("it was heard, or failed otherwise", { cause: outcome });
  };

  it("a temporary transcription failure is tried again after the time the server names", async () => {
    vendors.fail({ kind: 429, retry_after: 3 });
    const clock = recordingClock();
    const heard = await transcriber(undefined, {}, clock)(recording("hello"), signal);
    expect([heard.text, clock.sleeps]).toEqual(["hello", [3_000]]);
  });

  it("a lasting transcription failure is put into words that name no server, and operators get the rest", async () => {
    vendors.fail({ kind: 503, times: 2 });
    const error = await failure();
    expect(error.message).toMatch(/^the service that transcribes (is overloaded|did not answer); try again/);
    expect(error.detail).toMatch(/openai\/gpt-transcribe: 127\.0\.0\.1:\d+ /);
  });

  it("a transcription failure of the file is reported as such and not tried again", async () => {
    const error = await failure([], recording("hello", { data: Buffer.from("nonsense") }));
    expect([error.code, error.message]).toEqual([
      "refused",
      "the service that transcribes refused this; its rules, its format or its length may be the reason",
    ]);
    expect(vendors.transcriptions()).toHaveLength(1);
  });

  it("a transcription failure of a wrong key or model is for whoever runs the bot, without the key", async () => {
    vendors.fail({ kind: 401, message: "Incorrect API key provided: sk-voice-1234" });
    const error = await failure();
    expect(error.message).toContain("an operator has to check it");
    expect(error.detail).toContain("HTTP 401");
    expect(error.detail).not.toContain("sk-voice-1234");
    expect((await failure(["openai/whisper-9"])).message).toContain("does not know the model");
  });

  it("a transcription without a service says that there is none", async () => {
    expect((await failure(["off"])).message).toBe("no service that transcribes speech is set up here");
    expect((await failure(["off", { choice: "offline" }])).message).toContain("without a language model");
  });

  it("a stopped transcription rejects with the stop", async () => {
    const stop = AbortSignal.abort(new Error("stopped"));
    await expect(transcriber()(recording("hello"), stop)).rejects.toThrow("stopped");
  });
});
