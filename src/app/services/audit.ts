import { escapeMarkdown } from "../../base/markdown-text.ts";
import { type ChatPlatforms, channelThread, type OutgoingMessage } from "../../core/ports/chat-platform.ts";
import type { Clock, Log } from "../../core/ports/storage.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Redact } from "../../core/values/redact.ts";
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
}

/** The log and the store are the record; the audit channel is a view of it. */
export interface Audit {
  /** Never throws, and waits neither for the store nor for the channel. */
  record(entry: AuditEntry): void;
}

export interface AuditDeps {
  logger: Log;
  stored: Pick<StoredAudit, "add">;
  clock: Pick<Clock, "now">;
  redact: Redact;
  /** Posts a line to the audit channel, if one is configured. */
  post?: ((line: string) => Promise<void>) | undefined;
}

export function createAudit({ logger, stored, clock, redact, post }: AuditDeps): Audit {
  return {
    record({ action, by, namespace, subject, detail, about }) {
      const fields = { audit: true, action, by: by.id, by_name: by.name, namespace, subject };
      logger.info(fields, `${by.name} ${plain(detail)}`);
      const done = { at: clock.now(), action, by: by.id, by_name: by.name, namespace, subject };
      const named = about === undefined ? {} : { about: about.id, about_name: about.name };
      stored.add(redact({ ...done, detail: plain(detail), ...named }));
      post?.(`**${escapeMarkdown(by.name)}** ${detail} in \`${namespace}\``).catch((error: unknown) => {
        logger.warn(
          { err: error, action },
          "Posting to the audit channel failed; the line above is the record",
        );
      });
    },
  };
}

/** Posts lines at the top level of the audit channel. Undefined when none is configured. */
export function auditChannel(
  namespace: string | undefined,
  platforms: ChatPlatforms,
): ((line: string) => Promise<void>) | undefined {
  if (namespace === undefined) return undefined;
  return async (line) => {
    const message: OutgoingMessage = { markdown: line };
    await platforms.of(namespace)?.post({ namespace, thread: channelThread }, message);
  };
}

function plain(markdown: string): string {
  return markdown.replace(/\\(.)|\*\*|`/g, "$1");
}
