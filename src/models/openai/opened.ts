import type { AnswerReader, Dialect } from "../provider-model.ts";

/** An answer that has begun, with the reader of its chunks: which form the request had in the end is known only then. */
export interface OpenedAnswer extends AsyncIterable<unknown> {
  readonly reader: AnswerReader<unknown>;
}

/** One of OpenAI's APIs. */
export type OpenAiDialect = Dialect<unknown, OpenedAnswer>;

export function openedAnswer<Chunk>(
  chunks: AsyncIterable<Chunk | undefined>,
  reader: AnswerReader<Chunk>,
): OpenedAnswer {
  return { reader, [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator]() };
}
