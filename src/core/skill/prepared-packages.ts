/**
 * Prepared packages: what an operator installed once for sandboxed code, which afterwards finds it without a network. One set per
 * language is for all code; a skill that lists what it needs can have sets of its own.
 */
import { z } from "zod";
import type { Outcome } from "../values/outcome.ts";
import type { Skill } from "./skill.ts";

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
