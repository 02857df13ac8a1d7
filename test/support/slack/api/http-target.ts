import { createHmac } from "node:crypto";

export interface HttpReply {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export type HttpFailure = "http_timeout" | "connection_failed";

export interface SignedRequest {
  url: string;
  secret: string;
  body: string;
  contentType: string;
  /** Seconds since 1970; now if left out. */
  timestamp?: number;
  /** Sent instead of the right signature. */
  signature?: string;
  headers?: Record<string, string>;
  timeoutMs: number;
}

/** Slack's v0 signature of a request body. */
function signatureOf(secret: string, timestamp: number, body: string): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
}

/** Sends a request to the app as Slack does. A reply of any status is a reply; only no reply is a failure. */
export async function sendSigned(request: SignedRequest): Promise<HttpReply | HttpFailure> {
  const timestamp = request.timestamp ?? Math.floor(Date.now() / 1000);
  try {
    const response = await fetch(request.url, {
      method: "POST",
      body: request.body,
      redirect: "manual",
      signal: AbortSignal.timeout(request.timeoutMs),
      headers: {
        "content-type": request.contentType,
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "x-slack-request-timestamp": String(timestamp),
        "x-slack-signature": request.signature ?? signatureOf(request.secret, timestamp, request.body),
        ...request.headers,
      },
    });
    return {
      status: response.status,
      body: await response.text(),
      headers: Object.fromEntries(response.headers),
    };
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    return name === "TimeoutError" ? "http_timeout" : "connection_failed";
  }
}

/** The body of a delivery over HTTP: JSON for events, a form for commands, a form with one JSON field for interactions. */
export function httpBody(
  kind: "events_api" | "slash_commands" | "interactive",
  payload: Record<string, unknown>,
): { body: string; contentType: string } {
  if (kind === "events_api") return { body: JSON.stringify(payload), contentType: "application/json" };
  const form =
    kind === "slash_commands"
      ? new URLSearchParams(
          Object.entries(payload).map(([name, value]): [string, string] => [name, String(value)]),
        )
      : new URLSearchParams({ payload: JSON.stringify(payload) });
  return { body: form.toString(), contentType: "application/x-www-form-urlencoded" };
}
