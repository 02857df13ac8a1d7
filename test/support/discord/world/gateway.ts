import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { identifyRefusal } from "../api/identify-refusal.ts";
import { isObject, type Json, parseObject, strings } from "../api/json.ts";
import { fullMember, wireGuild, wireUserById } from "../api/wire.ts";
import { shardOf } from "./snowflakes.ts";
import { type GatewayEvent, intents, type World } from "./world.ts";

/** One identified session; it outlives its connection until it is resumed or declared invalid. */
interface Session {
  id: string;
  shard: number;
  shards: number;
  intents: number;
  sequence: number;
  /** All that was dispatched, for a resume. */
  sent: { s: number; t: string; d: Json }[];
  socket: WebSocket | null;
  resumes: number;
}

/** What a client sent to identify itself, and when (ms since the epoch). */
export interface Identified {
  at: number;
  payload: Json;
}

/** Gateway opcodes. Source: Discord reference, "Gateway Opcodes". */
const opcodes = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voice: 4,
  resume: 6,
  reconnect: 7,
  members: 8,
  invalid: 9,
  hello: 10,
  ack: 11,
} as const;

/** The gateway: versions, tokens, intents, sequences, resumes, shards. It closes with Discord's codes. */
export class Gateway {
  readonly identified: Identified[] = [];
  readonly #world: World;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  /** Connections that wait for admission; null if connections are admitted at once. */
  #held: (() => void)[] | null = null;
  refusing = false;

  constructor(world: World) {
    this.#world = world;
    world.deliver = (event) => this.#deliver(event);
  }

  /** Takes over a connection that asked for a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.refusing) {
      socket.destroy();
      return;
    }
    if (this.#held) {
      this.#held.push(() => this.upgrade(request, socket, head));
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (connection) => {
      const version = new URL(request.url ?? "/", "http://localhost").searchParams.get("v");
      if (version !== "10") connection.close(4012, "Invalid API version");
      else this.#greet(connection);
    });
  }

  /** Lets new connections wait, or lets in all that wait. */
  hold(on: boolean): void {
    const held = this.#held ?? [];
    this.#held = on ? held : null;
    if (!on) for (const enter of held) enter();
  }

