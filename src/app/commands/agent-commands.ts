import type { Clock } from "../../core/clock.ts";
import { progressLevelSchema, readNamespace } from "../../core/namespace-state.ts";
import { mayStop } from "../../core/permissions.ts";
import { isDirectMessage } from "../../core/place.ts";
import { costText, type UsageTotal } from "../../core/usage-total.ts";
import {
  type CommandResult,
  type PlainCall,
  type PlainCommand,
  refused,
  said,
  shown,
} from "../operations/command.ts";
import { placeWords } from "../operations/place-words.ts";
import { type ApprovalCommandDeps, approvalCommand } from "./approval-commands.ts";
import { type ModelCommandDeps, modelCommands, modelWords } from "./model-commands.ts";

export interface AgentCommandDeps extends ApprovalCommandDeps, ModelCommandDeps {
  clock: Clock;
  /** The zone of channels that have none of their own, IANA name. */
  time_zone: string;
  stop(turnId: string, by: string): Promise<boolean>;
}

/** `/agent status|stop|list|use|model|effort|usage|progress|steering|approvals`. */
export function agentCommands(deps: AgentCommandDeps): PlainCommand[] {
  return [
    {
      name: "agent status",
      usage: "",
      description: "Shows what runs here, and the settings",
      run: (call) => status(deps, call),
    },
    {
      name: "agent stop",
      urgent: true,
      usage: "",
      description: "Stops your turns in this channel",
      run: (call) => stop(deps, call),
    },
    ...modelCommands(deps),
    {
      name: "agent usage",
      usage: "",
      description: "Shows tokens and cost of this channel and of you today",
      run: (call) => usage(deps, call),
    },
    {
      name: "agent list",
      usage: "",
      description: "Shows the agents there are",
      run: async () =>
        shown(deps.profiles.map(({ id, description }) => `- **${id}** ${description}`).join("\n")),
    },
    {
      name: "agent use",
      usage: "<agent>",
      description: "Chooses the agent that answers in this channel",
      complete: async () => deps.profiles.map(({ id, description }) => ({ text: id, description })),
      run: (call) => use(deps, call),
    },
    {
      name: "agent progress",
      usage: "quiet|steps|full",
      description: "How much progress is shown here",
      complete: async () =>
        progressLevelSchema.options.map((text) => ({ text, description: progressMeaning[text] })),
      run: (call) => progress(deps, call),
    },
    {
      name: "agent steering",
      usage: "on|off",
      description: "Whether your next message steers a running turn (on) or waits for it (off)",
      complete: async () => [
        { text: "on", description: "a message while a turn runs steers it" },
        { text: "off", description: "a message while a turn runs waits" },
      ],
      run: (call) => steering(deps, call),
    },
    approvalCommand(deps),
  ];
}

const progressMeaning = {
  quiet: "only the answer",
  steps: "plain-language steps",
  full: "steps with input and output",
};

async function status(deps: AgentCommandDeps, { place, turn_id }: PlainCall): Promise<CommandResult> {
  const { log, store, profiles, time_zone } = deps;
  const { settings, pinned, blocked } = await readNamespace(store, place.namespace);
  const turns = (await log.list({ namespace: place.namespace, limit: 50 })).filter(
    (turn) => turn.status !== "finished" && turn.turn_id !== turn_id,
  );
  const { paused, reply } = settings;
  const { model, effort } = modelWords(deps, settings);
  const lines = [
    ...(paused === undefined
      ? []
      : [
          `**Paused** since ${new Date(paused.at).toISOString()} by ${paused.by}; \`/agent resume\` ends it.`,
        ]),
    `Model: ${model} · effort: ${effort}`,
    `Enabled: ${names(pinned)} · disabled: ${names(blocked)}`,
    `Agent: ${settings.profile ?? profiles[0].id} · progress: ${settings.progress} · a message while a turn runs: ${settings.while_running === "steer" ? "steers it" : "waits"} · answers without a mention: ${reply ?? "as configured"} · time zone: ${settings.time_zone ?? time_zone}`,
    turns.length === 0 ? "Nothing is running here." : `Running here: ${turns.length}`,
    ...turns.map((turn) => `- ${turn.status}: “${turn.text.slice(0, 80)}” (${turn.author.name})`),
  ];
  return shown(lines.join("\n\n").replaceAll("\n\n- ", "\n- "));
}

