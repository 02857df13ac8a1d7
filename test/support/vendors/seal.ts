import { createHmac } from "node:crypto";
import { type Json, objectOf } from "../../../src/core/values/json.ts";
import type { Wire } from "./wire.ts";

/** Fixed, so that another process can open sealed values. */
const secret = "vendors stand-in";

/** Facts as an opaque text that cannot be altered: signatures of thinking, encrypted reasoning, thought signatures. */
export function seal(facts: Wire): string {
  const body = Buffer.from(JSON.stringify(facts)).toString("base64url");
  return `${body}.${stamp(body)}`;
}

/** The facts; undefined when the text is not a seal or was changed. */
export function unseal(text: string): Wire | undefined {
  const [body = "", given = ""] = text.split(".");
  if (body === "" || given !== stamp(body)) return undefined;
  return objectOf(JSON.parse(Buffer.from(body, "base64url").toString()) as Json);
}

function stamp(body: string): string {
  return createHmac("sha256", secret).update(body).digest("base64url").slice(0, 24);
}
