/** Shapes that several operations share in their input and output. Names are a contract: extend, never break. */
import { z } from "zod";
import { oneLine } from "../../base/markdown-text.ts";
import { byNearness } from "../../base/text/nearest-name.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";
import { namespaceSchema } from "../../core/values/place.ts";

export const skillId = z
  .string()
  .min(1)
  .max(200)
  .describe("a skill's id; a part is skill#part (in an address, # is %23)");

export const diagnostic = z.object({
  path: z.string(),
  skill_id: z.string().optional().describe("the skill it is about, where one file has several"),
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  message: z.string(),
});

/** An object without other keys. The error about an unknown key lists the keys that it takes, the nearest first. */
export function closed<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  return z.strictObject(shape, {
    error(issue) {
      if (issue.code !== "unrecognized_keys") return undefined;
      const [key = ""] = issue.keys;
      const more = issue.keys.length > 1 ? ` and ${issue.keys.length - 1} more` : "";
      return `Unrecognized key: ${JSON.stringify(oneLine(key, 64))}${more}. It takes ${byNearness(key, Object.keys(shape)).join(", ")}.`;
    },
  });
}

/** Any value of a body that was parsed as JSON and needs no further check. Names its types for openapi.json. */
export const json = z
  .custom<Json>((value) => value !== undefined)
  .meta({ type: ["object", "array", "string", "number", "boolean", "null"] });

/** A file in a form. `otherwise` is the error message. */
export function uploadedFile(otherwise: string) {
  return z
    .custom<File>((value) => value instanceof File, otherwise)
    .meta({ type: "string", format: "binary" });
}

export const milliseconds = z.number().describe("milliseconds since the epoch");

export const toolDefinition = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), json),
});

/** The default channel of the console. */
export const consoleNamespace = "console:local:dm";

/** A channel, without a default. */
export const channelName = namespaceSchema.describe("platform:workspace:channel");

export const ownNamespace = namespaceSchema.default(consoleNamespace);

/** What was deleted with a turn. */
export const forgottenTurn = z.object({
  forgotten: z.boolean().describe("its texts and files are deleted permanently"),
  attachments: z
    .array(z.string())
    .readonly()
    .describe("files of the thread that came with it and are deleted"),
  made_from_them: z
    .array(z.string())
    .readonly()
    .describe("files that code made from these and that still exist"),
});
export type Forgotten = z.output<typeof forgottenTurn>;

/** Deletes a turn permanently. */
export type Forget = (turnId: string, by: Author) => Promise<Outcome<Forgotten>>;

/** Key prefix of feedback on answers; the id of the turn follows. */
export const feedbackPrefix = "feedback:";

/** The key under which it is stored that a person wants no unasked offers of an answer. */
export function offersOffKey(platform: string, person: string): string {
  return `chat-offers-off:${platform}:${person}`;
}

export function feedbackKey(turnId: string): string {
  return feedbackPrefix + turnId;
}
