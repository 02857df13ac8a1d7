import type { Json } from "../../core/values/json.ts";

/** What the bot tells the process of an imported skill. */
export type ToHost =
  | { type: "setup"; skill: HostedSkill }
  | { type: "call"; id: number; args: Json }
  | { type: "reply"; id: number; request: number; value: Json };

/** What a handler finds of its skill in `this`. */
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

/** What the process tells the bot. A result is always text: nothing else comes over the border; `data`: the text is JSON. */
export type FromHost =
  | { type: "progress"; id: number; note: string }
  | { type: "log"; text: string }
  | { type: "request"; id: number; request: number; asks: HostRequest }
  | { type: "result"; id: number; text: string; data?: boolean }
  | { type: "error"; id: number; error: HostError }
  /** It is about to end: what is open is answered, and nothing more is taken. */
  | { type: "ending" };

export type HostRequest =
  | { kind: "approval"; payload: Json; description: string }
  | { kind: "page"; url: string };

/** What was thrown. `at` is the place in the skill, e.g. `handler.js:12`. */
export interface HostError {
  name: string;
  message: string;
  at?: string;
}
