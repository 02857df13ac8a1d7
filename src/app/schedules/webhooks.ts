import { randomBytes } from "node:crypto";
import { maxHappened } from "../../core/ports/schedules.ts";
import { cut } from "../../core/values/cut.ts";
import { type Happened, noteEvent } from "./held-events.ts";
import { deliveryOf, type HookRequest } from "./hook-signatures.ts";
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
