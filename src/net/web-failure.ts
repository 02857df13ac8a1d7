import { errorCode } from "../base/error-text.ts";
import { WebError } from "../core/ports/web.ts";
import { AddressRefusedError } from "./guarded-connector.ts";
import { shownUrl } from "./web-url.ts";

/** The refusal of an address, with advice for an operator. `from` is the page that redirected there. */
export function addressRefused(url: URL, address: string, from?: URL, cause?: unknown): WebError {
  const host = url.hostname;
  const name = host.replace(/^\[|\]$/g, "");
  const leads = `${name === address ? host : `${host} leads to ${address}, which`} is not a public address`;
  const origin = from === undefined ? "" : ` (${shownUrl(from)} redirected there)`;
  return new WebError(
    "address_refused",
    `${shownUrl(url)} was not fetched${origin}: ${leads}. If tools may reach it, the operator can add the host to KNACK_NET_ALLOW.`,
    { cause },
  );
}

/** A redirect that was not followed. The whole target is reported: a caller that needs it has to request it by its address. */
export function redirectRefused(from: URL, to: URL): WebError {
  return new WebError(
    "redirect_refused",
    `${shownUrl(from)} leads on to another site that nobody here named: ${to.href.slice(0, 2_000)}. Nothing was sent there.`,
  );
}

/** The time limit was reached. */
export function timedOut(url: URL, limitMs: number, cause?: unknown): WebError {
  return new WebError(
    "timed_out",
    `${shownUrl(url)} did not answer completely within ${Math.round(limitMs / 100) / 10} s. Try again later or use another source.`,
    { cause },
  );
}

/** The answer is larger than allowed, unpacked. */
export function tooLarge(url: URL, maxBytes: number): WebError {
  const size =
    maxBytes >= 1e6 ? `${Math.round(maxBytes / 1e5) / 10} MB` : `${Math.round(maxBytes / 100) / 10} kB`;
  return new WebError(
    "too_large",
    `${shownUrl(url)} is larger than ${size}. Use a smaller page or a more specific address.`,
  );
}

/** Turns any error of undici for a request into a WebError for people. */
export function unreachable(url: URL, thrown: unknown, from?: URL): WebError {
  const chain = causesOf(thrown);
  const refused = chain.find((error) => error instanceof AddressRefusedError);
  if (refused !== undefined) return addressRefused(url, refused.address, from, thrown);
  const code = chain.map(errorCode).find((found) => found !== undefined) ?? "";
  const shown = shownUrl(url);
  const failure = (reason: string) =>
    new WebError("unreachable", `${shown} was not fetched: ${reason}`, { cause: thrown });
  const { hostname } = url;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return failure(
      `the host ${hostname} was not found. Either its name is wrong, or the bot cannot look names up.`,
    );
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    const message = `${shown} did not accept a connection in time. Try again later.`;
    return new WebError("timed_out", message, { cause: thrown });
  }
  if (code === "ECONNREFUSED") return failure(`${url.host} refused the connection. Check address and port.`);
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code))
    return failure(`its certificate or encryption is not valid (${code}). Use another source.`);
  if (/^(?:Z_|ERR_BROTLI|ERR__ERROR_FORMAT)/.test(code))
    return failure("the answer was packed in a damaged way. Use another source.");
  const known = code === "" ? "" : ` (${code})`;
  return failure(`the connection failed${known}. Try again later or use another source.`);
}

function causesOf(thrown: unknown): Error[] {
  const found: Error[] = [];
  const pending: unknown[] = [thrown];
  while (pending.length > 0 && found.length < 20) {
    const next = pending.shift();
    if (!(next instanceof Error)) continue;
    found.push(next);
    pending.push(next.cause);
    if (next instanceof AggregateError) pending.push(...next.errors);
  }
  return found;
}
