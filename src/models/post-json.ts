import type { Anthropic } from "@anthropic-ai/sdk";
import type { OpenAI } from "openai";
import { parsedJson } from "../base/json-reader.ts";
import { once } from "../base/made-once.ts";
import { type ServerAnswer, sendRequest, targetOf } from "./send-request.ts";
import { whyFailed } from "./server-fetch.ts";

/** What is used of a vendor's SDK: how it addresses and signs a request, and the errors of its failures. */
export interface Sdk {
  client: Pick<OpenAI | Anthropic, "buildRequest">;
  errors: Pick<typeof OpenAI | typeof Anthropic, "APIError" | "APIConnectionError">;
}

/** A body of these parameters. JSON leaves out what is undefined, which the SDKs' types do not allow. */
export type Body<Parameters> = { [Field in keyof Parameters]?: Parameters[Field] | undefined };

/**
 * Posts JSON and returns the answer to read.
 * @param headers are sent in place of the usual ones
 * @throws the SDK's errors, and the signal's reason on abort
 */
export type Post = (
  body: object,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
) => Promise<ServerAnswer>;

/**
 * Posts to a path of a server. The SDK makes the address and the headers, once: it would make them again for each request, and pass each
 * value of a body to a function, which takes several times as long as making its JSON.
 */
export function postTo(connect: () => Promise<Sdk>, path: string): Post {
  const prepared = once(async () => {
    const { client, errors } = await connect();
    const { url, req } = await client.buildRequest({ method: "post", path, body: {} });
    return { target: targetOf(url, "POST", req.headers), errors };
  });
  return async (body, signal, headers) => {
    const { target, errors } = await prepared();
    try {
      const answer = await sendRequest(target, JSON.stringify(body), signal, headers);
      const failure = await whyFailed(answer, target);
      if (failure === undefined) return answer;
      const report = parsedJson(failure.text) as object | undefined;
      const text = report === undefined ? failure.text : undefined;
      throw errors.APIError.generate(failure.status, report, text, failure.headers);
    } catch (error) {
      throw error instanceof TypeError ? new errors.APIConnectionError({ cause: error }) : error;
    }
  };
}
