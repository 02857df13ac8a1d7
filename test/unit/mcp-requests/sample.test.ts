import type { CreateMessageRequest } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import type { ApprovalRequest, ToolContext } from "../../../src/core/skill/tool.ts";
import { createServerRequests } from "../../../src/mcp/requests/create-server-requests.ts";

type Params = CreateMessageRequest["params"];

const params: Params = {
  systemPrompt: "Be brief.",
  messages: [{ role: "user", content: { type: "text", text: "Name a city." } }],
  maxTokens: 10,
};

function samplingTurn({ approved = true, by = "ada", text = "Rome", generative = true } = {}) {
  const approvals: ApprovalRequest[] = [];
  const asked: { instructions: string; input: string }[] = [];
  const context = {
    turn_id: "turn",
    call_id: "call",
    generative,
    async approve(request: ApprovalRequest) {
      approvals.push(request);
      return { approved, by };
    },
    async write({ instructions = "", input }: { instructions?: string; input: string }) {
      asked.push({ instructions, input });
      return text;
    },
  } as Partial<ToolContext> as ToolContext;
  const requests = createServerRequests();
  let count = 0;
  const sample = (changes: Partial<Params> = {}) => {
    count += 1;
    return requests.sample("travel", { ...params, ...changes } as Params, context, `request-${count}`);
  };
  return { approvals, asked, sample };
}

describe("a tool server that wants a text of the model", () => {
  it("a sampling request is answered when a manager allowed exactly what the model will see", async () => {
    const { approvals, asked, sample } = samplingTurn();
    expect(await sample()).toMatchObject({ role: "assistant", content: { type: "text", text: "Rome" } });
    expect(approvals).toEqual([
      {
        action: "use_model",
        question: "May the tool server travel have the model write an answer to these messages?",
        input: { system: "Be brief.", messages: [{ role: "user", text: "Name a city." }], max_tokens: 10 },
        approver: "manager",
        key: "request-1.1",
      },
    ]);
    expect(asked[0]?.input).toBe("user:\nName a city.");
    expect(asked[0]?.instructions).toContain("Be brief.");
  });

  it.each([
    ["ada", "refused", '"ada" refused it, so nothing was written.'],
    ["", "approval_expired", "Nobody approved it in time, so nothing was written."],
  ])("a sampling request that is not approved (by %j) gets nothing: %s", async (by, code, message) => {
    const { asked, sample } = samplingTurn({ approved: false, by });
    await expect(sample()).rejects.toMatchObject({ code, message });
    expect(asked).toEqual([]);
  });

  it.each<[string, Partial<Params>, string]>([
    [
      "pictures",
      { messages: [{ role: "user", content: { type: "image", data: "", mimeType: "image/png" } }] },
      "not_supported",
    ],
    ["tools", { tools: [] }, "not_supported"],
    ["more than people can read", { systemPrompt: "x".repeat(20_001) }, "too_large"],
  ])("a sampling request is turned away with %s before anybody is asked", async (_what, changes, code) => {
    const { approvals, sample } = samplingTurn();
    await expect(sample(changes)).rejects.toMatchObject({ code });
    expect(approvals).toEqual([]);
  });

  it("a sampling request is turned away without a model that writes", async () => {
    await expect(samplingTurn({ generative: false }).sample()).rejects.toMatchObject({
      code: "not_supported",
    });
  });

  it("a sampling request gets no more than it asked for, up to a maximum", async () => {
    const { approvals, sample } = samplingTurn({ text: "x".repeat(50_000) });
    const short = await sample();
    expect(short).toMatchObject({ stopReason: "maxTokens", content: { text: "x".repeat(40) } });
    await sample({ maxTokens: 1_000_000 });
    expect(approvals[1]?.input).toMatchObject({ max_tokens: 4_000 });
  });

  it("a call gets at most five texts of the model", async () => {
    const { asked, sample } = samplingTurn();
    for (let count = 0; count < 5; count += 1) await sample();
    await expect(sample()).rejects.toMatchObject({ code: "refused" });
    expect(asked).toHaveLength(5);
  });
});
