import { describe, expect, it, onTestFinished } from "vitest";
import type { Model } from "../../../src/core/ports/model.ts";
import type { Message, ToolDefinition } from "../../../src/core/values/message.ts";
import { createModel } from "../../../src/models/create-models.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { prefixDifference } from "../../support/vendors/prefix-stable.ts";
import { cachedShare } from "../../support/vendors/recording.ts";
import { echo } from "../../support/vendors/script.ts";
import { startVendors, type Vendors } from "../../support/vendors/vendors.ts";
import type { Script } from "../../support/vendors/view.ts";
import { providersOf, talkingModels } from "../support/vendor-conversation.ts";

const tool = (name: string): ToolDefinition => ({
  name,
  description: `The tool ${name}. ${"It does what it says. ".repeat(40)}`,
  parameters: { type: "object", properties: { text: { type: "string" } } },
});

/** Two calls of the tool whose name is said, if it is there and may be called; then an answer. */
const callWhatIsSaid: Script = (request) => {
  const { said, results, tools, may_call, schema } = request;
  if (schema !== undefined || !may_call) return echo(request);
  if (results.length > 0 || !tools.some(({ name }) => name === said)) return { text: `Answer to ${said}` };
  return {
    calls: [1, 2].map((at) => ({ name: said, input: { text: `${said} ${at}` } })),
    thought: `Call ${said}.`,
  };
};

/** Sends a transcript that only grows, and appends each answer with the results of its calls. */
async function talk(model: Model, messages: Message[], tools: readonly ToolDefinition[]): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  const request = {
    system: "You help. ".repeat(200),
    tools,
    cache: { key: "channel", tools: "short", instructions: "short" } as const,
    signal,
  };
  for await (const event of model.stream({ ...request, messages: [...messages] })) {
    if (event.type !== "finished") continue;
    const { message } = event;
    messages.push(message);
    const results = message.tool_calls.map(({ id, name }): Message => {
      return { role: "tool", call_id: id, tool: name, text: `${name} says 42`, is_error: false };
    });
    messages.push(...results);
    if (results.length > 0) await talk(model, messages, tools);
  }
}

describe.each(talkingModels)("the adapter of $choice", ({ choice, in_place }) => {
  async function start(): Promise<{ vendors: Vendors; model: Model }> {
    const vendors = await startVendors({ script: callWhatIsSaid });
    onTestFinished(() => vendors.stop());
    const settings = { choice, retry: { attempts: 1 }, providers: providersOf(vendors) };
    return { vendors, model: createModel(settings, systemClock) };
  }

  it("an adapter sends a transcript with changes in it so that nothing is refused or lost", async () => {
    const { vendors, model } = await start();
    const messages: Message[] = [];
    const say = async (text: string, ...changes: Message[]) => {
      messages.push(...changes, { role: "user", text });
      await talk(model, messages, [tool("weather"), tool("stocks")]);
    };
    await say("hello");
    await say("weather");
    await say("trains", { role: "system", text: "The tool trains is there now.", add: [tool("trains")] });
    await say("hello", { role: "system", text: "It is Sunday." });
    await say("hello again", { role: "system", text: "The tool trains is gone.", remove: ["trains"] });
    await say("trains once more", {
      role: "system",
      text: "The tool trains is there again.",
      remove: ["trains"],
      add: [tool("trains")],
    });
    const all = vendors.requests();
    const wrong = all.flatMap(({ outcome, refused, reply }) =>
      outcome === "answered" ? [] : [`${outcome}: ${refused[0]?.message ?? JSON.stringify(reply)}`],
    );
    expect(wrong).toEqual([]);
    expect(all.at(-1)?.view.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["trains"]));
    if (!in_place) return;
    const changed = all.slice(1).flatMap((later, at) => {
      const earlier = all[at];
      return earlier === undefined ? [] : (prefixDifference(earlier, later) ?? []);
    });
    expect(changed).toEqual([]);
    expect(all.map((one) => one.reasoning_lost + one.reasoning_omitted)).toEqual(all.map(() => 0));
    expect(cachedShare(all)).toBeGreaterThan(0.5);
  });

  it("an adapter asks for an answer in a schema, and without calls", async () => {
    const { vendors, model } = await start();
    const messages: Message[] = [{ role: "user", text: "weather" }];
    const signal = AbortSignal.timeout(10_000);
    const schema = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };
    const common = { system: "You help.", messages, tools: [tool("weather")], signal };
    const texts: string[] = [];
    for (const more of [{ output_schema: schema }, { no_calls: true as const }]) {
      for await (const event of model.stream({ ...common, ...more })) {
        if (event.type === "finished") texts.push(event.message.text);
      }
    }
    expect(vendors.requests().flatMap(({ refused }) => refused)).toEqual([]);
    expect(texts).toHaveLength(2);
  });
});
