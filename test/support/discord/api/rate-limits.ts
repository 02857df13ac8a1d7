import { createHash } from "node:crypto";

/** Limits seen on busy routes, requests in seconds; Discord documents none and tells clients to read the headers. */
const busy: Record<string, readonly [number, number]> = {
  "POST /channels/:channel/messages": [5, 5],
  "PATCH /channels/:channel/messages/:message": [5, 5],
  "DELETE /channels/:channel/messages/:message": [5, 1],
  "POST /channels/:channel/typing": [5, 5],
  "PUT /channels/:channel/messages/:message/reactions/:emoji/@me": [1, 0.25],
};

/** What a reply of this route says about its bucket, of which the first request is used. Nothing is refused. */
export function rateHeaders(route: string): Record<string, string> {
  const [requests, seconds] = busy[route] ?? [50, 1];
  return {
    "x-ratelimit-limit": String(requests),
    "x-ratelimit-remaining": String(requests - 1),
    "x-ratelimit-reset": (Date.now() / 1000 + seconds).toFixed(3),
    "x-ratelimit-reset-after": seconds.toFixed(3),
    "x-ratelimit-bucket": createHash("md5").update(route).digest("hex"),
  };
}
