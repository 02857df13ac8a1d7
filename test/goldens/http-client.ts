import { request } from "node:http";
import { pretty, withoutIds } from "./golden.ts";
import type { Call } from "./http-calls.ts";

/** An answer of a server. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/** Sends a call as it is, with any headers, also those `fetch` does not let through (Host, Origin). */
export async function send(url: string, asked: Call): Promise<Answer> {
  const { call, headers = {} } = asked;
  const [method = "", path = ""] = call.split(" ");
  const target = `${url}${path.startsWith("//") ? path.slice(1) : `/api/v1${path}`}`;
  const body = await bodyOf(asked);
  return new Promise((resolve, reject) => {
    const outgoing = request(target, { method, headers: { ...body?.headers, ...headers }, agent: false });
    outgoing.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body?.bytes);
  });
}

interface Body {
  headers: Record<string, string>;
  bytes: Uint8Array;
}

async function bodyOf({ json, raw, form }: Call): Promise<Body | undefined> {
  if (raw !== undefined) return encoded(new Response(raw.text), raw.type);
  if (form !== undefined) {
    const data = new FormData();
    for (const [name, value] of Object.entries(form)) {
      if (name === "file") data.append(name, new File(["an archive"], value));
      else data.append(name, value);
    }
    return encoded(new Response(data));
  }
  return json === undefined ? undefined : encoded(new Response(JSON.stringify(json)), "application/json");
}

async function encoded(response: Response, type?: string): Promise<Body> {
  const headers = { "Content-Type": type ?? response.headers.get("content-type") ?? "" };
  return { headers, bytes: await response.bytes() };
}

/** The stored events of a turn until it ends or, unless `isDecided`, waits for a person; one JSON text each. */
export async function storedEvents(url: string, turn: string, isDecided: boolean): Promise<string[]> {
  const last = isDecided ? /"type":"turn_finished"/ : /"type":"(turn_finished|turn_waiting)"/;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/v1/turns/${turn}/events`, { agent: false });
    outgoing.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
        const events = readMessages(text);
        if (!last.test(events.at(-1) ?? "")) return;
        outgoing.destroy();
        resolve(events);
      });
      response.on("end", () => resolve(readMessages(text)));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** What is not stored has no id, and is left out: how much of it comes depends on when one begins to read. */
function readMessages(text: string): string[] {
  const messages = text.split("\n\n").slice(0, -1);
  const stored = messages.filter((message) => /^id: \d+$/m.test(message));
  return stored.map((message) => /^data: (.*)$/m.exec(message)?.[1] ?? "");
}

const shownHeaders = ["content-type", "allow", "www-authenticate", "content-disposition", "location"];

/** A call and its answer as they stand in a fixture. */
export function described({ call, json, raw, form, headers }: Call, answer: string): string {
  const sent = [json, raw, form, headers].filter((each) => each !== undefined);
  return withoutIds(`>> ${[call, ...sent.map((each) => JSON.stringify(each))].join(" ")}\n${answer}\n`);
}

export function describedAnswer({ status, headers, text }: Answer, { status_only }: Call): string {
  const shown = shownHeaders.flatMap((name) =>
    headers[name] === undefined ? [] : `${name}: ${headers[name]}`,
  );
  const type = String(headers["content-type"] ?? "");
  const body = status_only
    ? ""
    : type.includes("json") && !type.includes("ndjson")
      ? pretty(JSON.parse(text))
      : text;
  return [[status, ...shown].join("; "), body].filter((line) => line !== "").join("\n");
}
