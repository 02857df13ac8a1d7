import { z } from "zod";
import { failed } from "../../core/values/failure.ts";
import { threadSchema } from "../../core/values/place.ts";
import { consoleNamespace, ownNamespace, toolDefinition } from "../services/shapes.ts";
import { complete, operation } from "./operation.ts";

export const aboutBot = operation({
  name: "bot.about",
  input: z.object({}),
  output: z.object({
    name: z.string(),
    version: z.string(),
    model: z.string(),
    /** Three things to try in an empty conversation. */
    suggestions: z.array(z.string()),
  }),
  who: "anyone",
  about: "bot",
  http: {
    route: "GET /about",
    summary: "What a client needs to know at start",
    answers: "name, version, model",
  },
  async run({ services }) {
    const { name, version, models, skills } = services;
    const examples = await skills.suggest(consoleNamespace, { there: [] });
    const open = models.main.generative ? ["What can you do?"] : [];
    const suggestions = [...examples, ...open, "/skill list", "/agent help"].slice(0, 3);
    return { ok: true, value: { name, version, model: models.main.id, suggestions } };
  },
});

export const completeCommand = operation({
  name: "command.complete",
  input: z.object({ namespace: ownNamespace, text: z.string().max(2000).default("/") }),
  output: z.object({
    completions: z.array(z.object({ text: z.string(), label: z.string(), description: z.string() })),
  }),
  who: "anyone",
  http: {
    route: "GET /commands",
    summary: "Completions of a slash command being typed",
    answers: "completions, best first",
  },
  async run({ input: { text, namespace }, services }) {
    return { ok: true, value: { completions: await complete(services, text, namespace) } };
  },
});

export const showPrompt = operation({
  name: "prompt.show",
  input: z.object({
    namespace: ownNamespace,
    message: z.string().max(10_000).default(""),
    thread: threadSchema.optional(),
  }),
  output: z.object({
    system: z.string(),
    tools: z.array(toolDefinition),
    /** The messages after instructions and tools; only for a thread. */
    messages: z
      .array(z.object({ role: z.enum(["user", "assistant", "tool", "system"]), text: z.string() }))
      .optional(),
    tokens: z.number(),
  }),
  who: "anyone",
  http: {
    route: "GET /prompt",
    summary:
      "What a new thread of a channel would begin with, or what the next model call of a thread would get",
    answers: "system prompt and tools",
  },
  async run({ input: { namespace, message, thread }, services }) {
    if (thread !== undefined && (await services.turns.list({ namespace, thread, limit: 1 })).length === 0) {
      const message = `There is no thread ${thread} in ${namespace}. \`knack runs list\` shows turns with their threads.`;
      return failed(404, message);
    }
    const { system, tools, messages, tokens } = await services.preview(namespace, message, thread);
    const readable = messages?.map(({ role, text }) => ({ role, text }));
    return { ok: true, value: { system, tools: [...tools], messages: readable, tokens } };
  },
});
