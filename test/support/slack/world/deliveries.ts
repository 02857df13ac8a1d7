import { randomUUID } from "node:crypto";
import { httpBody, sendSigned } from "../api/http-target.ts";
import { SocketHub } from "../api/socket-hub.ts";
import type { World } from "./world.ts";

export type DeliveryKind = "events_api" | "slash_commands" | "interactive";

export interface Attempt {
  envelope_id: string;
  /** Milliseconds since 1970. */
  at: number;
  retry_attempt: number;
  retry_reason: string;
  acked: boolean;
  /** Milliseconds from sending to the ack. */
  latency_ms?: number;
  /** The payload of the ack over the socket, or the parsed JSON of the HTTP reply. */
  response?: unknown;
  /** HTTP only. */
  status?: number;
  /** HTTP only. */
  body?: string;
  /** Why there was no ack: `timeout`, `no_connection`, `http_timeout`, `http_error`, `connection_failed`. */
  failure?: string;
}

export interface Delivery {
  id: string;
  kind: DeliveryKind;
  /** The event's type, with a message's subtype after a dot; or the type of the interaction; or the command. */
  name: string;
  team_id: string;
  event_id?: string;
  payload: Record<string, unknown>;
  attempts: Attempt[];
  acked: boolean;
  /** True once no further attempt will be made without an ack. */
  given_up: boolean;
}

interface DeliverySettings {
  /** How long the app has to acknowledge. Slack gives 3,000 ms. */
  ackTimeoutMs: number;
  /** Waits before the retries of an event. Slack: at once, a minute, five minutes. */
  retryDelaysMs: readonly number[];
  /** Where events go; undefined for Socket Mode. */
  eventsUrl?: string;
}

type OnResponse = (response: unknown) => void;

/** Brings events, commands and interactions to the app, over its sockets or signed HTTP, and retries events. */
export class Deliveries {
  readonly all: Delivery[] = [];
  readonly hub: SocketHub;
  readonly settings: DeliverySettings;
  readonly #world: World;
  readonly #pending = new Map<string, (payload: unknown) => void>();
  readonly #responses = new Map<string, OnResponse>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(world: World, settings: DeliverySettings) {
    this.#world = world;
    this.settings = settings;
    this.hub = new SocketHub(
      world.seed.app.id,
      (envelopeId, payload) => this.#pending.get(envelopeId)?.(payload),
      () => world.touch(),
    );
  }

  /** Sends and returns at once. `onResponse` gets the app's acknowledgement of an interaction. */
  deliver(
    kind: DeliveryKind,
    name: string,
    teamId: string,
    payload: Record<string, unknown>,
    onResponse: OnResponse = () => undefined,
  ): Delivery {
    const delivery: Delivery = {
      id: randomUUID(),
      kind,
      name,
      team_id: teamId,
      ...(typeof payload.event_id === "string" ? { event_id: payload.event_id } : {}),
      payload,
      attempts: [],
      acked: false,
      given_up: false,
    };
    this.all.push(delivery);
    this.#responses.set(delivery.id, onResponse);
    this.#attempt(delivery, 0, "");
    return delivery;
  }

  /** Sends the same again, as a retry, whether it was acknowledged or not. */
  redeliver(delivery: Delivery, reason: string): void {
    this.#attempt(delivery, delivery.attempts.length, reason);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.hub.stop();
  }

  #attempt(delivery: Delivery, retry: number, reason: string): void {
    const attempt: Attempt = {
      envelope_id: randomUUID(),
      at: Date.now(),
      retry_attempt: retry,
      retry_reason: reason,
      acked: false,
    };
    delivery.attempts.push(attempt);
    if (this.settings.eventsUrl === undefined) this.#overSocket(delivery, attempt);
    else void this.#overHttp(delivery, attempt, this.settings.eventsUrl);
    this.#world.touch();
  }

  #overSocket(delivery: Delivery, attempt: Attempt): void {
    const { envelope_id, retry_attempt, retry_reason } = attempt;
    const event = delivery.kind === "events_api";
    const sent = this.hub.send({
      envelope_id,
      payload: delivery.payload,
      type: delivery.kind,
      accepts_response_payload: !event,
      ...(event ? { retry_attempt, retry_reason } : {}),
    });
    if (!sent) {
      this.#failed(delivery, attempt, "no_connection");
      return;
    }
    const timer = this.#later(this.settings.ackTimeoutMs, () => {
      this.#pending.delete(envelope_id);
      this.#failed(delivery, attempt, "timeout");
    });
    this.#pending.set(envelope_id, (payload) => {
      clearTimeout(timer);
      this.#timers.delete(timer);
      this.#pending.delete(envelope_id);
      this.#acked(delivery, attempt, payload);
    });
  }

  async #overHttp(delivery: Delivery, attempt: Attempt, url: string): Promise<void> {
    const reply = await sendSigned({
      url,
      secret: this.#world.seed.app.signing_secret,
      ...httpBody(delivery.kind, delivery.payload),
      timeoutMs: this.settings.ackTimeoutMs,
      headers:
        attempt.retry_attempt === 0
          ? {}
          : {
              "x-slack-retry-num": String(attempt.retry_attempt),
              "x-slack-retry-reason": attempt.retry_reason,
            },
    });
    if (typeof reply === "string") {
      this.#failed(delivery, attempt, reply);
      return;
    }
    attempt.status = reply.status;
    attempt.body = reply.body;
    const accepted = delivery.kind === "events_api" ? reply.status < 300 : reply.status === 200;
    if (accepted) this.#acked(delivery, attempt, parsed(reply.body));
    else this.#failed(delivery, attempt, "http_error", reply.headers["x-slack-no-retry"] === "1");
  }

  #acked(delivery: Delivery, attempt: Attempt, response: unknown): void {
    attempt.acked = true;
    attempt.latency_ms = Date.now() - attempt.at;
    attempt.response = response;
    const first = !delivery.acked;
    delivery.acked = true;
    if (first) this.#responses.get(delivery.id)?.(response);
    this.#world.touch();
  }

  #failed(delivery: Delivery, attempt: Attempt, failure: string, noRetry = false): void {
    attempt.failure = failure;
    const delay = this.settings.retryDelaysMs[delivery.attempts.length - 1];
    const last = delivery.kind !== "events_api" || noRetry || delay === undefined;
    if (last) delivery.given_up = true;
    else
      this.#later(delay, () => {
        if (!delivery.acked) this.#attempt(delivery, delivery.attempts.length, reasonOf(failure));
      });
    this.#world.touch();
  }

  #later(milliseconds: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, milliseconds);
    this.#timers.add(timer);
    return timer;
  }
}

function reasonOf(failure: string): string {
  return failure === "no_connection" ? "timeout" : failure;
}

function parsed(body: string): unknown {
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
