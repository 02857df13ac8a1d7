/** The shapes of channels and their settings in the HTTP API. Names are a contract: extend, never break. */
import { z } from "@hono/zod-openapi";
import { milliseconds } from "../app/operations/shapes.ts";
import { efforts } from "../core/message.ts";

export const namespaceView = z.object({
  namespace: z.string(),
  active: z.array(z.string()),
  pinned: z.array(z.string()),
  blocked: z.array(z.string()),
  settings: z.object({
    progress: z.enum(["quiet", "steps", "full"]),
    while_running: z.enum(["steer", "queue"]),
    profile: z.string().optional(),
    model: z.string().optional().describe("provider/model of all turns here"),
    effort: z.enum(efforts).optional(),
    reply: z.enum(["mention", "thread", "always"]).optional(),
    time_zone: z.string().optional(),
    paused: z.object({ by: z.string(), at: milliseconds }).optional(),
    allowed_skills: z.array(z.string()).optional(),
  }),
});

/** What is left out stays as it is; `null` goes back to the default. */
export const namespaceSettingsRequest = z
  .object({
    settings: z
      .object({
        progress: z.enum(["quiet", "steps", "full"]).optional(),
        while_running: z.enum(["steer", "queue"]).optional(),
        profile: z.string().min(1).max(200).nullable().optional(),
        model: z.string().min(1).max(300).nullable().optional().describe("provider/model"),
        effort: z.enum(efforts).nullable().optional(),
        reply: z.enum(["mention", "thread", "always"]).nullable().optional(),
        time_zone: z
          .string()
          .min(1)
          .max(200)
          .nullable()
          .optional()
          .describe("IANA name, for people whose own zone is not known"),
        paused: z.boolean().optional(),
        allowed_skills: z.array(z.string().min(1).max(200)).max(1000).nullable().optional(),
      })
      .strict(),
    user: z.string().min(1).max(200).default("operator"),
  })
  .strict();

export const namespaceList = z.object({
  namespaces: z.array(z.object({ namespace: z.string(), direct: z.boolean() })),
});
