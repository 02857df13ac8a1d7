import { type Json, objectOf } from "../../../core/values/json.ts";
import type { AssistantMessage } from "../../../core/values/message.ts";
import type { BlocksOwner } from "../../provider-model.ts";
import { ownBlocks } from "../past-messages.ts";

/**
 * Fields that compatible servers add to a message and expect back: reasoning in words (`reasoning_content` of DeepSeek, llama.cpp and
 * xAI, `reasoning` of vLLM, Groq and OpenRouter), OpenRouter's `reasoning_details`, and Gemini's thought signatures in
 * `extra_content` of the message and of each call.
 */
export interface KeptFields {
  message: { [field: string]: Json };
  /** The fields of the calls, in their order. */
  calls: { [field: string]: Json }[];
}

type Fields = { [key: string]: unknown };

/** The types of `reasoning_details` that arrive in pieces, and their growing field. */
const piecewise: Record<string, string> = { "reasoning.text": "text", "reasoning.summary": "summary" };

const wordFields = ["reasoning", "reasoning_content"] as const;

/** Collects the fields of one answer, from its deltas or from the whole message. */
export class ReasoningFields {
  readonly #words = new Map<string, string>();
  readonly #details: { [key: string]: Json }[] = [];
  readonly #streamed: boolean;
  #extra: Json | undefined;

  constructor(how: "streamed" | "whole") {
    this.#streamed = how === "streamed";
  }

  /** Adds a delta or a message. Returns its reasoning in words. Servers that send it in two fields send the same text in both. */
  add(part: object | null | undefined): string {
    const fields = (part ?? {}) as Fields;
    let thought = "";
    for (const name of wordFields) {
      const value = fields[name];
      if (typeof value !== "string") continue;
      this.#words.set(name, (this.#words.get(name) ?? "") + value);
      if (value !== "") thought = value;
    }
    if (fields.extra_content !== undefined) this.#extra = fields.extra_content as Json;
    if (!Array.isArray(fields.reasoning_details)) return thought;
    const details = fields.reasoning_details.map(objectOf);
    for (const detail of details) this.#detail(detail);
    return (
      thought || details.map((detail) => String(detail[piecewise[String(detail.type)] ?? ""] ?? "")).join("")
    );
  }

  /** OpenRouter streams the text of a detail in pieces, and its other fields whole. */
  #detail(detail: { [key: string]: Json }): void {
    const last = this.#details.at(-1);
    const text = piecewise[String(detail.type)];
    const continues = this.#streamed && last?.type === detail.type && last?.index === detail.index;
    if (last === undefined || text === undefined || !continues) {
      this.#details.push({ ...detail });
      return;
    }
    const said = Object.entries(detail).filter(([, value]) => value !== null);
    Object.assign(last, Object.fromEntries(said), { [text]: `${last[text] ?? ""}${detail[text] ?? ""}` });
  }

  /** The fields to send back. Servers that send reasoning in two fields send the same text in both. */
  kept(): { [field: string]: Json } {
    const words = ["reasoning_content", "reasoning"].find((name) => (this.#words.get(name) ?? "") !== "");
    return {
      ...(this.#details.length > 0
        ? { reasoning_details: this.#details }
        : words === undefined
          ? {}
          : { [words]: this.#words.get(words) ?? "" }),
      ...(this.#extra === undefined ? {} : { extra_content: this.#extra }),
    };
  }
}

/** The fields of a call to send back. */
export function keptOfCall(call: object): { [field: string]: Json } {
  const extra = (call as Fields).extra_content;
  return extra === undefined || extra === null ? {} : { extra_content: extra as Json };
}

/** Whether there is anything to keep. */
export function isKeepable({ message, calls }: KeptFields): boolean {
  return [message, ...calls].some((fields) => Object.keys(fields).length > 0);
}

/** The kept fields of a message; undefined when they belong to another model. */
export function keptFields(message: AssistantMessage, owner: BlocksOwner): KeptFields | undefined {
  const blocks = ownBlocks(message, owner);
  if (blocks === undefined) return undefined;
  const { message: fields, calls } = objectOf(blocks);
  return { message: objectOf(fields), calls: Array.isArray(calls) ? calls.map(objectOf) : [] };
}
