import type { Parameter } from "../../core/parameter.ts";
import type { SkillDetail, SkillListing } from "../app.ts";

const icons: Record<SkillListing["state"], string> = {
  available: "○",
  active: "●",
  pinned: "◉",
  blocked: "⊘",
};

/** What the signs in a list of skills mean. */
export const skillLegend = "○ available · ● active · ◉ enabled by a person · ⊘ disabled";

/** A skill in a list. Markdown. */
export function skillLine(skill: SkillListing): string {
  const reason = skill.eligible || skill.state === "blocked" ? "" : ` — _${skill.reasons[0]}_`;
  return `- ${icons[skill.state]} **${skill.id}** ${firstSentence(skill.description)}${reason}`;
}

function firstSentence(text: string): string {
  const [sentence = text] = text.split(/(?<=[.!?])\s/);
  return sentence.length > 140 ? `${sentence.slice(0, 140)}…` : sentence;
}

const highRisk = "High risk: each time it would change something, an operator has to approve.";

/** One skill in full. Markdown. */
export function skillDetailText(skill: SkillDetail): string {
  const lines = [
    `**${skill.emoji ? `${skill.emoji} ` : ""}${skill.name}** (\`${skill.id}\`, ${skill.version}, ${skill.kind} from ${skill.source})`,
    skill.description,
    `State: ${icons[skill.state]} ${skill.state}${skill.eligible ? "" : ` — ${skill.reasons.join(" ")}`}`,
    ...(skill.risk === "high" ? [highRisk] : []),
    ...skill.parts.map((part) => `- \`${part.id}\` ${firstSentence(part.description)}`),
    ...skill.parameters.map(parameterLine),
    ...skill.examples.slice(0, 3).map((example) => `Example: ${example.prompt}`),
  ];
  return lines.join("\n\n").replaceAll("\n\n- ", "\n- ");
}

function parameterLine({
  name,
  type,
  description,
  required,
  default: preset,
  enum: allowed,
}: Parameter): string {
  const choice = allowed === undefined ? "" : `, one of ${allowed.join(", ")}`;
  const fallback = preset === undefined ? "" : `, ${JSON.stringify(preset)} unless given`;
  return `- \`${name}\` (${type}${required ? ", required" : ""}${choice}${fallback}) ${description}`;
}
