import type { Json } from "./json.ts";
import type { UploadedFile } from "./message-body.ts";

/** A request that found its route. */
export interface ApiRequest {
  /** The named parts of the path. */
  at: (name: string) => string;
  query: URLSearchParams;
  /** The JSON body, `payload_json` of a multipart body, or an empty object. */
  body: Json;
  /** The JSON body as it is: some routes take a list. */
  raw: unknown;
  files: readonly UploadedFile[];
}

/** 204 without a body, or JSON. */
export interface ApiReply {
  status: number;
  body?: unknown;
}

/** The handler of a method and a path such as `POST /channels/:channel/messages`. */
export interface ApiRoute {
  name: string;
  /** False where the token is in the path, as for interactions. */
  auth: boolean;
  handle: (request: ApiRequest) => ApiReply;
}

export const noContent: ApiReply = { status: 204 };

export function ok(body: unknown): ApiReply {
  return { status: 200, body };
}

/** A route that needs the bot's token. */
export function route(name: string, handle: ApiRoute["handle"]): ApiRoute {
  return { name, auth: true, handle };
}
