import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { type Json, objectOf } from "../../core/json.ts";
import { nearest } from "../../core/skill-identifier.ts";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { HttpProblem, type ProblemStatus } from "../http-problem.ts";
import * as schemas from "../schemas.ts";
import { answers, jsonBody, namespaceQuery, skillParams } from "./route-parts.ts";

const list = createRoute({
  method: "get",
  path: "/skills",
  summary: "All skills, as they are in a channel",
  request: {
    query: namespaceQuery.extend({
      category: z.string().min(1).max(100).optional(),
      query: z.string().max(500).optional().describe("only skills that fit these words, best first"),
    }),
  },
  responses: answers(schemas.skillList, "skills, and what could not be loaded"),
});

const show = createRoute({
  method: "get",
  path: "/skills/{id}",
  summary: "One skill in full",
  request: { params: skillParams, query: namespaceQuery },
  responses: answers(schemas.skillDetail, "the skill"),
});

const run = createRoute({
  method: "post",
  path: "/skills/{id}/run",
  summary: "Run a skill outside of a conversation",
  request: { params: skillParams, body: jsonBody(schemas.runRequest) },
  responses: answers(
    schemas.skillResult,
    "{skill_id, output, success: true}, or {error, …} of a skill that ran and failed",
  ),
});

export function addSkillRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  server.openapi(list, async (context) => {
    const { namespace, category, query } = context.req.valid("query");
    const filter = { ...(category === undefined ? {} : { category }), ...(query ? { query } : {}) };
    return context.json(await app.skills(namespace, filter), 200);
  });

  server.openapi(show, async (context) => {
    const { id } = context.req.valid("param");
    const { namespace } = context.req.valid("query");
    const skill = await app.skill(id, namespace);
    if (skill !== undefined) return context.json(skill, 200);
    const { skills } = await app.skills(namespace);
    const near = nearest(
      id,
      skills.map((each) => each.id),
    );
    const hint =
      near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : "`knack skills list` and `/skill list` show what there is.";
    throw new HttpProblem(404, `There is no skill called ${id}. ${hint}`);
  });

  server.openapi(run, async (context) => {
    const { id } = context.req.valid("param");
    const { params, namespace, user } = context.req.valid("json");
    const ran = await app.runSkill(id, params, namespace, apiAuthor(user, dependencies, namespace));
    const { error, code, ...more } = objectOf(ran);
    const status = typeof code === "string" ? refusals.get(code) : undefined;
    if (status === undefined || typeof code !== "string") return context.json(ran, 200);
    throw new HttpProblem(status, String(error), { code, more: definedIn(more) });
  });
}

/** What was not run at all; a skill that ran and failed is an answer. */
const refusals = new Map<string, ProblemStatus>([
  ["invalid_parameters", 400],
  ["choose_part", 400],
  ["skill_not_found", 404],
  ["not_for_people", 409],
  ["not_usable", 409],
]);

function definedIn(object: { [key: string]: Json | undefined }): { [key: string]: Json } {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}
