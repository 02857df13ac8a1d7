import type { IncomingHttpHeaders } from "node:http";
import type { Backend } from "./method.ts";

interface FileRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface FileReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer | string;
}

const loginPage = "<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in to Acme</body></html>";

/** Downloads of private files, and uploads to the addresses that `files.getUploadURLExternal` gave. */
export function answerFileRequest(backend: Backend, request: FileRequest): FileReply {
  const [, area, id = ""] = request.path.split("/");
  if (area === "upload") return upload(backend, id, request);
  return download(backend, id.split("-").at(-1) ?? "", request);
}

function upload(backend: Backend, id: string, request: FileRequest): FileReply {
  const file = backend.world.files.get(id);
  if (request.method !== "POST" || file === undefined || file.state !== "upload-open")
    return { status: 404, headers: { "content-type": "text/plain" }, body: "not found" };
  file.content = contentOf(request);
  file.state = "uploaded";
  backend.world.touch();
  const bytes = file.content.byteLength;
  return { status: 200, headers: { "content-type": "text/plain" }, body: `OK - ${bytes}` };
}

/** The bytes of a raw body, or of the one part of a form. */
function contentOf({ headers, body }: FileRequest): Buffer {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) return body;
  const start = body.indexOf("\r\n\r\n") + 4;
  const end = body.indexOf(`\r\n--${boundary}`, start);
  return body.subarray(start, end);
}

/** Without a token that may read the file, Slack answers 200 with its sign-in page. */
function download(backend: Backend, id: string, { headers }: FileRequest): FileReply {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const token = backend.world.tokens.get(bearer);
  const file = backend.world.files.get(id);
  const workspace = backend.world.workspaces.get(token?.team_id ?? "");
  const readable =
    token?.refused === undefined &&
    token?.scopes.includes("files:read") === true &&
    file?.channels.some(
      (channel) =>
        backend.world.channels.get(channel)?.members.includes(workspace?.bot_user_id ?? "") === true,
    ) === true;
  if (file === undefined || !readable)
    return { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: loginPage };
  return { status: 200, headers: { "content-type": file.mimetype }, body: file.content };
}
