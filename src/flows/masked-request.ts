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
/** Only a placeholder, perhaps after a scheme: nothing secret stands there. */
const isPlaceholder = /^((bearer|basic|token)\s+)?(\$\{[^}]*\}|%24%7B.*%7D)$/i;

/** The request for people to read: values under names that secrets have are left out. */
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
