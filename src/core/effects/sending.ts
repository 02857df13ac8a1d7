/** Messages in addition to the answer: sending them to other places, and changing or deleting messages of the bot. */

import { fileNameOf, mediaTypeOf } from "../../base/file-kind.ts";
import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { approveWithin } from "../decisions/approval.ts";
import { notApproved } from "../decisions/not-approved.ts";
import { personOnCard } from "../decisions/people-on-cards.ts";
import { askingId } from "../log/call-id.ts";
import type { ChannelAccess, ChannelMessage, KnownPerson } from "../ports/chat-actions.ts";
import { channelThread, type OutgoingFile } from "../ports/chat-platform.ts";
import { calledBy } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { ChatWork } from "../skill/work-context.ts";
import { sharingReason } from "../transcript/audience.ts";
import { untrustedIn } from "../transcript/untrusted.ts";
import { WaitingForPerson } from "../values/failure.ts";
import { mayManage, planOf } from "../values/inbound.ts";
import { labelOf, mentioned, named } from "../values/label.ts";
import { type Place, partsOf } from "../values/place.ts";
import { type ChatDesk, notHere, type Question } from "./chat-desk.ts";
import { receiverNamed, tellThem } from "./named-target.ts";
import { postedText } from "./poll.ts";
import { maxToolFile } from "./tool-files.ts";

/** Maximum messages that one turn may send or change. */
const maxSent = 20;
/** Maximum files with one message. */
const maxFiles = 10;

interface Target {
  place: Place;
  /** For people and models, with the id. */
  label: string;
  /** For a direct message. */
  person?: KnownPerson;
  /** The message stays in the channel of the turn. */
  isHere: boolean;
}

export function createSending(desk: ChatDesk): Pick<ChatWork, "send" | "edit" | "remove"> {
  const { scope, callId } = desk;
  const { turn, ports, state } = scope;
  const here = turn.place.namespace;

  const record = (did: "sent" | "edited" | "deleted", place: Place, reference: string, link?: string) =>
    scope.emit({ type: "message_sent", call_id: callId, did, place, reference, link });

  const own = async (reference: string): Promise<ChannelMessage> => {
    if (state.sent >= maxSent) throw tooMany();
    const message = await desk.message(reference);
    const made = await ports.chats.ownMessage(here, message.id);
    if (!message.author.self) throw notOwn();
    const isTheirs = made?.author === turn.author.id || mayManage(turn.author, here);
    if (!isTheirs) throw notTheirs();
    return message;
  };

  return {
    async send({ text, to, thread, files, poll: asked }) {
      if (state.sent >= maxSent) throw tooMany();
      const target = await targetOf(desk, to, thread);
      const posted = postedText(desk.actions, text, asked);
      const attached = await readFiles(desk, files);
      let edited: string | undefined;
      if (!target.isHere || state.private)
        edited = await desk.ask({
          action: "send",
          says: { deed: await deedOf(desk, target), quotes: "text", names: ["to"], edits: posted.edits },
          input: { to: target.label, text: posted.shown },
          files: attached,
          reason: target.isHere ? sharingReason : "It will be read outside this channel, in your name.",
        });
      const planned = await consentTo(desk, target);
      const tag = { turn_id: turn.turn_id, purpose: "sent" as const, part: numberOf(desk) };
      const said = edited ?? posted.markdown;
      const signed = target.isHere ? said : said + signature(turn.author.name, planned);
      const markdown = ports.redact(signed).trim();
      const reference = await desk.doing(() =>
        ports.chats.send(target.place, {
          ...{ tag, markdown, files: attached, calls: calledBy(scope) },
          ...ports.redact(posted.poll),
        }),
      );
      const { namespace } = target.place;
      const shownThere = await desk
        .doing(async () => desk.actions.message(namespace, reference))
        .catch(() => undefined);
      await record("sent", target.place, reference, shownThere?.link);
      await addReactions(desk, target.place, reference, posted.reactions);
      return { where: target.label, id: reference, link: shownThere?.link };
    },
    async edit(reference, text) {
      const { id, thread, text: before } = await own(reference);
      const asks = state.private || untrustedIn(scope).length > 0;
      const said = (asks ? await desk.ask(change(before, text)) : undefined) ?? text;
      const place = { namespace: here, thread: thread ?? channelThread };
      const message = { markdown: ports.redact(said), calls: calledBy(scope) };
      await desk.doing(() => ports.chats.edit(place, id, message));
      await record("edited", place, id);
    },
    async remove(reference) {
      const { id, thread, text } = await own(reference);
      if (untrustedIn(scope).length > 0) await desk.ask(deletion(text));
      const place = { namespace: here, thread: thread ?? channelThread };
      await desk.doing(() => ports.chats.remove(place, id, turn.author));
      await record("deleted", place, id);
    },
  };
}

