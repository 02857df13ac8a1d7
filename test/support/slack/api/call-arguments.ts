import { refusalWithMessages } from "./slack-refusal.ts";

/** Arguments that forms carry as JSON text. */
const jsonArguments = new Set([
  "attachments",
  "blocks",
  "chunks",
  "file_ids",
  "files",
  "loading_messages",
  "metadata",
  "prompts",
  "view",
]);

/** The arguments of one Web API call. */
export class CallArguments {
  readonly all: Readonly<Record<string, unknown>>;

  constructor(all: Readonly<Record<string, unknown>>) {
    this.all = all;
  }

  /** Parses a body as Slack takes it: a form, or JSON with its content type. */
  static parse(body: string, contentType: string): CallArguments {
    if (contentType.startsWith("application/json"))
      return new CallArguments(JSON.parse(body === "" ? "{}" : body));
    const all: Record<string, unknown> = {};
    for (const [name, value] of new URLSearchParams(body))
      all[name] = jsonArguments.has(name) ? parsedOr(value) : value;
    return new CallArguments(all);
  }

  /** A text argument; refuses with `invalid_arguments` if it is not there. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined)
      throw refusalWithMessages("invalid_arguments", [`missing required field: ${name}`]);
    return value;
  }

  text(name: string): string | undefined {
    const value = this.all[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw refusalWithMessages("invalid_arguments", [`must be a string [json-pointer:/${name}]`]);
  }

  flag(name: string): boolean {
    const value = this.all[name];
    return value === true || value === "true" || value === "1" || value === 1;
  }

  integer(name: string, otherwise: number): number {
    const value = this.text(name);
    if (value === undefined) return otherwise;
    if (!/^\d+$/.test(value)) throw refusalWithMessages("invalid_arguments", [`not a number: ${name}`]);
    return Number(value);
  }

  /** A list; undefined if the argument is not there. */
  list(name: string, otherwise = "invalid_arguments"): unknown[] | undefined {
    const value = this.all[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (!Array.isArray(value))
      throw refusalWithMessages(otherwise, [`must be an array [json-pointer:/${name}]`]);
    return value;
  }

  /** An object; undefined if the argument is not there. */
  object(name: string, otherwise = "invalid_arguments"): Record<string, unknown> | undefined {
    const value = this.all[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (!isRecord(value)) throw refusalWithMessages(otherwise, [`must be an object [json-pointer:/${name}]`]);
    return value;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
