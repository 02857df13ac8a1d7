import { type Method, type MethodCall, openChannelOf } from "../api/method.ts";
import { SlackRefusal } from "../api/slack-refusal.ts";
import { knownEmoji } from "../world/emoji.ts";
import type { MessageRecord } from "../world/message-record.ts";
import { reactionEvent } from "../world/people.ts";

function namedMessage(call: MethodCall): MessageRecord {
  const channel = openChannelOf(call);
  const message = call.world.message(channel.id, call.arguments.required("timestamp"));
  if (message === undefined) throw new SlackRefusal("message_not_found");
  return message;
}

function reactedMessage(call: MethodCall): { message: MessageRecord; name: string; bot: string } {
  const message = namedMessage(call);
  const name = call.arguments.required("name");
  if (!knownEmoji.has(name.replace(/::skin-tone-[2-6]$/, ""))) throw new SlackRefusal("invalid_name");
  return { message, name, bot: call.workspace.bot_user_id };
}

const add: Method = {
  token: "bot",
  scope: "reactions:write",
  run: (call) => {
    const { message, name, bot } = reactedMessage(call);
    const existing = message.reactions.find((reaction) => reaction.name === name);
    if (existing?.users.includes(bot) === true) throw new SlackRefusal("already_reacted");
    if (existing === undefined) message.reactions.push({ name, users: [bot] });
    else existing.users.push(bot);
    reactionEvent(call, "reaction_added", message, bot, name);
    call.world.touch();
    return {};
  },
};

const remove: Method = {
  token: "bot",
  scope: "reactions:write",
  run: (call) => {
    const { message, name, bot } = reactedMessage(call);
    const existing = message.reactions.find((reaction) => reaction.name === name);
    if (existing?.users.includes(bot) !== true) throw new SlackRefusal("no_reaction");
    existing.users = existing.users.filter((user) => user !== bot);
    message.reactions = message.reactions.filter((reaction) => reaction.users.length > 0);
    reactionEvent(call, "reaction_removed", message, bot, name);
    call.world.touch();
    return {};
  },
};

/** https://docs.slack.dev/reference/methods/pins.add */
const pin: Method = {
  token: "bot",
  scope: "pins:write",
  run: (call) => {
    const message = namedMessage(call);
    if (message.pinned === true) throw new SlackRefusal("already_pinned");
    message.pinned = true;
    call.world.touch();
    return {};
  },
};

const unpin: Method = {
  token: "bot",
  scope: "pins:write",
  run: (call) => {
    const message = namedMessage(call);
    if (message.pinned !== true) throw new SlackRefusal("no_pin");
    message.pinned = false;
    call.world.touch();
    return {};
  },
};

export const pinMethods: Record<string, Method> = { "pins.add": pin, "pins.remove": unpin };

export const reactionMethods: Record<string, Method> = { "reactions.add": add, "reactions.remove": remove };
