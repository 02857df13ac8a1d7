import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Author } from "../../core/inbound.ts";
import type { PackageSource } from "../../core/packages.ts";
import type { Security } from "../access.ts";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { HttpProblem, resultOf } from "../http-problem.ts";
import { requireOwnMachine } from "../own-machine.ts";
import * as packages from "../package-schemas.ts";
import { answers, consoleNamespace, jsonBody, skillParams } from "./route-parts.ts";

/** Paths that take an archive as a form. */
export const uploadPaths: readonly string[] = ["/api/v1/packages", "/api/v1/packages/review"];

const packageBody = {
  content: {
    "application/json": { schema: packages.packageRequest },
    "multipart/form-data": { schema: packages.packageUpload },
  },
};

const install = createRoute({
  method: "post",
  path: "/packages",
  summary: "Install skills from an address or an archive; nothing of them is active",
  request: { body: packageBody },
  responses: answers(packages.packagesInstalled, "what was installed, with its review"),
});

const review = createRoute({
  method: "post",
  path: "/packages/review",
  summary: "What a package would bring; installs nothing",
  request: { body: packageBody },
  responses: answers(packages.packageReviews, "one review per skill in it"),
});

const list = createRoute({
  method: "get",
  path: "/packages",
  summary: "What is installed",
  responses: answers(packages.packageList, "installed skills with their reviews"),
});

const userQuery = z.object({ user: z.string().min(1).max(200).default("operator") });
const remove = createRoute({
  method: "delete",
  path: "/packages/{id}",
  summary: "Remove an installed skill",
  request: { params: skillParams, query: userQuery },
  responses: answers(packages.packageRemoved, "what was removed"),
});

const update = createRoute({
  method: "post",
  path: "/packages/{id}/update",
  summary: "Install a skill again from where it came from",
  request: { params: skillParams, body: jsonBody(packages.updateRequest) },
  responses: answers(packages.packagesInstalled, "what was installed, with its review"),
});

const reviewSkill = createRoute({
  method: "get",
  path: "/skills/{id}/review",
  summary: "The review of a skill that is there",
  request: { params: skillParams },
  responses: answers(packages.packageReview, "what it is and can do"),
});

export function addPackageRoutes(
  server: OpenAPIHono,
  dependencies: ServerDependencies,
  security: Security,
): void {
  const { app } = dependencies;
  const askerNamed = (user: string) => ({
    by: apiAuthor(user, dependencies),
    namespace: consoleNamespace,
  });
  const asked = async (context: Context, given: Given) => {
    const source = await sourceOf(given);
    if (source.kind === "path") requireOwnMachine(context, security);
    return { source, asker: askerNamed(given.user), signal: context.req.raw.signal };
  };

  server.openapi(install, async (context) => {
    const given = givenIn(context.req.valid("json"), context.req.valid("form"));
    const { source, asker, signal } = await asked(context, given);
    const options = { signal, expected: given.expected };
    const installed = resultOf(await app.packages.install(source, asker, options));
    return context.json({ installed }, 200);
  });

  server.openapi(review, async (context) => {
    const given = givenIn(context.req.valid("json"), context.req.valid("form"));
    const { source, asker, signal } = await asked(context, given);
    return context.json({ reviews: resultOf(await app.packages.review(source, asker, signal)) }, 200);
  });

  server.openapi(list, async (context) => context.json({ packages: await app.packages.list() }, 200));

  server.openapi(remove, async (context) => {
    const { id } = context.req.valid("param");
    const asker = askerNamed(context.req.valid("query").user);
    return context.json({ removed: resultOf(await app.packages.remove(id, asker)) }, 200);
  });

  server.openapi(update, async (context) => {
    const { id } = context.req.valid("param");
    const asker = askerNamed(context.req.valid("json").user);
    const installed = resultOf(await app.packages.update(id, asker, context.req.raw.signal));
    return context.json({ installed }, 200);
  });

  server.openapi(reviewSkill, async (context) => {
    const { id } = context.req.valid("param");
    return context.json(resultOf(await app.packages.reviewSkill(id)), 200);
  });
}

type Json = z.output<typeof packages.packageRequest>;
type Form = z.output<typeof packages.packageUpload>;

/** What was sent, in whichever of the two forms. */
interface Given {
  user: Author["id"];
  expected?: readonly string[] | undefined;
  url?: string | undefined;
  path?: string | undefined;
  file?: File | undefined;
}

/** The one that was not sent is empty. */
function givenIn(body: Partial<Json>, form: Partial<Form>): Given {
  return { user: "operator", ...body, ...form };
}

async function sourceOf({ url, path, file }: Given): Promise<PackageSource> {
  const given = [url, path, file].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new HttpProblem(
      400,
      "Say which package: {url} as JSON, or the archive as the field `file` of a form (multipart/form-data).",
      { code: "invalid_request" },
    );
  }
  if (url !== undefined) return { kind: "url", url };
  if (path !== undefined) return { kind: "path", path };
  const data = new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer());
  return { kind: "upload", name: file?.name ?? "package", data };
}
