import { Anthropic } from "@anthropic-ai/sdk";
import { OpenAI } from "openai";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startVendors, type Vendors } from "../../support/vendors/vendors.ts";

/** Bodies that may be wrong on purpose. */
export type Body = Record<string, unknown>;

/** The stand-in for one file of tests, empty before each, with the SDKs of the vendors pointed at it. */
export interface VendorsInTest {
  vendors(): Vendors;
  /** Posts to the messages API through Anthropic's SDK. The error is the SDK's own. */
  claude(body: Body, betas?: readonly string[]): Promise<Anthropic.Beta.BetaMessage>;
  gpt(body: Body): Promise<OpenAI.Responses.Response>;
  chat(body: Body, kind?: "deepseek" | "gemini" | "strict" | "plain"): Promise<OpenAI.ChatCompletion>;
  /** The rule that refused the last request; undefined when it was answered. */
  rule(): string | undefined;
}

export function useVendors(): VendorsInTest {
  let running: Vendors | undefined;
  beforeAll(async () => {
    running = await startVendors();
  });
  beforeEach(() => running?.reset());
  afterAll(() => running?.stop());
  const vendors = () => {
    if (running === undefined) throw new Error("the vendors run within tests only");
    return running;
  };
  const anthropic = () =>
    new Anthropic({
      apiKey: "key-a",
      authToken: null,
      baseURL: vendors().anthropicUrl,
      maxRetries: 0,
      timeout: 30_000,
      logLevel: "off",
    });
  const openai = (baseURL: string) => new OpenAI({ apiKey: "sk-a", baseURL, maxRetries: 0 });
  return {
    vendors,
    claude: (body, betas = []) =>
      anthropic().beta.messages.create({ max_tokens: 4_000, ...body, betas, stream: false } as never),
    gpt: (body) =>
      openai(vendors().openAiUrl).responses.create({ store: false, ...body, stream: false } as never),
    chat: (body, kind) => {
      const url = kind === undefined ? vendors().openAiUrl : vendors().compatibleUrl(kind);
      return openai(url).chat.completions.create({ ...body, stream: false } as never);
    },
    rule() {
      const last = vendors().requests().at(-1);
      return last?.refused[0]?.rule;
    },
  };
}

/** The HTTP status and message of a rejected call of an SDK. */
export async function refusal(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call;
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return { status, message };
  }
  throw new Error("the request was answered");
}

export const lookup = {
  name: "lookup",
  description: "Looks something up.",
  input_schema: { type: "object", properties: { query: { type: "string" } } },
};

export const hello = { role: "user", content: "Hello" };
