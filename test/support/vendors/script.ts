import { type Json, type JsonSchema, objectOf } from "../../../src/core/values/json.ts";
import type { Script, ScriptedReply, ViewedRequest } from "./view.ts";

/** One answer of a script that is data, for a stand-in in another process. All conditions given must hold. */
export interface ScriptedAnswer {
  /** Part of the person's last message. */
  said?: string;
  /** How many results came back since then. */
  results?: number;
  model?: string;
  reply: ScriptedReply;
}

/** Repeats the message, or returns a minimal JSON value for the requested schema. */
export const echo: Script = (request) => ({
  text:
    request.schema === undefined
      ? `You said: ${request.said || "nothing"}`
      : JSON.stringify(leastValue(request.schema)),
});

/** The first answer that fits, else the echo. */
export function scriptOf(answers: readonly ScriptedAnswer[]): Script {
  return (request) => answers.find((answer) => fits(answer, request))?.reply ?? echo(request);
}

function fits({ said, results, model }: ScriptedAnswer, request: ViewedRequest): boolean {
  if (said !== undefined && !request.said.includes(said)) return false;
  if (results !== undefined && request.results.length !== results) return false;
  return model === undefined || model === request.model;
}

/** The smallest value a schema accepts, for the keywords that structured outputs know. */
export function leastValue(schema: JsonSchema): Json {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const choice = [schema.anyOf, schema.oneOf].find(Array.isArray)?.[0];
  if (choice !== undefined) return leastValue(objectOf(choice));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || schema.properties !== undefined) {
    const properties = Object.entries(objectOf(schema.properties));
    return Object.fromEntries(properties.map(([name, inner]) => [name, leastValue(objectOf(inner))]));
  }
  if (type === "array") return schema.minItems === 1 ? [leastValue(objectOf(schema.items))] : [];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return 0;
  return type === "null" ? null : "text";
}
