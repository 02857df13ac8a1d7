import type { z } from "zod";
import type { ToolContext } from "../core/skill/tool.ts";
import type { ToolEffect } from "../core/values/inbound.ts";
import type { Json } from "../core/values/json.ts";
import type { RunCode } from "./code-runner.ts";
import type { FlowAddress } from "./flow-request.ts";
import type { Placeholder, Variables } from "./substitute.ts";

/** The input of a block. */
export interface BlockScope {
  /** The values before this step. */
  variables: Variables;
  /** The variables that people and sandboxed code may see: without fixed ones, which may be secret. */
  shown: Variables;
  /** Names of variables that still have the text from the flow's file. */
  own: ReadonlySet<string>;
  /** Its signal also aborts at the step's own time limit. */
  context: ToolContext;
  code: RunCode;
}

/** The input of a block that leads to other steps. */
export interface ControlScope extends BlockScope {
  /** The names of the flow and the step: `Weekly report: Sign off`. */
  title: string;
  /** Records the step as done, with a result for its journal. Call it once, before the steps of a branch. */
  record(result: Json): Promise<void>;
  /** Runs the steps of a branch. `turn` counts the iterations from 1; `set` are variables of these steps alone. */
  run(branch: string, options?: { turn: number; set: ReadonlyMap<string, Json> }): Promise<Ran>;
}

/**
 * The outcome of a step or a list of steps: a result; an answer that ends the flow; or a result that skips the rest of the step's
 * list.
 */
export type Ran =
  | { kind: "result"; result: Json }
  | { kind: "direct"; output: Json }
  | { kind: "skip"; result: Json };

/** The target of a step's request. */
export interface Target extends FlowAddress {
  /** Whether the request holds secrets of the flow. */
  secrets: boolean;
  effect: ToolEffect;
}

/** The values that are known before a run. */
export interface DryScope {
  variables: Variables;
  /** Variables that get their value while the flow runs. */
  later: ReadonlySet<string>;
  /** As in `BlockScope`. */
  own: ReadonlySet<string>;
}

interface PreparedBase {
  effect: ToolEffect;
  /** It only acts through calls of other tools, which have their own decisions. */
  delegates: boolean;
  /** A description for people, without values that may be secret. */
  summary: string;
  /** The lists of steps that it leads to, by name; the main list comes first. */
  branches: ReadonlyMap<string, readonly FlowStep[]>;
  /** Maximum iterations of its branches. */
  turns: number;
  /** Additional variables of its branches. */
  sets: readonly string[];
  /** Whether it may be retried after a failure. */
  repeatable: boolean;
  /** Describes what it would do, with masked secrets, without doing it. */
  describe(scope: DryScope): { [key: string]: Json };
}

/** A step that is ready to run. @throws SkillFailure, WebError, ModelError that stop the flow */
export type PreparedBlock = PreparedBase &
  (
    | {
        kind: "work";
        run(scope: BlockScope): Promise<Json>;
        /** The target of a step that sends a request, which is checked before the step runs. @throws SkillFailure */
        target?: ((scope: BlockScope) => Target) | undefined;
      }
    | { kind: "control"; run(scope: ControlScope): Promise<Ran> }
  );

/** A step with the properties of every kind of step. */
export type FlowStep = PreparedBlock & {
  type: string;
  /** Its place: `3`, `4.2`, `4.else.1`. */
  path: string;
  /** Its number in its list, from 1. */
  at: number;
  /** The placeholders in its configuration, without those of nested steps. */
  uses: readonly Placeholder[];
  /** The author's name for it. */
  name: string | undefined;
  /** The variable its result goes to, if any. */
  variable: string | undefined;
  /** Its result is the answer and ends the flow. */
  direct: boolean;
  timeout_ms: number | undefined;
  /** Maximum retries after transient failures. */
  retries: number;
};

export type ReadSteps = { ok: true; steps: FlowStep[] } | { ok: false; code: string; problem: string };

/** One kind of step. `readBranch` reads its nested steps. */
export type Block = (
  config: unknown,
  readBranch: (name: string, steps: readonly unknown[]) => ReadSteps,
) => { ok: true; block: PreparedBlock } | { ok: false; problem: string };

interface Definition<Schema extends z.ZodType> {
  config: Schema;
  effect?: (config: z.output<Schema>) => ToolEffect;
  delegates?: true;
  summary(config: z.output<Schema>): string;
  describe?(config: z.output<Schema>, scope: DryScope): { [key: string]: Json };
}

/** Defines a kind of step by its configuration and its action. `repeatable`: see `PreparedBlock`. */
export function defineBlock<Schema extends z.ZodType>(
  definition: Definition<Schema> & {
    repeatable?: (config: z.output<Schema>) => boolean;
    target?: (config: z.output<Schema>, scope: BlockScope) => Target;
    run(config: z.output<Schema>, scope: BlockScope): Promise<Json>;
  },
): Block {
  return (config) => {
    const parsed = parse(definition.config, config);
    if (!parsed.ok) return parsed;
    const { data } = parsed;
    const { target } = definition;
    const block: PreparedBlock = {
      ...baseOf(definition, data),
      kind: "work",
      repeatable: definition.repeatable?.(data) ?? false,
      run: (scope) => definition.run(data, scope),
      target: target && ((scope) => target(data, scope)),
    };
    return { ok: true, block };
  };
}

/** Defines a kind of step that leads to other steps, people or skills. `run` runs again when a turn is resumed. */
export function defineControl<Schema extends z.ZodType>(
  definition: Definition<Schema> & {
    /** The main branch comes first. */
    branches?(config: z.output<Schema>): [name: string, steps: readonly unknown[]][];
    turns?(config: z.output<Schema>): number;
    sets?(config: z.output<Schema>): string[];
    run(config: z.output<Schema>, scope: ControlScope): Promise<Ran>;
  },
): Block {
  return (config, readBranch) => {
    const parsed = parse(definition.config, config);
    if (!parsed.ok) return parsed;
    const { data } = parsed;
    const branches = new Map<string, FlowStep[]>();
    for (const [name, steps] of definition.branches?.(data) ?? []) {
      const read = readBranch(name, steps);
      if (!read.ok) return read;
      branches.set(name, read.steps);
    }
    const block: PreparedBlock = {
      ...baseOf(definition, data),
      kind: "control",
      branches,
      turns: definition.turns?.(data) ?? 1,
      sets: definition.sets?.(data) ?? [],
      run: (scope) => definition.run(data, scope),
    };
    return { ok: true, block };
  };
}

function baseOf<Schema extends z.ZodType>(
  { effect, delegates, summary, describe }: Definition<Schema>,
  config: z.output<Schema>,
): PreparedBase {
  return {
    effect: effect?.(config) ?? "read_only",
    delegates: delegates === true,
    summary: summary(config),
    branches: new Map(),
    turns: 1,
    sets: [],
    repeatable: false,
    describe: (scope) => describe?.(config, scope) ?? {},
  };
}

function parse<Schema extends z.ZodType>(schema: Schema, config: unknown) {
  const parsed = schema.safeParse(config);
  if (parsed.success) return { ok: true as const, data: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false as const, problem: `${issue?.path.join(".") || "config"}: ${issue?.message}` };
}
