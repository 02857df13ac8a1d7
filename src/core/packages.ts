import type { SkillKind } from "./skill.ts";

/** Where a package comes from: a folder or archive of this machine, an address of an archive or a git repository, or an upload. */
export type PackageSource =
  | { kind: "path"; path: string }
  | { kind: "url"; url: string }
  | { kind: "upload"; name: string; data: Uint8Array };

/** Something a person should see before they enable what they installed. */
export interface PackageFinding {
  severity: "info" | "warning" | "danger";
  /** Stable, e.g. `hidden_text`, `encoded_command`, `network`. */
  code: string;
  /** One sentence: what it is and why it matters. */
  message: string;
  path?: string | undefined;
  /** From 1. */
  line?: number | undefined;
  /** The place itself, cut, with invisible characters shown. */
  excerpt?: string | undefined;
}

/** What a package is and can do, found without running any of it. */
export interface PackageReview {
  skill_id: string;
  name: string;
  description: string;
  version: string;
  kind: SkillKind;
  files: number;
  bytes: number;
  /** sha256 over all files, hex. */
  hash: string;
  /** Programs and variables it says it needs, scripts it brings, hosts its code and text name. */
  bins: string[];
  env: string[];
  scripts: string[];
  hosts: string[];
  /** What isolation its code would run in here, or why it would not run. */
  isolation: string;
  /** Gravest first. */
  findings: PackageFinding[];
}

export interface InstalledPackage {
  skill_id: string;
  hash: string;
  /** The address, path or file name it came from. */
  from: string;
  by: string;
  /** ms since the epoch. */
  installed_at: number;
  review: PackageReview;
}

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
