import { hash } from "node:crypto";
import path from "node:path";
import { adHocSource, type LoadedSkills, type Skill, type SkillSource } from "../core/skill/skill.ts";
import { readFlow } from "./flow-file.ts";
import { createFlowSkill, flowId } from "./flow-skill.ts";
import type { FlowPorts } from "./run-flow.ts";

/** Flows kept; with one more the oldest is forgotten. */
const maxFlows = 20;
const maxBytes = 1_000_000;

/** Flows that are in no folder: kept in memory until the bot stops, for people to run by id. Neither lists nor models show them. */
export interface AdHocFlows {
  source: SkillSource;
  /** The id the flow has from the next turn on, or why it is none. `file` is where it comes from; the same text again has the same id. */
  add(text: string, file: string): Promise<{ ok: true; id: string } | { ok: false; reason: string }>;
}

export function createAdHocFlows(ports: FlowPorts = {}): AdHocFlows {
  const flows = new Map<string, Skill>();
  let latest: LoadedSkills = { skills: [], diagnostics: [] };
  return {
    source: { id: adHocSource, load: async () => latest },
    async add(text, file) {
      if (Buffer.byteLength(text) > maxBytes) {
        return { ok: false, reason: `It is larger than ${maxBytes} bytes.` };
      }
      const read = readFlow(text);
      if (!read.ok) return { ok: false, reason: read.message };
      const fileName = path.basename(file) || "flow.json";
      // An id of its own: a flow of a folder is never replaced by a file somebody tries.
      const id = `${flowId(read.flow.name, fileName).slice(0, 50)}_${hash("sha256", text, "hex").slice(0, 8)}`;
      const origin = { source: adHocSource, precedence: 0, path: file };
      const made = createFlowSkill({ ...read.flow, active: true }, { origin, fileName, text, id }, ports);
      const { aliases: _, ...skill } = made;
      flows.delete(id);
      flows.set(id, { ...skill, invocation: { by_people: true, by_model: false } });
      for (const oldest of [...flows.keys()].slice(0, -maxFlows)) flows.delete(oldest);
      latest = { skills: [...flows.values()], diagnostics: [] };
      return { ok: true, id };
    },
  };
}
