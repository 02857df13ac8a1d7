import type { App } from "../../../src/app/app.ts";
import { noCounts } from "../../../src/app/services/retention-sweep.ts";
import { testReview } from "../../support/fake-packages.ts";
import { testServer } from "../../support/fake-servers.ts";

const review = testReview("weather");
const entry = { skill_id: "weather", hash: review.hash, from: "x", by: "operator", installed_at: 1, review };
const policy = { conversation_days: 365, run_detail_days: "never", file_days: 30, audit_days: 400 } as const;

/** Services that answer what they were asked to have done, and note it in `asked`. */
export function fakeServices(asked: unknown[]): Pick<App, "run" | "packages" | "flows" | "retention"> {
  const missing = { ok: false as const, status: 404 as const, message: "There is none of that name." };
  const result = { success: true, results: [], variables: {}, directOutput: null };
  const server = (name: string, changes = {}) =>
    name === "files" || name === "mail" ? { ok: true, value: testServer(name, changes) } : missing;
  const operations: Record<string, (input: { name: string; id: string; hosts: string[] }) => unknown> = {
    "server.list": () => ({ ok: true, value: { servers: [testServer("files")], diagnostics: [] } }),
    "server.control": ({ name }) => server(name, { state: "running" }),
    "server.trust": ({ name }) => server(name),
    "server.login": ({ name }) => ({ ok: true, value: { url: `https://login.example/${name}` } }),
    "server.logout": ({ name }) => server(name, { state: "needs_login" }),
    "skill.grant": ({ id, hosts }) => ({ ok: true, value: { skill_id: id, granted: hosts } }),
    "skill.revoke": ({ id }) => ({ ok: true, value: { skill_id: id, granted: [] } }),
  };
  return {
    async run(name, { input, asker }) {
      asked.push({ run: name, ...input, by: asker.by });
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
    packages: {
      list: async () => [entry],
      async review(source, asker) {
        asked.push({ review: source, by: asker.by });
        return { ok: true, value: [review] };
      },
      async install(source, asker, { expected }) {
        asked.push({ install: source, by: asker.by, expected });
        return { ok: true, value: [entry] };
      },
      update: async (id) => (id === "weather" ? { ok: true, value: [entry] } : missing),
      async remove(id, { by }) {
        asked.push({ remove: id, by });
        return id === "weather" ? { ok: true, value: entry } : missing;
      },
      reviewSkill: async (id) => (id === "weather" ? { ok: true, value: review } : missing),
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
