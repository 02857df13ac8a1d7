import { console as inspected, type Runtime, Session } from "node:inspector";
import { onTestFinished } from "vitest";

/** A function of `src` that is on a chain of calls; the name of an anonymous one is empty, and all of a file count as one. */
export interface Call {
  /** Path below `src`. */
  file: string;
  name: string;
}

const mark = "a chain of calls is asked for";

/**
 * Reads the calls that led to a place in a program, across `await`, promises and generators, which stack traces of errors lose. The
 * inspector of the process has them; while a test reads them, promises are slow.
 */
export function readCalls() {
  let last: Call[] = [];
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  session.post("Runtime.enable");
  session.post("Debugger.enable");
  session.post("Debugger.setAsyncCallStackDepth", { maxDepth: 500 });
  session.on("Runtime.consoleAPICalled", ({ params: { args, stackTrace } }) => {
    if (args[0]?.value === mark) last = callsIn(stackTrace);
  });
  /** The calls that led to the call of this function, each once, the outermost first. */
  return (): Call[] => {
    inspected.trace(mark);
    return last;
  };
}

function callsIn(stack: Runtime.StackTrace | undefined): Call[] {
  const frames: Call[] = [];
  for (let part = stack; part !== undefined; part = part.parent)
    for (const { functionName: name, url } of part.callFrames) {
      const file = /\/src\/(.*)$/.exec(url)?.[1];
      if (file !== undefined) frames.unshift({ file, name });
    }
  // A function has a frame for each time that it continued after an `await`.
  return [...new Map(frames.map((call) => [`${call.file} ${call.name}`, call])).values()];
}