function names(marks: Record<string, unknown>): string {
  return Object.keys(marks).join(", ") || "none";
}

/** `agent stop here` is the short form `stop`: every turn of the thread, or the direct message, that the person may stop. */
async function stop(
  deps: AgentCommandDeps,
  { place, author, rest, turn_id }: PlainCall,
): Promise<CommandResult> {
  // In a direct message everything is between the two: a new thread there may mean the one before.
  const isThread = rest === "here" && !isDirectMessage(place.namespace);
  const filter = isThread ? place : { namespace: place.namespace };
  const open = (await deps.log.list({ ...filter, limit: 200 })).filter(
    (turn) => turn.status !== "finished" && turn.turn_id !== turn_id,
  );
  const mine = open.filter((turn) => (isThread ? mayStop(author, turn) : turn.author.id === author.id));
  for (const turn of mine) await deps.stop(turn.turn_id, author.id);
  if (mine.length > 0)
    return stopped(mine.filter((turn) => turn.thread !== place.thread).length, mine.length);
  if (open.length > 0)
    return refused("What runs here was asked by somebody else; they or a manager can stop it.");
  return shown("Nothing is running here.");
}

/** Every stopped turn says so in its own thread. */
function stopped(elsewhere: number, all: number): CommandResult {
  if (elsewhere === 0) return { ...said("Stopped."), silent: true };
  return shown(all === 1 ? "Your turn is stopped." : `${all} turns are stopped.`);
}

async function usage({ log, clock }: AgentCommandDeps, { place, author }: PlainCall): Promise<CommandResult> {
  const since = Math.floor(clock.now() / 86_400_000) * 86_400_000;
  const [channel, person] = await Promise.all([
    log.usage({ namespace: place.namespace, since }),
    log.usage({ user: author.id, since }),
  ]);
  const lines = [`- this channel: ${usageText(channel)}`, `- you, everywhere: ${usageText(person)}`];
  return shown(["Today (UTC):", ...lines].join("\n"));
}

function usageText(total: UsageTotal): string {
  const { input_tokens, cached_tokens, output_tokens } = total;
  const share = Math.round((100 * cached_tokens) / input_tokens);
  const cached = input_tokens === 0 ? "" : ` (${share}% from the provider's cache)`;
  const parts = [
    `${input_tokens.toLocaleString("en")} tokens in${cached}`,
    `${output_tokens.toLocaleString("en")} out`,
    costText(total),
  ];
  return parts.filter(Boolean).join(", ");
}

async function use(
  { changeSettings }: AgentCommandDeps,
  { place, author, rest }: PlainCall,
): Promise<CommandResult> {
  if (rest === "") return refused("Which agent? `/agent list` shows them.");
  const outcome = await changeSettings(place.namespace, { profile: rest }, author);
  return outcome.ok
    ? said(`**${rest}** answers ${placeWords(place.namespace)} now.`)
    : refused(outcome.message);
}

async function progress(
  { changeSettings }: AgentCommandDeps,
  { place, author, rest }: PlainCall,
): Promise<CommandResult> {
  const level = progressLevelSchema.safeParse(rest);
  if (!level.success) return refused("Choose one of: quiet, steps, full.");
  const outcome = await changeSettings(place.namespace, { progress: level.data }, author);
  return outcome.ok ? said(`Progress here: ${progressMeaning[level.data]}.`) : refused(outcome.message);
}

async function steering(
  { changeSettings }: AgentCommandDeps,
  { place, author, rest }: PlainCall,
): Promise<CommandResult> {
  if (rest !== "on" && rest !== "off") return refused("Choose one of: on, off.");
  const outcome = await changeSettings(
    place.namespace,
    { while_running: rest === "on" ? "steer" : "queue" },
    author,
  );
  if (!outcome.ok) return refused(outcome.message);
  return said(
    rest === "on" ? "Your next message steers a running turn." : "Messages wait for the running turn.",
  );
}
