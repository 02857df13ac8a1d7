import { type APIComponentInContainer, type APIMessage, EmbedType } from "discord-api-types/v10";
import { componentTypes } from "./discord-facts.ts";
import { forwarded } from "./parse-message.ts";

/** What stands in for words that Discord keeps from the bot: they come empty, and no message is. */
const unreadable = "(Discord keeps this text from the bot: its Message Content intent is off.)";

/**
 * What a message says in its own words, in what it forwards, in the embeds that bots post instead of text, and in the texts of its
 * components. Previews of links are left out. Mentions are as written.
 */
export function saidText(message: APIMessage): string {
  const { content, embeds, components = [] } = message;
  const parts = [
    content,
    ...forwarded(message),
    ...embeds.filter(({ type }) => type === EmbedType.Rich).map(embedText),
    ...components.flatMap(componentTexts),
  ];
  const text = parts.filter((part) => part.trim() !== "").join("\n\n");
  return text === "" && isWithheld(message) ? unreadable : text;
}

/** The words of a message the bot sent itself, as content or in components. */
export function ownWords({ content, components }: OwnMessage): string {
  return [content ?? "", ...(components ?? []).flatMap(componentTexts)].filter(Boolean).join("\n\n");
}

interface OwnMessage {
  content?: string | null;
  components?: APIMessage["components"] | undefined;
}

function embedText({ title, description, fields = [] }: APIMessage["embeds"][number]): string {
  const lines = [title, description, ...fields.map(({ name, value }) => `${name}: ${value}`)];
  return lines.filter((line) => line !== undefined && line !== "").join("\n");
}

type Component = NonNullable<APIMessage["components"]>[number] | APIComponentInContainer;

function componentTexts(component: Component): string[] {
  switch (component.type) {
    case componentTypes.text:
      return [component.content];
    case componentTypes.section:
    case componentTypes.container:
      return component.components.flatMap(componentTexts);
    default:
      return [];
  }
}

/** Source: Discord reference, "Message Content Intent": these come empty without it. */
function isWithheld({ author, webhook_id, poll, sticker_items = [], ...message }: APIMessage): boolean {
  const parts = [message.embeds, message.attachments, message.components ?? [], sticker_items];
  const hasParts = parts.some((each) => each.length > 0) || poll !== undefined;
  return !hasParts && !(message.message_snapshots?.length ?? 0) && !author.bot && webhook_id === undefined;
}
