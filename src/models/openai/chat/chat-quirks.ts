import { createHash } from "node:crypto";
import type { ServerKind } from "../../server-kind.ts";
import { safeCallId } from "../../tool-call-text.ts";
import { isOpenAiOrAzure } from "./chat-form.ts";

/** What is known of a server or model beforehand and cannot be learnt from a refusal. */
export interface ChatQuirks {
  /** The id of a call as the server takes it: the same for a call and its result, and at any time. */
  callId(id: string): string;
  /** What a call carries that another model made: Gemini from 3 on refuses calls without its signature. */
  foreignCall: { extra_content?: { google: { thought_signature: string } } };
  /** Whether parts carry marks for Anthropic's prompt cache. https://openrouter.ai/docs/features/prompt-caching */
  cacheMarks: boolean;
  /** Whether the server tells text from reasoning and calls, for certain. */
  plainText: boolean;
}

/** @param server its kind, as far as it is known */
export function chatQuirks(model: string, server: ServerKind | undefined): ChatQuirks {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const onOpenRouter = server === "openrouter";
  const isNewGemini =
    /^gemini-(?:[3-9]|\d{2})/.test(name) || (server === "gemini" && !/^gemini-[12]\b/.test(name));
  const isGemini = isNewGemini && !onOpenRouter;
  return {
    callId: server === "mistral" || isMistral(name) ? nineCharacters : (id) => safeCallId(id),
    plainText: isOpenAiOrAzure(server) || server === "gemini",
    // https://ai.google.dev/gemini-api/docs/thought-signatures
    foreignCall: isGemini
      ? { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } }
      : {},
    cacheMarks: onOpenRouter && model.startsWith("anthropic/"),
  };
}

function isMistral(name: string): boolean {
  return /^(?:mistral|ministral|mixtral|codestral|devstral|magistral|pixtral|voxtral|open-mi[sx]tral)/.test(
    name,
  );
}

/** Mistral takes ids of exactly nine letters and digits. */
function nineCharacters(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}
