import type { Offer, OfferedSkill } from "./offer.ts";
import { isWanted, serverSkillId } from "./server-tools.ts";
import type { Tool } from "./tool.ts";

/**
 * The tools a skill opens by its `tool_list` once it is active. The server's own skill need not be active; it may not be blocked or unable
 * to work, and one that people have to enable is opened by a skill they enabled alone.
 */
export function openedTools(
  offer: Pick<Offer, "all" | "catalogue" | "usable">,
  opener: OfferedSkill,
): { tool: Tool; source: string }[] {
  if (opener.skill.parent !== undefined || Object.keys(opener.skill.tool_list).length === 0) return [];
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
