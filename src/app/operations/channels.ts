import { z } from "zod";
import { beginningOf, escapeMarkdown } from "../../base/markdown-text.ts";
import type { UsageTotal } from "../../core/log/usage.ts";
import { agentsHere } from "../../core/skill/agent-skill.ts";
import {
  channelSettings,
  type NamespaceState,
  readNamespace,
  type SettingsChange,
  settingsChange,
} from "../../core/skill/namespace-state.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import { mayManage } from "../../core/values/inbound.ts";
import { isDirectMessage, namespaceSchema } from "../../core/values/place.ts";
import { whyUnusable } from "../../core/values/profile.ts";
import { channelName, closed } from "../services/shapes.ts";
import { settingForms } from "./channel-forms.ts";
import { type OperationCall, operation, operators, shown } from "./operation.ts";
import { readableTurn } from "./turns/readable-turn.ts";
import { modelWords, usageText } from "./words.ts";

const channel = z.object({
  namespace: z.string(),
  active: z.array(z.string()),
  pinned: z.array(z.string()),
  blocked: z.array(z.string()),
  settings: channelSettings,
});

export const listChannels = operation({
  name: "channel.list",
  input: z.object({ platform: z.string().min(1).max(50).default("console") }),
  output: z.object({ namespaces: z.array(z.object({ namespace: z.string(), direct: z.boolean() })) }),
  who: operators("list channels"),
  http: {
    route: "GET /namespaces",
    summary: "Channels in which something was said",
    answers: "the namespaces of a platform",
  },
  async run({ input: { platform }, services }) {
    const namespaces = await services.namespaces(platform);
    const direct = namespaces.map((namespace) => ({ namespace, direct: isDirectMessage(namespace) }));
    return { ok: true, value: { namespaces: direct } };
  },
});

export const showChannel = operation({
  name: "channel.show",
  input: z.object({ ns: channelName }),
  output: channel,
  who: "anyone",
  http: {
    route: "GET /namespaces/{ns}",
    summary: "The state of a channel",
    answers: "its skills and settings",
  },
  async run({ input, services }) {
    return { ok: true, value: presentChannel(input.ns, await readNamespace(services.store, input.ns)) };
  },
});

export const changeChannel = operation({
  name: "channel.change",
  input: z.object({ ns: channelName, settings: closed(settingsChange) }),
  output: channel,
  who: { decide: mayChange },
  http: {
    route: "PUT /namespaces/{ns}",
    summary: "Change a channel's settings",
    answers: "its skills and settings",
  },
  chat: settingForms,
  async run({ input: { ns, settings }, asker, services }) {
    const changed = await services.changeSettings(ns, settings, asker.by);
    return changed.ok ? { ok: true, value: presentChannel(ns, changed.value) } : changed;
  },
  audit: ({ namespace }, { input: { settings } }) => settingsNote(settings, namespace),
});

/** Everybody may show a setting with a command. */
async function mayChange({
  input,
  asker,
  command,
}: OperationCall<{ ns: string; settings: SettingsChange }>): Promise<Outcome<unknown>> {
  const isLook = command !== undefined && Object.keys(input.settings).length === 0;
  return isLook ? { ok: true, value: undefined } : mayChangeSettings(asker.by, input.ns);
}

/** Who may change the settings of a channel. */
export function mayChangeSettings(...[by, namespace]: Parameters<typeof mayManage>): Outcome<unknown> {
  if (mayManage(by, namespace)) return { ok: true, value: undefined };
  return failed(403, "Only managers of this channel may change its settings. Ask one of them.");
}

/** The audit line of a change. */
export function settingsNote(settings: SettingsChange, namespace: string) {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  const words = given.map(
    ([name, value]) =>
      `${name} to \`${value === null ? "default" : typeof value === "object" ? JSON.stringify(value) : String(value)}\``,
  );
  return { action: "settings_changed", namespace, subject: namespace, detail: `set ${words.join(", ")}` };
}

function presentChannel(namespace: string, { pinned, blocked, settings }: NamespaceState) {
  return { namespace, active: [], pinned: Object.keys(pinned), blocked: Object.keys(blocked), settings };
}

