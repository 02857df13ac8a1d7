import type { TurnEventOf } from "../../../src/core/log/turn-event.ts";
import type { Model, ModelRequest } from "../../../src/core/ports/model.ts";
import { guide } from "../../../src/core/skill/offered-tools.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { countTokens } from "../../../src/models/count-tokens.ts";
import { type Line, scriptedModel } from "../models/scripted-model.ts";
import { createTestApp, home, type TestAppOptions } from "../test-app.ts";
import { shippedSkills } from "./shipped-skills.ts";

export interface SkillBenchOptions extends Omit<TestAppOptions, "skills" | "sources"> {
  /** Files people attached to the thread: name → content. */
  attached?: Readonly<Record<string, string | Uint8Array>>;
  /**
   * What a model answers that the skill itself asks (`generate`, `write`): a line each, or by the request. Without it there is no model that
   * can write. With an error the request fails.
   */
  answers?: readonly (Json | string)[] | ((request: ModelRequest) => Json | string | Error);
}

/** The result of one call of a shipped skill. */
export interface SkillRun {
  status: "ok" | "error";
  /** As the skill answers it; of an error `{error, code, hint}`. */
  output: Json;
  /** The result as shown to a model. */
  shown: string;
  files: TurnEventOf<"file">[];
  /** Names of the stages that ran, in order. */
  steps: string[];
  progress: string[];
  usage: TurnEventOf<"usage">[];
  /** Questions to people during the call; the bench approves all. */
  asked: TurnEventOf<"approval_requested">[];
  /** The skill's own requests to the model. */
  requests: readonly ModelRequest[];
}

/**
 * A whole app with the skills that ship, on which a model calls one tool and then ends its turn. `run("data-visualization", {…})`, or
 * `run("memory#recall", {…})` for a part.
 */
export function createSkillBench({ attached = {}, answers, ...options }: SkillBenchOptions = {}) {
  let next: Line[] = [];
  const inner: ModelRequest[] = [];
  const said: string[] = [];
  const isOwn = ({ tools }: ModelRequest) => tools.length > 0;
  const answerOf = (request: ModelRequest): string | Error => {
    inner.push(request);
    const answer = typeof answers === "function" ? answers(request) : answers?.[inner.length - 1];
    if (answer instanceof Error) return answer;
    said.push(typeof answer === "string" ? answer : JSON.stringify(answer ?? ""));
    return said.at(-1) ?? "";
  };
  const model: Model = scriptedModel(
    (request) => (isOwn(request) ? (next.shift() ?? "Done.") : answerOf(request)),
    { generative: answers !== undefined },
  );
  const app = createTestApp(model, {
    sources: shippedSkills,
    limits: { tool_output_tokens: 20_000, transcript_tokens: 200_000 },
    ...options,
  });
  const attach = async () => {
    const folder = app.folders.of(home);
    for (const [name, content] of Object.entries(attached)) {
      const data = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await folder.attach({ name, media_type: "application/octet-stream", data }, { turn_id: "earlier" });
    }
  };
  let ready: Promise<void> | undefined;

  /** Follows a turn to its end and approves every request. */
  async function followed(turnId: string) {
    const asked: TurnEventOf<"approval_requested">[] = [];
    const progress: string[] = [];
    const signal = new AbortController().signal;
    const by = { id: "ada", name: "Ada", trust: "operator" as const };
    for await (const event of (await app.app.events(turnId, -1, signal)) ?? []) {
      if (event.type === "turn_finished") break;
      if (event.type === "tool_progress") progress.push(event.note);
      if (event.type !== "approval_requested") continue;
      asked.push(event);
      const input = { id: event.approval_id, approve: true };
      await app.app.run("approval.decide", { input, asker: { by, namespace: home.namespace } });
    }
    return { asked, progress };
  }

  /** @param words the message of the turn */
  async function run(id: string, input: Record<string, Json>, words = "Do it."): Promise<SkillRun> {
    ready ??= attach();
    await ready;
    inner.length = 0;
    said.length = 0;
    next = [[{ call: "invoke_skill", with: { skill_id: id, params: input } }], "Done."];
    const turnId = await app.say(words);
    const { asked, progress } = await followed(turnId);
    const events = await app.events(turnId);
    const of = <T extends (typeof events)[number]["type"]>(type: T) =>
      events.filter((event): event is TurnEventOf<T> => event.type === type);
    // Calls made by the skill ended before it.
    const finished = of("tool_finished").findLast((event) => event.tool !== "invoke_skill");
    const outer = of("tool_finished").find((event) => event.tool === "invoke_skill");
    return {
      status: (finished ?? outer)?.status ?? "error",
      output: (finished ?? outer)?.output ?? null,
      shown: JSON.stringify(outer?.output ?? null),
      files: of("file"),
      steps: of("stage").flatMap(({ status, name }) => (status === "running" ? [name] : [])),
      progress,
      usage: of("usage"),
      asked,
      requests: [...inner],
    };
  }

  /**
   * What the latest run cost, in tokens rounded up to tens: the skill's tools and guide in a request, and what the skill itself asked of
   * the model and was answered.
   */
  async function cost(id: string) {
    const loaded = await Promise.all(shippedSkills.map((source) => source.load()));
    const skill = loaded.flatMap(({ skills }) => skills).find((each) => each.id === id);
    if (skill === undefined) throw new Error(`No shipped skill ${id}.`);
    const tokens = (texts: readonly unknown[]) =>
      Math.ceil(texts.reduce<number>((sum, text) => sum + countTokens(JSON.stringify(text)), 0) / 10) * 10;
    return {
      tools: tokens(
        skill.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      ),
      guide: tokens([guide(skill)]),
      calls: inner.length,
      asked: tokens(inner.map(({ system, messages }) => [system, messages])),
      answered: tokens(said),
    };
  }

  return {
    app,
    run,
    cost,
    /** The bytes of a file that a run made. */
    async fileOf({ turn_id, name }: TurnEventOf<"file">): Promise<Uint8Array> {
      const found = await app.files.get(turn_id, name);
      if (found === undefined) throw new Error(`The turn has no file ${name}.`);
      return found.data;
    },
  };
}
