import type { CatalogueLoader } from "../../core/catalogue.ts";
import { forThread } from "../../core/make-offer.ts";
import { isActive, type Offer } from "../../core/offer.ts";
import type { OfferReader } from "../../core/offer-reader.ts";
import type { Invocation, SkillKind } from "../../core/skill.ts";
import { resolveSkill } from "../../core/skill-identifier.ts";
import { parseCommand } from "./parse-command.ts";

/** `/skill run GUIDE text`: a turn of the agent in which the guide is active and the text is the request. */
interface GuideRun {
  skill_id: string;
  request: string;
}

/** Skills that people ask for by name. */
export interface AskedSkills {
  /** Undefined when the text is no such command, or names what is no guide or cannot be used here. */
  guideRun(text: string, namespace: string): Promise<GuideRun | undefined>;
  /** Ids of the skills a message names as `$skill`, as far as they can be used here; everything else is ordinary text. */
  named(text: string, namespace: string): Promise<string[]>;
}

export interface AskedSkillsDeps {
  catalogue: CatalogueLoader;
  offers: OfferReader;
  /** The name people call the bot by. */
  botName: string;
}

/** Skills one message can name; OpenClaw takes as many. */
const mostNamed = 8;

export function createAskedSkills({ catalogue, offers, botName }: AskedSkillsDeps): AskedSkills {
  const offerFor = async (namespace: string): Promise<Offer> =>
    (await offers.read(namespace, await catalogue.current())).offer;
  return {
    async guideRun(text, namespace) {
      const asked = parseSkillRun(text, botName);
      if (asked === undefined) return undefined;
      const offer = await offerFor(namespace);
      const resolved = resolveSkill(asked.skill, offer.catalogue.skills.values());
      const id = resolved.status === "found" ? resolved.id : undefined;
      const skill = offer.catalogue.skills.get(id ?? "");
      if (skill === undefined || !isGuide(skill) || !mayAsk(offer, skill.id)) return undefined;
      return { skill_id: skill.id, request: asked.text || followGuide };
    },
    async named(text, namespace) {
      const names = [...text.matchAll(/(?<!\S)\$([\p{L}\p{N}][\p{L}\p{N}_.#-]*)/gu)].map(([, name = ""]) =>
        name.replace(/\.+$/, ""),
      );
      if (names.length === 0) return [];
      const offer = await offerFor(namespace);
      return [...new Set(names)].filter((name) => mayAsk(offer, name)).slice(0, mostNamed);
    },
  };
}

const followGuide = "Do what the guide of the skill says. Ask for what you need to know.";

/** Whether the text is `/skill run …`; its skill and what follows it. */
export function parseSkillRun(text: string, botName: string): { skill: string; text: string } | undefined {
  const words = parseCommand(text, botName)?.trim() ?? "";
  const [, skill, rest = ""] = /^skill\s+run\s+(\S+)([\s\S]*)$/i.exec(words) ?? [];
  return skill === undefined ? undefined : { skill, text: requestIn(rest.trim()) };
}

/** A guide has no parameters; programs that run skills with JSON give it its request as `text`. */
function requestIn(written: string): string {
  if (!written.startsWith("{")) return written;
  try {
    const { text = "", ...others } = JSON.parse(written) as Record<string, unknown>;
    return typeof text === "string" && Object.keys(others).length === 0 ? text : written;
  } catch {
    // Text that begins with a brace.
    return written;
  }
}

interface GuideTraits {
  kind: SkillKind;
  tools: readonly unknown[];
  invocation?: Invocation | undefined;
}

/** What has instructions alone: nothing runs unless a model reads them. */
export function isGuide({ kind, tools, invocation }: GuideTraits): boolean {
  const isText = kind === "document" || kind === "config";
  return isText && tools.length === 0 && invocation?.command_tool === undefined;
}

function mayAsk(offer: Offer, id: string): boolean {
  const asked = { active: new Set<string>(), offloaded: new Set<string>(), asked: [id] };
  const found = forThread(offer, asked).usable.find(({ skill }) => skill.id === id);
  return found !== undefined && isActive(found) && found.skill.invocation?.by_people !== false;
}