export const showStatus = operation({
  name: "channel.status",
  input: z.object({ namespace: namespaceSchema }),
  output: z.object({
    channel,
    running: z.array(z.object({ status: z.string(), text: z.string(), asker: z.string() })),
  }),
  who: "anyone",
  chat: {
    command: "agent status",
    description: "Shows what runs here, and the settings",
    read: (_words, { namespace }) => ({ namespace }),
    say({ channel: { settings, pinned, blocked }, running }, { services }) {
      const { paused, reply } = settings;
      const { model, effort } = modelWords(services, settings);
      const lines = [
        ...(paused === undefined
          ? []
          : [
              `**Paused** since ${new Date(paused.at).toISOString()} by ${paused.by}; \`/agent resume\` ends it.`,
            ]),
        `Model: ${model} · effort: ${effort}`,
        `Enabled: ${pinned.join(", ") || "none"} · disabled: ${blocked.join(", ") || "none"}`,
        `Agent: ${settings.profile ?? services.profiles[0].id} · progress: ${settings.progress} · a message while a turn runs: ${settings.while_running === "steer" ? "goes into its next step" : "is answered after it"} · answers without a mention: ${reply ?? "as configured"} · time zone: ${settings.time_zone ?? services.time_zone}`,
        running.length === 0 ? "Nothing is running here." : `Running here: ${running.length}`,
        ...running.map(({ status, text, asker }) => `- ${status}: “${beginningOf(text, 80)}” (${asker})`),
      ];
      return shown(lines.join("\n\n").replaceAll("\n\n- ", "\n- "));
    },
  },
  async run(call) {
    const { services, command } = call;
    const { namespace } = call.input;
    const state = await readNamespace(services.store, namespace);
    const open = (await services.turns.list({ namespace, limit: 50 })).filter(
      (turn) => turn.status !== "finished" && turn.turn_id !== command?.turn_id,
    );
    const readable = await Promise.all(open.map((turn) => readableTurn(turn, call)));
    const running = readable.map(({ turn: { status, text, author } }) => ({
      status,
      text,
      asker: author.name,
    }));
    return { ok: true, value: { channel: presentChannel(namespace, state), running } };
  },
});

const usageTotal = z.custom<UsageTotal>();

export const showUsage = operation({
  name: "usage.show",
  input: z.object({ namespace: namespaceSchema }),
  output: z.object({ channel: usageTotal, person: usageTotal }),
  who: "anyone",
  chat: {
    command: "agent usage",
    description: "Shows tokens and cost of this channel and of you today",
    read: (_words, { namespace }) => ({ namespace }),
  },
  text: ({ channel, person }) =>
    `Today (UTC):\n- this channel: ${usageText(channel)}\n- you, everywhere: ${usageText(person)}`,
  async run({ input: { namespace }, asker, services: { usage, clock } }) {
    const since = Math.floor(clock.now() / 86_400_000) * 86_400_000;
    const [channel, person] = await Promise.all([
      usage({ namespace, since }),
      usage({ user: asker.by.id, since }),
    ]);
    return { ok: true, value: { channel, person } };
  },
});

const agentSchema = z.object({
  id: z.string(),
  description: z.string(),
  tools: z.array(z.string()).optional().describe("the categories of tools it has; all unless given"),
  model: z.string().optional(),
  preset_of: z.string().optional().describe("of a mode: the agent it is a preset of"),
  skill: z
    .string()
    .optional()
    .describe("the enabled skill that it is: it helps others and answers single messages"),
  unusable: z.string().optional().describe("what is wrong with its file; it takes no turns then"),
});

export const listAgents = operation({
  name: "agent.list",
  input: z.object({}),
  output: z.object({
    agents: z.array(agentSchema),
  }),
  who: "anyone",
  about: "asker",
  chat: {
    command: "agent list",
    description: "Shows the agents there are",
    read: () => ({}),
  },
  text: ({ agents }) =>
    [
      ...agents.map(agentInWords),
      "",
      "`/agent use <agent>` chooses one for this channel; `research: your question` asks one for a single message.",
    ].join("\n"),
  async run({ services, asker }) {
    const { profiles } = services;
    const { offer } = await services.offers.read(asker.namespace, await services.catalogue.current());
    const agents = [...profiles, ...agentsHere(offer, profiles)].map((profile) => {
      const { id, description, model, preset_of, skill } = profile;
      const tools = profile.tools && [...profile.tools];
      return { id, description, tools, model, preset_of, skill, unusable: whyUnusable(profile) };
    });
    return { ok: true, value: { agents } };
  },
});

function agentInWords({ id, description, skill, unusable }: z.output<typeof agentSchema>): string {
  const helps = skill === undefined ? "" : " _A skill: it helps others and answers single messages._";
  return unusable === undefined
    ? `- **${id}** ${skill === undefined ? description : escapeMarkdown(description)}${helps}`
    : `- **${id}** cannot be used until an operator of the bot corrects its file: ${escapeMarkdown(unusable)}`;
}
