import {
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelRequest,
} from "../../../src/core/ports/model.ts";

/** A model that answers "ok" with blocks of its own, unless told to fail; it keeps what it was asked. */
export function askedModel(
  failure: (request: ModelRequest) => ModelErrorCode | undefined = () => undefined,
  facts: Pick<Model, "window" | "cache_ms"> = {},
): Model & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    id: "a/b",
    generative: true,
    ...facts,
    asked,
    async *stream(request) {
      asked.push(request);
      const code = failure(request);
      if (code !== undefined) throw new ModelError(code, code);
      const provider_blocks = { provider: "a", model: "b", form: "x", blocks: [] };
      yield {
        type: "finished",
        message: { role: "assistant", text: "ok", tool_calls: [], provider_blocks },
        usage: { input_tokens: 1, output_tokens: 1 },
        model: "a/b",
      };
    },
  };
}
