import { describeModel } from "./model-contract.ts";
import { describeModelFailures } from "./model-failure-contract.ts";
import { type ModelUnderContract, useModelServer } from "./model-under-contract.ts";

const models: ModelUnderContract[] = [
  {
    choice: "openai/gpt-6.1-terra",
    kind: "openai",
    wire: "responses",
    keyName: "OPENAI_API_KEY",
    baseUrl: (server) => server.openAiBaseUrl,
  },
  {
    choice: "openai/gpt-test",
    kind: "openai",
    wire: "chat",
    keyName: "OPENAI_API_KEY",
    baseUrl: (server) => server.openAiBaseUrl,
  },
  {
    choice: "anthropic/claude-test",
    kind: "anthropic",
    wire: "messages",
    keyName: "ANTHROPIC_API_KEY",
    baseUrl: (server) => server.anthropicBaseUrl,
  },
];
const server = useModelServer();
for (const model of models) {
  describeModel(model, server);
  describeModelFailures(model, server);
}
