import type { GivenCommand } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";

/** One field of a form. `json` is a text that must be JSON. */
export interface FormField {
  name: string;
  /** At most 45 characters, Discord's limit. */
  label: string;
  description: string;
  kind: "text" | "long_text" | "number" | "boolean" | "choice" | "json";
  required: boolean;
  default?: Json | undefined;
  choices?: readonly string[] | undefined;
}

/** A form that asks for a skill's parameters. */
export interface SkillForm {
  skill_id: string;
  title: string;
  /** What the skill does, one line for people. */
  summary: string;
  fields: readonly FormField[];
  /** The command of a filled form, or what is wrong with which field. Values are texts, as platforms have them. */
  command(values: Readonly<Record<string, string>>): FilledForm;
}

/** `text` is how people read the command. */
type FilledForm =
  | { ok: true; text: string; command: GivenCommand }
  | { ok: false; problems: Record<string, string> };
