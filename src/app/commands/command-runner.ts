import { createEventChannel } from "../../core/event-channel.ts";
import { runSkill } from "../../core/run-skill.ts";
import { nearest } from "../../core/skill-identifier.ts";
import type { TurnEventBody } from "../../core/turn-event.ts";
import type { ClaimedTurn } from "../../core/turn-log.ts";
import type { Completion } from "../app.ts";
import type { TurnRunner } from "../turn-runner.ts";
import { type Command, type CommandCall, type CommandResult, refused, said } from "./command.ts";
import { parseCommand } from "./parse-command.ts";

/** Runs slash commands as turns of their own: they are stored, deduplicated and shown like messages. */
export interface CommandRunner {
  run(claimed: ClaimedTurn, signal: AbortSignal): AsyncGenerator<TurnEventBody, void>;
  complete(text: string, namespace: string): Promise<Completion[]>;
}

export function createCommandRunner(
  commands: readonly Command[],
  turns: TurnRunner,
  botName: string,
): CommandRunner {
  return {
    async *run(claimed, signal) {
      yield { type: "turn_started", profile: "command", model: "" };
      const channel = createEventChannel<TurnEventBody>();
      const { inbound, turn_id } = claimed;
      let result: CommandResult = refused("Nothing happened.");
      const call: Omit<CommandCall, "rest"> = {
        turn_id,
        place: { namespace: inbound.namespace, thread: inbound.thread },
        author: inbound.author,
        signal,
        async runSkill(skillId, params) {
          const turn = await turns.prepare(claimed, signal);
          const ports = turns.portsFor(turn_id, inbound.namespace, inbound.author);
          const events = runSkill(turn, ports, turns.metaTools, skillId, params);
          for (let next = await events.next(); ; next = await events.next()) {
            if (next.done) return next.value;
            await channel.emit(next.value);
          }
        },
      };
      const text = parseCommand(inbound.text, botName) ?? inbound.text;
      const work = execute(commands, text, call).then((value) => {
        result = value;
      });
      yield* channel.drain(work);
      const outcome = signal.aborted ? "stopped" : result.ok ? "completed" : "failed";
      const { text: answer, output } = result;
      yield { type: "turn_finished", outcome, text: answer, ...(output === undefined ? {} : { output }) };
    },

    complete: (text, namespace) => complete(commands, text, namespace),
  };
}

async function execute(
  commands: readonly Command[],
  text: string,
  call: Omit<CommandCall, "rest">,
): Promise<CommandResult> {
  const words = text.trim();
  if (/^help\b/.test(words) || / help$/.test(words)) return said(help(commands));
  const command = find(commands, words);
  if (command !== undefined) return command.run({ ...call, rest: words.slice(command.name.length).trim() });
  const family = words.split(/\s/)[0] ?? "";
  const near = nearest(
    words.split(/\s+/).slice(0, 2).join(" "),
    commands.map((each) => each.name),
  );
  if (near.length > 0)
    return refused(
      `There is no command /${words.slice(0, 100)}. Did you mean ${near.map((name) => `\`/${name}\``).join(" or ")}?`,
    );
  const members = commands.filter((each) => each.name.startsWith(`${family} `));
  if (members.length > 0) return refused(help(members));
  return refused(`There is no command /${words.slice(0, 100)}. \`/help\` shows what there is.`);
}

function find(commands: readonly Command[], words: string): Command | undefined {
  const lower = words.toLowerCase();
  return commands.find(({ name }) => lower === name || lower.startsWith(`${name} `));
}

function help(commands: readonly Command[]): string {
  const lines = commands.map(
    ({ name, usage, description }) => `- \`/${[name, usage].filter(Boolean).join(" ")}\` ${description}`,
  );
  return [
    ...lines,
    "",
    "Everything else you write is for the agent. `@Knack stop` stops what runs in a thread.",
  ].join("\n");
}

async function complete(
  commands: readonly Command[],
  text: string,
  namespace: string,
): Promise<Completion[]> {
  const typed = text.replace(/^\//, "").toLowerCase();
  const command = commands.find(({ name }) => typed.startsWith(`${name} `));
  if (command === undefined) {
    const fitting = commands.filter(({ name }) => name.startsWith(typed));
    return fitting.map(({ name, usage, description }) => ({
      text: `/${name}${usage === "" ? "" : " "}`,
      label: `/${[name, usage].filter(Boolean).join(" ")}`,
      description,
    }));
  }
  const word = typed.slice(command.name.length + 1);
  if (/\s/.test(word)) return [];
  const values = (await command.complete?.(namespace)) ?? [];
  const ranked = values.filter((value) => value.text.toLowerCase().includes(word));
  ranked.sort(
    (a, b) => Number(b.text.toLowerCase().startsWith(word)) - Number(a.text.toLowerCase().startsWith(word)),
  );
  return ranked.slice(0, 12).map((value) => ({
    text: `/${command.name} ${value.text}`,
    label: value.text,
    description: value.description,
  }));
}
