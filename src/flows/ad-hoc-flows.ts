import { hash } from "node:crypto";
import path from "node:path";
import { type KeyValue, scopeKeyValue } from "../core/ports/storage.ts";
import { adHocSource, type LoadedSkills, type Skill, type SkillSource } from "../core/skill/skill.ts";
import type { ReadTaughtText } from "../core/skill/taught-skills.ts";
import { readFlow } from "./flow-file.ts";
import { createFlowSkill, flowId } from "./flow-skill.ts";
import type { FlowPorts } from "./run-flow.ts";

/** Maximum flows; a further one replaces the oldest. */
const maxFlows = 20;
const maxBytes = 1_000_000;

/** A flow as other processes get it. */
type SentFlow = { text: string; file: string };

type Added = { ok: true; id: string } | { ok: false; reason: string };

/**
 * Flows outside of folders: people run them by id. Lists and models do not see them.
 * @param shared where other processes find the flows that were added here; without it, they stay in memory until the bot stops
 */
export function createAdHocFlows(ports: FlowPorts = {}, shared?: KeyValue) {
  const flows = new Map<string, Skill>();
  let latest: LoadedSkills = { skills: [], diagnostics: [] };
  const keep = (id: string, skill: Skill) => {
    flows.delete(id);
    flows.set(id, skill);
    for (const oldest of [...flows.keys()].slice(0, -maxFlows)) flows.delete(oldest);
    latest = { skills: [...flows.values()], diagnostics: [] };
  };
  const sent = shared === undefined ? undefined : createSentFlows(shared);
  const source: SkillSource = {
    id: adHocSource,
    async load() {
      for (const id of (await sent?.ids()) ?? []) {
        const flow = flows.has(id) ? undefined : await sent?.get(id);
        const made = flow && makeFlow(flow, ports);
        if (made?.ok) keep(id, made.skill);
      }
      return latest;
    },
  };
  return {
    source,
    /** The id of the flow from the next turn on, or why the text is invalid. `file` is its source. The same text always has the same id. */
    async add(text: string, file: string): Promise<Added> {
      if (Buffer.byteLength(text) > maxBytes) {
        return { ok: false, reason: `It is larger than ${maxBytes} bytes.` };
      }
      const made = makeFlow({ text, file }, ports);
      if (!made.ok) return made;
      const { id } = made.skill;
      await sent?.put(id, { text, file });
      keep(id, made.skill);
      return { ok: true, id };
    },
  };
}

function makeFlow(
  { text, file }: SentFlow,
  ports: FlowPorts,
): { ok: true; skill: Skill } | { ok: false; reason: string } {
  const read = readFlow(text);
  if (!read.ok) return { ok: false, reason: read.message };
  const fileName = path.basename(file) || "flow.json";
  // A unique id, so that the file never replaces a flow of a folder.
  const id = `${flowId(read.flow.name, fileName).slice(0, 50)}_${hash("sha256", text, "hex").slice(0, 8)}`;
  const origin = { source: adHocSource, precedence: 0, path: file };
  const made = createFlowSkill({ ...read.flow, active: true }, { origin, fileName, text, id }, ports);
  const { aliases: _, ...skill } = made;
  return { ok: true, skill: { ...skill, invocation: { by_people: true, by_model: false } } };
}

/** A flow that people wrote in the chat. */
export function readTaughtFlow(ports: FlowPorts): ReadTaughtText {
  return (id, text, origin) => {
    const read = readFlow(text);
    if (!read.ok) return { ok: false, reason: read.message };
    const fileName = `${id}.json`;
    return {
      ok: true,
      skill: createFlowSkill({ ...read.flow, active: true }, { origin, fileName, text, id }, ports),
    };
  };
}

/** The latest flows, and a list of their ids, oldest first. */
function createSentFlows(shared: KeyValue) {
  const store = scopeKeyValue(shared, "ad-hoc-flow:");
  const list = "ids";
  return {
    ids: async () => ((await store.get(list)) ?? []) as string[],
    get: async (id: string) => (await store.get(id)) as SentFlow | undefined,
    async put(id: string, flow: SentFlow) {
      await store.set(id, flow);
      let gone: string[] = [];
      await store.update<string[]>(list, (before = []) => {
        const ids = [...before.filter((each) => each !== id), id];
        gone = ids.slice(0, -maxFlows);
        return ids.slice(-maxFlows);
      });
      for (const old of gone) await store.delete(old);
    },
  };
}
