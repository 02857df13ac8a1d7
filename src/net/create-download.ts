import { readAtMost } from "../base/read-at-most.ts";
import { WebError } from "../core/ports/web.ts";
import { createAddressPolicy, type Reach } from "./address-policy.ts";
import { guardedRequest } from "./guarded-fetch.ts";
import { tooLarge } from "./web-failure.ts";
import { shownUrl } from "./web-url.ts";

const maxRedirects = 5;

/** Fetches a file unchanged. `name` is the server's name for it, or the last part of its address. */
export type Download = (
  url: string,
  limits: { maxBytes: number; timeoutMs: number; signal: AbortSignal },
) => Promise<{ ok: true; data: Uint8Array; name: string } | { ok: false; reason: string }>;

/** Downloads through the guard: `reason` is a sentence for a person. Rejects only on abort, with the signal's reason. */
export function createDownload(reach: Reach): Download {
  const policy = createAddressPolicy(reach);
  return async (url, { maxBytes, timeoutMs, signal }) => {
    const limits = { policy, timeoutMs, maxBytes, maxRedirects, userAgent: "Knack" };
    try {
      return await guardedRequest(url, { signal }, limits, async (final, response) => {
        if (!response.ok) {
          return { ok: false, reason: `${shownUrl(final)} answered ${response.status}. Check the address.` };
        }
        const data = await readAtMost(response.body, maxBytes, () => tooLarge(final, maxBytes));
        return { ok: true, data, name: nameOf(final, response.headers.get("content-disposition")) };
      });
    } catch (error) {
      if (error instanceof WebError) return { ok: false, reason: error.message };
      throw error;
    }
  };
}

/**
 * The server's name for a file, or the last part of its address: the plain `filename` of RFC 6266; other forms fall back to the address.
 */
export function nameOf(url: URL, disposition: string | null): string {
  const named = /filename="?([^";]+)"?/i.exec(disposition ?? "")?.[1];
  return named?.trim() || (url.pathname.split("/").findLast((part) => part !== "") ?? "download");
}
