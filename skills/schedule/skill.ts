import { defineSkillParts } from "../../src/core/skill/define-skill.ts";
import { add } from "./add.ts";
import { addTrigger } from "./add-trigger.ts";
import { change } from "./change.ts";
import { list } from "./list.ts";

export const skill = defineSkillParts({ add, add_trigger: addTrigger, list, change });
