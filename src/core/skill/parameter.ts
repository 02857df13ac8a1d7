import { z } from "zod";
import type { JsonSchema } from "../values/json.ts";
import { jsonSchema } from "../values/json-schema.ts";

export const parameterSchema = z.object({
  name: z.string().min(1),
  type: z.enum(["string", "number", "boolean", "object", "array"]),
  description: z.string().default(""),
  required: z.boolean().default(true),
  default: jsonSchema.optional(),
  enum: z.array(jsonSchema).optional(),
});
/** One typed input of a skill. A parameter with a default is never required. */
export type Parameter = z.infer<typeof parameterSchema>;

/** The parameters a JSON Schema object describes, in the order of its properties. */
export function parametersOf(schema: JsonSchema): Parameter[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(properties).map(([name, property]) => {
    const type = property.type === "integer" ? "number" : property.type;
    const known = parameterSchema.shape.type.safeParse(type);
    return {
      name,
      type: known.success ? known.data : "string",
      description: typeof property.description === "string" ? property.description : "",
      required: required.has(name) && property.default === undefined,
      ...(property.default === undefined ? {} : { default: property.default }),
      ...(Array.isArray(property.enum) ? { enum: property.enum } : {}),
    };
  });
}
