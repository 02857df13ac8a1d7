import { isRecord } from "../../base/record.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { type Json, objectOf } from "../../core/values/json.ts";
import type { ToolDefinition } from "../../core/values/message.ts";
import { renderOutput } from "../../core/values/shown.ts";
import { asksForAbility, isAskedFor, mayUseSkill, toolsAskedFor } from "./asked-for.ts";
import { type Conversation, type DoneCall, readConversation, readError, readOutput } from "./conversation.ts";
import { fillParameters, isUrlName } from "./fill-parameters.ts";
import {
  clearFit,
  goodFit,
  type ListedSkill,
  openSkills,
  rankSkills,
  rankTools,
  readSkillList,
  skillTools,
  toolsOfSkill,
} from "./fitness.ts";
import { askFor, failed, notUnderstood, overview, showGuide, whichOf } from "./phrases.ts";
import { hasSubject, type RequestText, readRequest } from "./request-text.ts";
import { recogniseSmallTalk } from "./small-talk.ts";

/** The next step of the rules: call one tool, or answer and end. */
export type Decision =
  | { kind: "call"; tool: string; arguments: { [key: string]: Json } }
  /** `explains`: the text itself says that it was written by rules. */
  | { kind: "answer"; text: string; explains?: boolean };

interface Situation {
  conversation: Conversation;
  request: RequestText;
  tools: readonly ToolDefinition[];
  system: string;
}

/** The query that finds the memory skill when a question fits nothing else. */
const memoryQuery = "recall remembered facts";
/** Maximum characters of a query. */
const maxQuery = 300;

/** The next step for a model request. It depends only on the request. */
export function decide({
  messages,
  tools,
  system,
}: Pick<ModelRequest, "messages" | "tools" | "system">): Decision {
  const conversation = readConversation(messages);
  const situation = { conversation, request: readRequest(conversation.said), tools, system };
  const last = conversation.done.at(-1);
  if (last === undefined) return begin(situation);
  if (last.result.is_error) return answer(failed(nameOf(last), readError(last.result.text)));
  if (last.name === "list_skills") return choose(situation, last);
  if (last.name === "activate_skill") return afterActivation(situation, last);
  return show(situation, last);
}

function begin(situation: Situation): Decision {
  const { conversation, request, tools } = situation;
  const talk = recogniseSmallTalk(conversation.said, conversation.by);
  if (talk?.kind === "answer") return answer(talk.text, talk.explains);
  const canList = has(tools, "list_skills");
  if (talk?.kind === "help") return canList ? call("list_skills", {}) : explain(overview(openSkills(tools)));
  if (asksForAbility(request)) return unknown(situation);
  const asked = skillTools(tools).filter(({ name }) => isAskedFor(name, request));
  const [best] = rankTools(request, asked);
  if (best !== undefined && best.score >= (canList ? clearFit : goodFit)) {
    return use(situation, best.value, best.triggers);
  }
  if (!canList) return explain(notUnderstood(openSkills(tools)));
  return call("list_skills", { query: request.instruction.slice(0, maxQuery) || "help" });
}

/** Takes the best of the listed skills. If none fits, all skills are listed, because the search may have missed one. */
function choose(situation: Situation, last: DoneCall): Decision {
  const { request, conversation } = situation;
  if (asksForAbility(request)) return unknown(situation);
  const skills = readSkillList(last.result.text);
  const isHelp = recogniseSmallTalk(conversation.said, conversation.by)?.kind === "help";
  if (isHelp) return explain(overview(skills));
  const best = bestFit(request, skills);
  if (best !== undefined) return take(situation, best.value, best.triggers);
  const query = queryOf(last);
  if (query !== undefined && query !== memoryQuery) return call("list_skills", {});
  // A question that fits no skill may be about something in memory; other messages are not understood.
  if (!request.isQuestion || !hasSubject(request)) return unknown(situation);
  const memory = skills.find(({ id, tags }) => id === "memory" || tags.includes("recall"));
  if (memory !== undefined) return take(situation, memory, new Set());
  return query === undefined ? call("list_skills", { query: memoryQuery }) : unknown(situation);
}

/** The answer when no rule fits. It names all skills. */
function unknown({ conversation, tools }: Situation): Decision {
  const all = conversation.done.findLast(
    (done) => done.name === "list_skills" && queryOf(done) === undefined,
  );
  if (all === undefined && has(tools, "list_skills")) return call("list_skills", {});
  return explain(notUnderstood(all === undefined ? openSkills(tools) : readSkillList(all.result.text)));
}

function bestFit(request: RequestText, skills: readonly ListedSkill[]) {
  const fitting = skills.filter(({ id }) => mayUseSkill(id, request));
  return rankSkills(request, fitting).find(({ score }) => score >= goodFit);
}

/** Uses a skill, and activates it first if necessary. */
function take(situation: Situation, skill: ListedSkill, triggers: ReadonlySet<string>): Decision {
  const active = toolsOfSkill(situation.tools, skill.id);
  if (active.length > 0) return useBest(situation, { id: skill.id, tools: active }, triggers);
  if (has(situation.tools, "activate_skill")) return call("activate_skill", { skill_name: skill.id });
  return answer(showGuide(skill.id, guideIn(situation.system, skill.id) ?? skill.description));
}

