import { hash } from "node:crypto";
import path from "node:path";
import { adHocSource, type LoadedSkills, type Skill, type SkillSource } from "../core/skill/skill.ts";
import { readFlow } from "./flow-file.ts";
import { createFlowSkill, flowId } from "./flow-skill.ts";
import type { FlowPorts } from "./run-flow.ts";

/** Maximum flows; a further one replaces the oldest. */
const maxFlows = 20;
const maxBytes = 1_000_000;

/** Flows outside of folders: they stay in memory until the bot stops, and people run them by id. Lists and models do not see them. */
export interface AdHocFlows {
  source: SkillSource;
  /** The id of the flow from the next turn on, or why the text is invalid. `file` is its source. The same text always has the same id. */
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
      // A unique id, so that the file never replaces a flow of a folder.
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
