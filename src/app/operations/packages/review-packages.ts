import { z } from "zod";
import {
  type PackageReading,
  type PackageReview,
  packageFinding,
  packageReview,
} from "../../../core/skill/packages.ts";
import type { Skill } from "../../../core/skill/skill.ts";
import { currentVersion } from "../../../core/skill/taught-skills.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { skillId } from "../../services/shapes.ts";
import { noSuchSkill } from "../../services/skill-service.ts";
import { type OperationCall, operation } from "../operation.ts";
import type { Services } from "../services.ts";
import { findSkill, skillOption } from "../skills/find-skill.ts";
import { left_out, named, outcomeOf, outcomeWith, who } from "./package-outcome.ts";
import { reviewText } from "./package-review.ts";
import { hash, nameOf, packageForm, packageLocation, sourceOf } from "./package-source.ts";
import { guideReader } from "./second-opinion.ts";

export const reviewPackage = operation({
  name: "package.review",
  input: packageLocation,
  output: z.object({
    reviews: z.array(packageReview),
    opinions: z
      .array(hash)
      .optional()
      .describe("of skills whose guides a model reads on request: GET /packages/opinions/{hash}"),
    left_out,
  }),
  who,
  http: {
    route: "POST /packages/review",
    form: packageForm,
    ownMachine: ["path"],
    summary: "What a package would bring; installs nothing",
    answers: "one review per skill in it",
  },
  async run(call) {
    const source = await sourceOf(call);
    if (!source.ok) return source;
    const { services, signal, input } = call;
    const { only, most } = input;
    const done = await reviewing(call, nameOf(source.value), (onReviewed) =>
      services.packages.review(source.value, { signal, only, most, onReviewed }),
    );
    const canRead = guideReader(call) !== undefined;
    return outcomeWith(done, (reviews) => ({
      reviews,
      opinions: canRead ? services.reviewing.toRead(reviews) : undefined,
    }));
  },
});

export const reviewProgress = operation({
  name: "package.progress",
  input: z.object({}),
  output: z.object({
    running: z.array(
      z.object({
        from: z.string(),
        reviewed: z.number(),
        skills: z.number().describe("0 until the package is unpacked"),
      }),
    ),
  }),
  who,
  http: {
    route: "GET /packages/progress",
    summary: "The reviews of packages that run now",
    answers: "how many skills of each are reviewed",
  },
  run: async ({ services }) => ({ ok: true, value: { running: services.reviewing.running } }),
});

export const readGuide = operation({
  name: "package.opinion",
  input: z.object({ hash: hash.describe("of a skill that was reviewed lately") }),
  output: packageFinding,
  who,
  http: {
    route: "GET /packages/opinions/{hash}",
    summary: "Have a model read the guide of a reviewed skill",
    answers: "its opinion, or why it has none",
  },
  async run(call) {
    const guide = call.services.reviewing.guide(call.input.hash);
    const read = guideReader(call);
    if (guide !== undefined && read !== undefined) return { ok: true, value: await read(guide, call.signal) };
    const message =
      "Nobody reads the guide of this skill: no model is configured, or its review is too long ago.";
    return failed(404, message, "no_opinion");
  },
});

/** Runs a review, whose progress a chat shows. */
export function reviewing<T>(
  { services, command }: OperationCall<unknown>,
  from: string,
  work: (onReviewed: PackageReading["onReviewed"]) => Promise<T>,
): Promise<T> {
  return services.reviewing.run(from, work, command?.show);
}

export const reviewSkill = operation({
  name: "skill.review",
  input: z.object({ id: skillId }),
  output: packageReview,
  who: "anyone",
  about: "asker",
  http: {
    route: "GET /skills/{id}/review",
    summary: "What a skill's files do, and what looks dangerous in them",
    answers: "what it is and can do",
  },
  chat: {
    ...named,
    command: "skill review",
    description: "Shows what a skill's files do, and what looks dangerous in them",
    options: [skillOption],
  },
  commandLine: { command: "skills review <id>" },
  text: (review, _input, reading) => reviewText(review, reading),
  async run({ input, asker, services }) {
    const skill = await findSkill(input.id, services);
    if (!skill.ok) return skill;
    if (skill.value.taught !== undefined) return reviewTaught(skill.value, asker.namespace, services);
    return outcomeOf(await services.packages.reviewSkill(skill.value.parent ?? skill.value.id));
  },
});

/** A skill that was made in the chat is one text, which only channels that may have it read. */
async function reviewTaught(
  skill: Skill,
  namespace: string,
  { skills, teaching, packages }: Services,
): Promise<Outcome<PackageReview>> {
  const here = await skills.detail(skill.id, namespace);
  const made = here?.id === skill.id ? await teaching?.get(skill.id) : undefined;
  if (made === undefined) return noSuchSkill(skill.id, []);
  return outcomeOf(await packages.reviewText(skill, currentVersion(made).text));
}
