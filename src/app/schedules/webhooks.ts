/** Takes requests to webhooks: checks that the sender knows the secret, and names each delivery. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type HookKind, maxHappened } from "../../core/ports/schedules.ts";
import { cut } from "../../core/values/cut.ts";
import { type Happened, noteEvent } from "./held-events.ts";
import type { Entry } from "./plan-book.ts";
import type { Planning } from "./planning.ts";

/** The answer to a caller. `unknown`: no such webhook, or a wrong secret; the caller cannot tell which. */
export type HookAnswer = Happened | "unknown";

export async function takeHook(planning: Planning, request: HookRequest): Promise<HookAnswer> {
  const { book, sealed, clock } = planning;
  const [entry, stored] = await Promise.all([book.get(request.id), sealed.get(request.id)]);
  const secret = typeof stored === "string" ? stored : "";
  const kind = hookKindOf(entry);
  const now = clock.now();
  // An unknown hook takes the same time as a wrong secret.
  const key = deliveryOf(kind ?? "knack", request, secret || randomBytes(32).toString("hex"), now);
  if (key === undefined || secret === "" || kind === undefined) return "unknown";
  return noteEvent(planning, request.id, { key, at: now, happened: textOf(request.body) });
}

/** Sets the secret of a webhook, generated unless `given`. The previous one is no longer valid. */
export async function setSecret({ sealed }: Planning, id: string, given?: string): Promise<string> {
  const secret = given ?? randomBytes(32).toString("base64url");
  await sealed.set(id, secret);
  return secret;
}

/** How senders of a webhook prove that they know its secret; undefined for other plans. */
export function hookKindOf(entry: Pick<Entry, "value"> | undefined) {
  if (entry?.value.what !== "trigger" || entry.value.condition.on !== "webhook") return undefined;
  return entry.value.condition.kind ?? "knack";
}

/** Leaves room for a note that it was cut. */
function textOf(body: Uint8Array): string {
  const text = new TextDecoder().decode(body).replace(/[^\P{Cc}\n\t]/gu, "");
  return cut(text.trim() === "" ? "(an empty request)" : text, maxHappened - 100);
}

/** A request to `/hooks/ID`. Header names are in lower case. */
export interface HookRequest {
  id: string;
  header(name: string): string | undefined;
  body: Uint8Array;
}

/** Maximum age of a request with a signed time, ms; an older one may be a replay. Slack and Stripe use the same limit. */
const maxAgeMs = 5 * 60_000;

/** A name of the delivery that stays the same when it is repeated; undefined when the proof fails. */
type Proof = (request: HookRequest, secret: string, now: number) => string | undefined;

/**
 * The name of a delivery that proves the secret; undefined for any other. Where the sender signs a time, an old request is refused, and the
 * name is made from time and body. Where it signs only the body, the name is made from the body. A bare token signs nothing: anyone who has
 * seen one request can forge others, so only the sender's own delivery id tells deliveries apart.
 */
function deliveryOf(kind: HookKind, request: HookRequest, secret: string, now: number): string | undefined {
  const name = proofs[kind](request, secret, now);
  return name === undefined ? undefined : `hook:${createHash("sha256").update(name).digest("hex")}`;
}

const proofs: Readonly<Record<HookKind, Proof>> = {
  knack: (request, secret, now) => byToken(request, secret) ?? byKnack(request, secret, now),
  // Source: docs.slack.dev, "Verifying requests from Slack"; docs.stripe.com, "Verify webhook signatures manually".
  slack: ({ header, body }, secret, now) =>
    byTime(header("x-slack-request-timestamp"), body, now, (time) =>
      isSame(header("x-slack-signature") ?? "", `v0=${hmac(secret, `v0:${time}:`, body)}`),
    ),
  stripe({ header, body }, secret, now) {
    const parts = (header("stripe-signature") ?? "").split(",", 10).map((part) => part.trim().split("=", 2));
    const time = parts.find(([name]) => name === "t")?.[1];
    const signatures = parts.flatMap(([name, value = ""]) => (name === "v1" ? value : []));
    return byTime(time, body, now, (at) =>
      signatures.some((given) => isSame(given, hmac(secret, `${at}.`, body))),
    );
  },
  // Source: docs.github.com, "Validating webhook deliveries".
  github: (request, secret) => byBody(request, secret, "x-hub-signature-256"),
  hmac: (request, secret) => byBody(request, secret, "x-signature-256"),
  // Source: docs.gitlab.com, "Webhooks": the token is the secret itself; a repeated event keeps its id.
  gitlab({ header }, secret) {
    if (!isSame(header("x-gitlab-token") ?? "", secret)) return undefined;
    return header("x-gitlab-event-uuid") ?? header("idempotency-key") ?? anyName();
  },
};

function byToken({ header }: HookRequest, secret: string): string | undefined {
  const token = /^Bearer +(\S+) *$/i.exec(header("authorization") ?? "")?.[1];
  if (token === undefined || !isSame(token, secret)) return undefined;
  return header("idempotency-key") ?? anyName();
}

/** Slack's scheme with header names of our own. */
function byKnack({ header, body }: HookRequest, secret: string, now: number): string | undefined {
  return byTime(header("x-knack-timestamp"), body, now, (time) =>
    isSame(header("x-knack-signature") ?? "", `v1=${hmac(secret, `v1:${time}:`, body)}`),
  );
}

/** @param time seconds since the epoch, as signed */
function byTime(
  time: string | undefined,
  body: Uint8Array,
  now: number,
  isSigned: (time: string) => boolean,
): string | undefined {
  if (time === undefined || !/^\d{1,12}$/.test(time) || !isSigned(time)) return undefined;
  return Math.abs(now - Number(time) * 1000) <= maxAgeMs ? `${time} ${digestOf(body)}` : undefined;
}

function byBody({ header, body }: HookRequest, secret: string, name: string): string | undefined {
  return isSame(header(name) ?? "", `sha256=${hmac(secret, "", body)}`) ? digestOf(body) : undefined;
}

function hmac(secret: string, before: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(before).update(body).digest("hex");
}

function digestOf(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

/** Compares in constant time, whatever the lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function anyName(): string {
  return randomBytes(16).toString("hex");
}
