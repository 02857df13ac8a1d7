import {
  callbackTypes,
  type Interaction,
  type Interactions,
  interactionTypes,
  isOutside,
} from "../world/interactions.ts";
import { mentionsOf } from "../world/mentions.ts";
import { changeMessage, deleteMessage, isEphemeral, postMessage } from "../world/messages.ts";
import { may } from "../world/permissions.ts";
import { channelTypes, type Message, type World } from "../world/world.ts";
import { refusals } from "./api-error.ts";
import { type ApiReply, type ApiRequest, type ApiRoute, noContent, ok } from "./api-request.ts";
import { checkChoices } from "./command-check.ts";
import { allWords } from "./component-check.ts";
import { FormErrors } from "./form-errors.ts";
import { isObject, type Json, objects } from "./json.ts";
import { messageFlags, readMessageBody } from "./message-body.ts";
import { checkModal } from "./modal-check.ts";
import { wireMessage } from "./wire.ts";

/** Answers to interactions: the callback, and the webhook that its token opens. */
export function interactionRoutes(world: World, interactions: Interactions): ApiRoute[] {
  const open = (name: string, handle: ApiRoute["handle"]): ApiRoute => ({ name, auth: false, handle });
  const answered = (request: ApiRequest) => answeredInteraction(world, interactions, request);
  const messageOf = (request: ApiRequest): { interaction: Interaction; message: Message } => {
    const interaction = answered(request);
    const which = request.at("message");
    const id =
      which === "@original" ? interaction.original : interaction.followups.find((one) => one === which);
    const message = world.messages.get(id ?? (which === interaction.original ? which : ""));
    if (!message) throw refusals.unknownMessage();
    return { interaction, message };
  };
  return [
    open("POST /interactions/:interaction/:token/callback", (request) =>
      callback(world, interactions, request),
    ),
    open("POST /webhooks/:application/:token", (request) => followUp(world, answered(request), request)),
    open("GET /webhooks/:application/:token/messages/:message", (request) =>
      ok(wireMessage(world, messageOf(request).message, "all")),
    ),
    open("PATCH /webhooks/:application/:token/messages/:message", (request) => {
      const { interaction, message } = messageOf(request);
      return ok(fill(world, interaction, message, request));
    }),
    open("DELETE /webhooks/:application/:token/messages/:message", (request) => {
      const { message } = messageOf(request);
      deleteMessage(world, message);
      return noContent;
    }),
  ];
}

/** The interaction of a webhook's token. Throws 10015 if there is none or it has no answer yet, 50027 after 15 minutes. */
function answeredInteraction(world: World, interactions: Interactions, { at }: ApiRequest): Interaction {
  const interaction = interactions.byToken(at("token"));
  if (!interaction || at("application") !== world.bot) throw refusals.unknownWebhook();
  const age = Date.now() - interaction.createdAt;
  if (age > 15 * 60_000) throw refusals.invalidWebhookToken();
  if (interaction.callback === null) throw refusals.unknownWebhook();
  return interaction;
}

/** Which callbacks answer which interaction. A modal from a message may update that message. */
function allowedCallbacks(interaction: Interaction): readonly number[] {
  const { message, deferredMessage, deferredUpdate, updateMessage, autocomplete, modal } = callbackTypes;
  if (interaction.type === interactionTypes.autocomplete) return [autocomplete];
  if (interaction.type === interactionTypes.command) return [message, deferredMessage, modal];
  if (interaction.type === interactionTypes.component) {
    return [message, deferredMessage, deferredUpdate, updateMessage, modal];
  }
  const withSource = interaction.source === null ? [] : [deferredUpdate, updateMessage];
  return [message, deferredMessage, ...withSource];
}

function callback(world: World, interactions: Interactions, request: ApiRequest): ApiReply {
  const { at, body, query } = request;
  const interaction = interactions.byId(at("interaction"));
  if (interaction?.token !== at("token")) throw refusals.unknownInteraction();
  if (interaction.callback !== null) throw refusals.alreadyAcknowledged();
  const latency = Date.now() - interaction.createdAt;
  if (latency > 3_000) throw refusals.unknownInteraction();
  const type = Number(body.type);
  const allowed = allowedCallbacks(interaction);
  if (!allowed.includes(type)) {
    const errors = new FormErrors();
    errors.choices(["type"], allowed.join(", "));
    errors.refuse();
  }
  const data = isObject(body.data) ? body.data : {};
  act(world, interaction, type, { ...request, body: data });
  const original = world.messages.get(interaction.original ?? "");
  const ephemeral = original ? original.ephemeralFor !== null : false;
  interaction.callback = { type, data, ephemeral, latency };
  world.changes.note();
  return query.get("with_response") === "true"
    ? ok(wireResult(world, interaction, type, original))
    : noContent;
}

