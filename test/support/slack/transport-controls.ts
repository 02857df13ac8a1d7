import type { Faults } from "./api/faults.ts";
import { sendSigned } from "./api/http-target.ts";
import type { Backend } from "./api/method.ts";
import { ControlRefusal } from "./control-refusal.ts";

/** Faults between Slack and the app. */
export function transportControls(backend: Backend, faults: Faults) {
  const { deliveries, world } = backend;
  return {
    /** Sends an event again as a retry: the named one, or the last delivery. */
    redeliver: ({ event_id, id, reason }: { event_id?: string; id?: string; reason?: string }): void => {
      const delivery = deliveries.all.findLast((each) =>
        event_id === undefined ? id === undefined || each.id === id : each.event_id === event_id,
      );
      if (delivery === undefined)
        throw new ControlRefusal("delivery_not_found", "There is no such delivery.");
      deliveries.redeliver(delivery, reason ?? "timeout");
    },
    /** The next `times` calls of a method (`*` for all) answer 429 with `Retry-After`. */
    rateLimit: ({ method, seconds, times }: { method: string; seconds: number; times?: number }): void =>
      faults.plan(method, times ?? 1, { rateLimited: seconds }),
    /** The next `times` calls of a method answer an error, or a bare HTTP status. */
    fail: (given: { method: string; error?: string; status?: number; times?: number }): void =>
      faults.plan(
        given.method,
        given.times ?? 1,
        given.status === undefined ? { error: given.error ?? "internal_error" } : { status: given.status },
      ),
    /** From now on messages with blocks are refused with this error; without one they are taken again. */
    refuseBlocks: ({ error }: { error?: string }): void => {
      world.blockRefusal = error;
    },
    /** The next `times` calls of a method are answered that much later. */
    delay: ({ method, ms, times }: { method: string; ms: number; times?: number }): void =>
      faults.plan(method, times ?? 1, { delayMs: ms }),
    /** Ends the Socket Mode connections: Slack asks to reconnect, or the line is cut. */
    dropConnections: ({ how, reason }: { how: "asked" | "cut"; reason?: string }): void => {
      if (how === "cut") deliveries.hub.cut();
      else deliveries.hub.askToReconnect(reason ?? "refresh_requested");
    },
    /** While on, no Socket Mode connection opens. */
    refuseConnections: ({ on }: { on: boolean }): void => {
      deliveries.hub.refusing = on;
    },
    /** Sends the following events to this address as signed HTTP requests; without an address, over Socket Mode. */
    deliverTo: ({ url }: { url?: string }): void => {
      if (url === undefined) delete deliveries.settings.eventsUrl;
      else deliveries.settings.eventsUrl = url;
    },
    /** What Slack does when a request URL is entered in the app's settings. True if the app answered the challenge. */
    verifyUrl: async (): Promise<{ verified: boolean; status?: number }> => {
      const challenge = world.id("challenge");
      const { verification_token: token } = world.seed.app;
      const reply = await post(backend, JSON.stringify({ token, challenge, type: "url_verification" }), {});
      if (typeof reply === "string") return { verified: false };
      return { verified: reply.status === 200 && reply.body.includes(challenge), status: reply.status };
    },
    /** Sends a forged request: with a wrong signature, or with an old valid one. */
    forge: async (given: {
      body: Record<string, unknown>;
      signature?: string;
      /** How old the timestamp is. Slack says to refuse more than 300. */
      age_seconds?: number;
    }): Promise<{ status?: number; body?: string; failure?: string }> => {
      const age = given.age_seconds ?? 0;
      const reply = await post(backend, JSON.stringify(given.body), {
        timestamp: Math.floor(Date.now() / 1000) - age,
        ...(given.signature === undefined ? {} : { signature: given.signature }),
      });
      return typeof reply === "string" ? { failure: reply } : { status: reply.status, body: reply.body };
    },
  };
}

function post(backend: Backend, body: string, more: { timestamp?: number; signature?: string }) {
  const { eventsUrl, ackTimeoutMs } = backend.deliveries.settings;
  if (eventsUrl === undefined)
    throw new ControlRefusal("no_events_url", "Set `eventsUrl` or `deliverTo` first.");
  return sendSigned({
    url: eventsUrl,
    secret: backend.world.seed.app.signing_secret,
    body,
    contentType: "application/json",
    timeoutMs: ackTimeoutMs,
    ...more,
  });
}
