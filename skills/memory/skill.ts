import { defineSkillParts } from "../../src/core/skill/define-skill.ts";
import { forget } from "./forget.ts";
import { learn } from "./learn.ts";
import { recall } from "./recall.ts";
import { remember } from "./remember.ts";

/** The knowledge of a namespace beyond its threads: facts, learned documents and earlier conversations. */
export const skill = defineSkillParts({ remember, recall, learn, forget });
