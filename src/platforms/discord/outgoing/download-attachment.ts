import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { FileReference } from "../../../core/values/inbound.ts";
import type { DiscordRest } from "../connection/discord-rest.ts";

/** Where Discord keeps attachments. */
const hosts = ["cdn.discordapp.com", "media.discordapp.net"];

export interface DownloadDeps {
  rest: DiscordRest;
  /** Attachments of an API elsewhere come from there. */
  api: string | undefined;
}

/** The bytes of an attachment. Its address is good for a day; an older one is made new. @throws PlatformError */
export async function downloadAttachment(
  { rest, api }: DownloadDeps,
  file: FileReference,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  if (file.bytes > maxBytes) throw tooLarge(file, maxBytes);
  const url = attachmentUrl(file, api);
  let response = await get(url, signal);
  if (response.status === 403 || response.status === 404) {
    await response.body?.cancel();
    const body = { attachment_urls: [url.href] };
    const path = "/attachments/refresh-urls";
    const answer = await rest.request<{ refreshed_urls: { refreshed: string }[] }>("POST", path, { body });
    const refreshed = answer.refreshed_urls[0]?.refreshed;
    if (refreshed !== undefined)
      response = await get(attachmentUrl({ ...file, url: refreshed }, api), signal);
  }
  if (response.ok) return read(response, file, maxBytes);
  await response.body?.cancel();
  const isGone = response.status < 500;
  const message = isGone
    ? `${file.name} is not on Discord any more. Send it again.`
    : `Discord could not give ${file.name} (HTTP ${response.status}). Send it again.`;
  throw new PlatformError(isGone ? "gone" : "unavailable", message);
}

function attachmentUrl(file: FileReference, api: string | undefined): URL {
  const url = URL.canParse(file.url ?? "") ? new URL(file.url ?? "") : undefined;
  const own = api === undefined ? undefined : new URL(api).origin;
  const isOurs =
    url !== undefined && (url.origin === own || (url.protocol === "https:" && hosts.includes(url.hostname)));
  if (isOurs) return url;
  throw new PlatformError("invalid", `${file.name} is not an attachment of Discord's.`);
}

async function get(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal, redirect: "error" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new PlatformError("unavailable", "Discord's files cannot be reached. Try again.", { cause: error });
  }
}

async function read(response: Response, file: FileReference, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw tooLarge(file, maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function tooLarge(file: FileReference, maxBytes: number): PlatformError {
  const limit = Math.floor(maxBytes / 1_000_000);
  return new PlatformError("too_large", `${file.name} is larger than ${limit} MB. Send a smaller file.`);
}
