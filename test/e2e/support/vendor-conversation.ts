import { onTestFinished } from "vitest";
import type { Skill } from "../../../src/core/skill/skill.ts";
import type { Effort } from "../../../src/core/values/message.ts";
import { createModel } from "../../../src/models/create-models.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { testSkill, testSource } from "../../support/skills/test-skill.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../../support/test-app.ts";
import { echo } from "../../support/vendors/script.ts";
import { startVendors, type Vendors, type VendorsOptions } from "../../support/vendors/vendors.ts";
import type { Script, ScriptedReply, ViewedRequest } from "../../support/vendors/view.ts";

/** A model of the table, `provider/model`. */
export interface TalkingModel {
  choice: string;
  /** Takes new tools without a change of `tools`, so that its reasoning and its cache survive them. */
  in_place: boolean;
  /** Takes a tool out without a change of `tools`; the others are told not to call it. */
  takes_out?: true;
}

export const talkingModels: readonly TalkingModel[] = [
  { choice: "anthropic/claude-sonnet-5-5", in_place: true, takes_out: true },
  { choice: "anthropic/claude-opus-5-5", in_place: true, takes_out: true },
  { choice: "anthropic/claude-haiku-5-5", in_place: true, takes_out: true },
  { choice: "openai/gpt-6.1-terra", in_place: true },
  { choice: "openai/gpt-5.4-mini", in_place: true },
  { choice: "openai/gpt-5-mini", in_place: false },
  { choice: "deepseek/deepseek-v4-pro", in_place: true },
  { choice: "gemini/gemini-3-pro", in_place: false },
];

/** A conversation with the bot, whose model is one of the stand-in's. */
export interface Conversation extends TestApp {
  vendors: Vendors;
  /** The skills there are; assign to install or remove. */
  source: { skills: readonly Skill[] };
  /** Stops the bot and starts it again on the same log and store, set up differently where `changes` says so. */
  restart(changes?: Changes): Promise<Conversation>;
}

/** What an operator changes between two runs. */
interface Changes {
  choice?: string;
  /** A key of another account. */
  key?: string;
  effort?: Effort;
}

export interface ConversationOptions extends Omit<TestAppOptions, "log" | "store" | "sources" | "skills"> {
  failover?: readonly string[];
  /** Skills beside weather and stocks. */
  more?: readonly Skill[];
  /** What the models say; what the words in brackets ask for unless given. */
  script?: Script;
  /** Of the stand-in. */
  vendors?: VendorsOptions;
}

/** A skill with one tool of the same name that says what it was asked. */
export function toolSkill(id: string): Skill {
  return testSkill(id, [{ name: id, run: () => `${id} says 42` }]);
}

/** Starts the stand-in and a bot on it; both end with the test. */
export async function startConversation(
  choice: string,
  options: ConversationOptions = {},
): Promise<Conversation> {
  const { more = [], script = obey, vendors: vendorOptions, ...settings } = options;
  const vendors = await startVendors({ script, ...vendorOptions });
  onTestFinished(() => vendors.stop());
  const kept = { log: createMemoryTurnLog(), store: createMemoryKeyValue() };
  const source = testSource([toolSkill("weather"), toolSkill("stocks"), ...more]);
  return startBot({ choice, ...settings }, vendors, kept, source);
}

type BotOptions = Omit<ConversationOptions, "more" | "script" | "vendors"> & Changes & { choice: string };

function startBot(
  options: BotOptions,
  vendors: Vendors,
  kept: Required<Pick<TestAppOptions, "log" | "store">>,
  source: ReturnType<typeof testSource>,
): Conversation {
  const { choice, failover, key, ...more } = options;
  // A failed request is not repeated: the next model takes over.
  const settings = { choice, failover, retry: { attempts: 1 }, providers: providersOf(vendors, key) };
  const model = createModel(settings, systemClock);
  const app = createTestApp(model, { ...more, ...kept, sources: [source] });
  onTestFinished(() => app.stop(0));
  return {
    ...app,
    vendors,
    source,
    async restart(changes = {}) {
      await app.stop(1_000);
      return startBot({ ...options, ...changes }, vendors, kept, source);
    },
  };
}

/** The providers as an operator would configure them. */
export function providersOf(vendors: Vendors, key = "key-a") {
  const openai = { kind: "openai", apiKey: key } as const;
  return {
    anthropic: { kind: "anthropic", apiKey: key, baseUrl: vendors.anthropicUrl },
    openai: { ...openai, baseUrl: vendors.openAiUrl },
    deepseek: { ...openai, server: "deepseek", baseUrl: vendors.compatibleUrl("deepseek") },
    gemini: { ...openai, baseUrl: vendors.compatibleUrl("gemini") },
  } as const;
}

/**
 * Does what the words in brackets say: `[use weather]`, `[find list_issue_1]`, `[try weather]`, `[offload weather]`, `[handoff research]`.
 * A tool that is not there is activated or looked for before it is used, but not before it is tried. Everything else is repeated.
 */
const obey: Script = (request) => {
  const [, verb, what = ""] = /\[(\w+) ([\w-]+)\]/.exec(request.said) ?? [];
  if (request.schema !== undefined || !request.may_call) return echo(request);
  if (verb === "use") return use(what, request, "activate_skill", { skill_name: what });
  if (verb === "find") return use(what, request, "find_tools", { words: what.replaceAll("_", " ") });
  if (verb === "try" && request.results.length === 0)
    return { calls: [{ name: what, input: {}, invented: true }] };
  if (verb === "offload") return once("offload_skill", { skill_name: what }, request);
  if (verb === "handoff") return once("handoff", { to: what, reason: "[use weather]" }, request);
  return echo(request);
};

function use(
  name: string,
  request: ViewedRequest,
  otherwise: string,
  how: Record<string, string>,
): ScriptedReply {
  const isThere = request.tools.some((tool) => tool.name === name);
  return isThere ? once(name, { text: request.said }, request) : once(otherwise, how, request);
}

/** Makes the call unless this turn made it already; then says what came back. */
function once(
  name: string,
  input: Record<string, string>,
  { messages, results, tools }: ViewedRequest,
): ScriptedReply {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const made = messages.slice(asked).some(({ calls }) => calls.some((call) => call.name === name));
  const available = tools.some((tool) => tool.name === name);
  if (made || !available) return { text: `Done: ${results.at(-1)?.text ?? `${name} is not there`}` };
  return { calls: [{ name, input }], thought: `I need ${name}.` };
}
