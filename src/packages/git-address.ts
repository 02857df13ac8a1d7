import { PackageRefusal } from "./package-refusal.ts";

/** A git repository, with a branch and folder. */
export interface GitAddress {
  /** `https:` or `http:`, without credentials and fragment. */
  repository: URL;
  /** A branch or tag; default: the repository's own default branch. */
  ref?: string;
  /** A folder in it, with forward slashes. */
  folder?: string;
}

/** Hosts whose `/owner/name` addresses are repositories. */
const forges = new Set(["github.com", "www.github.com", "gitlab.com", "codeberg.org", "bitbucket.org"]);

/**
 * Reads an address as a git repository: `….git`, `git+https://…`, `#branch` and `#branch:folder`, and addresses copied from a forge's pages
 * (`/owner/name`, `/owner/name/tree/BRANCH/FOLDER`; there, the branch's name contains no slash). Undefined for anything else, such as an
 * archive.
 * @throws PackageRefusal for other protocols, credentials and paths that lead out.
 */
export function gitAddress(text: string): GitAddress | undefined {
  const isMarked = text.startsWith("git+");
  const url = webAddress(isMarked ? text.slice(4) : text);
  const onForge = forges.has(url.hostname.toLowerCase()) ? forgeAddress(url) : undefined;
  if (onForge === undefined && !isMarked && !/\.git\/?$/.test(url.pathname)) return undefined;
  const [ref, folder] = splitFragment(url.hash);
  const address = onForge ?? { repository: new URL(url) };
  address.repository.hash = "";
  return checked({
    ...address,
    ...(ref === "" ? {} : { ref }),
    ...(folder === undefined ? {} : { folder }),
  });
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

function forgeAddress(url: URL): GitAddress | undefined {
  const [owner, name, ...rest] = url.pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  if (owner === undefined || name === undefined) return undefined;
  const repository = new URL(`/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`, url);
  const [kind, ref, ...folder] = rest[0] === "-" ? rest.slice(1) : rest;
  if (kind === undefined) return { repository };
  if ((kind !== "tree" && kind !== "src") || ref === undefined) return undefined;
  return { repository, ref, ...(folder.length === 0 ? {} : { folder: folder.join("/") }) };
}

function splitFragment(hash: string): [string, string | undefined] {
  const text = decodeURIComponent(hash.slice(1));
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
  const { folder: _, ...rest } = address;
  return parts === undefined || parts.length === 0 ? rest : { ...rest, folder: parts.join("/") };
}

/** The owner of the repository or archive that a package came from, as a part of ids; undefined if its address names none. */
export function ownerOf(source: { kind: string; url?: string }): string | undefined {
  if (source.url === undefined) return undefined;
  const { pathname, hostname } = gitAddress(source.url)?.repository ?? webAddress(source.url);
  const [owner, ...rest] = pathname.split("/").filter((part) => part !== "");
  const isOwned = rest.length > 0 && (forges.has(hostname) || /\.git\/?$/.test(pathname));
  const plain = owner
    ?.toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-|-$/g, "");
  return isOwned && plain !== "" ? plain : undefined;
}
