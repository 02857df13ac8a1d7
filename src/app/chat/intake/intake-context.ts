import type { KeyedMutex } from "../../../base/keyed-mutex.ts";
import type { ThreadRecord, TurnFilter, TurnLog, TurnRecord } from "../../../core/log/turn-log.ts";
import type { ChatPerson, ChatPlatform } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import type { Author } from "../../../core/values/inbound.ts";
import type { RunOperation } from "../../operations/table.ts";
import type { SkillService } from "../../services/skill-service.ts";
import type { CommandReader } from "../../turns/command-reader.ts";
import type { Submit } from "../../turns/submit.ts";
import type { ButtonPress, ChatListener } from "../chat-intake.ts";
import type { ChatPolicy } from "../chat-policy.ts";
import type { MessageJudge } from "../judge-message.ts";
import type { ThreadStates } from "./thread-states.ts";
import type { Whisperer } from "./whisperer.ts";

/** The operations that people on a platform request. Each is checked against the rights of the person. */
interface BotInChat {
  /** The name people call it by. */
  readonly name: string;
  /** The model in use, `offline` when none is configured. */
  readonly model: string;
  readonly reader: Pick<CommandReader, "read" | "formOf">;
  submit: Submit;
  run: RunOperation;
  turns(filter: TurnFilter): Promise<TurnRecord[]>;
  namespaces(platform: string): Promise<string[]>;
  threads(namespace: string): Promise<ThreadRecord[]>;
  readonly skills: Pick<SkillService, "list" | "detail" | "suggest">;
}

/** What the parts of the intake of one platform share. */
export interface IntakeContext {
  app: BotInChat;
  platform: ChatPlatform;
  log: TurnLog;
  store: KeyValue;
  clock: Clock;
  logger: Log;
  policy: ChatPolicy;
  /** Creates globally unique ids. */
  newId(): string;
  judge: MessageJudge;
  /** Other listeners to events in channels. */
  listeners: readonly ChatListener[];
  threads: ThreadStates;
  whisperer: Whisperer;
  /** Presses of “Try again”, one after another for each turn. */
  repeats: KeyedMutex;
  /** Runs work in the background; a failure is logged as `what`. */
  background(work: () => Promise<unknown>, what: string): void;
}

/** The event could not be stored: it is not acknowledged and will be delivered again. */
export class NotStoredError extends Error {
  readonly code = "not_stored";
}

/** A person as the turn log keeps them. */
export function authorOf({ id, name, trust, time_zone }: ChatPerson): Author {
  return { id, name, trust, time_zone };
}

/** A press on a button of a turn, by somebody who may use the bot in its channel. */
export interface TurnPress {
  press: ButtonPress;
  turn: TurnRecord;
  by: Author;
}
