import { nearestNames } from "../../base/text/nearest-name.ts";
import type { Emit, TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import { addressOfFile, type FileStore, type NewFile } from "../../core/ports/storage.ts";
import { WaitingForPerson } from "../../core/values/failure.ts";
import type { GivenCommand, Inbound } from "../../core/values/inbound.ts";
import {
  type Command,
  type CommandCall,
  type CommandFile,
  type CommandResult,
  refused,
  shown,
} from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";
import { type CommandReader, familiesOf } from "../turns/command-reader.ts";
import { emitAll, sayForCause } from "../turns/no-start.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

/** Runs slash commands as turns of their own: they are stored, deduplicated and shown like messages. */
export function createCommandRunner(
  all: readonly Command[],
  services: Services,
  turns: Pick<TurnRunner, "runSkill">,
  reader: Pick<CommandReader, "read">,
  platforms: ChatPlatforms,
  files: Pick<FileStore, "put">,
) {
  return {
    async run(claimed: ClaimedTurn, emit: Emit, signal: AbortSignal): Promise<void> {
      if (claimed.inbound.cause?.says !== undefined) return emitAll(sayForCause(claimed), emit);
      const isResumed = claimed.events.some((event) => event.type === "turn_started");
      await emit(
        isResumed ? { type: "turn_resumed" } : { type: "turn_started", profile: "command", model: "" },
      );
      const { inbound, turn_id } = claimed;
      const said = reader.read(inbound.text, inbound);
      const call: Omit<CommandCall, "input"> = {
        words: (said.kind === "command" ? said.words : inbound.text).trim(),
        turn_id,
        place: { namespace: inbound.namespace, thread: inbound.thread },
        author: inbound.author,
        files: filesOf(inbound, platforms, signal),
        signal,
        show(text) {
          void emit({ type: "text_reset" });
          void emit({ type: "text_delta", text });
        },
        async runSkill(skillId, params) {
          const result = await turns.runSkill(claimed, { skillId, params }, emit, signal);
          if (result === "waiting") throw new WaitingForPerson();
          return result;
        },
      };
      const result = await execute(all, services, inbound.command, call).catch((error: unknown) => {
        // `turn_waiting` was emitted; the command runs again when a person has answered.
        if (!(error instanceof WaitingForPerson)) throw error;
        return undefined;
      });
      if (result === undefined) return;
      if (result.file !== undefined) await emit(await storeFile(claimed, files, result.file));
      const outcome = signal.aborted ? "stopped" : result.ok ? "completed" : "failed";
      const { text, output, private: isPrivate, silent } = result;
      await emit({ type: "turn_finished", outcome, text, output, private: isPrivate, silent });
    },
  };
}

/** The files of a message that is a command. */
function filesOf(inbound: Inbound, platforms: ChatPlatforms, signal: AbortSignal): CommandFile[] {
  const platform = platforms.of(inbound.namespace);
  if (platform === undefined) return [];
  const { namespace, thread } = inbound;
  return (inbound.origin?.files ?? []).map((file) => ({
    name: file.name,
    bytes: file.bytes,
    read: (maxBytes) => platform.download({ namespace, thread }, file, { maxBytes, signal }),
  }));
}

/** Stores the file of an answer. A command that runs again after a crash replaces its earlier file. */
async function storeFile(
  { turn_id, events }: ClaimedTurn,
  files: Pick<FileStore, "put">,
  file: NewFile,
): Promise<TurnEventBody> {
  const before = events.find((event) => event.type === "file" && event.call_id === undefined);
  const stored = await files.put(turn_id, file, before?.type === "file" ? before.name : undefined);
  return { type: "file", ...stored, url: addressOfFile(turn_id, stored.name) };
}

async function execute(
  all: readonly Command[],
  services: Services,
  given: GivenCommand | undefined,
  call: Omit<CommandCall, "input">,
): Promise<CommandResult> {
  const command = given && all.find(({ name }) => name === given.name);
  const { words } = call;
  if (command !== undefined)
    return command.run(
      { ...call, words: words.slice(command.name.length).trim(), input: given?.input },
      services,
    );
  const commands = all.filter(({ partOf }) => partOf === undefined);
  const asked = helpFor(commands, words.toLowerCase());
  if (asked !== undefined) return shown(asked);
  const near = nearestNames(
    words.split(/\s+/).slice(0, 2).join(" "),
    commands.map((each) => each.name),
  );
  const unknown = `There is no command /${words.slice(0, 100)}.`;
  if (near.length > 0)
    return refused(`${unknown} Did you mean ${near.map((name) => `\`/${name}\``).join(" or ")}?`);
  const members = membersOf(commands, words.split(/\s/)[0] ?? "");
  if (members.length > 0) return refused(`${unknown} These commands exist:\n\n${help(members)}`);
  return refused(`${unknown} \`/knack help\` shows what there is.`);
}

/** `help` lists all commands; a family, alone or with `help`, lists its own commands. */
function helpFor(commands: readonly Command[], words: string): string | undefined {
  if (/^help\b/.test(words)) return help(commands);
  const family = words.replace(/(?<!\s)\s+help$/, "");
  return familiesOf(commands).has(family) ? help(membersOf(commands, family)) : undefined;
}

function membersOf(commands: readonly Command[], family: string): Command[] {
  const start = `${family.toLowerCase()} `;
  return commands.filter((each) => each.name.startsWith(start));
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
