import { chosenModel } from "./chosen-model.ts";
import { ModelError, type ModelEvent, type ModelRequest } from "./model.ts";
import { createTextPacer } from "./text-pacer.ts";
import { createThoughtLine } from "./thought-line.ts";
import type { TurnScope } from "./turn-scope.ts";

type Finished = Extract<ModelEvent, { type: "finished" }>;

/**
 * Asks the turn's model and answers what it said in the end. Meanwhile people see its text grow, what it is doing, and why nothing
 * comes. @throws ModelError, or the reason with which the turn was aborted
 */
export async function readAnswer(scope: TurnScope, request: ModelRequest): Promise<Finished> {
  const { ports, turn, emit } = scope;
  const model = chosenModel(scope);
  const pacer = createTextPacer(ports.clock, (text) => emit({ type: "text_delta", text }));
  const line = createThoughtLine(ports.clock, (text) => void emit({ type: "model_thought", text }));
  try {
    for await (const event of model.stream(request)) {
      switch (event.type) {
        case "finished":
          return event;
        case "text":
          line.end();
          pacer.add(event.text);
          break;
        case "thought":
          line.add(event.text);
          break;
        case "delayed":
          await emit({ type: "model_delayed", text: event.text, until: event.until });
          break;
        case "reset":
          line.end();
          pacer.clear();
          await emit({ type: "text_reset" });
      }
    }
  } finally {
    line.end();
    await pacer.flush();
  }
  turn.signal.throwIfAborted();
  throw new ModelError("bad_response", `The model ${model.id} ended without an answer.`);
}
