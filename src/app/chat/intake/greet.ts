import { channelThread } from "../../../core/chat-platform.ts";
import { isDirectMessage, type Place } from "../../../core/place.ts";
import type { IntakeContext } from "./intake-context.ts";
import { isListed } from "./refusal-of.ts";
import { type Suggestion, suggestPrompts } from "./suggest-prompts.ts";

const greetedKey = (namespace: string) => `chat-greeted:${namespace}`;

/** Says hello in a channel, once. A platform that does not let the bot speak there is logged; it tries again when invited again. */
export async function greet(context: IntakeContext, { namespace }: { namespace: string }): Promise<void> {
  const { store, platform, app, logger, clock, policy } = context;
  if (isDirectMessage(namespace)) return;
  let isNew = false;
  await store.update<number>(greetedKey(namespace), (at) => {
    isNew = at === undefined;
    return at ?? clock.now();
  });
  if (!isNew) return;
  const place: Place = { namespace, thread: channelThread };
  try {
    const isAllowed = isListed(policy.access.channels, namespace);
    const markdown = isAllowed
      ? greeting(app.name, app.model, await suggestPrompts(context, place))
      : `Hi, I am **${app.name}**. I am not allowed to answer in this channel yet; who runs me can change that (\`access.channels\`).`;
    await platform.post(place, { markdown });
  } catch (error) {
    logger.warn({ err: error, namespace }, "A channel could not be greeted");
    await store.delete(greetedKey(namespace));
  }
}

/** The bot left: when it is invited again, it greets again. */
export async function forgetGreeting({ store }: IntakeContext, namespace: string): Promise<void> {
  await store.delete(greetedKey(namespace));
}

function greeting(name: string, model: string, suggestions: readonly Suggestion[]): string {
  const prompts = suggestions.map(({ message }) => `- @${name} ${message.replace(/\s+/g, " ")}`);
  const lines = [
    `Hi, I am **${name}**. Mention me with a question or a task, and I answer in a thread. For example:`,
    prompts.join("\n"),
    "`/skill list` shows what I can do here and what you can enable.",
  ];
  if (model === "offline")
    lines.push(
      "No language model is configured yet, so I run commands and skills only. Who runs me sets one with `KNACK_MODEL`.",
    );
  return lines.join("\n\n");
}
