import { SkillFailure } from "../core/skill/define-skill.ts";
import { asText, fill, nameIn, substitute, type Variables, wholePath } from "./substitute.ts";

/** The variables of a flow, and which of them have its own values. */
export interface AddressValues {
  variables: Variables;
  /** Names of variables that still have the text from the flow's file: fixed ones, and defaults without an argument. */
  own: ReadonlySet<string>;
}

/** The address of a step with filled-in variables. */
export interface FlowAddress {
  url: string;
  /** The variable that holds the whole address, so the flow does not determine the host. */
  chosen_by: string | undefined;
}

/**
 * Fills in the variables of an address. The flow's own text is preserved: a value from elsewhere can neither change the host nor leave
 * its place in the path. In the path and after it, values are percent-encoded, including slashes; the flow's own values are inserted
 * into the path unchanged. A text that is exactly one placeholder may become any address.
 * @throws SkillFailure `address_changed` where a value would lead the request elsewhere
 */
export function fillAddress(text: string, { variables, own }: AddressValues): FlowAddress {
  const path = wholePath(text);
  if (path !== undefined && !own.has(nameIn(path))) {
    const url = substitute(text, variables);
    return { url, chosen_by: url === text ? undefined : nameIn(path) };
  }
  const place = createPlaceReader();
  /** The address with a letter in place of each value from elsewhere. */
  let shape = "";
  let dots = "";
  const encoded = fill(text, variables, (value, before, name) => {
    place.read(before);
    const isOwn = own.has(name);
    const where = place.at();
    if (where === "host" && !isOwn) throw hostFromValue(name);
    const raw = asText(value);
    const filled = isOwn && where !== "behind" ? raw : encodeURIComponent(raw.toWellFormed());
    if (isOwn) place.read(raw);
    else if (where === "path" && /^\.{0,2}$/.test(raw)) dots = name;
    shape += before + (isOwn ? filled : "x");
    return filled;
  });
  if (dotSegments(encoded) !== dotSegments(shape)) throw climbs(dots);
  return { url: encoded, chosen_by: undefined };
}

/** Tracks the part of an address at the end of the read text: before the path, in it, or after its question mark or hash. */
function createPlaceReader() {
  let at: "host" | "path" | "behind" = "host";
  let start = "";
  return {
    read(text: string) {
      if (at === "host") start += text;
      if (at === "host" && /^([a-z][a-z0-9+.-]*:[\\/]{2}[^\\/?#]+|\$\{[^}]*\})[\\/?#]/i.test(start))
        at = "path";
      if (at === "path" && /[?#]/.test(start + text)) at = "behind";
    },
    at: () => at,
  };
}

/** The number of `.` and `..` segments of the path, as the URL standard reads them. */
function dotSegments(address: string): number {
  const [path = ""] = address.split(/[?#]/, 1);
  return path.split(/[\\/]/).filter((segment) => /^(\.|%2e){1,2}$/i.test(segment)).length;
}

function hostFromValue(name: string): SkillFailure {
  return new SkillFailure(
    "address_changed",
    `The variable ${name} would decide which host this step calls, so nothing was sent.`,
    "Write the host into the flow, or let one variable be the whole address.",
  );
}

function climbs(name: string): SkillFailure {
  return new SkillFailure(
    "address_changed",
    `The variable ${name} would lead this step to another path of its host, so nothing was sent.`,
    "Give it a value that is neither a dot nor two.",
  );
}

/** A request as it would be sent. */
export interface FlowRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

const mask = "[secret]";
/** Names of headers, parameters and fields that hold secrets. */
const secretName = /authorization|cookie|token|secret|passw|api[-_]?key|(^|[-_])(key|auth|signature)$/i;
/** Only a placeholder, optionally after a scheme, which holds no secret. */
const isPlaceholder = /^((bearer|basic|token)\s+)?(\$\{[^}]*\}|%24%7B.*%7D)$/i;

/** The request for people, with values masked if their names suggest secrets. */
export function maskedRequest({ method, url, headers, body }: FlowRequest) {
  const shown = Object.entries(headers).map(([name, value]) => [name, masked(name, value)] as const);
  return {
    method,
    url: maskedUrl(url),
    headers: Object.fromEntries(shown),
    ...(body === undefined ? {} : { body: maskedBody(body) }),
  };
}

function masked(name: string, value: string): string {
  return value === "" || !secretName.test(name) || isPlaceholder.test(value) ? value : mask;
}

function maskedUrl(url: string): string {
  const withoutLogin = url.replace(/^(\w+:\/\/)[^/?#@]*@/, `$1${mask}@`);
  return withoutLogin.replace(
    /([?&])([^=&#?]{0,200})=([^&#]*)/g,
    (_, mark: string, name: string, value: string) => `${mark}${name}=${masked(name, value)}`,
  );
}

/** Fields of forms and of JSON. */
function maskedBody(body: string): string {
  const fields = body.replace(
    /("([^"\\]{1,100})"\s*:\s*)"((?:[^"\\]|\\.)*)"/g,
    (_, start: string, name: string, value: string) => `${start}"${masked(name, value)}"`,
  );
  if (!/^[^\s=&{[]+=/.test(fields)) return fields;
  return maskedUrl(`?${fields}`).slice(1);
}
