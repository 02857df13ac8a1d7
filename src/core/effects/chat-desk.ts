import { sha256 } from "../../base/sha256.ts";
import { approveWithin } from "../decisions/approval.ts";
import { askedFiles } from "../decisions/asked-files.ts";
import { notApproved } from "../decisions/not-approved.ts";
import type { ChannelAccess, ChannelMessage, ChatActions } from "../ports/chat-actions.ts";
import { type OutgoingFile, PlatformError } from "../ports/chat-platform.ts";
import type { Turn } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { CallInWords } from "../values/call-arguments.ts";
import { canonicalJson } from "../values/json.ts";
import { type Directory, namespaceNamed, noChannel, tellThem } from "./named-target.ts";

/** What the person of a turn is asked before an action in the chat. */
export interface Question {
  action: string;
  says: CallInWords;
  input: Record<string, string | string[]>;
  /** What the message brings along, apart from the input. */
  files?: readonly OutgoingFile[];
  reason: string;
}

/** What the actions of one call in the chat share. */
export class ChatDesk implements Directory {
  readonly scope: TurnScope;
  readonly callId: string;
  readonly skillId: string;

  constructor(scope: TurnScope, callId: string, skillId: string) {
    this.scope = scope;
    this.callId = callId;
    this.skillId = skillId;
  }

  get actions(): ChatActions {
    const { turn, ports } = this.scope;
    const found = ports.chats.actions(turn.place.namespace);
    if (found === undefined) throw notHere("look at channels");
    return found;
  }

  async doing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new SkillFailure(`platform_${error.code}`, error.message, tellThem);
    }
  }

  /** A channel as the person may use it now, by default the one of the turn. @throws SkillFailure `no_channel` */
  channel(name?: string): Promise<ChannelAccess> {
    const { place, author } = this.scope.turn;
    return this.doing(async () => {
      const namespace = name === undefined ? place.namespace : await namespaceNamed(this, name);
      const access = namespace === undefined ? undefined : await this.actions.access(namespace, author.id);
      if (access === undefined) throw await noChannel(this, name);
      return access;
    });
  }

  /** As `ChatWork.message`. @throws SkillFailure `no_message` */
  async message(reference: string): Promise<ChannelMessage> {
    const found = await this.doing(() => this.#look(reference));
    if (found !== undefined) return found;
    const hint = "Take the id of a message from a result of reading this channel.";
    throw new SkillFailure("no_message", `There is no message ${reference} in this channel.`, hint);
  }

  /**
   * Asks the person of the turn. A decision covers this input alone. Returns the text that they wrote in place of the quoted one.
   * @throws SkillFailure if they refuse
   */
  async ask({ action, files = [], ...asked }: Question): Promise<string | undefined> {
    // Identified by what is asked: a call may ask for several things at the same time.
    const print = (await sha256(canonicalJson(asked.input))).slice(0, 32);
    const where = { callId: this.callId, key: `${action}:${print}`, skillId: this.skillId };
    const decided = await approveWithin(
      this.scope,
      where,
      { action, ...asked, approver: "asker" },
      (_input, purpose) => askedFiles(this.scope, files, purpose),
    );
    if (decided.approved) return decided.edited;
    throw notApproved(decided, { so: "nothing was done" });
  }

  async #look(reference: string): Promise<ChannelMessage | undefined> {
    const { turn } = this.scope;
    if (reference === "last") {
      const { messages } = await this.actions.history(turn.place, { most: latest });
      return messages.findLast(({ author }) => author.self);
    }
    const id = reference === "this" ? await askingReference(turn, this.actions) : reference;
    return id === undefined ? undefined : this.actions.message(turn.place.namespace, id);
  }
}

/** Number of messages of a thread that are searched for the bot's latest one. */
const latest = 50;

/** The reference of the message that the turn answers, if it answers one. */
export async function askingReference(
  { place, message }: Turn,
  actions: ChatActions,
): Promise<string | undefined> {
  return message === undefined ? undefined : (actions.reference?.(place, message) ?? message);
}

/** The failure of an action that a place does not support. */
export function notHere(what: string): SkillFailure {
  return new SkillFailure("not_here", `This chat cannot ${what}.`, tellThem);
}
