/**
 * A scripted model that may use only what stood in its request: the tools it was offered with their parameters, and paths, names and facts it
 * was told. What it makes up itself (the name of a new file, the words of a program) a script has to say.
 */
import type { PlatformModel } from "../bot/platform-model.ts";

/** The model's next action: a call, or its answer. */
export type Step =
  | { call: string; with: Record<string, unknown>; invents?: readonly string[] }
  | { say: string; invents?: readonly string[] };

interface WireTool {
  function: { name: string; parameters: { properties?: Record<string, unknown>; required?: string[] } };
}

export interface HonestModel {
  /** Descriptions of things the model used without having been told them. A test expects none. */
  readonly lies: readonly string[];
  /** Bodies of the requests about this message, oldest first. */
  requests(said: string): string[];
  /** What it does about a message with these words: `results` are those of its calls so far. */
  about(said: string, next: (results: readonly string[], request: string) => Step): void;
  /** What it answers a skill that asks it under instructions with these words: a value, or a text. */
  within(words: string, answer: (input: string) => unknown, invents?: readonly string[]): void;
}

export function createHonestModel(model: PlatformModel): HonestModel {
  const lies: string[] = [];
  return {
    lies,
    requests: (said) => model.askedOf(said).map(({ body }) => body),
    about(said, next) {
      model.when(said, ({ body, results }) => {
        const step = next(results, body);
        lies.push(...liesIn(step, body).map((lie) => `“${said}”: ${lie}`));
        return "call" in step ? [{ call: step.call, with: step.with }] : [step.say];
      });
    },
    within(words, answer, invents = []) {
      model.within(words, ({ text, body }) => {
        const given = answer(text);
        const said = typeof given === "string" ? given : JSON.stringify(given);
        lies.push(...liesIn({ say: said, invents }, body).map((lie) => `within “${words}”: ${lie}`));
        return [said];
      });
    },
  };
}

function liesIn(step: Step, body: string): string[] {
  const { messages, tools = [] } = JSON.parse(body) as { messages: unknown[]; tools?: WireTool[] };
  const told = textsIn([messages, tools]).join("\n");
  const invented = step.invents ?? [];
  const isKnown = (word: string) => told.includes(word) || invented.some((each) => each.includes(word));
  if ("say" in step)
    return factsIn(step.say)
      .filter((fact) => !isKnown(fact))
      .map((fact) => `it says ${fact}, which it was not told`);
  const tool = tools.find((each) => each.function.name === step.call)?.function;
  if (tool === undefined) return [`it calls ${step.call}, which it was not offered`];
  const { properties = {}, required = [] } = tool.parameters;
  return [
    ...Object.keys(step.with)
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name) => `it gives ${step.call} the unknown parameter ${name}`),
    ...required
      .filter((name) => step.with[name] === undefined)
      .map((name) => `it does not give ${step.call} the parameter ${name}`),
    ...textsIn(Object.values(step.with))
      .flatMap(namesIn)
      .filter((name) => !isKnown(name))
      .map((name) => `it uses ${name}, which it was not told`),
  ];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)]);
}

/** Numbers of two digits and more, and names of files. */
function factsIn(text: string): string[] {
  return text.match(/\d[\d.,]*\d|[\w-]+\.[a-z]{2,4}\b/g) ?? [];
}

/** Paths, quoted words, and what is a single word by itself. */
function namesIn(text: string): string[] {
  const paths = text.match(/\/workspace[\w./-]*/g) ?? [];
  const quoted = [...text.matchAll(/"([^"\n]{2,80})"|'([^'\n]{2,80})'/g)].map(([, a, b]) => a ?? b ?? "");
  return [...paths, ...quoted, ...(/^[^\s"']+$/.test(text) ? [text] : [])].filter((name) => /\w/.test(name));
}
