import { namespaceStateSchema, replyModeSchema } from "../../core/namespace-state.ts";
import {
  type CommandResult,
  type PlainCall,
  type PlainCommand,
  refused,
  said,
} from "../operations/command.ts";
import type { ChangeSettings, SettingsChange } from "../services/channel-settings.ts";

const replyMeaning = {
  mention: "I answer here only when I am mentioned.",
  thread: "In a thread I was called into I answer without a mention, as long as one person writes there.",
  always: "I answer every message here.",
  default: "When I answer here without a mention is up to the bot's configuration again.",
};

const pausedNow =
  "I am paused here: I answer nothing but commands until a manager writes `/agent resume`. What runs is finished; `/agent stop` stops it.";

/** `/agent pause|resume|reply|reset`: how the bot behaves in a channel. For its managers. */
export function channelCommands(changeSettings: ChangeSettings): PlainCommand[] {
  const change = async (call: PlainCall, settings: SettingsChange, done: string): Promise<CommandResult> => {
    const outcome = await changeSettings(call.place.namespace, settings, call.author);
    return outcome.ok ? said(done) : refused(outcome.message);
  };
  return [
    {
      name: "agent pause",
      usage: "",
      description: "Lets the bot answer nobody here until it is resumed",
      run: (call) => change(call, { paused: true }, pausedNow),
    },
    {
      name: "agent resume",
      usage: "",
      description: "Lets the bot answer here again",
      run: (call) => change(call, { paused: false }, "I answer here again."),
    },
    {
      name: "agent reply",
      usage: "mention|thread|always|default",
      description: "When the bot answers without being mentioned",
      complete: async () =>
        Object.entries(replyMeaning).map(([text, description]) => ({ text, description })),
      run: async (call) => {
        const word = call.rest.toLowerCase();
        if (word === "default") return change(call, { reply: null }, replyMeaning.default);
        const mode = replyModeSchema.safeParse(word);
        if (!mode.success) return refused("Choose one of: mention, thread, always, default.");
        return change(call, { reply: mode.data }, replyMeaning[mode.data]);
      },
    },
    {
      name: "agent reset",
      usage: "",
      description: "Sets everything about the agent here back to its default; skills stay as they are",
      run: (call) =>
        change(
          call,
          defaults(),
          "The agent's settings here are the defaults again; skills stay as they are.",
        ),
    },
  ];
}

function defaults(): SettingsChange {
  const { progress, while_running } = namespaceStateSchema.parse({}).settings;
  const none = { profile: null, model: null, effort: null, reply: null, time_zone: null };
  return { progress, while_running, ...none, paused: false };
}
