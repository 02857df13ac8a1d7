import type { CatalogueLoader } from "../../core/skill/catalogue.ts";
import { forThread, type OfferReader } from "../../core/skill/make-offer.ts";
import { isActive, type Offer, skillsIn } from "../../core/skill/namespace-state.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { resolveSkill } from "../../core/skill/skill-identifier.ts";
import type { Guide } from "../../core/values/inbound.ts";

/** Where skills are looked up. */
export interface KnownSkills {
  catalogue: CatalogueLoader;
  offers: OfferReader;
}

/** `/skill run GUIDE text`: the guide by its id. Undefined for a skill that is not a guide or cannot be used here. */
export async function askedGuide(
  known: KnownSkills,
  { skill: named, request }: Guide,
  namespace: string,
): Promise<Guide | undefined> {
  const offer = await offerIn(known, namespace);
  const resolved = resolveSkill(named, skillsIn(offer));
  const id = resolved.status === "found" ? resolved.id : undefined;
  const skill = offer.catalogue.skills.get(id ?? "");
  if (skill === undefined || !isGuide(skill) || !mayAsk(offer, skill.id)) return undefined;
  return { skill: skill.id, request: request || followGuide };
}

/** Maximum skills that one message can name, as in OpenClaw. */
const maxNamed = 8;

/** Ids of the skills a message names as `$skill`, limited to those usable here; everything else is ordinary text. */
export async function skillsNamed(known: KnownSkills, text: string, namespace: string): Promise<string[]> {
  const names = [...text.matchAll(/(?<!\S)\$([\p{L}\p{N}][\p{L}\p{N}_.#-]*)/gu)].map(([, name = ""]) =>
    name.replace(/(?<!\.)\.+$/, ""),
  );
  if (names.length === 0) return [];
  const offer = await offerIn(known, namespace);
  return [...new Set(names)].filter((name) => mayAsk(offer, name)).slice(0, maxNamed);
}

async function offerIn({ catalogue, offers }: KnownSkills, namespace: string): Promise<Offer> {
  return (await offers.read(namespace, await catalogue.current())).offer;
}

const followGuide = "Do what the guide of the skill says. Ask for what you need to know.";

interface GuideTraits extends Pick<Skill, "kind"> {
  tools: readonly unknown[];
  invocation?: { command_tool?: string | undefined } | undefined;
}

/** Whether a skill consists of instructions only, which need a model to follow them. */
export function isGuide({ kind, tools, invocation }: GuideTraits): boolean {
  const isText = kind === "document" || kind === "config";
  return isText && tools.length === 0 && invocation?.command_tool === undefined;
}

function mayAsk(offer: Offer, id: string): boolean {
  const asked = { active: new Set<string>(), offloaded: new Set<string>(), asked: [id] };
  const found = forThread(offer, asked).usable.find(({ skill }) => skill.id === id);
  return found !== undefined && isActive(found) && found.skill.invocation?.by_people !== false;
}
