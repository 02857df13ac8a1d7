/** The worker's entry: checks values against the JSON Schemas of servers, one message after another. Started by `argument-check.ts`. */
import { parentPort } from "node:worker_threads";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { LRUCache } from "lru-cache";

/** Both as JSON texts. */
export interface SchemaQuestion {
  schema: string;
  value: string;
}

type Check = (value: unknown) => { valid: boolean; errorMessage?: string | undefined };

/** By the schema's text. */
const checks = new LRUCache<string, Check>({ max: 200 });

/** What is wrong with the value; undefined if nothing is, or if the validator cannot read the schema. */
function problemOf({ schema, value }: SchemaQuestion): string | undefined {
  const check = checks.get(schema) ?? compiled(schema);
  checks.set(schema, check);
  const { valid, errorMessage } = check(JSON.parse(value, finite));
  return valid ? undefined : (errorMessage ?? "they do not fit the schema").slice(0, 2_000);
}

/** A number too large for a double counts as the largest one: the validator does not accept infinity as a number. */
function finite(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value;
}

function compiled(schema: string): Check {
  try {
    // One each: two schemas of different servers may have the same $id.
    return new AjvJsonSchemaValidator().getValidator(JSON.parse(schema));
  } catch {
    // An unusual schema is left to the server.
    return () => ({ valid: true });
  }
}

parentPort?.on("message", (question: SchemaQuestion) => parentPort?.postMessage(problemOf(question)));
parentPort?.postMessage("ready");
