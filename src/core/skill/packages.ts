import { z } from "zod";
import type { KeyValue } from "../ports/storage.ts";
import type { Outcome } from "../values/failure.ts";
import { type Diagnostic, isInstalled, type Skill, skillKindSchema } from "./skill.ts";

/** Where a package comes from: a folder or archive of this machine, an address of an archive or a git repository, or an upload. */
export type PackageSource =
  | { kind: "path"; path: string }
  | { kind: "url"; url: string }
  | { kind: "upload"; name: string; data: Uint8Array };

/** Something a person should see before they enable what they installed. */
const packageFinding = z.object({
  severity: z.enum(["info", "warning", "danger"]),
  /** Stable, e.g. `hidden_text`, `encoded_command`, `network`. */
  code: z.string(),
  /** One sentence: what it is and why it matters. */
  message: z.string(),
  path: z.string().optional(),
  /** From 1. */
  line: z.number().optional(),
  excerpt: z.string().optional().describe("the place itself, cut, with invisible characters shown"),
});
export type PackageFinding = z.output<typeof packageFinding>;

/** What a package is and can do, found without running any of it. Names are a contract of the HTTP API. */
export const packageReview = z.object({
  skill_id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  kind: skillKindSchema,
  files: z.number(),
  bytes: z.number(),
  hash: z.string().describe("sha256 over all files, hex"),
  /** Programs and variables it says it needs, scripts it brings, hosts its code and text name. */
  bins: z.array(z.string()),
  env: z.array(z.string()),
  scripts: z.array(z.string()),
  hosts: z.array(z.string()),
  isolation: z.string().describe("what its code would run in, or why it would not"),
  findings: z.array(packageFinding).describe("gravest first"),
});
export type PackageReview = z.output<typeof packageReview>;

export const installedPackage = z.object({
  skill_id: z.string(),
  hash: z.string(),
  /** The address, path or file name it came from. */
  from: z.string(),
  by: z.string(),
  installed_at: z.number().describe("milliseconds since the epoch"),
  review: packageReview,
});
export type InstalledPackage = z.output<typeof installedPackage>;

export type PackageOutcome<T> = { ok: true; value: T } | { ok: false; code: string; reason: string };

/** Skills that people install. Nothing of a package runs or is active because it was installed. */
export interface Packages {
  /** Unpacks into a place of its own and reviews; installs nothing. */
  review(source: PackageSource, signal: AbortSignal): Promise<PackageOutcome<PackageReview[]>>;
  /**
   * Unpacks, reviews and installs all skills in it; one that is installed already is replaced. `expected` are the hashes that a
   * person has seen in a review: anything else is refused.
   */
  install(
    source: PackageSource,
    options: { by: string; signal: AbortSignal; expected?: readonly string[] | undefined },
  ): Promise<PackageOutcome<InstalledPackage[]>>;
  /** Installs again from where it came from. */
  update(
    skillId: string,
    options: { by: string; signal: AbortSignal },
  ): Promise<PackageOutcome<InstalledPackage[]>>;
  remove(skillId: string): Promise<PackageOutcome<InstalledPackage>>;
  get(skillId: string): Promise<InstalledPackage | undefined>;
  list(): Promise<InstalledPackage[]>;
  /** Reviews any skill that is there, installed or copied in. */
  reviewSkill(skillId: string): Promise<PackageOutcome<PackageReview>>;
}

/** Of a bot that can install nothing. */
export const noPackages: Packages = {
  list: async () => [],
  get: async () => undefined,
  review: async () => cannot,
  install: async () => cannot,
  update: async () => cannot,
  remove: async () => cannot,
  reviewSkill: async () => cannot,
};

const cannot: PackageOutcome<never> = {
  ok: false,
  code: "no_packages",
  reason:
    "This bot cannot install or review packages. Copy the skill's folder into the bot's folder for skills instead (`.knack-workspace/skills` unless set otherwise).",
};

/**
 * Prepared packages: what an operator installed once for sandboxed code, which afterwards finds it without a network. One set per
 * language is for all code; a skill that lists what it needs can have sets of its own.
 */

/** Python's packages come from a Python index, those of Node from an npm registry. */
export const packageLanguages = ["python", "node"] as const;
export type PackageLanguage = (typeof packageLanguages)[number];

/** As people write the names of the languages. */
export const languageNames: Readonly<Record<PackageLanguage, string>> = { python: "Python", node: "Node" };

const preparedSet = z.object({
  language: z.enum(packageLanguages),
  skill: z.string().optional().describe("the skill that alone sees it; absent: all sandboxed code does"),
  asked: z.array(z.string()).describe("what was asked for, as it was written"),
  packages: z
    .array(z.object({ name: z.string(), version: z.string() }))
    .describe("everything in it, what was asked for first"),
  runtime: z.string().describe("the version of the language it was prepared for"),
  prepared_at: z.number().describe("ms since the epoch"),
  by: z.string(),
  bytes: z.number(),
  problem: z.string().optional().describe("why no code sees it, with what to do"),
});
export type PreparedSet = z.output<typeof preparedSet>;

