import type { Clock } from "../core/clock.ts";
import { type Model, type ModelChoice, ModelError, type Models } from "../core/model.ts";
import { createModel, type ModelSettings } from "./create-model.ts";

export interface ModelsSettings extends ModelSettings {
  /** For inner work: `provider/model`; `off` leaves it to the model of the turn, `auto` to its provider's small one. */
  small?: string | undefined;
  /** What people may choose: names, or how they begin with `*` after it. Everything unless told. */
  allowed?: readonly string[] | undefined;
}

/** The models of these settings: each is made when it is first named, with the failover list behind it. */
export function createModels(settings: ModelsSettings, clock: Pick<Clock, "now" | "sleep">): Models {
  const { choice, failover = [], small = "auto" } = settings;
  const made = new Map<string, Model>();
  const make = (name: string, behind: readonly string[]): Model => {
    const key = [name, ...behind].join(" ");
    const known = made.get(key);
    if (known !== undefined) return known;
    const model = createModel({ ...settings, choice: name, failover: behind }, clock);
    made.set(key, model);
    return model;
  };
  const named = (name: string) => {
    try {
      return make(name, failover);
    } catch (error) {
      if (error instanceof ModelError) return unusable(name, error);
      throw error;
    }
  };
  const main = make(choice, failover);
  return {
    main,
    names: [...new Set([choice, ...failover, ...(isName(small) ? [small] : [])])],
    named,
    small(beside) {
      const name = isName(small) ? small : small === "auto" ? smallBeside(beside.id) : undefined;
      if (name === undefined || name === beside.id || !beside.generative) return beside;
      // What is left unsaid about its own failure, the model of the turn makes good.
      return make(name, [beside.id, ...failover]);
    },
    choose: (name) => chosen(name, settings, named),
  };
}

const isName = (small: string) => small.includes("/");

/** A model that says why it cannot be asked. */
function unusable(id: string, error: ModelError): Model {
  return {
    id,
    generative: true,
    // biome-ignore lint/correctness/useYield: it fails before it has anything to say
    async *stream() {
      throw error;
    },
  };
}

function smallBeside(_id: string): string | undefined {
  return undefined;
}

function chosen(
  name: string,
  { allowed = ["*"] }: ModelsSettings,
  named: (name: string) => Model,
): ModelChoice {
  if (!allowed.some((pattern) => fits(pattern, name))) {
    return {
      ok: false,
      message: `The model ${name} may not be chosen here. Those that may: ${allowed.join(", ")}.`,
    };
  }
  return { ok: true, name: named(name).id };
}

/** Whether a name is the pattern, or begins as a pattern that ends in `*`. */
function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
