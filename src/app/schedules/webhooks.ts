import { randomBytes } from "node:crypto";
import { maxHappened, type ScheduleLimits, type Trigger } from "../../core/ports/schedule.ts";
import type { KeyValue } from "../../core/ports/storage.ts";
import { cut } from "../../core/values/cut.ts";
import type { HeldEvents } from "./held-events.ts";
import { deliveryOf, type HookRequest } from "./hook-signatures.ts";
import type { PlanBook } from "./plan-book.ts";
import type { Entry } from "./planning.ts";
import { noteEvent } from "./run-trigger.ts";

/** The answer to a caller. `unknown`: no such webhook, or a wrong secret; the caller cannot tell which. */
export type HookAnswer = "taken" | "known" | "unknown" | "flooded" | "paused";

export interface Webhooks {
  take(request: HookRequest): Promise<HookAnswer>;
  /** Sets the secret of a trigger, generated unless `given`. The previous one is no longer valid. */
  newSecret(id: string, given?: string): Promise<string>;
  forget(id: string): Promise<void>;
}

export interface WebhookDeps {
  book: PlanBook;
  events: HeldEvents;
  /** Encrypted: a signature can only be checked with the secret itself. */
  sealed: KeyValue;
  limits: ScheduleLimits;
  now(): number;
  wake(): void;
}

export function createWebhooks(deps: WebhookDeps): Webhooks {
  const { book, sealed, now, wake } = deps;
  return {
    async take(request) {
      const [entry, stored] = await Promise.all([book.get(request.id), sealed.get(request.id)]);
      const secret = typeof stored === "string" ? stored : "";
      const kind = isWebhook(entry) ? entry.value.condition.kind : undefined;
      // An unknown hook takes the same time as a wrong secret.
      const key = deliveryOf(kind ?? "knack", request, secret || randomBytes(32).toString("hex"), now());
      if (key === undefined || secret === "" || !isWebhook(entry)) return "unknown";
      if (entry.value.paused !== undefined) return "paused";
      const event = { key, at: now(), happened: textOf(request.body) };
      const became = await noteEvent(book, deps, request.id, event);
      if (became === "held") wake();
      return ({ held: "taken", counted: "flooded", known: "known", off: "paused" } as const)[became];
    },
    async newSecret(id, given) {
      const secret = given ?? randomBytes(32).toString("base64url");
      await sealed.set(id, secret);
      return secret;
    },
    forget: (id) => sealed.delete(id),
  };
}

type Hook = Trigger & { condition: { on: "webhook" } };

function isWebhook(entry: Entry<unknown> | undefined): entry is Entry<Hook> {
  const value = entry?.value as Trigger | undefined;
  return value?.what === "trigger" && value.condition.on === "webhook";
}

/** Leaves room for a note that it was cut. */
function textOf(body: Uint8Array): string {
  const text = new TextDecoder().decode(body).replace(/[^\P{Cc}\n\t]/gu, "");
  return cut(text.trim() === "" ? "(an empty request)" : text, maxHappened - 100);
}