export const preparedState = z.object({
  sets: z.array(preparedSet),
  working: z
    .object({ what: z.string(), since: z.number(), line: z.string() })
    .optional()
    .describe("what is being prepared now, and the last line of its installer"),
  last: z
    .object({ what: z.string(), ok: z.boolean(), message: z.string() })
    .optional()
    .describe("what came of the last one that this bot prepared"),
});
export type PreparedState = z.output<typeof preparedState>;

/** What became of a request. One that takes long goes on by itself: `working`. */
export const preparation = z.object({
  state: z.enum(["done", "working"]),
  message: z.string(),
});
export type Preparation = z.output<typeof preparation>;

/** Installs, lists and removes them. One change at a time; a second one is refused (409). */
export interface PreparedPackages {
  list(): Promise<PreparedState>;
  /** Adds to the general set; with no package it is made anew for the language as it is now. */
  add(language: PackageLanguage, packages: readonly string[], by: string): Promise<Outcome<Preparation>>;
  /** Takes packages out of the general set, and what only they needed. */
  remove(language: PackageLanguage, packages: readonly string[], by: string): Promise<Outcome<Preparation>>;
  /** Installs what the files of a skill list, for that skill alone. */
  prepare(skill: Skill, by: string): Promise<Outcome<Preparation>>;
  /** Removes the sets of a skill that is gone. */
  drop(skillId: string): Promise<void>;
  /** Why the code of a skill misses packages that its files list, with what to do; undefined when it does not. */
  lacks(skill: Skill): Promise<string | undefined>;
  /** Counts the changes since the start: an answer of `lacks` holds while it is the same. */
  changes(): number;
}

/** Where nothing can be prepared. */
export const noPreparedPackages: PreparedPackages = {
  list: async () => ({ sets: [] }),
  add: async () => nothing,
  remove: async () => nothing,
  prepare: async () => nothing,
  drop: async () => undefined,
  lacks: async () => undefined,
  changes: () => 0,
};

const nothing: Outcome<never> = { ok: false, status: 409, message: "Packages cannot be prepared here." };

/** Which installed skills a person enabled, in whatever channel. Before that no code of them runs, not even to see what tools it has. */
export interface EnabledPackages {
  /** A person enabled this version. */
  note(skill: Skill): Promise<void>;
  /** Whether somebody ever enabled this version. Skills of other sources need nobody. */
  allows(skill: Skill): Promise<boolean>;
}

export function createEnabledPackages(store: KeyValue): EnabledPackages {
  const keyOf = (skill: Skill) => `enabled:${skill.parent ?? skill.id}`;
  return {
    async note(skill) {
      if (isInstalled(skill)) await store.set(keyOf(skill), skill.hash);
    },
    allows: async (skill) => !isInstalled(skill) || (await store.get(keyOf(skill))) === skill.hash,
  };
}

/** How a tool server (MCP) is doing. `needs_login`: somebody has to connect an account first. */
export type ServerState = "stopped" | "starting" | "running" | "failed" | "needs_login";

export interface ServerStatus {
  name: string;
  /** The skill that offers its tools. */
  skill_id: string;
  transport: "stdio" | "http" | "sse";
  state: ServerState;
  /** Why it failed or is stopped, in words for a person; secrets masked. */
  problem?: string | undefined;
  /** Whether it is started by itself when it is needed. */
  auto_start: boolean;
  /** Whose account it works with. */
  credentials: "none" | "shared" | "per_user";
  tools: { name: string; description: string; suppressed: boolean }[];
  /** Since when it is in this state, ms since the epoch. */
  since: number;
}

/** The tool servers of the configuration. Names that are not configured answer undefined. */
export interface Servers {
  list(): readonly ServerStatus[];
  /** What of the file of servers was left out or has no effect, and why. */
  problems(): readonly Diagnostic[];
  /** Resolves when it runs or has failed. */
  start(name: string): Promise<ServerStatus | undefined>;
  stop(name: string): Promise<ServerStatus | undefined>;
  restart(name: string): Promise<ServerStatus | undefined>;
  /**
   * The address at which this person (`personKey`) connects their account, to be given to them alone; `shared` credentials are for
   * operators to connect. Not ok: why there is none.
   * @param shown how the person is called where they confirm the login (`shownPerson`); a form of `person` unless told
   */
  login(
    name: string,
    person: string,
    shown?: string,
  ): Promise<{ ok: true; url: string } | { ok: false; reason: string }>;
  /** Forgets the account of this person, or the shared one. */
  logout(name: string, person: string): Promise<void>;
}
