import { describeModel } from "./model-contract.ts";
import { describeModelFailures } from "./model-failure-contract.ts";
import type { ModelUnderContract } from "./model-under-contract.ts";

const models: ModelUnderContract[] = [
  {
    choice: "openai/gpt-test",
    kind: "openai",
    keyName: "OPENAI_API_KEY",
    baseUrl: (server) => server.openAiBaseUrl,
  },
  {
    choice: "anthropic/claude-test",
    kind: "anthropic",
    keyName: "ANTHROPIC_API_KEY",
    baseUrl: (server) => server.anthropicBaseUrl,
  },
];
for (const model of models) {
  describeModel(model);
  describeModelFailures(model);
}
