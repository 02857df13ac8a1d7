import type { CreateMessageRequest, CreateMessageResult } from "@modelcontextprotocol/client";
import { notApproved } from "../../core/decisions/not-approved.ts";
import type { ToolContext } from "../../core/skill/tool.ts";

/** Maximum length of a request, characters of all its texts; people must be able to read what they allow. */
const maxRequest = 20_000;
/** Maximum length of an answer, tokens. */
const maxTokens = 4_000;
/** Approximate minimum of characters per token: where an answer that is longer than requested is cut. */
const charactersPerToken = 4;

/** Why a server's request to use the model is refused. */
export class SamplingRefusedError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Said {
  role: "user" | "assistant";
  text: string;
}

/**
 * Lets a server use the model for one text, after a manager has allowed exactly these messages. The model sees nothing else: neither the
 * conversation nor tools. @throws SamplingRefusedError, WaitingForPerson
 */
export async function sample(
  server: string,
  params: CreateMessageRequest["params"],
  context: Pick<ToolContext, "approve" | "write" | "generative">,
  key: string,
): Promise<CreateMessageResult> {
  const messages = textsOf(params);
  const max_tokens = Math.max(1, Math.min(params.maxTokens, maxTokens));
  const system = params.systemPrompt ?? "";
  const characters = system.length + messages.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > maxRequest) {
    throw new SamplingRefusedError("too_large", `At most ${maxRequest} characters can be sent to the model.`);
  }
  if (!context.generative)
    throw new SamplingRefusedError("not_supported", "There is no model that writes text.");
  const decided = await context.approve({
    action: "use_model",
    question: `May the tool server ${server} have the model write an answer to these messages?`,
    input: {
      ...(system === "" ? {} : { system }),
      messages: messages.map((each) => ({ ...each })),
      max_tokens,
    },
    approver: "manager",
    key: `${key}.1`,
  });
  if (!decided.approved) {
    const { code, message } = notApproved(decided, { so: "nothing was written" });
    throw new SamplingRefusedError(code, message);
  }
  const text = await context.write({
    instructions: instructions(server, system, max_tokens),
    input: messages.map(({ role, text: said }) => `${role}:\n${said}`).join("\n\n"),
  });
  const maxCharacters = max_tokens * charactersPerToken;
  const isCut = text.length > maxCharacters;
  return {
    role: "assistant",
    content: { type: "text", text: isCut ? text.slice(0, maxCharacters).toWellFormed() : text },
    model: "knack",
    stopReason: isCut ? "maxTokens" : "endTurn",
  };
}

function instructions(server: string, system: string, maxTokens: number): string {
  const own = system === "" ? "" : ` Its instructions for the text:\n"""\n${system}\n"""\n`;
  return (
    `You write one text for the program ${JSON.stringify(server)}: the assistant's next message in the conversation below.${own} ` +
    `Use at most ${maxTokens} tokens.`
  );
}

function textsOf({ messages, tools, toolChoice }: CreateMessageRequest["params"]): Said[] {
  if (tools !== undefined || toolChoice !== undefined) {
    throw new SamplingRefusedError("not_supported", "The model gets no tools of servers.");
  }
  return messages.map(({ role, content }) => {
    const parts = Array.isArray(content) ? content : [content];
    const texts = parts.map((part) => {
      if (part.type === "text") return part.text;
      throw new SamplingRefusedError("not_supported", "Only text can be sent to the model.");
    });
    return { role, text: texts.join("\n") };
  });
}