function afterActivation(situation: Situation, last: DoneCall): Decision {
  const { conversation, system, tools, request } = situation;
  const id = activatedSkill(last);
  const own = toolsOfSkill(tools, id, last.result.text);
  if (own.length === 0)
    return answer(showGuide(id, guideIn(last.result.text, id) ?? guideIn(system, id) ?? "(no guide)"));
  const listed = conversation.done.findLast(({ name }) => name === "list_skills");
  const skills = readSkillList(listed?.result.text ?? "").filter((skill) => skill.id === id);
  const [fit] = rankSkills(request, skills);
  return useBest(situation, { id, tools: own }, fit?.triggers ?? new Set());
}

/** Uses the tool of a skill whose words fit best; for a plain question the tool that looks something up. */
function useBest(
  situation: Situation,
  { id: skillId, tools: own }: { id: string; tools: readonly ToolDefinition[] },
  triggers: ReadonlySet<string>,
): Decision {
  const tools = toolsAskedFor(own, situation.request);
  const [best, second] = rankTools(situation.request, tools);
  const lookUp = tools.find(({ name }) =>
    /(?:^|[_-])(?:recall|search|find|get|list|read|show)(?:$|[_-])/.test(name),
  );
  const asked = situation.request.isQuestion ? lookUp : undefined;
  const isClear = best !== undefined && best.score >= goodFit && best.score > (second?.score ?? 0);
  const [only, ...others] = tools;
  const chosen = isClear ? best.value : (asked ?? (others.length === 0 ? only : undefined));
  if (chosen === undefined) return answer(whichOf(skillId, tools));
  return use(situation, chosen, new Set([...triggers, ...(best?.triggers ?? [])]));
}

function use(situation: Situation, tool: ToolDefinition, triggers: ReadonlySet<string>): Decision {
  const { request } = situation;
  if (!isAskedFor(tool.name, request)) return unknown(situation);
  // This tool parses the whole sentence in the same way as `/agent schedule add`.
  if (tool.name === "schedule_add") return call(tool.name, { text: request.whole });
  const filled = fillParameters(request, tool.parameters, triggers);
  const wantsAddress = filled.missing.some(({ name }) => isUrlName(name));
  // The message already has the text, so a tool that reads addresses does not fit.
  if (wantsAddress && request.payload !== undefined) return unknown(situation);
  if (filled.missing.length > 0) return answer(askFor(tool.name, filled.missing));
  return call(tool.name, filled.arguments);
}

function show(situation: Situation, last: DoneCall): Decision {
  const { conversation, request } = situation;
  const { value: whole, cut } = readOutput(last.result.text);
  const listed = conversation.done.filter(({ name }) => name === "list_skills");
  const isGuess =
    listed.length > 1 && !listed.some(({ result }) => bestFit(request, readSkillList(result.text)));
  const value = isGuess ? withoutConversations(whole) : whole;
  if (isGuess && foundNothing(value)) return unknown(situation);
  const { left_out } = conversation;
  const notes = [
    cut > 0 && `${cut} more characters are not shown`,
    left_out > 0 && `your message was too long; its last ${left_out} characters were left out`,
  ];
  const said = notes.filter((note) => note !== false).map((note) => `\n\n_(${note})_`);
  return answer([renderOutput(value, argumentsOf(last)), ...said, isGuess ? guessed : ""].join(""));
}

const guessed =
  "\n\n_No skill fits the question, so I looked into memory. Without a language model I know nothing else; say “help” to see what I can do._";

/** The facts in memory without earlier conversations: rules cannot tell which of those answers a question. */
function withoutConversations(value: Json): Json {
  if (!isRecord(value)) return value;
  const { conversations: _, summary, ...rest } = value;
  if (typeof summary !== "string") return rest;
  return { ...rest, summary: summary.replace(/ ?(?:One|(?<!\d)\d+) earlier conversations? may help\./, "") };
}

/** Whether an output is a search without results: all its lists are empty. */
function foundNothing(value: Json): boolean {
  if (!isRecord(value)) return false;
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length > 0 && lists.every((list) => list.length === 0);
}

function queryOf(done: DoneCall): string | undefined {
  const { query } = argumentsOf(done);
  return typeof query === "string" ? query : undefined;
}

/** The name of a call for people. */
function nameOf(done: DoneCall): string {
  if (done.name === "list_skills") return "Looking for a skill";
  return done.name === "activate_skill" ? activatedSkill(done) : done.name;
}

function activatedSkill(done: DoneCall): string {
  return String(argumentsOf(done).skill_name ?? "the skill");
}

/** The rules wrote these arguments, so they are valid JSON. */
function argumentsOf({ arguments: text }: DoneCall): { [key: string]: Json } {
  return objectOf(readOutput(text).value);
}

/** The guide of a skill within a prompt or an activation. */
function guideIn(text: string, skillId: string): string | undefined {
  const [, after] = text.split(`<skill_guide skill="${skillId}">`, 2);
  return after?.includes("</skill_guide>") ? after.split("</skill_guide>", 1)[0]?.trim() : undefined;
}

function has(tools: readonly ToolDefinition[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

function call(tool: string, args: { [key: string]: Json }): Decision {
  return { kind: "call", tool, arguments: args };
}

function answer(text: string, explains = false): Decision {
  return { kind: "answer", text, explains };
}

function explain(text: string): Decision {
  return answer(text, true);
}
