import { z } from "zod";
import { escapeMarkdown } from "../../../base/markdown-text.ts";
import { type Asker, failed, type Outcome } from "../../../core/values/failure.ts";
import { mayOperate } from "../../../core/values/inbound.ts";
import { personKey, shownPerson } from "../../../core/values/place.ts";
import { auditNote, type OperationCall, operation } from "../operation.ts";
import { serverView } from "./server-view.ts";
import { configured, findServer, named, serverName, unknownServer } from "./servers.ts";

/** Everybody connects their own account; operators connect a shared one. */
const withAccount = {
  async decide({ input, asker, services }: OperationCall<{ name: string }>): Promise<Outcome<unknown>> {
    const found = await findServer(input.name, services);
    if (!found.ok) return found;
    const { name, credentials } = found.value;
    if (credentials === "none") return failed(409, `${name} needs no account.`);
    if (credentials !== "shared" || mayOperate(asker.by)) return found;
    const message = `Everybody uses ${name} with the same account, and only operators of the bot may change it. Ask one of them.`;
    return failed(403, message);
  },
};

export const loginServer = operation({
  name: "server.login",
  input: z.object({ name: serverName }),
  output: z.object({ url: z.string().describe("for this person alone: where they connect their account") }),
  who: withAccount,
  about: "asker",
  http: {
    route: "POST /mcp/{name}/login",
    summary: "Connect an account with a tool server",
    answers: "where the person connects it",
  },
  chat: {
    ...named,
    command: "mcp login",
    description: "Connects your account with a tool server",
  },
  commandLine: { command: "mcp login <name>", needsBot: "since the answer of the login comes to it" },
  text: ({ url }, { name }) =>
    `Open this to connect your account with **${escapeMarkdown(name)}**. It is for you alone, and works once for a few minutes:\n\n${url}`,
  async run({ input, asker, services }) {
    const found = await findServer(input.name, services);
    if (!found.ok || services.servers === undefined) return unknownServer(input.name, []);
    const login = await services.servers.login(found.value.name, ...personOf(asker));
    if (login.ok) return { ok: true, value: { url: login.url } };
    return failed(409, login.reason);
  },
});

export const logoutServer = operation({
  name: "server.logout",
  input: z.object({ name: serverName }),
  output: serverView,
  who: withAccount,
  about: "asker",
  http: {
    route: "POST /mcp/{name}/logout",
    summary: "Forget an account with a tool server",
    answers: "the server afterwards",
  },
  chat: {
    ...named,
    command: "mcp logout",
    description: "Forgets your account with a tool server",
  },
  commandLine: { command: "mcp logout <name>" },
  text({ name, credentials }) {
    const whose = credentials === "shared" ? "The account everybody used" : "Your account";
    return `${whose} with **${name}** is forgotten. \`/mcp login ${name}\` connects one again.`;
  },
  async run({ input, asker, services }) {
    const found = await findServer(input.name, services);
    if (!found.ok) return found;
    await services.servers?.logout(found.value.name, personOf(asker)[0]);
    const after = (await configured(services)).find(({ name }) => name === found.value.name);
    return { ok: true, value: after ?? found.value };
  },
  audit({ name, credentials }) {
    const whose = credentials === "shared" ? "the shared account" : "their account";
    return auditNote("server_logout", name, `disconnected ${whose} of the server **${name}**`);
  },
});

function personOf({ by, namespace }: Asker): [key: string, shown: string] {
  return [personKey(namespace, by.id), shownPerson(namespace, by.name)];
}
