import type { App } from "../../../src/app/app.ts";
import { presentTurn } from "../../../src/app/operations/turns/turn-view.ts";
import type { SkillDetail } from "../../../src/app/services/skill-listing.ts";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { TurnRecord } from "../../../src/core/log/turn-log.ts";
import { StoreFailure } from "../../../src/core/ports/storage.ts";
import type { Outcome } from "../../../src/core/values/failure.ts";
import { testReview } from "../../support/fakes/fake-packages.ts";
import { testServer } from "../../support/fakes/fake-servers.ts";

export const skill: SkillDetail = {
  id: "web-research#summary",
  name: "Summary",
  kind: "builtin",
  description: "Summarises",
  summary: "Summarises",
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

interface FakeInput {
  name: string;
  id: string;
  state: string;
  params: { refuse?: string };
  platform: string;
  ns: string;
  settings: object;
  text: string;
  message: string;
}

export const threads = [{ thread: "t-1", title: "hello", turns: 1, last_at: 1, busy: false }];

const channel = {
  active: [],
  pinned: [],
  blocked: [],
  settings: { progress: "steps", while_running: "steer" },
};

function person(user: string, dry_run: boolean) {
  if (user === "nobody") return { ok: false, status: 404, message: "Nothing is stored." };
  const counts = { turns: 2, other_turns: 1, facts: 0, allowances: 0, accounts: 0, feedback: 0, stored: 0 };
  const named = user.startsWith("slack:") ? user : `slack:T1:${user}`;
  const found = { user: named, complete: true, left: [] };
  return { ok: true, value: { ...found, ...counts, dry_run, kept: [], blanked: 3 } };
}

function noSkill(id: string): Outcome<never> {
  return { ok: false, status: 404, message: `There is no skill called ${id}.` };
}

/** Services that answer what they were asked to have done, and note it in `asked`. */
export function fakeServices(
  asked: unknown[],
  turns: () => { record: TurnRecord; events: TurnEvent[] }[],
): Pick<App, "run"> {
  const missing = { ok: false as const, status: 404 as const, message: "There is none of that name." };
  const result = { success: true, results: [], variables: {}, directOutput: null };
  const operations: Record<string, (input: FakeInput) => unknown> = {
    "skill.list": () => ({ ok: true, value: { skills: [skill], diagnostics: [] } }),
    "skill.show": ({ id }) => (id === skill.id ? { ok: true, value: skill } : noSkill(id)),
    "skill.set": ({ id, state }) =>
      id === skill.id ? { ok: true, value: { ...skill, state } } : noSkill(id),
    "skill.run"({ id, params }) {
      if (id === "broken") throw new Error("secret path /etc/shadow");
      if (id === "full") throw new StoreFailure("There is no disk space left. Free some and try again");
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
    "turn.show"({ id }) {
      const found = turns().find(({ record }) => record.turn_id === id);
      return found === undefined ? missing : { ok: true, value: presentTurn(found.record) };
    },
    "turn.stop": () => ({ ok: true, value: { stopped: true } }),
    "turn.answer": () => ({ ok: true, value: { answered: true } }),
    "turn.forget": ({ id }) =>
      turns().some(({ record }) => record.turn_id === id)
        ? { ok: true, value: { forgotten: true } }
        : missing,
    "approval.decide": ({ id }) =>
      id === "none:1" ? missing : { ok: true, value: { decided: id !== "turn-1:2" } },
    "channel.list": ({ platform }) => ({
      ok: true,
      value: {
        namespaces: [
          { namespace: `${platform}:local:dm`, direct: true },
          { namespace: `${platform}:local:general`, direct: false },
        ],
      },
    }),
    "channel.show": ({ ns }) => ({ ok: true, value: { ...channel, namespace: ns } }),
    "channel.change": ({ ns, settings }) => ({
      ok: true,
      value: { ...channel, namespace: ns, settings: { ...channel.settings, ...settings } },
    }),
    "thread.list": () => ({ ok: true, value: { threads } }),
    "thread.show": () => ({
      ok: true,
      value: { turns: turns().map(({ record, events }) => ({ turn: presentTurn(record), events })) },
    }),
    "person.show": ({ id }) => person(id, true),
    "person.forget": ({ id }) => person(id, false),
    "bot.about": () => ({
      ok: true,
      value: { name: "Knack", version: "1.2.3", model: "offline", suggestions: ["/skill list"] },
    }),
    "command.complete": ({ text }) => ({
      ok: true,
      value: { completions: [{ text: `${text}list`, label: "list", description: "" }] },
    }),
    "prompt.show": ({ message }) => ({ ok: true, value: { system: message, tools: [], tokens: 1 } }),
    "server.login": ({ name }) => ({ ok: true, value: { url: `https://login.example/${name}` } }),
    "server.logout": ({ name }) => ({ ok: true, value: testServer(name, { state: "needs_login" }) }),
    "package.list": () => ({ ok: true, value: { packages: [entry] } }),
    "package.review": () => ({ ok: true, value: { reviews: [review] } }),
    "package.install": () => ({ ok: true, value: { installed: [entry] } }),
    "package.update": ({ id }) => (id === "weather" ? { ok: true, value: { installed: [entry] } } : missing),
    "package.remove": ({ id }) => (id === "weather" ? { ok: true, value: { removed: entry } } : missing),
    "skill.review": ({ id }) => (id === "weather" ? { ok: true, value: review } : missing),
    "flow.run": () => ({ ok: true, value: result }),
  };
  return {
    async run(name, { input, asker, files = [] }) {
      const sent = files.map(async (file) => ({ name: file.name, data: await file.read(file.bytes) }));
      const given = sent.length === 0 ? {} : { files: await Promise.all(sent) };
      asked.push({ run: name, ...input, ...given, by: asker.by });
      return operations[name]?.(input as never) as never;
    },
  };
}