/** Without them people react by themselves: the message is posted, and must not be sent again. */
async function addReactions(
  desk: ChatDesk,
  { namespace }: Place,
  reference: string,
  emoji: readonly string[],
): Promise<void> {
  for (const name of emoji)
    await desk.doing(async () => desk.actions.react?.(namespace, reference, name, true)).catch(() => {});
}

/** Says for whom a message was sent and, if a plan sent it, how its receiver ends that. */
function signature(name: string, planned: string | undefined): string {
  const end = planned === undefined ? "" : `. \`/agent schedule refuse ${planned}\` ends these messages.`;
  return `\n\n*Sent for ${escapeMarkdown(oneLine(name, 200))}*${end}`;
}

/**
 * A schedule or trigger writes to another person only if they agreed. They are asked once, also by runs at the same time; no answer is a
 * no, which they can change with a command. Returns the id of the schedule; undefined where nobody has to agree.
 * @throws SkillFailure unless they agreed
 * @throws WaitingForPerson while they have not decided
 */
async function consentTo(
  { scope, callId, skillId }: ChatDesk,
  { person }: Target,
): Promise<string | undefined> {
  const { cause, author, text } = scope.turn;
  const { schedules } = scope.ports;
  if (planOf(cause) === undefined || cause === undefined || schedules === undefined) return undefined;
  if (person === undefined || person.id === author.id) return undefined;
  const { id, name } = person;
  const who = named(name, id);
  const known = (await schedules.receivers(cause.id))[id];
  if (known === true) return cause.id;
  const key = "receive";
  const [what, so] = ["messages of this schedule", "nothing was sent"];
  let failed = new SkillFailure("not_agreed", `${who} has not agreed to ${what}, so ${so}.`);
  if (known === undefined || scope.state.approvalOf(askingId(callId, key)) !== undefined) {
    const asker = await personOnCard(scope, author);
    const asked = approveWithin(
      scope,
      { callId, key, skillId },
      {
        action: "receive_messages",
        person: { id, name, deed: `send you direct messages for ${asker}` },
        says: {
          deed: `send ${await personOnCard(scope, person)} direct messages for ${asker}`,
          quotes: "task",
          names: ["when"],
        },
        input: { task: text, when: cause.because },
        reason: `It is planned: ${cause.because}. I ask this once.`,
      },
    );
    const decided = await asked.catch(async (error: unknown) => {
      // Other runs find that the person was asked.
      if (error instanceof WaitingForPerson) await schedules.agree(cause.id, id, false);
      throw error;
    });
    await schedules.agree(cause.id, id, decided.approved);
    if (decided.approved) return cause.id;
    failed = notApproved(decided, { what, so, only: who });
  }
  const hint = `Tell the person; ${who} can still allow it: /agent schedule accept ${cause.id}.`;
  throw new SkillFailure(failed.code, failed.message, hint);
}

/** `send a message to "general" <#C0GENERAL>`, `send "Ben" <@U2BEN> a direct message`. */
async function deedOf({ scope }: ChatDesk, { label, person }: Target): Promise<string> {
  if (person !== undefined) return `send ${await personOnCard(scope, person)} a direct message`;
  return `send a message to ${label}`;
}