  /** The sessions, for who watches. */
  sessions(): { id: string; shard: number; connected: boolean; resumes: number; intents: number }[] {
    return [...this.#sessions.values()].map(({ id, shard, socket, resumes, intents: asked }) => ({
      id,
      shard,
      connected: socket !== null,
      resumes,
      intents: asked,
    }));
  }

  /** Ends every connection with a close code; 4007 and 4009 end the sessions too. */
  close(code: number): void {
    for (const session of this.#connected()) {
      if ([4004, 4007, 4009, 4014].includes(code)) this.#sessions.delete(session.id);
      session.socket?.close(code);
      session.socket = null;
    }
    this.#world.changes.note();
  }

  /** Cuts every connection without a word: code 1006 at the client. */
  cut(): void {
    for (const session of this.#connected()) {
      session.socket?.terminate();
      session.socket = null;
    }
    this.#world.changes.note();
  }

  /** Opcode 7. */
  askToReconnect(): void {
    for (const session of this.#connected()) send(session.socket, { op: opcodes.reconnect, d: null });
  }

  /** Opcode 9. Sessions that are not resumable are forgotten. */
  invalidate(resumable: boolean): void {
    for (const session of this.#connected()) {
      send(session.socket, { op: opcodes.invalid, d: resumable });
      session.socket = null;
      if (!resumable) this.#sessions.delete(session.id);
    }
    this.#world.changes.note();
  }

  stop(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  #connected(): Session[] {
    return [...this.#sessions.values()].filter((session) => session.socket !== null);
  }

  #deliver(event: GatewayEvent): void {
    for (const session of this.#sessions.values()) {
      const home = event.guild === undefined ? 0 : shardOf(event.guild, session.shards);
      const asked = event.intent === intents.none || (session.intents & event.intent) !== 0;
      if (home === session.shard && asked) dispatch(session, event.name, event.data(session.intents));
    }
    this.#world.changes.note();
  }

  #greet(socket: WebSocket): void {
    const interval = 41_250;
    send(socket, { op: opcodes.hello, d: { heartbeat_interval: interval, _trace: [] } });
    let session: Session | null = null;
    socket.on("message", (data) => {
      const raw = String(data);
      if (Buffer.byteLength(raw) > 4096) return socket.close(4002, "Payload too large");
      const payload = parseObject(raw);
      if (!payload) return socket.close(4002, "Decode error");
      session = this.#receive(socket, session, payload);
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", (code) => {
      if (session?.socket === socket) {
        session.socket = null;
        // A client that closes normally gives its session up. Source: Discord gateway reference, "Disconnecting".
        if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
      }
      this.#world.changes.note();
    });
  }

  #receive(socket: WebSocket, session: Session | null, payload: Json): Session | null {
    const body = isObject(payload.d) ? payload.d : {};
    switch (payload.op) {
      case opcodes.heartbeat:
        send(socket, { op: opcodes.ack });
        return session;
      case opcodes.identify:
        if (session === null) return this.#identify(socket, body);
        socket.close(4005, "Already authenticated");
        return session;
      case opcodes.resume:
        return this.#resume(socket, body);
      case opcodes.presence:
      case opcodes.voice:
        if (session === null) socket.close(4003, "Not authenticated");
        return session;
      case opcodes.members:
        if (session === null) socket.close(4003, "Not authenticated");
        else this.#sendMembers(session, body);
        return session;
      default:
        socket.close(4001, "Unknown opcode");
        return session;
    }
  }

  #identify(socket: WebSocket, body: Json): Session | null {
    this.identified.push({ at: Date.now(), payload: { ...body, token: "hidden" } });
    this.#world.sessionStarts += 1;
    this.#world.changes.note();
    const refusal = identifyRefusal(this.#world, body);
    if (refusal !== null) {
      socket.close(refusal);
      return null;
    }
    const [shard = 0, shards = 1] = Array.isArray(body.shard) ? body.shard.map(Number) : [];
    const session: Session = {
      id: randomUUID().replaceAll("-", ""),
      shard,
      shards,
      intents: Number(body.intents),
      sequence: 0,
      sent: [],
      socket,
      resumes: 0,
    };
    this.#sessions.set(session.id, session);
    this.#begin(session);
    return session;
  }

  #begin(session: Session): void {
    const world = this.#world;
    const guilds = [...world.guilds.values()].filter(
      (guild) => guild.joined && shardOf(guild.id, session.shards) === session.shard,
    );
    dispatch(session, "READY", {
      v: 10,
      user: wireUserById(world, world.bot),
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      session_type: "normal",
      resume_gateway_url: `${world.origin.replace("http", "ws")}/gateway`,
      shard: [session.shard, session.shards],
      application: { id: world.bot, flags: 0 },
      private_channels: [],
      relationships: [],
    });
    if ((session.intents & intents.guilds) !== 0) {
      for (const guild of guilds) dispatch(session, "GUILD_CREATE", wireGuild(world, guild));
    }
    world.changes.note();
  }

  #resume(socket: WebSocket, body: Json): Session | null {
    const session = this.#sessions.get(String(body.session_id));
    if (this.#world.revoked || body.token !== this.#world.options.application.token) {
      socket.close(4004, "Authentication failed");
      return null;
    }
    if (!session || typeof body.seq !== "number") {
      send(socket, { op: opcodes.invalid, d: false });
      return null;
    }
    if (body.seq > session.sequence) {
      socket.close(4007, "Invalid seq");
      return null;
    }
    const seen = body.seq;
    session.socket?.terminate();
    session.socket = socket;
    session.resumes += 1;
    for (const { s, t, d } of session.sent) {
      if (s > seen) send(socket, { op: opcodes.dispatch, s, t, d });
    }
    dispatch(session, "RESUMED", { _trace: [] });
    this.#world.changes.note();
    return session;
  }

  #sendMembers(session: Session, body: Json): void {
    const guild = this.#world.guilds.get(String(body.guild_id));
    if (!guild?.joined) return;
    const wanted = strings(typeof body.user_ids === "string" ? [body.user_ids] : body.user_ids);
    const members = guild.members.filter(({ user }) => wanted.length === 0 || wanted.includes(user));
    dispatch(session, "GUILD_MEMBERS_CHUNK", {
      guild_id: guild.id,
      members: members.map((member) => fullMember(this.#world, member)),
      chunk_index: 0,
      chunk_count: 1,
      not_found: wanted.filter((user) => !members.some((member) => member.user === user)),
      ...(body.nonce === undefined ? {} : { nonce: body.nonce }),
    });
  }
}

function dispatch(session: Session, t: string, d: Json): void {
  session.sequence += 1;
  session.sent.push({ s: session.sequence, t, d });
  send(session.socket, { op: opcodes.dispatch, s: session.sequence, t, d });
}

function send(socket: WebSocket | null, payload: Json): void {
  if (socket?.readyState === socket?.OPEN) socket?.send(JSON.stringify(payload));
}
