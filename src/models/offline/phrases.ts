import type { Parameter } from "../../core/skill/skill.ts";
import type { ToolDefinition } from "../../core/values/message.ts";
import { canFollow } from "./asked-for.ts";
import { isUrlName } from "./fill-parameters.ts";
import type { ListedSkill } from "./fitness.ts";

/** The notice under the first answer in a thread. */
export const ruleNotice =
  "_I run without a language model here: fixed rules pick a fitting skill and show what it answers. I cannot converse, write or reason._";

/** The notice under the answer to a message with pictures. */
export const imageNotice = "_I cannot see images: that needs a language model that takes them._";

export const voiceNotice =
  "I cannot hear voice messages: that needs a service that transcribes them. Please write it to me.";

/** How to start the bot with a model. */
export const modelHelp = [
  "To ask me anything, start me with a language model: `ANTHROPIC_API_KEY=… npm start`, or `OPENAI_API_KEY=… npm start`.",
  "A local Ollama works too: `KNACK_MODEL=ollama/qwen3:8b npm start`.",
].join(" ");

export const whatRulesAre =
  "I am the offline provider: fixed rules pick a fitting skill and show what it answers. There is no language model behind me, so I cannot converse, write or reason.";

/** Maximum skills in an overview. */
const maxShown = 12;

/** An overview of the skills of the channel. */
export function overview(listed: readonly ListedSkill[]): string {
  const skills = listed.filter(({ id }) => canFollow(id));
  if (skills.length === 0) return noSkill;
  const lines = skills
    .slice(0, maxShown)
    .map(({ id, description }) => `- **${id}**: ${firstSentence(description)}`);
  const more = skills.length > maxShown ? `\n- … and ${skills.length - maxShown} more: \`/skill list\`` : "";
  return `This is what I can do here:\n${lines.join("\n")}${more}\n\nFor example: ${examples(skills).join(", ")}.\n\n${whatRulesAre} ${modelHelp}`;
}

const noSkill = `No skill can be used in this channel. \`/skill list\` shows all of them with the reasons.\n\n${whatRulesAre} ${modelHelp}`;

const knownExamples: Readonly<Record<string, string>> = {
  "text-analyzer": "“What is the sentiment of: I love this, but the ending was terrible”",
  memory: "“Remember that the deploy is on Friday”",
  "task-planning": "“Plan this: book a room, invite people, order food”",
};

function examples(skills: readonly ListedSkill[]): string[] {
  const known = skills.flatMap(({ id }) => knownExamples[id] ?? []).slice(0, 3);
  return known.length > 0 ? known : [`“${skills[0]?.id.replaceAll("-", " ") ?? "help"}: …”`];
}

/** The answer when nothing fits the message. */
export function notUnderstood(listed: readonly ListedSkill[]): string {
  const skills = listed.filter(({ id }) => canFollow(id));
  if (skills.length === 0) return noSkill;
  const names = skills.slice(0, maxShown).map(({ id }) => `**${id}**`);
  const more = skills.length > maxShown ? ` and ${skills.length - maxShown} more` : "";
  return `I cannot answer that. ${whatRulesAre}\n\nHere I can use ${names.join(", ")}${more}: say “help” to see what they do. ${modelHelp}`;
}

/** The answer when a skill with several tools fits, and it is not clear which tool is meant. */
export function whichOf(skillId: string, tools: readonly ToolDefinition[]): string {
  const lines = tools
    .slice(0, maxShown)
    .map(({ name, description }) => `- **${name}**: ${firstSentence(description)}`);
  return `**${skillId}** fits, but it is not clear what it should do:\n${lines.join("\n")}\n\nSay which, and with what.`;
}

/** The answer when the message lacks a required parameter. */
export function askFor(toolName: string, missing: readonly Parameter[]): string {
  const lines = missing.map(({ name, description, enum: allowed, type }) => {
    if (isUrlName(name)) return `- **${name}**: an address, such as https://example.com`;
    const choices = allowed === undefined ? "" : ` (${allowed.slice(0, 10).map(String).join(", ")})`;
    return `- **${name}**${description === "" ? ` (${type})` : `: ${description}`}${choices}`;
  });
  const [first] = missing;
  const words = (toolName.split("_").slice(1).join(" ") || toolName).replace(/[_-]+/g, " ");
  const isUrl = first !== undefined && isUrlName(first.name);
  const value = isUrl
    ? "https://example.com"
    : first?.type === "number"
      ? "5"
      : (first?.enum?.[0] ?? "your text here");
  const named = missing.slice(1).map(({ name, enum: allowed }) => `${name}=${String(allowed?.[0] ?? "…")}`);
  const example = [`${words}${named.length > 0 ? ` ${named.join(" ")}` : ""}`, String(value)].join(": ");
  return `**${actionOf(toolName)}** fits, but I need more to run it:\n${lines.join("\n")}\n\nSay it in one message, for example: “${example}”`;
}

/** The answer for a skill that only has instructions for a model. */
export function showGuide(skillId: string, guide: string): string {
  const text = guide.trim();
  const beginning = text.length > maxGuide ? `${text.slice(0, text.lastIndexOf("\n", maxGuide))}\n…` : text;
  const quoted = beginning
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
  return `The skill **${skillId}** fits. It is a guide for a language model, without a tool I could run by rule. It begins:\n\n${quoted}\n\n${modelHelp}`;
}

const maxGuide = 900;

/** The answer when a tool failed. `what`: the tool, or the action. */
export function failed(what: string, message: string): string {
  return `**${actionOf(what)}** did not work: ${message}`;
}

/** The name of a tool as people read it: `web: read`. */
function actionOf(tool: string): string {
  return tool.replace("_", ": ").replaceAll("_", " ");
}

function firstSentence(text: string): string {
  const [sentence] = new Intl.Segmenter("en", { granularity: "sentence" }).segment(text.slice(0, 400));
  return (sentence?.segment ?? text).trim().slice(0, 200);
}
