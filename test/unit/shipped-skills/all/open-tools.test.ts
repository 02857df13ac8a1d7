import { expect, it } from "vitest";
import { createCharts } from "../../../../src/charts/create-charts.ts";
import type { ImageMaker } from "../../../../src/core/ports/services.ts";
import type { WebSearch } from "../../../../src/core/ports/web.ts";
import { noMeans } from "../../../../src/core/ports/work-means.ts";
import type { CodeRunner } from "../../../../src/core/skill/programs.ts";
import { TaughtSkills } from "../../../../src/core/skill/taught-skills.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakeChat } from "../../../support/fakes/fake-chat-actions.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { ada, createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const images: ImageMaker = {
  model: "openai/gpt-image",
  make: () => Promise.reject(new Error("nobody asks for a picture")),
};

const nobodyCalls = () => Promise.reject(new Error("nobody calls it"));
const search: WebSearch = { engines: ["an engine"], search: nobodyCalls };
const code: CodeRunner = {
  means: async () => ({ ok: true, languages: ["python"], packages: {}, hosts: [], max_ms: 1_000 }),
  run: nobodyCalls,
};
const taught = new TaughtSkills(createMemoryKeyValue(), () => ({ ok: false, reason: "no skill" }));

interface OpenedOptions extends TestAppOptions {
  /** Where the person asks; on a chat platform unless given. */
  namespace?: string;
  generative?: boolean;
}

/** The first request of a conversation in a bot that lacks only a service for pictures. */
async function opened({ namespace = "fake:team:general", generative, ...options }: OpenedOptions = {}) {
  const model = scriptedModel(["ok"], { generative: generative !== false });
  const limits = { open_tools_tokens: 4_000, skill_list_tokens: 4_000, ...options.limits };
  const means = { search, ...options.means };
  const app = createTestApp(model, { sources: shippedSkills, code, taught, ...options, means, limits });
  app.chat.connect(createFakePlatform({ id: "mute" }));
  app.chat.connect(Object.assign(createFakePlatform(), { actions: createFakeChat() }));
  await app.ask("hi", { namespace });
  const [request] = model.requests;
  const system = request?.system ?? "";
  const listed = [...system.matchAll(/^- ([a-z_#-]+)/gm)].map(([, id]) => id ?? "");
  const list = await app.app.run("skill.list", { input: { namespace }, asker: { by: ada, namespace } });
  return { tools: request?.tools.map(({ name }) => name) ?? [], listed, list: JSON.stringify(list) };
}

it("a conversation opens with the tools that are needed often, and a list of the other skills", async () => {
  const { tools, listed } = await opened();
  expect(tools).toEqual([
    ...["activate_skill", "invoke_skill", "list_files", "read_file", "write_file", "run_code", "ask_user"],
    ...["chat_read", "chat_search", "chat_people", "chat_mention", "chat_send", "chat_act"],
    ...["chart_draw", "document_summarize", "diagram_draw", "memory_remember", "memory_recall"],
    ...["schedule_add", "schedule_list", "schedule_change", "document_write", "web_read", "web_search"],
  ]);
  expect(listed).toEqual([
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

const none = { search: noMeans.search };
const noCode: CodeRunner = { ...code, means: async () => ({ ok: false, reason: "no bubblewrap" }) };

it.each<[string, OpenedOptions, string[], string]>([
  ["a person is alone with the bot", { namespace: home.namespace }, ["chat_people", "chat_mention"], "alone"],
  ["nothing can be posted", { namespace: home.namespace }, ["chat_send", "chat_act"], "post and change"],
  ["nothing searches the web", { means: none }, ["web_search", "web-research"], "searches the web"],
  ["no code can run", { code: noCode }, ["code-execution", "run_code"], "sandbox that runs code"],
  ["no skills are made", { taught: undefined }, ["skill-maker"], "keeps no skills"],
  [
    "no messages can be read",
    { namespace: "mute:team:general" },
    ["chat_read", "channel-summary"],
    "cannot read",
  ],
])(
  "what cannot work where %s is not offered, and the list of skills says why",
  async (_where, how, names, why) => {
    const { tools, listed, list } = await opened(how);
    expect([...tools, ...listed].filter((name) => names.includes(name))).toEqual([]);
    expect(list).toContain(why);
  },
);

it("a conversation without a model has the list of skills and the tool that runs them", async () => {
  const { tools } = await opened({ generative: false });
  expect(tools).toEqual(expect.arrayContaining(["list_skills", "invoke_skill"]));
});

it.each([
  ["text-analyzer", { text: "I love it" }],
  ["code-review", { what: "" }],
])("a tool is found by the id of its skill: %s", async (name, input) => {
  const model = scriptedModel([[{ call: name, with: input }], "ok"]);
  const app = createTestApp(model, { sources: shippedSkills, means: { charts: createCharts() } });
  await app.ask("go");
  expect(toolResults(model.requests[1]?.messages ?? [])[0]).not.toContain("not found");
});
