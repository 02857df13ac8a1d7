import { programToRun } from "../../../.ci/build.ts";

let program: Promise<string> | undefined;

/** The bot as `npm start` runs it, built when it is first asked for. */
export function builtProgram(): Promise<string> {
  program ??= programToRun().then(({ file }) => file);
  return program;
}
