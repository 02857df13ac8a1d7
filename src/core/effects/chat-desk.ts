import { approveWithin } from "../decisions/approval.ts";
import type { ChannelAccess, ChannelMessage, ChatActions } from "../ports/chat-actions.ts";
import { PlatformError } from "../ports/chat-platform.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";

/** What the parts of the work share. */
export interface ChatDesk {
  scope: TurnScope;
  callId: string;
  skillId: string;
  /** What can be done here. @throws SkillFailure where nothing can */
  actions(): ChatActions;
  channel(name?: string): Promise<ChannelAccess>;
  message(reference: string): Promise<ChannelMessage>;
  /** Does something on the platform; what it refuses becomes a failure for the model. */
  doing<T>(work: () => Promise<T>): Promise<T>;
  /** Asks the person of the turn. @throws SkillFailure when they refuse */
  ask(what: {
    action: string;
    question: string;
    input: Record<string, string | string[]>;
    reason: string;
  }): Promise<void>;
}

/** What a model is told to do about what cannot be done. */
export const tellThem = "Tell the person.";

export function createDesk(scope: TurnScope, callId: string, skillId: string): ChatDesk {
  const { turn, ports } = scope;
  const here = turn.place.namespace;
  const actions = (): ChatActions => {
    const found = ports.chats.actions(here);
    if (found === undefined) throw notHere("look at channels");
    return found;
  };
  const doing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new SkillFailure(`platform_${error.code}`, error.message, tellThem);
    }
  };
  const channel: ChatDesk["channel"] = (name) =>
    doing(async () => {
      const namespace = name === undefined ? here : await namespaceOf(actions(), here, turn.author.id, name);
      const access = namespace === undefined ? undefined : await actions().access(namespace, turn.author.id);
      if (access === undefined) throw noChannel(name);
      return access;
    });
  return {
    ...{ scope, callId, skillId, actions, channel, doing },
    async message(reference) {
      const found = await doing(() => look(scope, actions(), reference));
      if (found === undefined) {
        const hint = "Take the id of a message from a result of reading this channel.";
        throw new SkillFailure("no_message", `There is no message ${reference} in this channel.`, hint);
      }
      return found;
    },
    async ask({ action, ...asked }) {
      const where = { callId: `${callId}/approval:${action}`, skillId };
      const decided = await approveWithin(scope, where, { action, ...asked, approver: "asker" });
      if (decided.approved) return;
      const who = decided.by === "" ? "Nobody allowed it in time" : `${decided.name ?? decided.by} refused`;
      const hint = "Do not try it again unless the person asks for it. Say what was not done.";
      throw new SkillFailure("refused", `${who}, so nothing was done.`, hint);
    },
  };
}

/** How many messages of a thread are looked through for the bot's latest. */
const latest = 50;

async function look(
  { turn }: TurnScope,
  actions: ChatActions,
  reference: string,
): Promise<ChannelMessage | undefined> {
  const { place, message } = turn;
  if (reference === "last") {
    const { messages } = await actions.history(place, { most: latest });
    return messages.findLast(({ author }) => author.self);
  }
  if (reference !== "this") return actions.message(place.namespace, reference);
  if (message === undefined) return undefined;
  const id = actions.reference === undefined ? message : await actions.reference(place, message);
  return actions.message(place.namespace, id);
}

/** Where a name leads: a namespace, or the name of a channel that both can read. */
async function namespaceOf(
  actions: ChatActions,
  here: string,
  person: string,
  name: string,
): Promise<string | undefined> {
  const wanted = name.trim().replace(/^#/, "").toLowerCase();
  if (wanted === "" || wanted === "here") return here;
  if (name.includes(":")) return name.trim();
  const channels = await actions.channels(here, person);
  return channels.find((each) => each.name.toLowerCase() === wanted)?.namespace;
}

function noChannel(name: string | undefined): SkillFailure {
  const message =
    name === undefined
      ? "This channel cannot be read: the bot or the person is not in it."
      : `There is no channel ${name} that both the person and the bot can read.`;
  return new SkillFailure("no_channel", message, "Tell the person; the bot has to be invited to a channel.");
}

/** That a place cannot do something. */
export function notHere(what: string): SkillFailure {
  return new SkillFailure("not_here", `This chat cannot ${what}.`, tellThem);
}
