import { escapeMarkdown } from "../../base/markdown-text.ts";
import { type ChatPlatform, type ChatPlatforms, channelThread } from "../../core/ports/chat-platform.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { AppDeps } from "../app-deps.ts";
import type { StoredAudit } from "./stored-audit.ts";

/** An action that has to be traceable: changes of skills and settings, approvals, deletions. */
interface AuditEntry {
  /** Stable, for searches in the log: `skill_enabled`, `approval_refused`, … */
  action: string;
  by: Author;
  /** The channel it applies to. */
  namespace: string;
  /** The object of the action: a skill, a tool, a turn. */
  subject: string;
  /** Markdown that follows the name: `enabled **memory**`. Quotes no messages; people's names are escaped. */
  detail: string;
  /** Another person whom the detail names. */
  about?: Pick<Author, "id" | "name">;
  /** The platform's id of the message in the channel that led to it; the line links to it. */
  message?: string | undefined;
}

/** A line of the audit channel about something that the turn log records. */
interface ToldLine extends Pick<AuditEntry, "namespace" | "message"> {
  /** Markdown, to be followed by the place. */
  text: string;
}

interface AuditDeps extends Pick<AppDeps, "logger" | "clock" | "redact"> {
  stored: Pick<StoredAudit, "add">;
  /** Posts a line to the audit channel, if one is configured. */
  post: ReturnType<typeof auditChannel>;
}

/** The log and the store are the record; the audit channel is a view of it. */
export class Audit {
  readonly #deps: AuditDeps;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
  }

  /** Never throws, and waits neither for the store nor for the channel. */
  record({ action, by, namespace, subject, detail, about, message }: AuditEntry): void {
    const { logger, clock, redact, stored } = this.#deps;
    const done = { action, by: by.id, by_name: by.name, namespace, subject };
    logger.info({ audit: true, ...done }, `${by.name} ${plain(detail)}`);
    const named = { about: about?.id, about_name: about?.name };
    stored.add(redact({ at: clock.now(), ...done, detail: plain(detail), ...named }));
    this.tell({ namespace, message, text: `**${escapeMarkdown(by.name)}** ${detail}` });
  }

  /** Tells the audit channel alone. Never throws, and does not wait. */
  tell(line: ToldLine): void {
    const { logger, redact, post } = this.#deps;
    post?.(redact(line)).catch((error: unknown) => {
      logger.warn(
        { err: error },
        "Posting to the audit channel failed; the log and the store have the record",
      );
    });
  }
}

/** Posts lines at the top level of the audit channel. Undefined when none is configured. */
export function auditChannel(
  namespace: string | undefined,
  platforms: ChatPlatforms,
): ((line: ToldLine) => Promise<void>) | undefined {
  if (namespace === undefined) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  const post = async (line: ToldLine) => {
    const markdown = `${line.text} in ${await placeInWords(platforms, line)}`;
    await platforms.of(namespace)?.post({ namespace, thread: channelThread }, { markdown });
  };
  return (line) => {
    const posted = last.then(() => post(line));
    // The next line comes after this one, even if it fails.
    last = posted.catch(() => {});
    return posted;
  };
}

async function linkTo(platform: ChatPlatform | undefined, namespace: string, message: string | undefined) {
  const actions = platform?.actions;
  if (actions === undefined || message === undefined) return undefined;
  const place = { namespace, thread: channelThread };
  const reference = (await actions.reference?.(place, message)) ?? message;
  return (await actions.link(namespace, reference)) || undefined;
}

/** `**#general** ([thread](…))`; the namespace where the platform tells no name. */
async function placeInWords(platforms: ChatPlatforms, { namespace, message }: ToldLine): Promise<string> {
  const platform = platforms.of(namespace);
  const link = await linkTo(platform, namespace, message).catch(() => undefined);
  const { name } = (await platform?.describe({ namespace, thread: channelThread })) ?? {};
  const where = name === undefined ? `\`${namespace}\`` : `**#${escapeMarkdown(name)}**`;
  return link === undefined ? where : `${where} ([thread](${link}))`;
}

function plain(markdown: string): string {
  return markdown.replace(/\\(.)|\*\*|`/g, "$1");
}
