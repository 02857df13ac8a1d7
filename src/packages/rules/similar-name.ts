import { editDistance } from "../../base/nearest-name.ts";
import type { PackageFinding } from "../../core/skill/packages.ts";
import type { ReviewSubject } from "../review-subject.ts";

/** Letters that pass for Latin ones (Unicode TR39, the frequent ones of Cyrillic, Greek and digits). */
const lookalikes: Record<string, string> = {
  а: "a",
  е: "e",
  о: "o",
  р: "p",
  с: "c",
  у: "y",
  х: "x",
  і: "i",
  ј: "j",
  ѕ: "s",
  һ: "h",
  к: "k",
  м: "m",
  т: "t",
  в: "b",
  н: "h",
  α: "a",
  ε: "e",
  ο: "o",
  ρ: "p",
  ν: "v",
  ι: "i",
  κ: "k",
  τ: "t",
  υ: "u",
  χ: "x",
  ɡ: "g",
  ӏ: "l",
  ԁ: "d",
  ԛ: "q",
  ԝ: "w",
  "0": "o",
  "1": "l",
  "3": "e",
  "5": "s",
  "|": "l",
  i: "l",
  "-": "",
  _: "",
  ".": "",
};

/** Names that are mistaken for those of a skill that ships, or that mix scripts to look like another. */
export function nameFindings({ skill, shipped }: ReviewSubject): PackageFinding[] {
  if (skill.origin.source === "bundled") return [];
  const findings: PackageFinding[] = [];
  if (/\p{Script=Latin}/u.test(skill.id) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(skill.id)) {
    const message = `Its name ${skill.id} mixes letters of several scripts, so that it looks like another name.`;
    findings.push({ severity: "danger", code: "similar_name", message });
  }
  for (const { id } of shipped) {
    if (id === skill.id) continue;
    const looksAlike = skeleton(id) === skeleton(skill.id);
    if (!looksAlike && !(id.length >= 6 && editDistance(id, skill.id.toLowerCase()) <= 1)) continue;
    const message = `Its name ${skill.id} is easily taken for ${id}, which ships with the bot.`;
    findings.push({ severity: looksAlike ? "danger" : "warning", code: "similar_name", message });
  }
  return findings;
}

function skeleton(id: string): string {
  const folded = id.normalize("NFKC").toLowerCase().replaceAll("rn", "m").replaceAll("vv", "w");
  return [...folded].map((letter) => lookalikes[letter] ?? letter).join("");
}