/** The index of this call among the turn's calls: the same when it is run again. */
function numberOf({ scope, callId }: ChatDesk): number {
  return Math.max(0, [...scope.state.calls.keys()].indexOf(callId));
}

async function targetOf(desk: ChatDesk, to: string, thread: string | undefined): Promise<Target> {
  const { turn } = desk.scope;
  const here = turn.place.namespace;
  if (!desk.actions.posts) throw notHere("post elsewhere");
  if (to.trim() === "" || to.trim() === "here") {
    const root = thread === undefined ? undefined : await desk.message(thread);
    await writableChannel(desk);
    const label = root === undefined ? "this channel" : "a thread of this channel";
    return {
      place: { namespace: here, thread: root?.thread ?? root?.id ?? channelThread },
      label,
      isHere: true,
    };
  }
  const receiver = await receiverNamed(desk, to);
  if ("person" in receiver) return targetFor(desk, receiver.person);
  const { namespace, name } = await writableChannel(desk, receiver.channel);
  return {
    place: { namespace, thread: channelThread },
    label: mentioned(name, partsOf(namespace).channel, "#"),
    isHere: namespace === here,
  };
}

/** A channel in which the person may write; by default the one of the turn. */
export async function writableChannel(desk: ChatDesk, name?: string): Promise<ChannelAccess> {
  const access = await desk.channel(name);
  if (access.write) return access;
  const message = `Nobody can write in "${labelOf(access.name)}" now, or the person may not.`;
  throw new SkillFailure("not_writable", message, tellThem);
}

/** The direct messages of a person. @throws SkillFailure if the bot does not write to them */
export async function targetFor(desk: ChatDesk, person: KnownPerson): Promise<Target> {
  const { id, name, standing } = person;
  if (standing === "bot") throw new SkillFailure("not_allowed", "Bots are not written to.", tellThem);
  const { direct } = desk.actions;
  const here = desk.scope.turn.place.namespace;
  const place = await desk.doing(async () => direct?.(here, id));
  if (place === undefined) throw notHere("send direct messages");
  const isHere = place.namespace === here;
  return { place, label: `a direct message to ${mentioned(name, id)}`, person, isHere };
}

async function readFiles({ scope }: ChatDesk, paths: readonly string[]): Promise<OutgoingFile[]> {
  if (paths.length > maxFiles)
    throw new SkillFailure("too_many", `A message takes ${maxFiles} files.`, "Put them into one archive.");
  const folder = scope.ports.folders.of(scope.turn.place);
  const files: OutgoingFile[] = [];
  for (const path of paths) {
    const file = await folder.open(path);
    if (file === undefined)
      throw new SkillFailure("no_file", `There is no file ${path}.`, "list_files shows what there is.");
    try {
      if (file.bytes > maxToolFile) throw new SkillFailure("too_large", `${path} is larger than 25 MB.`);
      const name = fileNameOf(file.path);
      files.push({ name, media_type: mediaTypeOf(name), data: await file.read(0, file.bytes) });
    } finally {
      await file.close();
    }
  }
  return files;
}

/** A manipulated model could replace text that people trust. */
function change(before: string, text: string): Question {
  return {
    action: "edit",
    says: { deed: "change a message of mine to this", quotes: "text", edits: true },
    input: { before, text },
    reason: "The old text is lost, and I have read text that nobody here vouches for.",
  };
}

/** A manipulated model could delete text that cannot be restored. */
function deletion(text: string): Question {
  return {
    action: "delete",
    says: { deed: "delete this message of mine", quotes: "text" },
    input: { text },
    reason: "It cannot be restored, and I have read text that nobody here vouches for.",
  };
}

function tooMany(): SkillFailure {
  return new SkillFailure("too_many", `A turn sends and changes at most ${maxSent} messages.`, "Answer now.");
}

function notOwn(): SkillFailure {
  return new SkillFailure("not_allowed", "That message is not the bot's own.", tellThem);
}

function notTheirs(): SkillFailure {
  const message =
    "The bot posted that for somebody else: only they and the channel's managers may have it changed.";
  return new SkillFailure("not_allowed", message, tellThem);
}
