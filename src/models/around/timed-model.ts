import { type Model, type ModelCall, ModelError } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { attempted } from "./attempt.ts";

/** The same model with timed requests. @param onCall is called after each */
export function withTiming(
  model: Model,
  onCall: (call: ModelCall) => void,
  clock: Pick<Clock, "now">,
): Model {
  const [provider = "", ...name] = model.id.split("/");
  return {
    ...model,
    stream(request) {
      const from = clock.now();
      let isReported = false;
      const report = (outcome: ModelCall["outcome"]) => {
        if (isReported) return;
        isReported = true;
        const duration_ms = Math.max(0, clock.now() - from);
        onCall({ provider, model: name.join("/"), duration_ms, outcome });
      };
      return attempted(model.stream(request), {
        pass(event) {
          if (event.type === "finished") report("ok");
          return event;
        },
        recover(error) {
          const code = error instanceof ModelError ? error.code : "unavailable";
          report(request.signal.aborted ? "stopped" : code);
          throw error;
        },
        ended: () => report("stopped"),
      });
    },
  };
}
