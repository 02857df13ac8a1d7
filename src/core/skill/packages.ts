import { z } from "zod";
import type { KeyValue } from "../ports/storage.ts";
import type { Outcome } from "../values/failure.ts";
import { type Diagnostic, isInstalled, type Skill, skillKindSchema } from "./skill.ts";

/** A skill that a tool server offers, with its files, whose digests are right; without them if something is wrong with it. */
export interface OfferedSkill {
  name: string;
  files: { path: string; data: Uint8Array }[];
  /** Why it cannot be installed, a sentence. */
  problem?: string | undefined;
}

/** The source of a package: a folder or archive on this machine, the address of an archive or git repository, or an upload. */
export type PackageSource =
  | { kind: "path"; path: string }
  | { kind: "url"; url: string }
  | { kind: "upload"; name: string; data: Uint8Array };

/** A finding that people should see before they enable an installed skill. */
export const packageFinding = z.object({
  severity: z.enum(["info", "warning", "danger"]),
  /** Stable, e.g. `hidden_text`, `encoded_command`, `network`. */
  code: z.string(),
  /** One sentence: the finding and why it matters. */
  message: z.string(),
  path: z.string().optional(),
  /** Counted from 1. */
  line: z.number().optional(),
  excerpt: z.string().optional().describe("the place itself, cut, with invisible characters shown"),
});
export type PackageFinding = z.output<typeof packageFinding>;

/** The content and abilities of a package, determined without running any of it. The names are part of the HTTP API. */
export const packageReview = z.object({
  skill_id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  kind: skillKindSchema,
  files: z.number(),
  bytes: z.number(),
  hash: z.string().describe("sha256 over all files, hex"),
  /** Programs and variables that it declares, scripts that it contains, and hosts named in its code and text. */
  bins: z.array(z.string()),
  env: z.array(z.string()),
  scripts: z.array(z.string()),
  hosts: z.array(z.string()),
  isolation: z.string().describe("what its code would run in, or why it would not"),
  findings: z.array(packageFinding).describe("gravest first"),
});
export type PackageReview = z.output<typeof packageReview>;

/** A part of a package that is not installed, and why. */
export const leftOut = z.object({
  path: z.string().describe("in the package; empty for all of it"),
  /** Stable, e.g. `link`, `missing_description`, `not_searched`. */
  code: z.string(),
  message: z.string(),
});
export type LeftOut = z.output<typeof leftOut>;

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

export type PackageOutcome<T> =
  | {
      ok: true;
      value: T;
      /** What of the package is not in it; absent if that is nothing. */
      left_out?: LeftOut[];
    }
  | {
      ok: false;
      code: string;
      reason: string;
      /** The skills to choose from, if somebody has to choose. */
      choices?: readonly SkillChoice[];
    };

/** A skill of a package that somebody may choose. */
export interface SkillChoice {
  skill_id: string;
  description: string;
}

/** Which skills of a package. */
export interface PackageChoice {
  /** Their ids; absent: all. */
  only?: readonly string[] | undefined;
  /** A package with more skills is refused with their names (`choose_skills`), unless `only` says which. */
  most?: number | undefined;
}

/** How a package is read. */
export interface PackageReading extends PackageChoice {
  signal: AbortSignal;
  /** Called for each skill that was reviewed: how many are, and of how many. */
  onReviewed?: ((skill: Skill, done: number, total: number) => void) | undefined;
}

/** By whom a package is installed, and what that person has seen of it. */
export interface PackageInstallation extends PackageReading {
  by: string;
  /** Hashes of a review: any other content is refused. */
  expected?: readonly string[] | undefined;
}

/** Skills that people install. Installing a package neither runs nor activates any part of it. */
export interface Packages {
  /** Unpacks the package into a separate place and reviews it; installs nothing. */
  review(source: PackageSource, reading: PackageReading): Promise<PackageOutcome<PackageReview[]>>;
  /**
   * Unpacks, reviews and installs the sound skills of a package, replacing installed ones. One whose name is taken gets the name of its
   * owner before it.
   */
  install(source: PackageSource, options: PackageInstallation): Promise<PackageOutcome<InstalledPackage[]>>;
  /** Installs again from the original source, together with the other skills that were installed from there. */
  update(
    skillId: string,
    options: Pick<PackageInstallation, "by" | "signal" | "onReviewed">,
  ): Promise<PackageOutcome<InstalledPackage[]>>;
  remove(skillId: string): Promise<PackageOutcome<InstalledPackage>>;
  get(skillId: string): Promise<InstalledPackage | undefined>;
  list(): Promise<InstalledPackage[]>;
  /** Reviews any existing skill, installed or copied in. */
  reviewSkill(skillId: string): Promise<PackageOutcome<PackageReview>>;
  /** Reviews a skill that consists of one text, wherever that is. */
  reviewText(skill: Skill, text: string): Promise<PackageOutcome<PackageReview>>;
}

/** For a bot that cannot install packages. */
export const noPackages: Packages = {
  list: async () => [],
  get: async () => undefined,
  review: async () => cannot,
  install: async () => cannot,
  update: async () => cannot,
  remove: async () => cannot,
  reviewSkill: async () => cannot,
  reviewText: async () => cannot,
};

const cannot: PackageOutcome<never> = {
  ok: false,
  code: "no_packages",
  reason:
    "This bot cannot install or review packages. Copy the skill's folder into the bot's folder for skills instead (`.knack-workspace/skills` unless set otherwise).",
};

/**
 * Prepared packages: packages that an operator installed once for sandboxed code, which then uses them without a network. Each language has
 * one general set for all code; a skill that lists its requirements can have sets of its own.
 */

