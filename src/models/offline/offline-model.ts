import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../core/ports/model.ts";
import { foldedRequest } from "../../core/transcript/keep-transcript.ts";
import { type AssistantMessage, isWordless } from "../../core/values/message.ts";
import { renderOutput } from "../../core/values/shown.ts";
import { lastResult, readConversation, readOutput } from "./conversation.ts";
import { decide } from "./decide.ts";
import { isSkillTool } from "./fitness.ts";
import { imageNotice, ruleNotice, voiceNotice } from "./phrases.ts";

const id = "offline";

/**
 * The embedded provider, which needs no key and no network. It follows rules: it finds a fitting skill, fills its parameters from the
 * message, and shows the skill's answer. Its first answer in a thread says that it follows rules. The same request always has the same
 * answer.
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
  for (const piece of pieces(message.text)) {
    request.signal.throwIfAborted();
    yield { type: "text", text: piece };
  }
  yield { type: "finished", message, usage: { input_tokens: 0, output_tokens: 0 }, model: id };
}

function answerTo(request: ModelRequest): AssistantMessage {
  const { said, first, done, images, unheard } = readConversation(request.messages);
  const decision = decide(request);
  const last = request.tools.length === 0 ? lastResult(request.messages) : undefined;
  if (last !== undefined && !last.is_error && isSkillTool(last.tool)) {
    return { role: "assistant", text: renderOutput(readOutput(last.text).value), tool_calls: [] };
  }
  if (decision.kind === "answer") {
    const notices = [
      ...(unheard ? [voiceNotice] : []),
      ...(images > 0 ? [imageNotice] : []),
      ...(first && decision.explains !== true ? [ruleNotice] : []),
    ];
    const words = unheard && isWordless(said) ? [] : [decision.text];
    return { role: "assistant", text: [...words, ...notices].join("\n\n"), tool_calls: [] };
  }
  const call = {
    id: `offline_${request.messages.length}_${done.length + 1}`,
    name: decision.tool,
    arguments: JSON.stringify(decision.arguments),
  };
  return { role: "assistant", text: "", tool_calls: [call] };
}

/** A text in pieces of a few words, like a streamed answer. */
function* pieces(text: string): Generator<string, void> {
  for (const [piece] of text.matchAll(/[\s\S]{1,24}\S{0,16}/gu)) yield piece;
}
