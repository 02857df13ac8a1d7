import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/client";
import { LRUCache } from "lru-cache";
import { errorCode } from "../../base/error-text.ts";
import type { ToolContext } from "../../core/skill/tool.ts";

/** Maximum questions of a server to the person in one call. */
const maxQuestions = 5;
/** Maximum uses of the model by a server in one call. */
const maxTexts = 5;

export type ServerRequests = ReturnType<typeof createServerRequests>;

/**
 * Answers requests that tool servers make during a call. People decide; a server that asks too often is refused. Few servers ask anything,
 * so the code is loaded with the first request. Both functions may throw `WaitingForPerson`: then they are called again with the same
 * parameters and a later context once the person answered. Other errors are reported to the server as a refusal, without their text. `key`
 * identifies the request within its call, the same each time; questions to people get a `key` that begins with it. `server` is its name.
 */
export function createServerRequests() {
  const questions = createRequestLimit(maxQuestions);
  const texts = createRequestLimit(maxTexts);
  const capabilities: ClientCapabilities = {
    elicitation: { form: { applyDefaults: true }, url: {} },
    sampling: {},
    roots: {},
  };
  return {
    /** The capabilities that the client announces. */
    capabilities,
    async elicit(
      server: string,
      params: ElicitRequest["params"],
      context: ToolContext,
      key: string,
    ): Promise<ElicitResult> {
      if (!questions.allows(context, key)) {
        context.progress(`${server} asks too much: more than ${maxQuestions} questions in one call.`);
        return { action: "cancel" };
      }
      try {
        if (params.mode === "url") {
          const { elicitUrl } = await import("./elicit-url.ts");
          return await elicitUrl(server, params, context, key);
        }
        const { elicitForm } = await import("./elicit-form.ts");
        return await elicitForm(server, params, context, key);
      } catch (error) {
        // Nobody answered in time.
        if (errorCode(error) === "no_answer") return { action: "cancel" };
        throw error;
      }
    },
    async sample(
      server: string,
      params: CreateMessageRequest["params"],
      context: ToolContext,
      key: string,
    ): Promise<CreateMessageResult> {
      const { SamplingRefusedError, sample } = await import("./sample.ts");
      if (!texts.allows(context, key)) {
        throw new SamplingRefusedError("refused", `At most ${maxTexts} texts in one call.`);
      }
      return await sample(server, params, context, key);
    },
  };
}

/** Number of calls that are remembered; older ones have ended. */
const maxCalls = 1_000;

/** Counts requests within calls. One that is repeated after a wait counts once. */
function createRequestLimit(most: number) {
  const calls = new LRUCache<string, Set<string>>({ max: maxCalls });
  return {
    allows({ turn_id, call_id }: Pick<ToolContext, "turn_id" | "call_id">, request: string): boolean {
      const call = JSON.stringify([turn_id, call_id]);
      const seen = calls.get(call) ?? new Set();
      calls.set(call, seen);
      if (seen.size >= most && !seen.has(request)) return false;
      seen.add(request);
      return true;
    },
  };
}
