import { percentDecoded } from "../../base/text/percent-decoded.ts";
import { PackageRefusal } from "../package-refusal.ts";

/** A git repository, with a branch and folder. */
export interface GitAddress {
  /** `https:` or `http:`, without credentials and fragment. */
  repository: URL;
  /** A branch, tag or commit; default: the repository's own default branch. */
  ref?: string | undefined;
  /** A folder in it, with forward slashes. */
  folder?: string | undefined;
}

/** The parts of a page's address on a forge: the repository, and the branch and path the page shows. */
interface ForgePage {
  repository: string[];
  ref?: string | undefined;
  path: string[];
  /** The page shows a file, or is its content. */
  isFile?: boolean;
}

/** Hosts whose `/owner/name` addresses are repositories. */
export const forges: ReadonlySet<string> = new Set([
  "github.com",
  "www.github.com",
  "gitlab.com",
  "codeberg.org",
  "bitbucket.org",
  "gitea.com",
]);

/**
 * Reads an address as a git repository: `….git`, `git+https://…`, `#branch` and `#branch:folder`, and addresses of a forge's pages for a
 * repository, a folder or the file of a skill (GitHub, GitLab, Bitbucket, Gitea; there, the branch's name contains no slash). Undefined for
 * anything else, such as an archive.
 * @throws PackageRefusal for other protocols, credentials, paths that lead out, and pages that show no files.
 */
export function gitAddress(text: string): GitAddress | undefined {
  const isMarked = text.startsWith("git+");
  const url = webAddress(isMarked ? text.slice(4) : text);
  const page = forgePage(url);
  if (page === undefined && !isMarked && !/\.git\/?$/.test(url.pathname)) return undefined;
  if (page?.isFile && !isDocument(page.path)) return undefined;
  // Of a page that shows a branch, the fragment is a heading or a line.
  const [ref, folder] = splitFragment(page?.ref === undefined ? url.hash : "");
  const address: GitAddress = page === undefined ? { repository: new URL(url) } : fromPage(page, url);
  address.repository.hash = "";
  return checked({ ...address, ref: ref || address.ref, folder: folder ?? address.folder });
}

/** A web address. @throws PackageRefusal */
export function webAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new PackageRefusal(
      "unsupported_address",
      "Packages come from https addresses of archives or git repositories; this is something else. Nothing was fetched.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new PackageRefusal(
      "credentials_in_address",
      "The address contains a user name or password, which would be stored and shown. Nothing was fetched; leave them out.",
    );
  }
  return url;
}

/** The address of a file's content, if this is the page that shows it. */
export function rawAddress(url: URL): URL {
  const page = forgePage(url);
  if (page?.isFile !== true) return url;
  return new URL(
    url.pathname.replace(/\/(?:-\/)?(blob|src)\//, (part) => part.replace(/blob|src/, "raw")),
    url,
  );
}

const isDocument = (path: readonly string[]) =>
  /^(?:SKILL\.md|plugin\.json|handler\.js)$/i.test(path.at(-1) ?? "");

function fromPage({ repository, ref, path, isFile = false }: ForgePage, url: URL): GitAddress {
  const host = url.hostname === "raw.githubusercontent.com" ? "https://github.com" : url;
  const folder = (isFile ? path.slice(0, -1) : path).join("/");
  return {
    repository: new URL(`/${repository.map(encodeURIComponent).join("/")}`, host),
    ref,
    folder: folder || undefined,
  };
}

/** Reads the address of a page of a forge. @throws PackageRefusal for a page that shows no files */
function forgePage(url: URL): ForgePage | undefined {
  const parts = partsOf(url);
  const host = url.hostname.toLowerCase();
  if (host === "raw.githubusercontent.com") {
    const [owner = "", name = "", ref, ...path] = withoutRefs(parts, 2);
    return path.length === 0 ? undefined : { repository: [owner, name], ref, path, isFile: true };
  }
  if (host === "gist.github.com") {
    const id = parts.at(-1);
    return parts.length > 2 || id === undefined ? undefined : { repository: [id], path: [] };
  }
  const dash = parts.indexOf("-");
  if (dash > 1) return shownIn(parts.slice(0, dash), parts.slice(dash + 1), url);
  const isGitea = parts[2] === "src" && ["branch", "tag", "commit"].includes(parts[3] ?? "");
  if (isGitea) return shownIn(parts.slice(0, 2), ["src", ...parts.slice(4)], url);
  if (!forges.has(host) || parts.length < 2) return undefined;
  if (host === "gitlab.com") return { repository: parts, path: [] };
  return shownIn(parts.slice(0, 2), parts.slice(2), url);
}

/** Pages that are archives or other files to download. */
const downloads = ["archive", "releases", "get", "downloads", "zipball", "tarball"];

function shownIn(repository: string[], shown: readonly string[], url: URL): ForgePage | undefined {
  const [kind, ref, ...path] = withoutRefs(shown, 1);
  if (kind === undefined) return { repository, path: [] };
  if (kind === "releases" && ref === "tag" && path.length === 1)
    return { repository, ref: path[0], path: [] };
  if (downloads.includes(kind)) return undefined;
  if (ref !== undefined && ["tree", "src", "blob", "raw"].includes(kind)) {
    const isFile = kind === "blob" || kind === "raw" || isDocument(path);
    const [place = ref, ...below] =
      kind === "raw" && /^(?:branch|tag|commit)$/.test(ref) ? path : [ref, ...path];
    return { repository, ref: place, path: below, isFile };
  }
  const whole = new URL(`/${repository.join("/")}`, url).href;
  const message = `This page of the repository shows no files. Nothing was fetched; give the address of the repository (${whole}) or of a folder in it.`;
  throw new PackageRefusal("unsupported_address", message);
}

/** `raw/refs/heads/main/…`, as a button for the file copies it, is `raw/main/…`. */
function withoutRefs(parts: readonly string[], at: number): string[] {
  const isFull = parts[at] === "refs" && /^(?:heads|tags)$/.test(parts[at + 1] ?? "");
  return isFull ? parts.toSpliced(at, 2) : [...parts];
}

function partsOf(url: URL): string[] {
  return url.pathname
    .replace(/\.git\/?$/, "")
    .split("/")
    .filter((part) => part !== "")
    .map(percentDecoded);
}

function splitFragment(hash: string): [string, string | undefined] {
  // The first part of a repository's page, as its button for the address copies it.
  if (hash === "#readme") return ["", undefined];
  const text = percentDecoded(hash.slice(1));
  const colon = text.indexOf(":");
  return colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

function checked(address: GitAddress): GitAddress {
  const { ref, folder } = address;
  const isPlainRef = ref === undefined || /^[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}$/.test(ref);
  if (!isPlainRef || ref?.includes("..")) {
    const message = `The branch ${JSON.stringify(ref)} is not a valid Git branch name. Nothing was fetched.`;
    throw new PackageRefusal("bad_branch", message);
  }
  const parts = folder?.split("/").filter((part) => part !== "" && part !== ".");
  if (parts?.some((part) => part === ".." || /[\p{Cc}\\:]/u.test(part))) {
    const message = `The folder ${JSON.stringify(folder)} leads out of the repository. Nothing was fetched.`;
    throw new PackageRefusal("path_leaves_package", message);
  }
  return { ...address, folder: parts?.join("/") || undefined };
}
