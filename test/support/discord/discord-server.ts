import { fits } from "./api/faults.ts";
import type { Call } from "./api/rest-api.ts";
import type { ControlActions, ControlInput, ControlOutput, SaidFile } from "./control-protocol.ts";
import type { DiscordOptions } from "./discord-options.ts";
import { exampleWorld } from "./example-world.ts";
import { type FakeDiscord, serveFakeDiscord } from "./fake-discord.ts";
import type { ObservedMessage, ObservedState, ObservedThread } from "./observed-state.ts";
import { InteractionHandle } from "./world/interaction-handle.ts";

/** How a route goes wrong: `POST /channels/:channel/messages`, for so many requests (default 1). */
interface RouteFault {
  route: string;
  times?: number;
}

type Target = string | InteractionHandle;

/**
 * A fake Discord behind real HTTP, with actions for tests. It rejects the same requests as Discord: a bot's mistake
 * gets Discord's error, a test's own mistake (a click on a button that is gone) throws. Nothing here waits for a time:
 *
 *     const discord = await startDiscordServer();
 *     await discord.say({ user: ids.adam, channel: ids.general, content: `<@${ids.bot}> hello` });
 *     const answer = await discord.until(({ messages }) => messages.find(({ author }) => author === ids.bot));
 */
export class DiscordServer {
  readonly #fake: FakeDiscord;

  constructor(fake: FakeDiscord) {
    this.#fake = fake;
  }

  /** For `rest.api` of discord.js. */
  get apiUrl(): string {
    return `${this.#fake.origin}/api`;
  }

  /** Does one action. Throws with the reason if a person could not do that on Discord. */
  async act<Action extends keyof ControlActions>(
    action: Action,
    input: ControlInput<Action>,
  ): Promise<ControlOutput<Action>> {
    const response = await fetch(`${this.#fake.origin}/control/${action}`, {
      method: "POST",
      body: JSON.stringify(input),
    });
    const answer = (await response.json()) as { output: ControlOutput<Action>; error?: string };
    if (!response.ok) throw new Error(answer.error);
    return answer.output;
  }

  /** A person writes a message; answers its id. */
  say(
    input: Omit<ControlInput<"say">, "files"> & { attachments?: readonly AttachmentSeed[] },
  ): Promise<string> {
    const { attachments, ...message } = input;
    return this.act("say", { ...message, ...(attachments ? { files: attachments.map(toFile) } : {}) });
  }

  edit = (input: ControlInput<"edit">) => this.act("edit", input);
  unfurl = (input: ControlInput<"unfurl">) => this.act("unfurl", input);
  remove = (message: string) => this.act("remove", { message });
  react = (input: ControlInput<"react">) => this.act("react", input);
  /** The id of the direct message of the bot and a person. */
  openDm = (user: string) => this.act("openDm", { user });
  joinGuild = (guild: string) => this.act("joinGuild", { guild });
  startThread = (input: ControlInput<"startThread">) => this.act("startThread", input);
  createForumPost = (input: ControlInput<"createForumPost">) => this.act("createForumPost", input);
  addToThread = (input: ControlInput<"addToThread">) => this.act("addToThread", input);
  archiveThread = (input: ControlInput<"archiveThread">) => this.act("archiveThread", input);
  deleteChannel = (channel: string) => this.act("deleteChannel", { channel });
  setOverwrites = (input: ControlInput<"setOverwrites">) => this.act("setOverwrites", input);
  setRoles = (input: ControlInput<"setRoles">) => this.act("setRoles", input);

  command = async (input: ControlInput<"command">) => this.#handle(await this.act("command", input));
  autocomplete = async (input: ControlInput<"autocomplete">) =>
    this.#handle(await this.act("autocomplete", input));
  click = async (input: ControlInput<"click">) => this.#handle(await this.act("click", input));
  contextMenu = async (input: ControlInput<"contextMenu">) =>
    this.#handle(await this.act("contextMenu", input));
  /** `on` is the interaction that the bot answered with the modal. */
  async submitModal(input: { user: string; on: Target; fields: Record<string, string | string[]> }) {
    const { user, on, fields } = input;
    const interaction = typeof on === "string" ? on : on.id;
    return this.#handle(await this.act("submitModal", { user, interaction, fields }));
  }

