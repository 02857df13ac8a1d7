import { errorCode, errorText } from "../base/error-text.ts";

/** A server that cannot be reached, in words for a person; secrets are not masked yet. */
export class ServerFailure extends Error {
  readonly code: "needs_login" | "unreachable";
  constructor(code: "needs_login" | "unreachable", message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Why an HTTP server could not be reached. Status codes come from the SDK's errors as `code`. */
export async function httpFailure(error: unknown, url: string, hasLogin: boolean): Promise<ServerFailure> {
  if (error instanceof ServerFailure) return error;
  const host = new URL(url).host;
  const status = statusOf(error);
  const isRefused = status === 401 || (await isUnauthorized(error));
  if (isRefused && hasLogin) {
    return new ServerFailure("needs_login", "An account has to be connected first.", error);
  }
  if (isRefused) {
    const message = `${host} wants a login. Give it a header, or set knack.credentials to shared or per_user.`;
    return new ServerFailure("unreachable", message, error);
  }
  if (status !== undefined) return new ServerFailure("unreachable", `${host} answered ${status}.`, error);
  const code = causeCode(error);
  if (code !== undefined)
    return new ServerFailure("unreachable", `${host} cannot be reached (${code}).`, error);
  if (isForeign(error)) {
    const message = `${host} answered, but not as a tool server does. Check the path of its url.`;
    return new ServerFailure("unreachable", message, error);
  }
  return new ServerFailure("unreachable", `${host} cannot be used: ${errorText(error)}`, error);
}

/** Whether an answer was no message of the protocol: neither JSON nor, by the SDK's schemas, JSON-RPC. */
export function isForeign(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && error.name === "ZodError");
}

async function isUnauthorized(error: unknown): Promise<boolean> {
  const { UnauthorizedError } = await import("@modelcontextprotocol/sdk/client/auth.js");
  return error instanceof UnauthorizedError;
}

/** The HTTP status in an error of the SDK. */
export function statusOf(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "number" && code >= 300 && code < 600 ? code : undefined;
}

/** The code of the error that broke a request, however deeply nested (`ECONNREFUSED`); undefined if there is none. */
export function causeCode(error: unknown): string | undefined {
  for (
    let each: unknown = error, depth = 0;
    each instanceof Error && depth < 5;
    each = each.cause, depth += 1
  ) {
    const code = errorCode(each);
    if (code !== undefined) return code;
  }
  return undefined;
}
