import { cutText } from "../../../base/markdown-text.ts";
import { channelThread, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { LookedAt } from "../../../core/values/inbound.ts";
import { isDirectMessage, type Place } from "../../../core/values/place.ts";
import type { IntakeContext } from "./intake-context.ts";
import { isListed } from "./refusal-of.ts";

const greetedKey = (namespace: string) => `chat-greeted:${namespace}`;

/** Greets a channel once. If the platform does not let the bot write there, this is logged, and the next invitation retries. */
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
      : `Hi, I am **${app.name}**. I am not allowed to answer in this channel yet; an operator of the bot can change that (\`access.channels\`).`;
    await platform.post(place, { markdown });
  } catch (error) {
    logger.warn({ err: error, namespace }, "A channel could not be greeted");
    await store.delete(greetedKey(namespace));
  }
}

/** The bot left the channel: it greets again when it is invited again. */
export async function forgetGreeting({ store }: IntakeContext, namespace: string): Promise<void> {
  await store.delete(greetedKey(namespace));
}

function greeting(name: string, model: string, suggestions: readonly Suggestion[]): string {
  const prompts = suggestions.map(({ message }) => `- @${name} ${message.replace(/\s+/g, " ")}`).join("\n");
  const commands = "`/skill list` shows what I can do here and what you can enable.";
  if (model === "offline")
    return `Hi, I am **${name}**. No language model is configured yet, so only commands work: ${commands} An operator of the bot can set a model with \`KNACK_MODEL\`.`;
  return `Hi, I am **${name}**. Mention me with a question or a task, and I answer in a thread. For example:\n\n${prompts}\n\n${commands}`;
}

/** A prompt that somebody may try: the label of its button, and its text. */
export interface Suggestion {
  title: string;
  message: string;
}

/** The number of suggestions. */
const wanted = 3;

/** Maximum characters of a title that platforms show on one line. */
const titleCharacters = 60;

/** Prompts that work for everybody, and those that need no model. */
const general = ["What can you do here?", "Which skills fit this channel?", "How do I give you a task?"];
const commands = ["/skill list", "/agent status", "/agent help"];

/** Three prompts that work in a place: examples of usable skills, best match for the channel's topic first. */
export async function suggestPrompts(
  { app, platform, logger }: Pick<IntakeContext, "app" | "platform" | "logger">,
  place: Place,
  lookingAt: readonly LookedAt[] = [],
): Promise<Suggestion[]> {
  if (app.model === "offline") return commands.map((message) => ({ title: message, message }));
  const { name = "", topic = "" } = await platform.describe(place);
  const about = `${name.replace(/[-_]+/g, " ")} ${topic}`.trim();
  let prompts: string[] = [];
  try {
    const there = (await isSpokenIn(platform, place)) ? (["history"] as const) : [];
    prompts = await app.skills.suggest(place.namespace, { there, about });
  } catch (error) {
    logger.warn({ err: error, ...place }, "Skills could not be read for suggestions; general ones are shown");
  }
  const open = lookingAt.flatMap(({ name: seen }) => seen ?? []).slice(0, 1);
  const aboutIt = open.flatMap((seen) => [
    `Summarise #${seen} since yesterday`,
    `Which questions in #${seen} are still open?`,
  ]);
  return [...aboutIt, ...prompts, ...general]
    .slice(0, wanted)
    .map((message) => ({ title: titleOf(message), message }));
}

/** Maximum messages of a channel that are searched for one of a person. */
const maxSearchedMessages = 10;

/** Whether people have written at the top level of a channel, as far as the platform knows. */
async function isSpokenIn({ actions }: IntakeContext["platform"], { namespace }: Place): Promise<boolean> {
  if (actions === undefined || isDirectMessage(namespace)) return false;
  try {
    const { messages } = await actions.history(
      { namespace, thread: channelThread },
      { most: maxSearchedMessages },
    );
    return messages.some(({ author, text }) => !author.self && !author.bot && text.trim() !== "");
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

function titleOf(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return cutText(line, titleCharacters);
}
