import { z } from "zod";
import { skillKindSchema } from "./skill.ts";

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
