import { createSandbox } from "../../src/sandbox/create-sandbox.ts";
import { programRunnerContract } from "./program-runner-contract.ts";

const bubblewrap = { bwrap: "/usr/bin/bwrap" };
const none = { bwrap: "/nowhere/bwrap" };

for (const [name, options] of [
  ["bubblewrap", bubblewrap],
  ["an ordinary process", none],
] as const) {
  programRunnerContract(name, async (dataDir) => {
    const sandbox = await createSandbox({ dataDir, ...options });
    const { isolation, detail } = sandbox.describe();
    if (options === bubblewrap && isolation !== "bubblewrap") throw new Error(detail);
    return sandbox.programs;
  });
}
