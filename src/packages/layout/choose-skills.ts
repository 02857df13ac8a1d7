import { few, oneLine } from "../../base/markdown-text.ts";
import { nearestNames } from "../../base/text/nearest-name.ts";
import type { SkillChoice } from "../../core/skill/packages.ts";
import { PackageRefusal } from "../package-refusal.ts";
import type { FoundSkill } from "./found-skills.ts";
import type { SkillPlace } from "./skill-places.ts";

/** Maximum skills that a message names. */
const maxNamed = 40;

/** A package of which a person has to choose the skills. */
export class ChooseSkills extends PackageRefusal {
  override readonly choices: readonly SkillChoice[];

  constructor(found: readonly FoundSkill[], code = "choose_skills", why = `It holds ${found.length} skills`) {
    const choices = found.map(({ skill: { id, description } }) => ({ skill_id: id, description }));
    super(
      code,
      `${why}: ${few(
        choices.map(({ skill_id }) => skill_id),
        maxNamed,
      )}. Nothing was installed; choose some.`,
    );
    this.choices = choices;
  }

  /** More skills than can be installed at once. */
  static among(places: readonly SkillPlace[], most: number): PackageRefusal {
    const names = places.map(({ folder }) => folder.slice(folder.lastIndexOf("/") + 1));
    const message = `It holds ${places.length} skills; at most ${most} are installed at once. Nothing was installed; choose some (--only NAME,NAME), or give the address of a folder in it. There are: ${few(names, maxNamed)}.`;
    return new PackageRefusal("choose_skills", message);
  }

  static missing(ids: readonly string[], found: readonly FoundSkill[]): PackageRefusal {
    const near = nearestNames(
      ids[0] ?? "",
      found.map(({ skill }) => skill.id),
    );
    const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
    const named = ids.slice(0, 5).map((id) => oneLine(id, 100));
    const why = `It holds no skill called ${named.join(" or ")}.${hint} There are ${found.length}`;
    return new ChooseSkills(found, "no_such_skill", why);
  }
}
