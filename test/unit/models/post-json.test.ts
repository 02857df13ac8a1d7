import { Anthropic } from "@anthropic-ai/sdk";
import { OpenAI } from "openai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { postTo } from "../../../src/models/post-json.ts";
import { sendJson, startWireServer, type WireServer } from "./wire-server.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const sdks = [
  ["openai", OpenAI],
  ["anthropic", Anthropic],
] as const;

/** Posts to a server, and the requests that its SDK has built. */
function postOf(Client: (typeof sdks)[number][1], baseURL: string) {
  const headers = { "X-Team": "support", "anthropic-beta": "usual" };
  const client = new Client({ apiKey: "k-1", baseURL, defaultHeaders: headers });
  const built = vi.spyOn(client as OpenAI, "buildRequest");
  return { post: postTo(async () => ({ client, errors: Client }), "/answers"), built };
}

const never = new AbortController().signal;

describe.each(sdks)("a post with the SDK of %s", (_name, Client) => {
  it("posts are alike except for their bodies and their own headers, and the SDK builds one request", async () => {
    server = await startWireServer((response) => sendJson(response, { ok: true }));
    const { post, built } = postOf(Client, server.url);
    expect(await (await post({ at: 1 }, never)).json()).toEqual({ ok: true });
    await (await post({ at: 2, text: "longer than before" }, never, { "anthropic-beta": "a,b" })).text();
    expect(built).toHaveBeenCalledOnce();
    expect(server.bodies).toEqual([{ at: 1 }, { at: 2, text: "longer than before" }]);
    const [first, second] = server.headers.map(({ "content-length": _, ...headers }) => headers);
    expect(first).toMatchObject({ "x-team": "support", "anthropic-beta": "usual" });
    expect(second).toEqual({ ...first, "anthropic-beta": "a,b" });
  });

  it("a post that is refused or reaches nobody fails with the errors of its SDK", async () => {
    const error = { type: "rate_limit_error", message: "Too many." };
    server = await startWireServer((response) => {
      response.setHeader("retry-after", "7");
      sendJson(response, { error }, 429);
    });
    const { post } = postOf(Client, server.url);
    const refused = await post({}, never).catch((failure: unknown) => failure);
    expect(refused).toBeInstanceOf(Client.RateLimitError);
    expect(refused).toMatchObject({ status: 429, message: expect.stringContaining("Too many.") });
    expect((refused as { headers: Headers }).headers.get("retry-after")).toBe("7");
    await server.stop();
    const unreached = await post({}, never).catch((failure: unknown) => failure);
    expect(unreached).toBeInstanceOf(Client.APIConnectionError);
    expect(unreached).toMatchObject({ cause: { cause: { code: expect.stringMatching(/^ECONN/) } } });
    server = undefined;
  });

  it("a post that is given up fails with the reason", async () => {
    server = await startWireServer(() => {});
    const { post } = postOf(Client, server.url);
    const giving = new AbortController();
    const posted = post({}, giving.signal);
    const reason = new Error("the person stopped it");
    giving.abort(reason);
    await expect(posted).rejects.toBe(reason);
  });
});