function act(world: World, interaction: Interaction, type: number, request: ApiRequest): void {
  const source = world.messages.get(interaction.source ?? "");
  switch (type) {
    case callbackTypes.message:
      interaction.original = answer(world, interaction, request).id;
      return;
    case callbackTypes.deferredMessage:
      interaction.original = placeholder(world, interaction, Number(request.body.flags ?? 0)).id;
      interaction.loading = true;
      return;
    case callbackTypes.deferredUpdate:
      interaction.original = interaction.source;
      return;
    case callbackTypes.updateMessage:
      interaction.original = interaction.source;
      if (source) fill(world, interaction, source, request);
      return;
    case callbackTypes.modal:
      checkModal(request.body);
      interaction.modal = request.body;
      return;
    default:
      interaction.choices = readChoices(request.body);
  }
}

function readChoices(data: Json): Json[] {
  const errors = new FormErrors();
  const choices = errors.list(["data", "choices"], data.choices, { most: 25 });
  const numeric = objects(choices).some(({ value }) => typeof value === "number");
  checkChoices(errors, ["data", "choices"], choices, numeric ? 4 : 3);
  errors.refuse();
  return objects(choices);
}

/** Posts an answer to an interaction, seen by all or by the person alone. Throws 50035, 50006, 40005. */
function answer(world: World, interaction: Interaction, { body, files }: ApiRequest): Message {
  const content = readMessageBody(world, body, files);
  const channel = world.channels.get(interaction.channel);
  if (!channel) throw refusals.unknownChannel();
  return postMessage(world, {
    ...content,
    flags:
      content.flags &
      (messageFlags.suppressEmbeds | messageFlags.ephemeral | messageFlags.silent | messageFlags.modern),
    channel: channel.id,
    author: world.bot,
    type: interaction.type === interactionTypes.command ? 20 : 0,
    interaction: interaction.id,
    ephemeralFor: isEphemeral(content.flags) ? interaction.user : null,
    mentions: mentionsOf(world, channel, {
      content: allWords(content),
      allowed: body.allowed_mentions,
      everyone: may(world, world.bot, channel, "MentionEveryone"),
    }),
  });
}

/** "Thinking…": whether only the person sees it is settled here. */
function placeholder(world: World, interaction: Interaction, flags: number): Message {
  return postMessage(world, {
    content: "",
    flags: (flags & messageFlags.ephemeral) | messageFlags.loading,
    channel: interaction.channel,
    author: world.bot,
    type: interaction.type === interactionTypes.command ? 20 : 0,
    interaction: interaction.id,
    ephemeralFor: isEphemeral(flags) ? interaction.user : null,
    mentions: { users: [], roles: [], everyone: false },
  });
}

/** Edits a message through the webhook; the first edit of "thinking…" is its content. Answers it as REST does. */
function fill(world: World, interaction: Interaction, message: Message, { body, files }: ApiRequest): Json {
  const first = message.id === interaction.original && interaction.loading;
  const content = readMessageBody(world, body, files, message);
  const channel = world.channels.get(message.channel);
  if (!channel) throw refusals.unknownChannel();
  const allowed = body.allowed_mentions;
  const mentions = mentionsOf(world, channel, { content: allWords(content), allowed, everyone: false });
  if (first) interaction.loading = false;
  const kept = message.flags & messageFlags.ephemeral;
  const flags = (content.flags & ~(messageFlags.loading | messageFlags.ephemeral)) | kept;
  const edits = message.edits;
  changeMessage(world, message, { ...content, flags, mentions });
  if (first) message.edits = edits;
  return wireMessage(world, message, "all");
}

/** A follow-up. While "thinking…" is still shown, the first one takes its place and its visibility. */
function followUp(world: World, interaction: Interaction, request: ApiRequest): ApiReply {
  const original = world.messages.get(interaction.original ?? "");
  if (interaction.loading && original) return ok(fill(world, interaction, original, request));
  if (world.channels.get(interaction.channel)?.type === channelTypes.forum) throw refusals.notAText();
  if (interaction.followups.length >= 5 && isOutside(world, interaction)) throw refusals.tooManyFollowUps();
  const message = answer(world, interaction, request);
  interaction.followups.push(message.id);
  world.changes.note();
  return ok(wireMessage(world, message, "all"));
}

function wireResult(
  world: World,
  interaction: Interaction,
  type: number,
  message: Message | undefined,
): Json {
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      response_message_id: message?.id,
      response_message_loading: interaction.loading,
      response_message_ephemeral: message ? message.ephemeralFor !== null : false,
    },
    resource: { type, ...(message ? { message: wireMessage(world, message, "all") } : {}) },
  };
}
