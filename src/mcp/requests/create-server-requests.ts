import type { ServerRequests } from "../login-port.ts";
import { elicitForm } from "./elicit-form.ts";
import { elicitUrl } from "./elicit-url.ts";
import { createRequestLimit } from "./request-limit.ts";
import { SamplingRefusedError, sample } from "./sample.ts";

/** How often a server may ask the person in one call. */
const mostQuestions = 5;
/** How often it may use the model in one call. */
const mostTexts = 5;

/** Answers what tool servers ask in the middle of a call. People decide; a server that asks too much gets a no. */
export function createServerRequests(): ServerRequests {
  const questions = createRequestLimit(mostQuestions);
  const texts = createRequestLimit(mostTexts);
  return {
    capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, sampling: {}, roots: {} },
    async elicit(server, params, context, key) {
      if (!questions.allows(context, key)) {
        context.progress(`${server} asks too much: more than ${mostQuestions} questions in one call.`);
        return { action: "cancel" };
      }
      try {
        return params.mode === "url"
          ? await elicitUrl(server, params, context, key)
          : await elicitForm(server, params, context, key);
      } catch (error) {
        if (isUnanswered(error)) return { action: "cancel" };
        throw error;
      }
    },
    async sample(server, params, context, key) {
      if (!texts.allows(context, key)) {
        throw new SamplingRefusedError("refused", `At most ${mostTexts} texts in one call.`);
      }
      return await sample(server, params, context, key);
    },
  };
}

/** Nobody answered in time. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "no_answer";
}