  /** 429 with Discord's headers. */
  rateLimit({
    route,
    times = 1,
    seconds,
    global = false,
    shared = false,
  }: RouteFault & { seconds: number; global?: boolean; shared?: boolean }) {
    return this.act("fault", { route, times, does: { kind: "rate_limit", seconds, global, shared } });
  }

  /** An error reply. With `after`, the request is performed first: only the reply is lost. */
  fail({
    route,
    times = 1,
    status,
    code = 0,
    message = "Fault",
    after = false,
  }: RouteFault & { status: number; code?: number; message?: string; after?: boolean }) {
    return this.act("fault", { route, times, does: { kind: "fail", status, code, message, after } });
  }

  /** The connection breaks without a reply, before or after the request is performed. */
  drop({ route, times = 1, after = false }: RouteFault & { after?: boolean }) {
    return this.act("fault", { route, times, does: { kind: "drop", after } });
  }

  disconnect = (how: ControlInput<"disconnect">) => this.act("disconnect", how);
  /** Turns away gateway connections, and REST too if `rest` is set. */
  refuseConnections = (on: boolean, { rest = false } = {}) => this.act("refuseConnections", { on, rest });
  /** Lets gateway connections wait at the door, for what happens meanwhile; unlike a refusal it costs no session. */
  holdConnections = (on: boolean) => this.act("holdConnections", { on });
  revokeToken = () => this.act("revokeToken", null);

  /** All there is, as soon as there is a change after `version`. */
  async state(version = -1): Promise<ObservedState> {
    const response = await fetch(`${this.#fake.origin}/control/state?after=${version}`);
    return (await response.json()) as ObservedState;
  }

  /** All there is, with the messages of one channel if it is given, but calls and interactions, which grow large. */
  async stateOfMessages(channel?: string): Promise<ObservedState> {
    const query = new URLSearchParams({ after: "-1", traffic: "no", ...(channel && { channel }) });
    const response = await fetch(`${this.#fake.origin}/control/state?${query}`);
    return (await response.json()) as ObservedState;
  }

  /** The messages of a channel that all there see, oldest first. */
  async messages(channel: string): Promise<ObservedMessage[]> {
    const { messages } = await this.state();
    return messages.filter((message) => message.channel === channel && message.ephemeralFor === null);
  }

  /** The threads of a channel. */
  async threads(parent: string): Promise<ObservedThread[]> {
    return (await this.state()).threads.filter((thread) => thread.parent === parent);
  }

  async commands(): Promise<ObservedState["commands"]> {
    return (await this.state()).commands;
  }

  /** The requests to a route such as `POST /channels/:channel/messages`, or all, oldest first. */
  async calls(route?: string): Promise<Call[]> {
    const { calls } = await this.state();
    return route === undefined ? calls : calls.filter((call) => fits(route, `${call.method} ${call.path}`));
  }

  /** Waits until `look` finds something in the state, and answers that. It looks again after every change. */
  async until<Found>(
    look: (state: ObservedState) => Found,
  ): Promise<Exclude<Found, false | null | undefined>> {
    for (let version = -1; ; ) {
      const state = await this.state(version);
      const found = look(state);
      if (found !== false && found !== null && found !== undefined) {
        return found as Exclude<Found, false | null | undefined>;
      }
      version = state.version;
    }
  }

  /** Stops accepting connections; a second call does nothing. */
  async close(): Promise<void> {
    this.#fake.stop();
  }

  #handle(id: string): InteractionHandle {
    return new InteractionHandle(id, this);
  }
}

/** A file that a person attaches. */
interface AttachmentSeed {
  name: string;
  /** Default "application/octet-stream". */
  contentType?: string;
  content: string | Uint8Array;
}

function toFile({ name, contentType = "application/octet-stream", content }: AttachmentSeed): SaidFile {
  return { name, contentType, base64: Buffer.from(content).toString("base64") };
}

/** Starts a fake Discord; without options, of the example world. */
export async function startDiscordServer(options: DiscordOptions = exampleWorld()): Promise<DiscordServer> {
  return new DiscordServer(await serveFakeDiscord(structuredClone(options)));
}
