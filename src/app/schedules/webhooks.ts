import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KeyValue } from "../../core/key-value.ts";
import { maxHappened, type ScheduleLimits, type Trigger } from "../../core/schedule.ts";
import type { PlanBook } from "./plan-book.ts";
import type { Entry } from "./planning.ts";
import { cut, noteEvent } from "./run-trigger.ts";

/** A request to `/hooks/ID`. Header names are in lower case. */
export interface HookRequest {
  id: string;
  header(name: string): string | undefined;
  body: Uint8Array;
}

/** What a caller is told. `unknown`: no such webhook, or not signed with its secret; nobody learns which. */
export type HookAnswer = "taken" | "known" | "unknown" | "flooded" | "paused";

export interface Webhooks {
  take(request: HookRequest): Promise<HookAnswer>;
  /** Makes a secret for a trigger; one it had before counts no more. */
  newSecret(id: string): Promise<string>;
  forget(id: string): Promise<void>;
}

export interface WebhookDeps {
  book: PlanBook;
  /** Encrypted: a signature can only be checked with the secret itself. */
  sealed: KeyValue;
  limits: ScheduleLimits;
  now(): number;
  wake(): void;
}

/** The age of a signed request, ms: an older one may be a copy. Slack allows as much. */
const longestAgo = 5 * 60_000;

export function createWebhooks(deps: WebhookDeps): Webhooks {
  const { book, sealed, now, wake } = deps;
  return {
    async take(request) {
      const [entry, stored] = await Promise.all([book.get(request.id), sealed.get(request.id)]);
      const secret = typeof stored === "string" ? stored : "";
      const isSigned = isAuthentic(request, secret || randomBytes(32).toString("hex"), now());
      if (!isSigned || secret === "" || !isWebhook(entry)) return "unknown";
      if (entry.value.paused !== undefined) return "paused";
      const event = { key: keyOf(request), at: now(), happened: textOf(request.body) };
      const became = await noteEvent(book, deps, request.id, event);
      if (became === "held") wake();
      return ({ held: "taken", counted: "flooded", known: "known", off: "paused" } as const)[became];
    },
    async newSecret(id) {
      const secret = randomBytes(32).toString("base64url");
      await sealed.set(id, secret);
      return secret;
    },
    forget: (id) => sealed.delete(id),
  };
}

function isWebhook(entry: Entry<unknown> | undefined): entry is Entry<Trigger> {
  const value = entry?.value as Trigger | undefined;
  return value?.what === "trigger" && value.condition.on === "webhook";
}

/**
 * Either the secret itself (`Authorization: Bearer`), or a signature as Slack's: `X-Knack-Signature: v1=HEX` is the HMAC-SHA256 of
 * `v1:TIMESTAMP:BODY`, and `X-Knack-Timestamp` the seconds since the epoch.
 */
function isAuthentic({ header, body }: HookRequest, secret: string, now: number): boolean {
  const token = /^Bearer +(\S+) *$/i.exec(header("authorization") ?? "")?.[1];
  if (token !== undefined) return isSame(token, secret);
  const timestamp = header("x-knack-timestamp") ?? "";
  const isFresh = /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= longestAgo;
  const expected = createHmac("sha256", secret).update(`v1:${timestamp}:`).update(body).digest("hex");
  return isSame(header("x-knack-signature") ?? "", `v1=${expected}`) && isFresh;
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The same for a delivery that is repeated: the sender's own id of it, or its signature. A bare secret tells nothing of the kind. */
function keyOf({ header }: HookRequest): string {
  const name = header("idempotency-key") ?? header("x-knack-signature") ?? randomBytes(16).toString("hex");
  return `hook:${createHash("sha256").update(name).digest("hex")}`;
}

function textOf(body: Uint8Array): string {
  const text = new TextDecoder().decode(body).replace(/[^\P{Cc}\n\t]/gu, "");
  return cut(text.trim() === "" ? "(an empty request)" : text, maxHappened);
}
