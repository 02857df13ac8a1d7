/** The answers and requests of the HTTP API as types, inferred from the schemas the server parses and documents with. */

import type { z } from "zod";
import type { InputOf, OutputOf } from "../app/operations/table.ts";
import type { TurnEvent } from "../core/log/turn-event.ts";
import type * as schemas from "../server/schemas.ts";

export type About = OutputOf<"bot.about">;
export type Completion = OutputOf<"command.complete">["completions"][number];
export type NamespaceSettings = InputOf<"channel.change">["settings"];
export type NamespaceView = OutputOf<"channel.show">;
export type Planned = OutputOf<"schedule.add">;
export type Problem = z.output<typeof schemas.problem>;
export type Readiness = z.output<typeof schemas.readiness>;
export type Receipt = OutputOf<"turn.receipt">;
export type Replay = OutputOf<"turn.replay">;
export type SkillDetail = OutputOf<"skill.show">;
export type SkillList = OutputOf<"skill.list">;
export type SkillListing = OutputOf<"skill.set">;
export type TaughtHistory = OutputOf<"taught.history">;
export type Thread = OutputOf<"thread.list">["threads"][number];
type Turn = OutputOf<"run.list">["turns"][number];
export type TurnAccepted = z.output<typeof schemas.turnAccepted>;
export type TurnRequest = z.input<typeof schemas.turnRequest>;

export type ForgottenPerson = OutputOf<"person.forget">;

export type FlowResult = OutputOf<"flow.run">;
export type InstalledPackage = OutputOf<"package.remove">["removed"];
export type PackageReview = OutputOf<"skill.review">;
export type PackageContent = OutputOf<"package.review">;
export type RetentionStatus = OutputOf<"retention.show">;
export type ServerStatus = OutputOf<"server.control">;

/** The location of a package: an address, a path on the bot's machine, or the archive itself. */
export type PackageLocation = { url: string } | { path: string } | { file: File };

/** A turn with all its events so far. */
export interface TurnWithEvents {
  turn: Turn;
  events: TurnEvent[];
}

/** An item of the feed of a channel. `state`: skills or settings changed and have to be read again. */
export type FeedItem =
  | { kind: "event"; thread: string; event: TurnEvent }
  | { kind: "state"; namespace: string };
