import { defineSkillParts } from "../../src/core/skill/define-skill.ts";
import { act } from "./act.ts";
import { mention } from "./mention.ts";
import { people } from "./people.ts";
import { read } from "./read.ts";
import { search } from "./search.ts";
import { send } from "./send.ts";

/** What a colleague does in a chat beside answering, with the rights of who asks. */
export const skill = defineSkillParts({ read, search, people, mention, send, act });
