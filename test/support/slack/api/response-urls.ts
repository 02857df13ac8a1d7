import type { ResponsePlace, ResponseUrl } from "../world/interactivity.ts";
import { CallArguments } from "./call-arguments.ts";
import { acceptContent } from "./message-content.ts";
import type { Backend } from "./method.ts";
import { SlackRefusal } from "./slack-refusal.ts";

const maxUses = 5;
/** Thirty minutes. */
const validMs = 1_800_000;

interface UrlReply {
  status: number;
  body: string;
}

/** Answers a POST to a response_url: five times within half an hour. */
export function answerResponseUrl(backend: Backend, url: ResponseUrl, body: string): UrlReply {
  if (url.uses >= maxUses) return refused(404, "used_url");
  if (Date.now() - url.at > validMs) return refused(404, "expired_url");
  let given: CallArguments;
  try {
    given = CallArguments.parse(body, "application/json");
  } catch {
    return refused(400, "invalid_payload");
  }
  try {
    respond(backend, url, given);
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    return refused(error.code === "no_text" ? 400 : 200, error.code);
  }
  url.uses += 1;
  backend.world.touch();
  return { status: 200, body: "ok" };
}

function refused(status: number, error: string): UrlReply {
  return { status, body: JSON.stringify({ ok: false, error }) };
}

function respond(backend: Backend, url: ResponseUrl, given: CallArguments): void {
  if (given.flag("delete_original")) {
    if (url.original !== undefined) deleteOriginal(backend, url, url.original);
    return;
  }
  const { original } = url;
  // Slack's guide: an answer in the channel overwrites the clicked message unless `replace_original` is false.
  const unsaid = given.all.replace_original === undefined && given.text("response_type") === "in_channel";
  const replaces = given.flag("replace_original") || unsaid;
  if (original === undefined || !replaces) postAnswer(backend, url, given);
  else replaceOriginal(backend, url, original, given);
}

type Original = NonNullable<ResponseUrl["original"]>;

function replaceOriginal(backend: Backend, url: ResponseUrl, original: Original, given: CallArguments): void {
  const { world } = backend;
  const content = acceptContent(world, given);
  if (original.ephemeral) {
    const shown = world.ephemerals.find((each) => each.channel === url.channel && each.ts === original.ts);
    if (shown === undefined) return;
    shown.text = content.text;
    shown.blocks = content.blocks ?? [];
    shown.edits += 1;
    return;
  }
  const message = world.message(url.channel, original.ts);
  if (message === undefined) return;
  const previous = backend.events.snapshot(message);
  message.text = content.text;
  message.blocks = content.blocks ?? [];
  message.edits += 1;
  backend.events.changed(message, previous, false);
}

function deleteOriginal(backend: Backend, url: ResponseUrl, original: Original): void {
  const { world } = backend;
  if (original.ephemeral) {
    for (const each of world.ephemerals)
      if (each.channel === url.channel && each.ts === original.ts) each.shown = false;
    return;
  }
  const message = world.message(url.channel, original.ts);
  if (message === undefined) return;
  const previous = backend.events.snapshot(message);
  message.gone = true;
  backend.events.deleted(message, previous);
}

/** A message in answer to an interaction: for its person alone unless `response_type` is `in_channel`. */
function postAnswer(backend: Backend, place: ResponsePlace, given: CallArguments): void {
  const { world } = backend;
  const content = acceptContent(world, given);
  const blocks = content.blocks ?? [];
  // Also after a click in a thread the answer goes to the channel unless the app names the thread.
  const threadTs = given.text("thread_ts");
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
  const ts = world.timestamp();
  if (given.text("response_type") !== "in_channel") {
    const { channel, user } = place;
    world.ephemerals.push({
      user,
      channel,
      ts,
      text: content.text,
      blocks,
      ...thread,
      shown: threadTs === undefined || world.isOpenThread(channel, threadTs),
      edits: 0,
    });
    return;
  }
  const workspace = world.workspaces.get(place.team_id);
  if (workspace === undefined) return;
  const message = {
    team_id: place.team_id,
    channel: place.channel,
    ts,
    user: workspace.bot_user_id,
    bot_id: workspace.bot_id,
    text: content.text,
    blocks,
    attachments: content.attachments ?? [],
    files: [],
    ...thread,
    broadcast: false,
    edits: 0,
    truncated: content.truncated,
    reactions: [],
    gone: false,
  };
  world.messages.push(message);
  backend.events.posted(message);
}

/** As `postAnswer`, for what came with an ack; a refused content shows nothing. */
export function postAcknowledgement(
  backend: Backend,
  place: ResponsePlace,
  fields: Record<string, unknown>,
): void {
  try {
    postAnswer(backend, place, new CallArguments(fields));
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
  }
}
