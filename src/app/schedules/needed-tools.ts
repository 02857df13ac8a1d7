import { nearestNames } from "../../base/nearest-name.ts";
import { definitionOf } from "../../core/decisions/prevented-call.ts";
import type { GrantedTool } from "../../core/ports/schedule.ts";
import { mayBeOf, startingOf } from "../../core/scope/turn-scope.ts";
import type { CatalogueLoader } from "../../core/skill/catalogue.ts";
import type { OfferReader } from "../../core/skill/make-offer.ts";
import type { Tool } from "../../core/skill/tool.ts";
import type { Outcome } from "../../core/values/failure.ts";

export interface NeededToolsDeps {
  catalogue: CatalogueLoader;
  offers: OfferReader;
  /** The agent's own tools, which need no approval. */
  metaTools: readonly { name: string }[];
}

/** The tools that a task names when it is made, and whether they are the same when it runs. */
export interface NeededTools {
  /** The tools as they are now, for people to approve. Fails when one does not exist. */
  resolve(names: readonly string[], namespace: string): Promise<Outcome<GrantedTool[]>>;
  /** Why the tools are no longer those that people approved, as a sentence; `starting` while that is unknown. */
  changed(tools: readonly GrantedTool[], namespace: string): Promise<string | undefined>;
}

/** The answer of `changed` while a server has not listed its tools. */
export const starting = "starting";

export function createNeededTools({ catalogue, offers, metaTools }: NeededToolsDeps): NeededTools {
  const read = async (namespace: string) => {
    const current = await catalogue.current();
    const { offer } = await offers.read(namespace, current);
    const asGranted = (tool: Tool | undefined): GrantedTool | undefined => {
      const definition = tool && definitionOf(tool, offer.all.get(tool.skill_id)?.skill);
      if (tool === undefined || definition === undefined) return undefined;
      return { tool: tool.name, skill_id: tool.skill_id, definition };
    };
    const tools = offer.tools();
    return {
      names: [...tools.keys()],
      named: (name: string) => asGranted(tools.get(name)?.tool),
      again: ({ tool: name, skill_id }: GrantedTool) =>
        asGranted(
          [...tools.values()].find(({ tool }) => name === tool.name && tool.skill_id === skill_id)?.tool,
        ),
      skills: startingOf(current.skills.values()),
    };
  };
  return {
    async resolve(names, namespace) {
      const { names: known, named } = await read(namespace);
      const others = [...new Set(names)].filter((name) => !metaTools.some((own) => own.name === name));
      const found = others.map(named);
      const missing = others.find((_, at) => found[at] === undefined);
      if (missing === undefined) return { ok: true, value: found.flatMap((each) => each ?? []) };
      const near = nearestNames(missing, known).join(", ");
      const message = `There is no tool ${missing.slice(0, 100)} here.${near === "" ? "" : ` Nearest: ${near}.`}`;
      return { ok: false, status: 400, message };
    },
    async changed(tools, namespace) {
      if (tools.length === 0) return undefined;
      const { again, skills } = await read(namespace);
      for (const granted of tools) {
        const { tool, skill_id, definition } = granted;
        const now = again(granted);
        if (now?.definition === definition) continue;
        if (skills.some((skill) => skill.id === skill_id || mayBeOf(tool, skill))) return starting;
        return now === undefined
          ? `The tool ${tool} that it uses no longer exists.`
          : `The tool ${tool} that it uses has changed since it was approved.`;
      }
      return undefined;
    },
  };
}
