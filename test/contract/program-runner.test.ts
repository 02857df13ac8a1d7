import { createSandbox } from "../../src/sandbox/create-sandbox.ts";
import { needs } from "../support/needs.ts";
import { programRunnerContract } from "./program-runner-contract.ts";

programRunnerContract("bubblewrap", needs("bubblewrap"), async (dataDir) => {
  const sandbox = await createSandbox({ dataDir, bwrap: "/usr/bin/bwrap" });
  const { isolation, detail } = sandbox.describe();
  if (isolation !== "bubblewrap") throw new Error(detail);
  return sandbox.programs;
});

programRunnerContract("an ordinary process", {}, async (dataDir) => {
  return (await createSandbox({ dataDir, bwrap: "/nowhere/bwrap" })).programs;
});
