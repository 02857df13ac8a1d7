import { defineSkillParts } from "../../src/core/define-skill.ts";
import { forget } from "./forget.ts";
import { recall } from "./recall.ts";
import { remember } from "./remember.ts";

/** Facts of a namespace that outlive its threads. */
export const skill = defineSkillParts({ remember, recall, forget });