/** Python packages come from a Python index, Node packages from an npm registry. */
export const packageLanguages = ["python", "node"] as const;
export type PackageLanguage = (typeof packageLanguages)[number];

/** Names of the languages for people. */
export const languageNames: Readonly<Record<PackageLanguage, string>> = { python: "Python", node: "Node" };

/** Python packages that are named differently from what code imports of them; all others have the same name. */
const packageOf: Readonly<Record<string, string>> = {
  ...{ yaml: "PyYAML", PIL: "pillow", cv2: "opencv-python-headless", sklearn: "scikit-learn" },
  ...{ docx: "python-docx", pptx: "python-pptx", bs4: "beautifulsoup4", fitz: "PyMuPDF", jwt: "PyJWT" },
  ...{ dotenv: "python-dotenv", dateutil: "python-dateutil", Crypto: "pycryptodome", OpenSSL: "pyOpenSSL" },
  ...{
    googleapiclient: "google-api-python-client",
    magic: "python-magic",
    attr: "attrs",
    skimage: "scikit-image",
  },
};

/** The operator's command that prepares what provides these modules. */
export function addCommand(language: PackageLanguage, modules: readonly string[]): string {
  const names = modules.map((name) => (language === "python" ? (packageOf[name] ?? name) : name));
  return `knack sandbox add ${language} ${names.join(" ")}`;
}

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

/** The state of a request. A long preparation continues in the background: `working`. */
export const preparation = z.object({
  state: z.enum(["done", "working"]),
  message: z.string(),
});
export type Preparation = z.output<typeof preparation>;

/** Installs, lists and removes prepared packages. One change at a time; another one is refused (409). */
export interface PreparedPackages {
  list(): Promise<PreparedState>;
  /** Adds packages to the general set. Without packages, rebuilds the set for the current version of the language. */
  add(language: PackageLanguage, packages: readonly string[], by: string): Promise<Outcome<Preparation>>;
  /** Removes packages, and their unused dependencies, from the general set. */
  remove(language: PackageLanguage, packages: readonly string[], by: string): Promise<Outcome<Preparation>>;
  /** Installs the packages that a skill's files list, for that skill only. */
  prepare(skill: Skill, by: string): Promise<Outcome<Preparation>>;
  /** Removes the sets of a deleted skill. */
  drop(skillId: string): Promise<void>;
  /** Why a skill's code lacks packages that its files list, and what to do; undefined if it lacks none. */
  lacks(skill: Skill): Promise<string | undefined>;
  /** What files of a skill import in Python that nothing here provides, packages that they list aside; empty where that cannot be told. */
  missingImports(skill: Skill): Promise<readonly string[]>;
  /** Another text after each change: a result of `lacks` is valid while it stays the same. */
  changes(): Promise<string>;
}

/** For a bot that cannot prepare packages. */
export const noPreparedPackages: PreparedPackages = {
  list: async () => ({ sets: [] }),
  add: async () => nothing,
  remove: async () => nothing,
  prepare: async () => nothing,
  drop: async () => undefined,
  lacks: async () => undefined,
  missingImports: async () => [],
  changes: async () => "",
};

const nothing: Outcome<never> = { ok: false, status: 409, message: "Packages cannot be prepared here." };

const enabledKey = (skill: Skill) => `enabled:${skill.parent ?? skill.id}`;

/** Records that a person enabled this version of an installed skill, in any channel. Before that none of its code runs. */
export async function noteEnabled(store: KeyValue, skill: Skill): Promise<void> {
  if (isInstalled(skill)) await store.set(enabledKey(skill), skill.hash);
}

/** Whether anybody ever enabled this version. Skills from other sources need not be enabled. */
export async function wasEnabled(store: KeyValue, skill: Skill): Promise<boolean> {
  return !isInstalled(skill) || (await store.get(enabledKey(skill))) === skill.hash;
}

/** The state of a tool server (MCP). `needs_login`: a person has to connect an account first. */
export type ServerState = "stopped" | "starting" | "running" | "failed" | "needs_login";

export interface ServerStatus {
  name: string;
  /** The skill that offers its tools. */
  skill_id: string;
  transport: "stdio" | "http" | "sse";
  state: ServerState;
  /** Why it failed or is stopped, in words for a person; secrets masked. */
  problem?: string | undefined;
  /** Whether it starts automatically when needed. */
  auto_start: boolean;
  /** The account that it uses. */
  credentials: "none" | "shared" | "per_user";
  tools: { name: string; description: string; suppressed: boolean }[];
  /** Whether it offers skills that can be installed. */
  offers_skills?: boolean | undefined;
  /** When it entered this state, ms since the epoch. */
  since: number;
}

/** The tool servers of the configuration. Methods return undefined for names that are not configured. */
export interface Servers {
  list(): readonly ServerStatus[];
  /** Entries of the server file that were left out or have no effect, and why. */
  problems(): readonly Diagnostic[];
  /** Resolves when the server is running or has failed. */
  start(name: string): Promise<ServerStatus | undefined>;
  stop(name: string): Promise<ServerStatus | undefined>;
  restart(name: string): Promise<ServerStatus | undefined>;
  /**
   * The address at which this person (`personKey`) connects their account; only they may see it. Operators connect `shared` credentials. If
   * not ok, `reason` says why there is none.
   * @param shown the person's name on the confirmation page (`shownPerson`); derived from `person` by default
   */
  login(
    name: string,
    person: string,
    shown?: string,
  ): Promise<{ ok: true; url: string } | { ok: false; reason: string }>;
  /** Deletes the account of this person, or the shared one. */
  logout(name: string, person: string): Promise<void>;
}
