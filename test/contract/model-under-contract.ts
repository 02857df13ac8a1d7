import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Model } from "../../src/core/ports/model.ts";
import type { Clock } from "../../src/core/ports/storage.ts";
import { createModel } from "../../src/models/create-models.ts";
import type { ModelSettings } from "../../src/models/named-model.ts";
import { type ModelFixture, type ModelServer, startModelServer } from "../support/models/model-server.ts";
import { recordingClock } from "../unit/models/recording-clock.ts";

/** What differs between the providers under the contract. */
export interface ModelUnderContract {
  /** `provider/model`. */
  choice: string;
  kind: "openai" | "anthropic";
  /** The shape of its requests. */
  wire: "chat" | "responses" | "messages";
  keyName: string;
  baseUrl(server: ModelServer): string;
}

/** The key every model is given. */
export const key = "sk-test-0123456789abcdefghij";

/** What the server says when all is well. */
export const sentence = "The answer to everything is forty-two.";

/** Errors followed by an answer; all must have the same match. */
export function thenAnswer(userMessage: string, errors: ModelFixture["response"][]): ModelFixture[] {
  return [...errors, { content: sentence }].map((response, sequenceIndex) => ({
    match: { userMessage, sequenceIndex },
    response,
  }));
}

/** A server for the tests of a file, fresh for each. */
export function useModelServer(): () => ModelServer {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer();
  });
  beforeEach(() => server.reset());
  afterAll(() => server.stop());
  return () => server;
}

/** Creates models of three attempts that ask this server, or the one at `url`. */
export function modelsOf(subject: ModelUnderContract, server: () => ModelServer) {
  return (changes: Partial<ModelSettings> = {}, clock: Clock = recordingClock(), url?: string): Model => {
    const provider = { kind: subject.kind, apiKey: key, baseUrl: url ?? subject.baseUrl(server()) };
    const name = subject.choice.slice(0, subject.choice.indexOf("/"));
    const settings = { choice: subject.choice, providers: { [name]: provider }, retry: { attempts: 3 } };
    return createModel({ ...settings, ...changes }, clock);
  };
}
