/** The shapes of installed packages in the HTTP API. As in `schemas.ts`: extend, never break. */
import { z } from "@hono/zod-openapi";

const user = z.string().min(1).max(200).default("operator");
const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected a sha256 in lower-case hex");

const packageFinding = z.object({
  severity: z.enum(["info", "warning", "danger"]),
  code: z.string(),
  message: z.string(),
  path: z.string().optional(),
  line: z.number().optional(),
  excerpt: z.string().optional().describe("the place itself, cut, with invisible characters shown"),
});

export const packageReview = z.object({
  skill_id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  kind: z.enum(["builtin", "document", "imported", "flow", "mcp", "config"]),
  files: z.number(),
  bytes: z.number(),
  hash: z.string().describe("sha256 over all files, hex"),
  bins: z.array(z.string()),
  env: z.array(z.string()),
  scripts: z.array(z.string()),
  hosts: z.array(z.string()),
  isolation: z.string().describe("what its code would run in, or why it would not"),
  findings: z.array(packageFinding).describe("gravest first"),
});

export const installedPackage = z.object({
  skill_id: z.string(),
  hash: z.string(),
  from: z.string(),
  by: z.string(),
  installed_at: z.number().describe("milliseconds since the epoch"),
  review: packageReview,
});

/** A package by address, or by a path of the machine the bot runs on. */
export const packageRequest = z
  .object({
    url: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe("of an archive (.zip, .tar.gz) or a git repository; or give path"),
    path: z
      .string()
      .min(1)
      .max(4000)
      .optional()
      .describe("a folder or archive here; taken from programs on this machine alone"),
    expected: z
      .array(hash)
      .max(200)
      .optional()
      .describe("hashes of the reviews a person has seen; anything else is refused"),
    user,
  })
  .strict();

/** The same with the archive itself. */
export const packageUpload = z
  .object({
    file: z
      .custom<File>((value) => value instanceof File, "expected an archive")
      .openapi({ type: "string", format: "binary" }),
    expected: z
      .string()
      .max(20_000)
      .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ""))
      .pipe(z.array(hash).max(200))
      .optional()
      .openapi({ type: "string" })
      .describe("hashes, with commas between them"),
    user,
  })
  .strict();

export const updateRequest = z.object({ user }).strict();

export const packageList = z.object({ packages: z.array(installedPackage) });
export const packageReviews = z.object({ reviews: z.array(packageReview) });
/** Nothing of it is active. */
export const packagesInstalled = z.object({ installed: z.array(installedPackage) });
export const packageRemoved = z.object({ removed: installedPackage });
