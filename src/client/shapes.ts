/** The answers and requests of the HTTP API as types, inferred from the schemas the server parses and documents with. */
import type { z } from "zod";
import type { OutputOf } from "../app/operations/table.ts";
import type { TurnEvent } from "../core/turn-event.ts";
import type * as data from "../server/data-schemas.ts";
import type * as flows from "../server/flow-schemas.ts";
import type * as namespaces from "../server/namespace-schemas.ts";
import type * as retention from "../server/retention-schemas.ts";
import type * as schemas from "../server/schemas.ts";
import type * as turns from "../server/turn-schemas.ts";

export type About = z.output<typeof schemas.about>;
export type AnswerRequest = z.input<typeof schemas.answerRequest>;
export type Completion = z.output<typeof schemas.completions>["completions"][number];
export type NamespaceList = z.output<typeof namespaces.namespaceList>;
export type NamespaceSettings = z.input<typeof namespaces.namespaceSettingsRequest>["settings"];
export type NamespaceView = z.output<typeof namespaces.namespaceView>;
export type Problem = z.output<typeof schemas.problem>;
export type PromptView = z.output<typeof schemas.promptView>;
export type Readiness = z.output<typeof schemas.readiness>;
export type SkillDetail = OutputOf<"skill.show">;
export type SkillList = OutputOf<"skill.list">;
export type SkillListing = OutputOf<"skill.set">;
export type Thread = z.output<typeof schemas.threadList>["threads"][number];
export type Turn = OutputOf<"run.list">["turns"][number];
export type TurnAccepted = z.output<typeof turns.turnAccepted>;
export type TurnRequest = z.input<typeof turns.turnRequest>;

export type ForgottenPerson = z.output<typeof data.forgottenPerson>;

export type FlowList = z.output<typeof flows.flowList>;
export type FlowResult = z.output<typeof flows.flowResult>;
export type FlowRunRequest = z.input<typeof flows.flowRunRequest>;
export type FlowTextRequest = z.input<typeof flows.flowTextRequest>;
export type InstalledPackage = OutputOf<"package.remove">["removed"];
export type PackageReview = OutputOf<"skill.review">;
export type RetentionReport = z.output<typeof retention.retentionReport>;
export type RetentionStatus = z.output<typeof retention.retentionStatus>;
export type ServerStatus = OutputOf<"server.control">;

/** Where a package is: an address, a path of the bot's own machine, or the archive itself. */
export type PackageLocation = { url: string } | { path: string } | { file: File };

/** A turn with all its events so far. */
export interface TurnWithEvents {
  turn: Turn;
  events: TurnEvent[];
}

/** What people watching a namespace see. `state`: its skills or settings changed, read them again. */
export type FeedItem =
  | { kind: "event"; thread: string; event: TurnEvent }
  | { kind: "state"; namespace: string };
