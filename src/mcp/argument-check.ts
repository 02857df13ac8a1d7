import { isRecord } from "../base/record.ts";
import type { Json, JsonSchema } from "../core/json.ts";
import type { Validation } from "../core/tool.ts";

type Check = (input: unknown) => { valid: boolean; errorMessage?: string | undefined };

/** Checks arguments against the schemas servers give, before anything is sent. */
export interface ArgumentCheck {
  /** Loads the validator. Until then objects pass unchecked: the server checks them too. */
  load(): Promise<void>;
  /** A schema the validator cannot read lets every object pass. */
  of(schema: JsonSchema): (input: unknown) => Validation;
}

export function createArgumentCheck(): ArgumentCheck {
  let compile: ((schema: JsonSchema) => Check) | undefined;
  return {
    async load() {
      if (compile !== undefined) return;
      const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/sdk/validation/ajv");
      // One each: two schemas of different servers may have the same $id.
      compile = (schema) => new AjvJsonSchemaValidator().getValidator(schema);
    },
    of(schema) {
      let check: Check | undefined;
      return (input) => {
        if (!isRecord(input)) {
          return { ok: false, message: "an object is expected" };
        }
        check ??= compile === undefined ? undefined : compiled(compile, schema);
        const result = check?.(input) ?? { valid: true };
        return result.valid
          ? { ok: true, value: input as Json }
          : { ok: false, message: result.errorMessage ?? "they do not fit the schema" };
      };
    },
  };
}

function compiled(compile: (schema: JsonSchema) => Check, schema: JsonSchema): Check {
  try {
    return compile(schema);
  } catch {
    // An unusual schema is the server's to check.
    return () => ({ valid: true });
  }
}
