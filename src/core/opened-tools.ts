import { isActive, type Offer, type OfferedSkill } from "./offer.ts";
import { isWanted, serverSkillId } from "./server-tools.ts";
import type { Tool } from "./tool.ts";

/**
 * The tools an active skill opens by its `tool_list`. The server's own skill need not be active; it may not be blocked or unable
 * to work, and one that people have to enable is opened by a skill they enabled alone.
 */
export function openedTools(offer: Offer, opener: OfferedSkill): { tool: Tool; source: string }[] {
  if (!isActive(opener) || opener.skill.parent !== undefined) return [];
  const usable = new Set(offer.usable.map(({ skill }) => skill.id));
  const isOpen = (id: string) => {
    const offered = offer.all.get(id);
    if (offered === undefined || offered.state === "blocked" || offered.reasons.length > 0) return false;
    return usable.has(id) || opener.state === "pinned";
  };
  return Object.entries(opener.skill.tool_list).flatMap(([server, wanted]) => {
    const skill = offer.catalogue.skills.get(serverSkillId(server));
    if (skill === undefined) return [];
    const { source } = skill.origin;
    return skill.tools
      .filter((tool) => isOpen(skill.id) && isOpen(tool.skill_id) && isWanted(tool, server, wanted))
      .map((tool) => ({ tool, source }));
  });
}
