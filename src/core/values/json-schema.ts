import { z } from "zod";
import { ExactNumber } from "../../base/exact-number.ts";
import type { Json } from "./json.ts";

/** Checks that a value is JSON. */
export const jsonSchema: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.instanceof(ExactNumber),
    z.array(jsonSchema),
    z.record(z.string(), jsonSchema),
  ]),
);
