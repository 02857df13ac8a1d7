import type { ApiClient } from "./api-client.ts";
import { query, type SendOptions } from "./request.ts";
import type * as shapes from "./shapes.ts";

/** Ways to ask the API, with paths below its root; `json` takes whole ones. */
export interface Ask {
  json<T>(path: string, options?: SendOptions): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  get<T>(path: string): Promise<T>;
}

type SkillMethods = Pick<
  ApiClient,
  | "packages"
  | "reviewPackage"
  | "installPackage"
  | "updatePackage"
  | "removePackage"
  | "reviewSkill"
  | "grantHosts"
  | "revokeHosts"
  | "servers"
  | "controlServer"
  | "loginServer"
  | "logoutServer"
  | "flows"
  | "runFlow"
  | "runFlowText"
>;

const at = encodeURIComponent;

/** What the client can do about packages, the network, tool servers and flows. */
export function skillMethods({ json, post, get }: Ask): SkillMethods {
  return {
    packages: async () => (await get<{ packages: shapes.InstalledPackage[] }>("/packages")).packages,
    reviewPackage: async (location) =>
      (await post<{ reviews: shapes.PackageReview[] }>("/packages/review", bodyOf(location))).reviews,
    installPackage: async (location, expected) =>
      (await post<Installed>("/packages", bodyOf(location, expected))).installed,
    updatePackage: async (id) => (await post<Installed>(`/packages/${at(id)}/update`, {})).installed,
    removePackage: async (id) => {
      const path = `/api/v1/packages/${at(id)}`;
      return (await json<{ removed: shapes.InstalledPackage }>(path, { method: "DELETE" })).removed;
    },
    reviewSkill: (id) => get(`/skills/${at(id)}/review`),
    grantHosts: (id, hosts) => post(`/skills/${at(id)}/grant`, { hosts }),
    revokeHosts: (id, hosts) => post(`/skills/${at(id)}/revoke`, { hosts }),

    servers: async () => (await get<{ servers: shapes.ServerStatus[] }>("/mcp")).servers,
    controlServer: (name, action) => post(`/mcp/${at(name)}/${action}`, {}),
    loginServer: async (name, user) => (await post<{ url: string }>(`/mcp/${at(name)}/login`, { user })).url,
    logoutServer: (name, user) => post(`/mcp/${at(name)}/logout`, { user }),

    flows: (namespace) => get(`/flows${query({ namespace })}`),
    runFlow: (flow, request = {}) => post(`/flows/${at(flow)}/run`, request),
    runFlowText: (request) => post("/flows/run", request),
  };
}

interface Installed {
  installed: shapes.InstalledPackage[];
}

/** An archive is sent as a form, anything else as JSON. */
function bodyOf(location: shapes.PackageLocation, expected?: readonly string[]): unknown {
  if (!("file" in location)) return { ...location, expected };
  const form = new FormData();
  form.set("file", location.file, location.name);
  if (expected !== undefined) form.set("expected", expected.join(","));
  return form;
}
