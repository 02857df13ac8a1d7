import type { App } from "../../../src/app/app.ts";
import { presentTurn } from "../../../src/app/operations/turn-view.ts";
import { noCounts } from "../../../src/app/services/retention-sweep.ts";
import type { SkillDetail } from "../../../src/app/services/skill-listing.ts";
import type { Outcome } from "../../../src/core/outcome.ts";
import type { TurnEvent } from "../../../src/core/turn-event.ts";
import type { TurnRecord } from "../../../src/core/turn-log.ts";
import { testReview } from "../../support/fake-packages.ts";
import { testServer } from "../../support/fake-servers.ts";

export const skill: SkillDetail = {
  id: "web-research#summary",
  name: "Summary",
  kind: "builtin",
  description: "Summarises",
  category: "research",
  version: "1.0.0",
  source: "bundled",
  path: "/skills/web-research",
  hash: "abc",
  state: "available",
  eligible: true,
  reasons: [],
  risk: "low",
  author: "Knack",
  tags: [],
  parameters: [{ name: "topic", type: "string", description: "", required: true }],
  examples: [{ prompt: "Summarise the news", call: "" }],
  tools: [{ name: "summary", description: "", parameters: { type: "object" } }],
  files: [],
  parts: [],
  instructions: "# Summary",
  max_execution_seconds: 300,
  max_iterations: 10,
  network: { granted: [] },
  tool_list: {},
  problems: [],
};

const review = testReview("weather");
const entry = { skill_id: "weather", hash: review.hash, from: "x", by: "operator", installed_at: 1, review };
const policy = { conversation_days: 365, run_detail_days: "never", file_days: 30, audit_days: 400 } as const;

interface FakeInput {
  name: string;
  id: string;
  hosts: string[];
  state: string;
  params: { refuse?: string };
}

function noSkill(id: string): Outcome<never> {
  return { ok: false, status: 404, message: `There is no skill called ${id}.` };
}

/** Services that answer what they were asked to have done, and note it in `asked`. */
export function fakeServices(
  asked: unknown[],
  turns: () => { record: TurnRecord; events: TurnEvent[] }[],
): Pick<App, "run" | "flows" | "retention"> {
  const missing = { ok: false as const, status: 404 as const, message: "There is none of that name." };
  const result = { success: true, results: [], variables: {}, directOutput: null };
  const server = (name: string, changes = {}) =>
    name === "files" || name === "mail" ? { ok: true, value: testServer(name, changes) } : missing;
  const operations: Record<string, (input: FakeInput) => unknown> = {
    "skill.list": () => ({ ok: true, value: { skills: [skill], diagnostics: [] } }),
    "skill.show": ({ id }) => (id === skill.id ? { ok: true, value: skill } : noSkill(id)),
    "skill.set": ({ id, state }) =>
      id === skill.id ? { ok: true, value: { ...skill, state } } : noSkill(id),
    "skill.run"({ id, params }) {
      if (id === "broken") throw new Error("secret path /etc/shadow");
      const { refuse: code } = params;
      if (code === undefined) return { ok: true, value: { skill_id: id, output: params, success: true } };
      const details = { expected_parameters: ["text"] };
      return { ok: false, status: 400, message: "Refused.", code, details };
    },
    "run.list": () => ({
      ok: true,
      value: { turns: turns().map(({ record }) => presentTurn(record)), skills: [] },
    }),
    "run.show"({ id }) {
      const found = turns().find(({ record }) => record.turn_id === id);
      if (found === undefined) return missing;
      return { ok: true, value: { turn: presentTurn(found.record), events: found.events, skills: [] } };
    },
    "server.list": () => ({ ok: true, value: { servers: [testServer("files")], diagnostics: [] } }),
    "server.control": ({ name }) => server(name, { state: "running" }),
    "server.trust": ({ name }) => server(name),
    "server.login": ({ name }) => ({ ok: true, value: { url: `https://login.example/${name}` } }),
    "server.logout": ({ name }) => server(name, { state: "needs_login" }),
    "package.list": () => ({ ok: true, value: { packages: [entry] } }),
    "package.review": () => ({ ok: true, value: { reviews: [review] } }),
    "package.install": () => ({ ok: true, value: { installed: [entry] } }),
    "package.update": ({ id }) => (id === "weather" ? { ok: true, value: { installed: [entry] } } : missing),
    "package.remove": ({ id }) => (id === "weather" ? { ok: true, value: { removed: entry } } : missing),
    "skill.review": ({ id }) => (id === "weather" ? { ok: true, value: review } : missing),
    "skill.grant": ({ id, hosts }) => ({ ok: true, value: { skill_id: id, granted: hosts } }),
    "skill.revoke": ({ id }) => ({ ok: true, value: { skill_id: id, granted: [] } }),
  };
  return {
    async run(name, { input, asker, files = [] }) {
      const sent = files.map(async (file) => ({ name: file.name, data: await file.read(file.bytes) }));
      const given = sent.length === 0 ? {} : { files: await Promise.all(sent) };
      asked.push({ run: name, ...input, ...given, by: asker.by });
      return operations[name]?.(input as never) as never;
    },
    retention: {
      status: async () => ({ policy, from: 5 }),
      async run(options, { by }) {
        asked.push({ retention: options, by });
        return {
          ok: true,
          value: { policy, from: 5, ran: !options.dryRun, counts: { ...noCounts, threads: 2 } },
        };
      },
    },
    flows: {
      list: async () => ({ flows: [], diagnostics: [] }),
      async run(flow, run) {
        asked.push({ flow, ...run });
        return flow === "none" ? missing : { ok: true, value: result };
      },
      async runText(text, name, run) {
        asked.push({ text, name, ...run });
        return { ok: true, value: result };
      },
    },
  };
}
