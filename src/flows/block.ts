import type { z } from "zod";
import type { Json } from "../core/json.ts";
import type { ToolContext, ToolEffect } from "../core/tool.ts";
import type { Variables } from "./substitute.ts";

/** What a block works with. */
export interface BlockScope {
  /** As they are before this step. */
  variables: Variables;
  context: ToolContext;
}

/** A step of a flow, read and ready to run. */
export interface PreparedBlock {
  effect: ToolEffect;
  /** What it does, for people; without values that may be secret. */
  summary: string;
  /** @throws SkillFailure, WebError, ModelError: why the flow stops here */
  run(scope: BlockScope): Promise<Json>;
}

/** One kind of step. */
export type Block = (config: unknown) => { ok: true; block: PreparedBlock } | { ok: false; problem: string };

/** A kind of step by what its configuration looks like and what it does. */
export function defineBlock<Schema extends z.ZodType>({
  config: schema,
  effect = () => "read_only",
  summary,
  run,
}: {
  config: Schema;
  effect?: (config: z.output<Schema>) => ToolEffect;
  summary(config: z.output<Schema>): string;
  run(config: z.output<Schema>, scope: BlockScope): Promise<Json>;
}): Block {
  return (config) => {
    const parsed = schema.safeParse(config);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return { ok: false, problem: `${issue?.path.join(".") || "config"}: ${issue?.message}` };
    }
    const { data } = parsed;
    return {
      ok: true,
      block: { effect: effect(data), summary: summary(data), run: (scope) => run(data, scope) },
    };
  };
}
