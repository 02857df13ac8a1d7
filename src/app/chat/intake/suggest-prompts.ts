import type { Place } from "../../../core/place.ts";
import type { SkillListing } from "../../services/skill-listing.ts";
import type { IntakeContext } from "./intake-context.ts";

/** A prompt somebody may try: what it is called on a button, and what it says. */
export interface Suggestion {
  title: string;
  message: string;
}

/** How many are suggested. */
const wanted = 3;

/** Characters of a title that platforms show in one line. */
const titleCharacters = 60;

/** Prompts everybody can try. */
const general = ["What can you do here?", "Which skills fit this channel?", "How do I give you a task?"];

/** Three prompts that fit a place: examples of usable skills, those first that fit what the channel is about. */
export async function suggestPrompts(
  { app, platform, logger }: Pick<IntakeContext, "app" | "platform" | "logger">,
  place: Place,
): Promise<Suggestion[]> {
  const { name = "", topic = "" } = await platform.describe(place);
  const query = `${name.replace(/[-_]+/g, " ")} ${topic}`.trim();
  const prompts: string[] = [];
  try {
    const [fitting, all] = await Promise.all([
      query === "" ? { skills: [] } : app.skills.list(place.namespace, { query }),
      app.skills.list(place.namespace),
    ]);
    const ids = new Set([...fitting.skills, ...all.skills].filter(isUsable).map((skill) => skill.id));
    for (const id of ids) {
      if (prompts.length >= wanted) break;
      const [example] = (await app.skills.detail(id, place.namespace))?.examples ?? [];
      if (example !== undefined) prompts.push(example.prompt);
    }
  } catch (error) {
    logger.warn({ err: error, ...place }, "Skills could not be read for suggestions; general ones are shown");
  }
  return [...prompts, ...general].slice(0, wanted).map((message) => ({ title: titleOf(message), message }));
}

function isUsable({ eligible, state }: SkillListing): boolean {
  return eligible && state !== "blocked";
}

function titleOf(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > titleCharacters ? `${line.slice(0, titleCharacters - 1).trimEnd()}…` : line;
}
