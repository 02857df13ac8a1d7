import type { z } from "zod";
import type { ToolContext } from "../core/skill/tool.ts";
import type { ToolEffect } from "../core/values/inbound.ts";
import type { Json } from "../core/values/json.ts";
import type { CodeRunner } from "./code-runner.ts";
import type { FlowAddress } from "./flow-request.ts";
import type { Placeholder, Variables } from "./substitute.ts";

/** What a block works with. */
export interface BlockScope {
  /** As they are before this step. */
  variables: Variables;
  /** The same without those the flow fixes, which may be secret: what people and sandboxed code may see. */
  shown: Variables;
  /** Names of variables that have the text the flow's file gives them. */
  own: ReadonlySet<string>;
  /** Its signal ends with the step's own time limit too. */
  context: ToolContext;
  code: CodeRunner;
}

/** What a block that leads to other steps works with. */
export interface ControlScope extends BlockScope {
  /** What people call the flow and the step: `Weekly report: Sign off`. */
  title: string;
  /** Notes the step as done, with what is worth finding again in its journal. Once, and before the steps it leads to. */
  record(result: Json): Promise<void>;
  /** Runs the steps of a branch. `turn` counts the iterations from 1; `set` are variables of these steps alone. */
  run(branch: string, options?: { turn: number; set: ReadonlyMap<string, Json> }): Promise<Ran>;
}

/**
 * What came of a step or a list of steps: its result; an answer with which the flow ends; or that the rest of the list the step
 * stands in is left out.
 */
export type Ran =
  | { kind: "result"; result: Json }
  | { kind: "direct"; output: Json }
  | { kind: "skip"; result: Json };

/** Where a step sends its request. */
export interface Target extends FlowAddress {
  /** Whether the request has what the flow may keep secret. */
  secrets: boolean;
  effect: ToolEffect;
}

/** What is known before anything runs. */
export interface DryScope {
  variables: Variables;
  /** Variables that get their value while the flow runs. */
  later: ReadonlySet<string>;
  /** As in `BlockScope`. */
  own: ReadonlySet<string>;
}

interface PreparedBase {
  effect: ToolEffect;
  /** What it does it does by calls of other tools, which are decided about one by one. */
  delegates: boolean;
  /** What it does, for people; without values that may be secret. */
  summary: string;
  /** The lists of steps it leads to, by name; the first is its main one. */
  branches: ReadonlyMap<string, readonly FlowStep[]>;
  /** How often its branches may run. */
  turns: number;
  /** Variables its branches have beside all others. */
  sets: readonly string[];
  /** Whether a failed try may be repeated. */
  repeatable: boolean;
  /** What it would do, secrets masked; nothing is done. */
  describe(scope: DryScope): { [key: string]: Json };
}

/** A step of a flow, read and ready to run. @throws SkillFailure, WebError, ModelError: why the flow stops here */
export type PreparedBlock = PreparedBase &
  (
    | {
        kind: "work";
        run(scope: BlockScope): Promise<Json>;
        /** For steps that send a request: it is looked at before they run. @throws SkillFailure */
        target?(scope: BlockScope): Target;
      }
    | { kind: "control"; run(scope: ControlScope): Promise<Ran> }
  );

/** A step with what every kind of step has. */
export type FlowStep = PreparedBlock & {
  type: string;
  /** Where it stands: `3`, `4.2`, `4.else.1`. */
  path: string;
  /** Its number in its list, from 1. */
  at: number;
  /** The placeholders in its configuration, without those of the steps it leads to. */
  uses: readonly Placeholder[];
  /** What its author calls it. */
  name: string | undefined;
  /** The variable its result goes to, if any. */
  variable: string | undefined;
  /** Its result is the answer, and the flow ends with it. */
  direct: boolean;
  timeout_ms: number | undefined;
  /** Further tries after one that failed for a reason that may pass. */
  retries: number;
};

export type ReadSteps = { ok: true; steps: FlowStep[] } | { ok: false; code: string; problem: string };

/** One kind of step. `readBranch` reads the steps it leads to. */
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

/** A kind of step by what its configuration looks like and what it does. `repeatable`: see `PreparedBlock`. */
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
      ...(target === undefined ? {} : { target: (scope) => target(data, scope) }),
    };
    return { ok: true, block };
  };
}

/** A kind of step that leads to other steps, to people or to other skills; `run` is run again when a turn is resumed. */
export function defineControl<Schema extends z.ZodType>(
  definition: Definition<Schema> & {
    /** The main one first. */
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
