import { shippedSources } from "../../../src/wiring/skill-sources.ts";

/** The sources of the skills that ship, shared by the tests of a process: reading all of them takes longer than most tests. */
export const shippedSkills = shippedSources({});
