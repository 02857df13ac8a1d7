import { query, type SendOptions } from "./request.ts";
import type * as shapes from "./shapes.ts";

/** Ways to ask the API, with paths below its root; `json` takes whole ones. */
export interface Ask {
  json<T>(path: string, options?: SendOptions): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  get<T>(path: string): Promise<T>;
}

/** What the client can do about flows. */
export interface SkillMethods {
  flows(namespace?: string): Promise<shapes.FlowList>;
  /** By id or name. A flow that fails is an answer, not an error. */
  runFlow(flow: string, request?: shapes.FlowRunRequest): Promise<shapes.FlowResult>;
  /** A flow that is in no folder of the bot. */
  runFlowText(request: shapes.FlowTextRequest): Promise<shapes.FlowResult>;
}

const at = encodeURIComponent;

export function skillMethods({ post, get }: Ask): SkillMethods {
  return {
    flows: (namespace) => get(`/flows${query({ namespace })}`),
    runFlow: (flow, request = {}) => post(`/flows/${at(flow)}/run`, request),
    runFlowText: (request) => post("/flows/run", request),
  };
}
