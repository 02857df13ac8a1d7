import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/config/schema.ts";
import { unknownInAgent, unknownRights } from "../../../src/config/settings-without-effect.ts";

const known = {
  skills: ["chat", "chat#send", "web-search", "mcp_docs"],
  tools: ["chat_send", "run_code"],
  servers: ["docs"],
};

describe("names that stand for nothing", () => {
  it.each([
    ["chat", "chat#send", "chat-send", "@@Web-Search", "chat_send", "run_code", "docs"],
    // A server's tools are known once it has started.
    ["docs#read", "docs-read", "docs__read", "mcp_docs#read"],
  ])("known names are not reported as unknown: %s …", (...names) => {
    const rights = Object.fromEntries(names.map((name) => [name, { roles: ["manager"] }]));
    expect(unknownRights(configSchema.parse({ skills: { rights } }), known)).toEqual([]);
    const black_tool_actions = Object.fromEntries(names.map((name) => [name, ["*"]]));
    const agent = { id: "a", description: "", prompt: "", black_tool_actions };
    expect(unknownInAgent(agent, known)).toEqual([]);
  });

  it("unknown names are reported in rights, where they protect nothing", () => {
    const rights = { "web-serch": { roles: ["manager"] } };
    expect(unknownRights(configSchema.parse({ skills: { rights } }), known)).toMatchObject([
      {
        key: "skills.rights",
        message: "protects nothing: there is no skill, tool or server web-serch",
        hint: "Did you mean web-search?",
      },
    ]);
  });

  it("unknown names are reported in the files of agents", () => {
    const agent = {
      ...{ id: "legal", description: "", prompt: "" },
      skills: { "*": false, "web-search": 1, "Web-Search": 2 } as const,
      black_tool_actions: { chatt: ["send"] },
    };
    expect(unknownInAgent(agent, known)).toMatchObject([
      { where: "agent legal", key: "skills", message: "has no effect: there is no skill Web-Search" },
      { key: "black_tool_actions", hint: "Did you mean chat?" },
    ]);
  });
});
