import { parsedJson } from "../../base/json-reader.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../core/ports/model.ts";
import { foldedRequest } from "../../core/transcript/keep-transcript.ts";
import { type Json, objectOf, toJson } from "../../core/values/json.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../core/values/message.ts";
import { renderOutput } from "../../core/values/shown.ts";
import { exactCall, examplesOf, readSkillList } from "./exact-forms.ts";

const id = "offline";

/**
 * The embedded provider, which needs no key and no network. It understands exact forms only: the name of a skill, and the examples that
 * skills declare with their call. It answers anything else with how to connect a model, and with what works. The same request always has
 * the same answer.
 */
export function createOfflineModel(): Model {
  return { id, generative: false, stream };
}

async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent, void> {
  request.signal.throwIfAborted();
  if (request.output_schema !== undefined) {
    throw new ModelError("not_configured", "Writing needs a language model, and none is configured.");
  }
  const message = answerTo(foldedRequest(request));
  if (message.text !== "") yield { type: "text", text: message.text };
  yield { type: "finished", message, usage: { input_tokens: 0, output_tokens: 0 }, model: id };
}

/** Lists the skills, calls the one that the message means exactly, and shows its result. */
function answerTo({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): AssistantMessage {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const result = messages.slice(at).findLast((message) => message.role === "tool");
  const call = (name: string, input: { [name: string]: Json }): AssistantMessage => {
    const made = { id: `offline_${messages.length}`, name, arguments: JSON.stringify(input) };
    return { role: "assistant", text: "", tool_calls: [made] };
  };
  const has = (name: string) => tools.some((tool) => tool.name === name);
  if (result?.tool === "invoke_skill") return answer(shown(result, messages), messages.slice(0, at));
  if (result === undefined && has("list_skills")) return call("list_skills", {});
  const skills = readSkillList(outputIn(result?.text ?? ""));
  const said = saidIn(messages[at]);
  const exact = has("invoke_skill") ? exactCall(said, skills) : undefined;
  if (exact === undefined)
    return { role: "assistant", text: explanation(examplesOf(skills)), tool_calls: [] };
  if (cutNote.test(said)) return answer(tooLong, []);
  return call("invoke_skill", exact);
}

function saidIn(message: Message | undefined): string {
  return message?.role === "user" ? (message.said ?? message.text) : "";
}

/** The note of `cutForModel` in a message that is too long for a model. */
const cutNote = /\n\[cut: \d+ characters/;
const tooLong = "Your message is too long for me, so nothing was done. Send it in parts.";

const modelHelp =
  "`ANTHROPIC_API_KEY=… npm start`, `OPENAI_API_KEY=… npm start` or, with a local Ollama, `KNACK_MODEL=ollama/qwen3:8b npm start`";

/** The notice under the first answer in a thread. */
const notice = "_I run without a language model: I know commands, skills by their name, and their examples._";

function explanation(examples: readonly string[]): string {
  const works = [...examples, "/skill list", "/agent help", "/agent status"].slice(0, 3);
  return `I run without a language model, so I only understand commands, the name of a skill and its examples; to ask me anything, connect a model: ${modelHelp}. These work as they are:\n\n${works.map((text) => `- ${text}`).join("\n")}`;
}

function answer(text: string, earlier: readonly Message[]): AssistantMessage {
  const isFirst = !earlier.some((message) => message.role === "assistant" && message.tool_calls.length === 0);
  return { role: "assistant", text: isFirst ? `${text}\n\n${notice}` : text, tool_calls: [] };
}

/** What a call of a skill answered, for a person. */
function shown({ call_id, text, is_error }: ToolMessage, messages: readonly Message[]): string {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.tool_calls : []));
  const { skill_id, params } = objectOf(argumentsOf(calls.findLast((call) => call.id === call_id)));
  const output = outputIn(text);
  const { error, expected_parameters: expected } = objectOf(output);
  if (is_error) return `**${skill_id}** did not work: ${typeof error === "string" ? error : text}`;
  if (expected === undefined) return renderOutput(output, objectOf(params));
  return `**${skill_id}** needs more to run: \`${skill_id}: …\`, or \`/skill run ${skill_id} name=…\` with these names.\n\n${renderOutput(expected)}`;
}

function argumentsOf(call: { arguments: string } | undefined): Json {
  return toJson(parsedJson(call?.arguments ?? "") ?? {});
}

/** The output in the text of a result: JSON, JSON with a long text after it, or plain text. */
function outputIn(text: string): Json {
  const value = parsedJson(text);
  if (value !== undefined) return toJson(value);
  return /^\{[^\n]*\}\n\noutput:\n([\s\S]*)$/.exec(text)?.[1] ?? text;
}
