import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** Far below the client's default patience of 30 s. */
const pingEveryMs = 5_000;
/** As Slack: more connections than this are refused. */
const maximumConnections = 10;

interface AckFrame {
  envelope_id: string;
  payload?: Record<string, unknown>;
}

/** The Socket Mode connections of the app. Envelopes go to them in turn. */
export class SocketHub {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #appId: string;
  readonly #onAck: (envelopeId: string, payload: Record<string, unknown> | undefined) => void;
  readonly #onChange: () => void;
  #open: WebSocket[] = [];
  #next = 0;
  #pings: NodeJS.Timeout | undefined;
  /** While true, no ticket opens a connection and `apps.connections.open` fails. */
  refusing = false;

  constructor(
    appId: string,
    onAck: (envelopeId: string, payload: Record<string, unknown> | undefined) => void,
    onChange: () => void,
  ) {
    this.#appId = appId;
    this.#onAck = onAck;
    this.#onChange = onChange;
  }

  get connections(): number {
    return this.#open.length;
  }

  /** The path and query of a WebSocket address that opens one connection. */
  ticket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return `/link/?ticket=${ticket}&app_id=${this.#appId}`;
  }

  /** Takes over an HTTP upgrade. A ticket is good once. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "/", "http://loopback");
    const ticket = url.searchParams.get("ticket") ?? "";
    if (this.refusing || !this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (connection) => this.#accept(connection));
  }

  /** Sends to the next connection; false if there is none. */
  send(envelope: Record<string, unknown>): boolean {
    const ready = this.#open.filter((connection) => connection.readyState === connection.OPEN);
    const connection = ready[this.#next % Math.max(ready.length, 1)];
    this.#next += 1;
    if (connection === undefined) return false;
    connection.send(JSON.stringify(envelope));
    return true;
  }

  /** Slack's way to say that it is about to close: the client closes and comes back. */
  askToReconnect(reason: string): void {
    const frame = { type: "disconnect", reason, debug_info: { host: "applink-1" } };
    for (const connection of this.#open) connection.send(JSON.stringify(frame));
  }

  /** Cuts the connections without a close frame. */
  cut(): void {
    for (const connection of this.#open) connection.terminate();
  }

  stop(): void {
    clearInterval(this.#pings);
    this.cut();
    this.#server.close();
  }

  #accept(connection: WebSocket): void {
    if (this.#open.length >= maximumConnections) {
      connection.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      connection.close();
      return;
    }
    this.#open.push(connection);
    this.#pings ??= setInterval(() => {
      for (const each of this.#open) each.ping("Ping from the fake");
    }, pingEveryMs);
    connection.on("message", (data) => this.#received(String(data)));
    connection.on("error", () => connection.terminate());
    connection.on("close", () => {
      this.#open = this.#open.filter((each) => each !== connection);
      this.#onChange();
    });
    const hello = {
      type: "hello",
      num_connections: this.#open.length,
      debug_info: { host: "applink-1", build_number: 1, approximate_connection_time: 3600 },
      connection_info: { app_id: this.#appId },
    };
    connection.send(JSON.stringify(hello));
    this.#onChange();
  }

  #received(text: string): void {
    const frame = JSON.parse(text) as AckFrame;
    this.#onAck(frame.envelope_id, frame.payload);
  }
}
