import { errorCode, errorText } from "../base/error-text.ts";
import { oneLine } from "../base/markdown-text.ts";

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
  const { host } = new URL(url);
  const unreachable = (message: string) => new ServerFailure("unreachable", message, error);
  const status = statusOf(error);
  const isRefused = status === 401 || (await isUnauthorized(error));
  if (isRefused && hasLogin) {
    return new ServerFailure("needs_login", "An account has to be connected first.", error);
  }
  if (isRefused) {
    const message = `${host} wants a login. Give it a header, or set knack.credentials to shared or per_user.`;
    return unreachable(message);
  }
  const refusal = refusalOf(error);
  if (refusal !== undefined) return unreachable(`${host} refused: ${refusal}`);
  if (status !== undefined) return unreachable(`${host} answered ${status}.`);
  const code = causeCode(error);
  if (code !== undefined) return unreachable(`${host} cannot be reached (${code}).`);
  return isForeign(error)
    ? unreachable(`${host} answered, but not as a tool server does. Check the path of its url.`)
    : unreachable(`${host} cannot be used: ${errorText(error)}`);
}

/** What a server said when it refused the introduction, with the versions of the protocol that it speaks. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== "ProtocolError") return undefined;
  const { supported } = (error as { data?: { supported?: unknown } }).data ?? {};
  const said = `“${oneLine(error.message, 300)}”`;
  if (!Array.isArray(supported)) return `${said}.`;
  return `${said}. It speaks MCP ${oneLine(supported.join(", "), 200)}.`;
}

/** Whether an answer was no message of the protocol: neither JSON nor, by the SDK's schemas, JSON-RPC. */
export function isForeign(error: unknown): boolean {
  return chainOf(error).some((each) => each instanceof SyntaxError || each.name === "ZodError");
}

/** An error and what caused it, five at the most. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) chain.push(each);
  return chain;
}

async function isUnauthorized(error: unknown): Promise<boolean> {
  const { UnauthorizedError } = await import("@modelcontextprotocol/client");
  return error instanceof UnauthorizedError;
}

/** The HTTP status in an error of the SDK. */
export function statusOf(error: unknown): number | undefined {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
  const said = typeof status === "number" ? status : code;
  return typeof said === "number" && said >= 300 && said < 600 ? said : undefined;
}

/** The code of the error that broke a request, however deeply nested (`ECONNREFUSED`); undefined if there is none. */
export function causeCode(error: unknown): string | undefined {
  // Codes of the SDK say what it did, not what broke.
  return chainOf(error)
    .flatMap((each) => (each.name.startsWith("Sdk") ? [] : (errorCode(each) ?? [])))
    .at(0);
}
