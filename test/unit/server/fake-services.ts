import type { App } from "../../../src/app/app.ts";
import { noCounts } from "../../../src/app/services/retention-sweep.ts";
import { testReview } from "../../support/fake-packages.ts";
import { testServer } from "../../support/fake-servers.ts";

const review = testReview("weather");
const entry = { skill_id: "weather", hash: review.hash, from: "x", by: "operator", installed_at: 1, review };
const policy = { conversation_days: 365, run_detail_days: "never", file_days: 30, audit_days: 400 } as const;

/** Services that answer what they were asked to have done, and note it in `asked`. */
export function fakeServices(
  asked: unknown[],
): Pick<App, "packages" | "servers" | "grants" | "flows" | "retention"> {
  const missing = { ok: false as const, status: 404 as const, message: "There is none of that name." };
  const result = { success: true, results: [], variables: {}, directOutput: null };
  return {
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
    servers: {
      list: async () => [testServer("files")],
      problems: async () => [],
      async control(name, action, { by }) {
        asked.push({ action, name, by });
        return name === "files" ? { ok: true, value: testServer(name, { state: "running" }) } : missing;
      },
      async trust(name, tools, { by }) {
        asked.push({ trust: name, tools, by });
        return name === "files" ? { ok: true, value: testServer(name) } : missing;
      },
      login: async (name, { by }) => ({ ok: true, value: { url: `https://login.example/${name}/${by.id}` } }),
      logout: async (name) => ({ ok: true, value: testServer(name, { state: "needs_login" }) }),
    },
    grants: {
      grant: async (id, hosts) => ({ ok: true, value: { skill_id: id, granted: [...hosts] } }),
      async revoke(id, hosts) {
        asked.push({ revoke: id, hosts });
        return { ok: true, value: { skill_id: id, granted: [] } };
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
