import { createHash } from "node:crypto";
import { type Json, objectOf } from "../../../src/core/values/json.ts";
import { countTokens } from "../../../src/models/count-tokens.ts";

/** A JSON object of a request: its members may be anything. */
export type Wire = { [key: string]: Json };

/** Tokens of a picture, whatever its size. */
const pictureTokens = 1_500;

/** The members of an array as objects; none of anything else. */
export function objects(value: Json | undefined): Wire[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function string(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Content as blocks: a string is one block of text of this type. */
export function blocksOf(content: Json | undefined, type = "text"): Wire[] {
  return typeof content === "string" ? [{ type, text: content }] : objects(content);
}

/** The texts of content of any protocol, one line each. */
export function textOf(content: Json | undefined): string {
  return blocksOf(content)
    .map((block) => string(block.text))
    .filter(Boolean)
    .join("\n");
}

/** The value without these members, at any depth. */
export function without(value: Json, ...names: string[]): Json {
  if (Array.isArray(value)) return value.map((item) => without(item, ...names));
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, without(item, ...names)]));
}

export function hash(...parts: string[]): string {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(`${part.length}:${part}`);
  return digest.digest("hex").slice(0, 32);
}

/** Tokens of a block, pictures at a flat price. */
export function tokensOf(value: Json): number {
  const block = objectOf(value);
  const inner = objects(block.content);
  const pictures = [block, ...inner].filter(isPicture).length;
  if (pictures === 0) return countTokens(JSON.stringify(value));
  const rest = inner.filter((one) => !isPicture(one));
  return pictures * pictureTokens + countTokens(JSON.stringify(rest));
}

function isPicture({ type }: Wire): boolean {
  return type === "image" || type === "image_url" || type === "input_image";
}
