import { ModelError, type ModelEvent, type ModelRequest } from "../ports/model.ts";
import { chosenModel } from "../scope/chosen-model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { type LeftOut, tellLeftOut, untoldOf } from "./left-out-tools.ts";
import { createTextPacer } from "./text-pacer.ts";
import { createThoughtLine } from "./thought-line.ts";

type Finished = Extract<ModelEvent, { type: "finished" }>;

/** Times a model is asked again in one round because tools are left out. */
const mostRepeats = 100;

/**
 * Asks the turn's model and answers what it said in the end. Where tools are left out that the transcript does not tell of, it is told so
 * and asked again: `request` is made for each time.
 */
export async function readAnswer(scope: TurnScope, request: () => Promise<ModelRequest>): Promise<Finished> {
  for (let repeats = 0; ; repeats += 1) {
    const said = await readOnce(scope, await request(), repeats < mostRepeats);
    if (said.type === "finished") return said;
    await tellLeftOut(scope, said);
  }
}

/**
 * One request. Meanwhile people see its text grow, what it is doing, and why nothing
 * comes. @throws ModelError, or the reason with which the turn was aborted
 */
async function readOnce(
  scope: TurnScope,
  request: ModelRequest,
  tells: boolean,
): Promise<Finished | LeftOut> {
  const { ports, turn, emit } = scope;
  const model = chosenModel(scope);
  const { clock, redact } = ports;
  const pacer = createTextPacer(clock, redact, (text) => emit({ type: "text_delta", text }));
  const line = createThoughtLine(clock, (text) => void emit({ type: "model_thought", text }));
  // Before a line is made of it: half a secret would not be known for one.
  let thought = redact.stream();
  const endThought = () => {
    line.end();
    thought = redact.stream();
  };
  try {
    for await (const event of model.stream(request)) {
      switch (event.type) {
        case "finished":
          return event;
        case "text":
          endThought();
          pacer.add(event.text);
          break;
        case "thought":
          line.add(thought.add(event.text));
          break;
        case "delayed":
          await emit({ type: "model_delayed", text: event.text, until: event.until });
          break;
        case "left_out": {
          const untold = tells ? untoldOf(scope, event) : undefined;
          if (untold !== undefined) return untold;
          break;
        }
        case "reset":
          endThought();
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
