import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { submittedFiles } from "../app/turns/submit.ts";
import { StoreFailure } from "../core/ports/storage.ts";
import { checkCaller, checkDirect, checkSite, checkSource, type Security } from "./access.ts";
import { addConsoleRoutes } from "./console-assets.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { HttpProblem, isProblemStatus, problemResponse } from "./http-problem.ts";
import { requireJson } from "./request-body.ts";
import { addDownloadRoutes } from "./routes/download-routes.ts";
import { addHealthRoutes } from "./routes/health-routes.ts";
import { addHookRoutes } from "./routes/hook-routes.ts";
import { addLoginRoutes, loginPaths } from "./routes/login-routes.ts";
import { addOperationRoutes, formPaths } from "./routes/operation-routes.ts";
import { addTurnRoutes, turnsPath } from "./routes/turn-routes.ts";

/** Paths that accept forms, with the maximum bytes of an upload: a package, or the files of a message. */
const uploads = new Map([
  ...formPaths.map((path) => [path, 50 * 1024 * 1024] as const),
  [`/api/v1${turnsPath}`, submittedFiles.together] as const,
]);

/** All HTTP routes as a request handler: health, API and console, behind the access checks. */
export function createHttpApi(dependencies: ServerDependencies, security: Security): OpenAPIHono {
  const { assets, version, login } = dependencies;
  const server = new OpenAPIHono({ defaultHook: refuseInvalid });
  server.use(securityHeaders());
  server.use(methodNotAllowed({ app: server, onMethodNotAllowed: wrongMethod }));
  addHookRoutes(server, dependencies);
  server.use(checkDirect(security), checkSource(security, [loginPaths.callback]));
  server.use("/api/*", checkSite, checkCaller(security), requireJson(uploads), neverCache);
  addHealthRoutes(server, dependencies, security);
  if (login !== undefined) addLoginRoutes(server, login);
  server.route("/api/v1", createApi(dependencies, security));
  server.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  server.doc31("/api/v1/openapi.json", {
    openapi: "3.1.0",
    info: { title: "Knack", version, description: "Turns, skills and channels of a Knack bot." },
    security: security.token ? [{ token: [] }] : [],
  });
  addConsoleRoutes(server, assets);
  server.notFound((context) => {
    const detail = `There is nothing at ${context.req.path.slice(0, 200)}. GET /api/v1/openapi.json describes the API.`;
    return problemResponse(new HttpProblem(404, detail));
  });
  server.onError((error, context) => {
    const isCallerKnown = context.req.path.startsWith("/api/");
    const isStore = error instanceof StoreFailure && isCallerKnown;
    const problem = isStore ? new HttpProblem(503, error.message, { cause: error }) : problemOf(error);
    if (problem.status >= 500) {
      const { method, path } = context.req;
      dependencies.logger.error({ err: error, method, path }, "A request failed unexpectedly");
    }
    return problemResponse(problem);
  });
  return server;
}

function createApi(dependencies: ServerDependencies, security: Security): OpenAPIHono {
  const api = new OpenAPIHono({ defaultHook: refuseInvalid });
  addTurnRoutes(api, dependencies);
  addOperationRoutes(api, dependencies, security);
  addDownloadRoutes(api, dependencies);
  return api;
}

async function neverCache(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  if (!context.res.headers.has("Cache-Control")) context.res.headers.set("Cache-Control", "no-store");
}

type Checked = Parameters<NonNullable<OpenAPIHono["defaultHook"]>>[0];

/** Names each invalid value, its place, and the reason. */
function refuseInvalid(result: Checked): void {
  if (result.success) return;
  const places: Record<string, string> = { json: "body", param: "path" };
  const place = places[result.target] ?? result.target;
  const problems = result.error.issues.map(
    ({ path, message }) => `${[place, ...path.map(String)].join(".")}: ${message}`,
  );
  throw new HttpProblem(400, problems.join("; "), { code: "invalid_request" });
}

function wrongMethod({ req }: Context, methods: readonly string[]): Response {
  const detail = `${req.method} is not allowed here; use ${methods.join(" or ")}.`;
  return problemResponse(new HttpProblem(405, detail, { headers: { Allow: methods.join(", ") } }));
}

function problemOf(error: Error): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof HTTPException && isProblemStatus(error.status) && error.status < 500) {
    return new HttpProblem(error.status, error.message, { cause: error });
  }
  const detail = "Something went wrong inside the server; its log says what. Trying again may help.";
  return new HttpProblem(500, detail, { cause: error });
}

/**
 * The headers of every response. Pages may load from this server and talk to it only, and have no inline scripts. Images of other hosts are
 * blocked, because their addresses could carry data of the channel to that host. A route may set stricter headers.
 */
const securityHeaders = () =>
  secureHeaders({
    overwrite: false,
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
    xFrameOptions: "DENY",
    crossOriginResourcePolicy: "same-origin",
    crossOriginOpenerPolicy: "same-origin",
    referrerPolicy: "no-referrer",
    strictTransportSecurity: false,
  });
