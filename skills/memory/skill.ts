import { defineSkillParts } from "../../src/core/skill/define-skill.ts";
import { forget } from "./forget.ts";
import { learn } from "./learn.ts";
import { recall } from "./recall.ts";
import { remember } from "./remember.ts";

/** What a namespace knows beyond its threads: facts that were told, documents that were learned, what was talked about. */
export const skill = defineSkillParts({ remember, recall, learn, forget });
