import type { Json } from "../../core/values/json.ts";

/** What handlers for AnythingLLM require most: packages that its server has. Their versions are those of the lock file. */
export const libraries = ["axios", "cheerio", "moment", "uuid"];

/** Messages from the bot to the process of an imported skill. */
export type ToHost =
  | { type: "setup"; skill: HostedSkill }
  | { type: "call"; id: number; args: Json }
  | { type: "reply"; id: number; request: number; value: Json };

/** The skill in a handler's `this`. */
export interface HostedSkill {
  name: string;
  description: string;
  /** The whole plugin.json. */
  config: { [key: string]: Json };
  examples: Json[];
  parameters: Json;
  runtimeArgs: { [key: string]: Json };
  /** The entry module of a tool package, instead of a handler.js. */
  entry?: string;
}

/** Messages from the process to the bot. A result is always text; `data`: the text is JSON. */
export type FromHost =
  | { type: "progress"; id: number; note: string }
  | { type: "log"; text: string }
  | { type: "request"; id: number; request: number; asks: HostRequest }
  | { type: "result"; id: number; text: string; data?: boolean | undefined }
  | { type: "error"; id: number; error: HostError }
  /** The process is about to end: it answers open calls and takes no more. */
  | { type: "ending" };

export type HostRequest =
  | { kind: "approval"; payload: Json; description: string }
  | { kind: "page"; url: string };

/** A thrown error. `at` is the place in the skill, e.g. `handler.js:12`. */
export interface HostError {
  name: string;
  message: string;
  at?: string | undefined;
}
