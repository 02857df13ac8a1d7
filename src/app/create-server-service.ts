import type { CatalogueLoader } from "../core/catalogue.ts";
import { personKey, shownPerson } from "../core/person-key.ts";
import type { ServerStatus, Servers } from "../core/servers.ts";
import { nearest } from "../core/skill-identifier.ts";
import type { Audit } from "./audit.ts";
import type { Feed } from "./feed.ts";
import type { Asker, Outcome } from "./outcome.ts";
import { mayOperate } from "./permissions.ts";
import type { ServerService } from "./server-service.ts";

export interface ServerServiceDeps {
  servers: Servers | undefined;
  /** Reads what is configured by now; the list of servers is only as new as that. */
  catalogue: CatalogueLoader;
  audit: Audit;
  feed: Feed;
}

export function createServerService({ servers, catalogue, audit, feed }: ServerServiceDeps): ServerService {
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

  return {
    list,

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

const done = { start: "started", stop: "stopped", restart: "restarted" };

const onlyOperators: Outcome<never> = {
  ok: false,
  status: 403,
  message: "Only operators of the bot may start and stop its servers. Ask one of them.",
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
