import type { CatalogueLoader } from "../../core/catalogue.ts";
import type { Clock } from "../../core/clock.ts";
import { decideCall } from "../../core/decide-call.ts";
import type { KeyValue } from "../../core/key-value.ts";
import type { Asker, Outcome } from "../../core/outcome.ts";
import { mayOperate } from "../../core/permissions.ts";
import { personKey, shownPerson } from "../../core/person-key.ts";
import { isTrusted, readTrust, type ServerTrust, writeTrust } from "../../core/server-trust.ts";
import type { ServerStatus, Servers } from "../../core/servers.ts";
import type { Skill } from "../../core/skill.ts";
import { nearest } from "../../core/skill-identifier.ts";
import { escapeMarkdown } from "../chat/present/escape-markdown.ts";
import type { Feed } from "../turns/feed.ts";
import type { Audit } from "./audit.ts";
import type { ServerService, ServerToolView, ServerView } from "./server-service.ts";

export interface ServerServiceDeps {
  servers: Servers | undefined;
  /** Keeps what operators trust. */
  store: KeyValue;
  clock: Pick<Clock, "now">;
  /** Reads what is configured by now; the list of servers is only as new as that. */
  catalogue: CatalogueLoader;
  audit: Audit;
  feed: Feed;
}

export function createServerService(deps: ServerServiceDeps): ServerService {
  const { servers, catalogue, audit, feed, store, clock } = deps;
  const list = async () => {
    if (servers === undefined) return [];
    await catalogue.current();
    return servers.list();
  };

  const find = async (name: string): Promise<Outcome<ServerStatus>> => {
    const wanted = name.toLowerCase();
    const all = await list();
    const found =
      all.find((server) => server.name === name) ??
      all.find((server) => server.name.toLowerCase() === wanted || server.skill_id.toLowerCase() === wanted);
    return found === undefined ? unknownServer(name, all) : { ok: true, value: found };
  };

  /** A server whose account this person may connect or forget. */
  const withAccount = async (name: string, { by }: Asker): Promise<Outcome<ServerStatus>> => {
    const found = await find(name);
    if (!found.ok) return found;
    const server = found.value;
    if (server.credentials === "none") {
      return { ok: false, status: 409, message: `${server.name} needs no account.` };
    }
    if (server.credentials === "shared" && !mayOperate(by)) {
      const message = `Everybody uses ${server.name} with the same account, and only operators of the bot may change it. Ask one of them.`;
      return { ok: false, status: 403, message };
    }
    return found;
  };

  const viewOf = async (status: ServerStatus): Promise<ServerView> => {
    const skill = (await catalogue.current()).skills.get(status.skill_id);
    const trust = await readTrust(store, status.name);
    return { ...status, tools: status.tools.map((tool) => toolView(tool, skill, trust)) };
  };

  return {
    list: async () => Promise.all((await list()).map(viewOf)),

    async trust(name, tools, asker) {
      if (!mayOperate(asker.by)) return onlyOperators;
      const found = await find(name);
      if (!found.ok) return found;
      const { tools: known } = await viewOf(found.value);
      const changed = tools.find(
        (tool) => !known.some((each) => each.name === tool.name && each.definition === tool.definition),
      );
      if (changed !== undefined) return notAsSeen(found.value.name, changed.name);
      const confirmed = tools.map((tool) => ({ tool: tool.name, definition: tool.definition }));
      await writeTrust(store, found.value.name, { tools: confirmed, by: asker.by.id, at: clock.now() });
      const names = tools.map((tool) => escapeMarkdown(tool.name)).join(", ") || "none";
      const detail = `lets these tools of the server **${found.value.name}** run unasked: ${names}`;
      audit.record({ action: "server_trusted", ...asker, subject: found.value.name, detail });
      feed.changed(asker.namespace);
      return { ok: true, value: await viewOf(found.value) };
    },

    async problems() {
      if (servers === undefined) return [];
      await catalogue.current();
      return servers.problems();
    },

    async control(name, action, asker) {
      if (!mayOperate(asker.by)) return onlyOperators;
      const found = await find(name);
      if (!found.ok || servers === undefined) return found;
      const status = await servers[action](found.value.name);
      if (status === undefined) return unknownServer(name, await list());
      const detail = `${done[action]} the server **${status.name}**`;
      audit.record({ action: `server_${action}`, ...asker, subject: status.name, detail });
      feed.changed(asker.namespace);
      return { ok: true, value: status };
    },

    async login(name, asker) {
      const found = await withAccount(name, asker);
      if (!found.ok) return found;
      if (servers === undefined) return unknownServer(name, []);
      const { by, namespace } = asker;
      const person = personKey(namespace, by.id);
      const login = await servers.login(found.value.name, person, shownPerson(namespace, by.name));
      if (!login.ok) return { ok: false, status: 409, message: login.reason };
      return { ok: true, value: { url: login.url } };
    },

    async logout(name, asker) {
      const found = await withAccount(name, asker);
      if (!found.ok) return found;
      const server = found.value;
      await servers?.logout(server.name, personKey(asker.namespace, asker.by.id));
      const whose = server.credentials === "shared" ? "the shared account" : "their account";
      const detail = `disconnected ${whose} of the server **${server.name}**`;
      audit.record({ action: "server_logout", ...asker, subject: server.name, detail });
      feed.changed(asker.namespace);
      return { ok: true, value: (await list()).find(({ name }) => name === server.name) ?? server };
    },
  };
}

/** What people see of a tool of a server. */
function toolView(
  { name, description, suppressed }: ServerStatus["tools"][number],
  skill: Skill | undefined,
  trust: ServerTrust | undefined,
): ServerToolView {
  const seen = { name, description, suppressed };
  const tool = skill?.tools.find((each) => each.server?.tool === name);
  if (skill === undefined || tool?.server === undefined) return seen;
  const { hints, definition } = tool.server;
  const trusted = isTrusted(tool.server, trust);
  const asked = decideCall({
    ...{ tool: tool.name, skill_id: skill.id, effect: tool.effect({}), risk: skill.risk },
    ...{
      origin: { kind: "server", tool: tool.server, trusted },
      by_person: false,
      trust: "member",
      direct: false,
    },
  });
  return { ...seen, ...hints, definition, trusted, asks: asked?.approver ?? "nobody" };
}

function notAsSeen(server: string, tool: string): Outcome<never> {
  const message = `${server} has no tool ${tool} like that any more, so nothing was changed. Look at its tools again.`;
  return { ok: false, status: 409, message };
}

const done = { start: "started", stop: "stopped", restart: "restarted" };

const onlyOperators: Outcome<never> = {
  ok: false,
  status: 403,
  message: "Only operators of the bot may start, stop and trust its servers. Ask one of them.",
};

function unknownServer(name: string, all: readonly ServerStatus[]): Outcome<never> {
  const names = all.map((server) => server.name);
  const near = nearest(name, names);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : names.length > 0
        ? `There is: ${names.slice(0, 20).join(", ")}.`
        : "No server is configured: an operator lists them in the bot's `mcp.json`.";
  return { ok: false, status: 404, message: `There is no server called ${name || "that"}. ${hint}` };
}
