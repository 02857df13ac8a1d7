import { expect, it } from "vitest";
import { createCharts } from "../../../../src/charts/create-charts.ts";
import type { ImageMaker } from "../../../../src/core/ports/services.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { createTestApp, type TestAppOptions } from "../../../support/test-app.ts";

const images: ImageMaker = {
  model: "openai/gpt-image",
  make: () => Promise.reject(new Error("nobody asks for a picture")),
};
const svg = '<svg viewBox="0 0 200 100"><text x="20" y="35" font-size="14">Bot</text></svg>';

async function opened(options: TestAppOptions = {}, generative = true) {
  const model = scriptedModel(["ok"], { generative });
  const limits = { open_tools_tokens: 4_000, skill_list_tokens: 4_000, ...options.limits };
  await createTestApp(model, { sources: shippedSkills, ...options, limits }).ask("hi");
  const [request] = model.requests;
  return { tools: request?.tools.map(({ name }) => name) ?? [], system: request?.system ?? "" };
}

it("a conversation opens with the tools that are needed often, and a list of the other skills", async () => {
  const { tools, system } = await opened();
  expect(tools).toEqual([
    ...["activate_skill", "invoke_skill", "list_files", "read_file", "write_file", "ask_user"],
    ...["chat_read", "chat_search", "chat_people", "chat_mention", "chat_send", "chat_act"],
    ...["chart_draw", "document_summarize", "diagram_draw", "memory_remember", "memory_recall"],
    ...["schedule_add", "schedule_list", "schedule_change", "document_write", "web_read", "web_search"],
  ]);
  expect([...system.matchAll(/^- ([a-z_#-]+)/gm)].map(([, id]) => id)).toEqual([
    ...["channel-summary", "code-execution", "code-generation", "code-review", "incident-report"],
    ...["memory#forget", "memory#learn", "schedule#add_trigger", "skill-maker"],
    ...["task-planning", "text-analyzer", "translate", "weather", "web-research"],
  ]);
});

it("the tool for pictures is open only where a service makes them", async () => {
  expect((await opened({ means: { images } })).tools).toContain("picture_make");
});

it("skills can be listed where the list in the instructions leaves some out", async () => {
  expect((await opened({ limits: { skill_list_tokens: 100 } })).tools).toContain("list_skills");
});

it("rules that answer without a model have all tools and the search for skills", async () => {
  const { tools } = await opened({}, false);
  expect(tools).toEqual(expect.arrayContaining(["list_skills", "text_analyze", "memory_forget"]));
});

it.each([
  ["image-generation_diagram", { svg }],
  ["text-analyzer", { text: "I love it" }],
  ["code-review", { what: "" }],
])("a tool is found by the name that it had in earlier versions: %s", async (name, input) => {
  const model = scriptedModel([[{ call: name, with: input }], "ok"]);
  const app = createTestApp(model, { sources: shippedSkills, means: { charts: createCharts() } });
  await app.ask("go");
  expect(toolResults(model.requests[1]?.messages ?? [])[0]).not.toContain("not found");
});

it("an action is denied by the name that its tool had in earlier versions", async () => {
  const black_tool_actions = { "image-generation": ["image-generation_diagram"] };
  const profiles = [{ id: "chat", description: "", prompt: "", black_tool_actions }] as const;
  const { tools } = await opened({ profiles: [...profiles] });
  expect(tools).not.toContain("diagram_draw");
});
