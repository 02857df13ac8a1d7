import { type PlaceDescription, webChat } from "./place.ts";

/** Who is in a place. */
export interface PlacePeople {
  /** The name people call the bot by. */
  bot: string;
  /** The person of a direct message, as far as known. */
  person?: string | undefined;
}

/** The longest name or topic that is shown, characters. */
const longest = 300;

/**
 * A place in words for a sentence of a model's instructions: `#payments-team on Slack (topic: "Refunds")`,
 * `a direct message with Anna on Slack`, `the channel general of the web chat`. Names and topics come from people: each is one
 * line of at most 300 characters and can open no tag.
 */
export function placeLine(description: PlaceDescription, people: PlacePeople): string {
  const { platform, kind } = description;
  if (kind === "direct_message") {
    const where = platform === webChat ? `in ${platform}` : `on ${platform}`;
    const person = plain(people.person ?? "");
    return person === ""
      ? `a direct message to ${people.bot} ${where}`
      : `a direct message with ${person} ${where}`;
  }
  const topic = plain(description.topic ?? "");
  return `${channel(platform, plain(description.name ?? ""))}${topic === "" ? "" : ` (topic: "${topic}")`}`;
}

function channel(platform: string, name: string): string {
  if (platform === webChat)
    return name === "" ? `a channel of ${platform}` : `the channel ${name} of ${platform}`;
  return name === "" ? `a channel on ${platform}` : `#${name.replace(/^#+/, "")} on ${platform}`;
}

function plain(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Z}]+/gu, " ").trim();
  const cut = line.length <= longest ? line : `${wholeCharacters(line.slice(0, longest - 1))}…`;
  return cut.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "'");
}

/** Without half of an emoji at the end. */
function wholeCharacters(text: string): string {
  return text
    .toWellFormed()
    .replace(/\ufffd$/, "")
    .trimEnd();
}
