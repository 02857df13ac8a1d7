import type { webApi } from "@slack/bolt";
import { pageInstead } from "../../../base/file-kind.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { readAtMost } from "../../../base/read-at-most.ts";
import { type OutgoingFile, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { FileReference } from "../../../core/values/inbound.ts";
import type { Room } from "../channel/slack-rooms.ts";
import { slackCall } from "../connection/slack-call.ts";
import type { Workspaces } from "../connection/workspaces.ts";

/** A file that is uploaded to Slack but not visible yet. */
export interface Upload {
  id: string;
  file: OutgoingFile;
  /** What it shows, in words. */
  alt: string;
}

/** Timeout of one transfer, ms. */
const transferTimeoutMs = 120_000;

/** What a picture shows, in words; from its file name if nobody described it. */
export function wordsFor({ name, alt }: OutgoingFile): string {
  return beginningOf(alt || name.replace(/\.\w+$/, "").replaceAll(/[-_]+/g, " "), 2_000);
}

/** Uploads files to Slack without showing them. @throws PlatformError */
export async function uploadFiles(
  workspaces: Workspaces,
  team: string,
  files: readonly OutgoingFile[],
): Promise<Upload[]> {
  return Promise.all(
    files.map(async (file) => {
      const { name, data } = file;
      const alt = wordsFor(file);
      const { upload_url = "", file_id = "" } = await workspaces.call(team, "take a file", ({ read }) =>
        read.files.getUploadURLExternal({ filename: name, length: data.byteLength, alt_text: alt }),
      );
      const response = await slackCall("take a file", () =>
        fetch(upload_url, {
          method: "POST",
          body: data as Uint8Array<ArrayBuffer>,
          redirect: "error",
          signal: AbortSignal.timeout(transferTimeoutMs),
        }),
      );
      await response.body?.cancel();
      if (!response.ok)
        throw new PlatformError("unavailable", `Slack did not take ${name}: HTTP ${response.status}.`);
      return { id: file_id, file, alt };
    }),
  );
}

/**
 * Completes uploads, so that a message can refer to their files. They stay invisible, unless a room is given in which they are posted, in
 * a message of their own. @throws PlatformError
 */
export async function completeUploads(
  workspaces: Workspaces,
  team: string,
  uploads: readonly Upload[],
  room?: Room,
): Promise<void> {
  const [first, ...rest] = uploads.map(({ id, file }) => ({ id, title: file.name }));
  if (first === undefined) return;
  await workspaces.call(team, room === undefined ? "take a file" : "show a file", ({ write }) =>
    write.files.completeUploadExternal({
      files: [first, ...rest],
      ...(room && { channel_id: room.channel }),
      ...(room?.thread && { thread_ts: room.thread }),
    } as webApi.FilesCompleteUploadExternalArguments),
  );
}

/**
 * The bytes of a file. The bot's token is sent only to Slack, whatever address the file has.
 * @throws PlatformError
 */
export async function downloadFile(
  workspaces: Workspaces,
  team: string,
  file: FileReference,
  options: { maxBytes: number; signal: AbortSignal; apiUrl: string },
): Promise<Uint8Array> {
  const url = file.url ?? (await addressOf(workspaces, team, file));
  if (!isSlackAddress(url, options.apiUrl)) {
    throw new PlatformError(
      "forbidden",
      `${file.name} is not kept by Slack, so I do not fetch it. Upload it here.`,
    );
  }
  const { token } = await workspaces.of(team);
  const response = await slackCall(`give me ${file.name}`, () =>
    fetch(url, {
      headers: { authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(transferTimeoutMs)]),
    }),
  );
  try {
    refuseWrongAnswer(response, file);
    const data = await readAtMost(response.body, options.maxBytes, () =>
      tooLarge(file.name, options.maxBytes),
    );
    if (pageInstead(file, data) !== undefined) throw unreadable(file);
    return data;
  } finally {
    if (!response.bodyUsed) await response.body?.cancel();
  }
}

async function addressOf(workspaces: Workspaces, team: string, file: FileReference): Promise<string> {
  const { file: found } = await workspaces.call(team, `show me ${file.name}`, ({ read }) =>
    read.files.info({ file: file.id }),
  );
  const url = found?.url_private_download ?? found?.url_private;
  if (url !== undefined) return url;
  throw new PlatformError("gone", `Slack has no address for ${file.name}.`);
}

function isSlackAddress(url: string, apiUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, origin } = new URL(url);
  if (origin === new URL(apiUrl).origin) return true;
  return protocol === "https:" && (hostname === "slack.com" || hostname.endsWith(".slack.com"));
}

/** For a file that the bot may not read, Slack answers with its login page and status 200, or redirects to it. */
function refuseWrongAnswer(response: Response, file: FileReference): void {
  const page = response.headers.get("content-type")?.startsWith("text/html") === true;
  const isLogin = response.ok && page && !/html/.test(file.media_type);
  if (isLogin || (response.status >= 300 && response.status < 400)) throw unreadable(file);
  if (response.ok) return;
  const code = response.status === 404 ? "gone" : response.status >= 500 ? "unavailable" : "forbidden";
  throw new PlatformError(code, `Slack did not give me ${file.name}: HTTP ${response.status}.`);
}

function unreadable({ name }: FileReference): PlatformError {
  return new PlatformError(
    "forbidden",
    `Slack does not let me read ${name}: the app lacks the scope files:read, or the file is not shared with it.`,
  );
}

function tooLarge(name: string, maxBytes: number): PlatformError {
  const limit = Math.round(maxBytes / 1_000_000);
  return new PlatformError("too_large", `${name} is larger than the ${limit} MB I read.`);
}
