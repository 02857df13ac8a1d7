import type { ServerState, ServerStatus, Servers } from "../../../src/core/skill/packages.ts";

/** A stopped server with one tool. */
export function testServer(name: string, more: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name,
    skill_id: name,
    transport: "stdio",
    state: "stopped",
    auto_start: true,
    credentials: "none",
    tools: [{ name: "read_file", description: "Reads.", suppressed: false }],
    since: 0,
    ...more,
  };
}

/** Servers that start unless their name says otherwise, with who logged in and out. */
export function fakeServers(servers: readonly ServerStatus[]): Servers & { accounts: string[] } {
  const all = new Map(servers.map((server) => [server.name, server]));
  const accounts: string[] = [];
  const become = (name: string, state: ServerState): ServerStatus | undefined => {
    const before = all.get(name);
    if (before === undefined) return undefined;
    const isBroken = state === "running" && name.includes("broken");
    const after = isBroken
      ? { ...before, state: "failed" as const, problem: "npx is not on the PATH." }
      : { ...before, state };
    all.set(name, after);
    return after;
  };
  return {
    accounts,
    list: () => [...all.values()],
    problems: () => [],
    start: async (name) => become(name, "running"),
    stop: async (name) => become(name, "stopped"),
    restart: async (name) => become(name, "running"),
    async login(name, user, shown) {
      accounts.push(`${user} in ${name}`);
      return {
        ok: true,
        url: `https://login.example/${name}?for=${user}&as=${encodeURIComponent(`${shown}`)}`,
      };
    },
    async logout(name, user) {
      accounts.push(`${user} out ${name}`);
    },
  };
}
