import { query, type SendOptions } from "./request.ts";
import type * as shapes from "./shapes.ts";

/** Ways to ask the API, with paths below its root; `json` takes whole ones. */
export interface Ask {
  json<T>(path: string, options?: SendOptions): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  get<T>(path: string): Promise<T>;
}

/** What the client can do about packages, the network, tool servers and flows. */
export interface SkillMethods {
  /** What is installed. */
  packages(): Promise<shapes.InstalledPackage[]>;
  /** What a package would bring; installs nothing. */
  reviewPackage(location: shapes.PackageLocation): Promise<shapes.PackageReview[]>;
  /** Installs it when it is what the hashes of `expected` say; left out: whatever it is. Nothing of it is active. */
  installPackage(
    location: shapes.PackageLocation,
    expected?: readonly string[],
  ): Promise<shapes.InstalledPackage[]>;
  /** Installs a skill again from where it came from. */
  updatePackage(id: string): Promise<shapes.InstalledPackage[]>;
  removePackage(id: string): Promise<shapes.InstalledPackage>;
  /** The review of a skill that is there, installed or not. */
  reviewSkill(id: string): Promise<shapes.PackageReview>;
  flows(namespace?: string): Promise<shapes.FlowList>;
  /** By id or name. A flow that fails is an answer, not an error. */
  runFlow(flow: string, request?: shapes.FlowRunRequest): Promise<shapes.FlowResult>;
  /** A flow that is in no folder of the bot. */
  runFlowText(request: shapes.FlowTextRequest): Promise<shapes.FlowResult>;
}

const at = encodeURIComponent;

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
