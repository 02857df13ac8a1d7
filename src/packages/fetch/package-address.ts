/** Where a package is, from what people paste: addresses, short forms, commands of other installers, pages of listings. */

import { withoutInvisible } from "../../base/text/invisible-text.ts";
import { PackageRefusal, shownName } from "../package-refusal.ts";
import { forges, type GitAddress, gitAddress, rawAddress, webAddress } from "./git-address.ts";

export type PackageAddress = (
  | { kind: "git"; address: GitAddress }
  | { kind: "download"; url: string }
  /** An item of AnythingLLM's community hub, which answers with the address of an archive or with a flow. */
  | { kind: "hub"; url: string }
  /** The skills of a configured tool server. */
  | { kind: "server"; server: string }
) & {
  /** An address with the same meaning, for the record. */
  canonical: string;
  /** The owner of the package, if the address tells. */
  owner?: string | undefined;
  /** The skills that it names. */
  only?: string[] | undefined;
};

/** @throws PackageRefusal with the form that works, if the text does not tell a place */
export function packageAddress(text: string): PackageAddress {
  const words = wordsOf(text);
  const command = installCommand(words) ?? withFlags(words);
  const { place = words[0] ?? "", only = [], version } = command ?? {};
  if (command?.registry === "clawhub" && !place.includes(":")) return clawHub(place, version);
  const found = placeOf(place);
  const named = [...(found.only ?? []), ...only];
  return named.length === 0 ? found : { ...found, only: named };
}

/** The owner of a package from this address, as a part of ids; undefined if the address tells none. */
export function ownerOf(source: { kind: string; url?: string }): string | undefined {
  const { owner } = source.url === undefined ? {} : packageAddress(source.url);
  const plain = owner?.toLowerCase().replace(/[^a-z0-9-]+/g, "-");
  return plain?.replace(/^-+|(?<!-)-+$/g, "") || undefined;
}

/** The words of the first line that is an address or command; quotes and the brackets of chat platforms are taken off. */
function wordsOf(text: string): string[] {
  const [line = ""] = text.split("\n").filter((each) => each.trim() !== "");
  const plain = withoutInvisible(line)
    .trim()
    .replace(/^[$>]\s+/, "")
    .replace(/^\[[^\]]*\]\((\S+)\)$/, "$1")
    .replace(/^[`*“”„«(]+|(?<![`*“”»).,;])[`*“”»).,;]+$/g, "");
  return (plain.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) =>
    word.replace(/["']/g, "").replace(/^<([^|>]*)(?:\|[^>]*)?>$/, "$1"),
  );
}

interface InstallCommand {
  place: string;
  only?: string[];
  version?: string | undefined;
  registry?: "clawhub";
}

/** Commands that install skills elsewhere: the words before the place, and where short names are looked up. */
const commands: readonly [RegExp, registry?: "clawhub"][] = [
  [/^(?:skills?|add-skill|openskills)(?:@\S+)? (?:add|a|install|i) /],
  [/^add-skill(?:@\S+)? /],
  [/^(?:clawd?hub)(?:@\S+)? install /, "clawhub"],
  [/^openclaw skills install /, "clawhub"],
  [/^(?:\/|claude )plugins? marketplace add /],
  [/^(?:gemini|qwen) extensions (?:install|link) /],
  [/^(?:codex|copilot|droid) plugins? (?:marketplace add|install) /],
  [/^gh skills? (?:install|add) /],
  [/^gh repo clone /],
  [/^git clone /],
];

/** Flags of these commands that have a value, besides those that name skills or a version. */
const valued = /^(?:-a|--agent|-s|--scope|--source|--depth|--dir|--workdir|--registry|--path|-p|--target)$/;

function installCommand(words: readonly string[]): InstallCommand | undefined {
  const starter = /^(?:npx|bunx|pnpx|(?:pnpm|yarn) dlx|npm exec|pnpm exec)(?: (?:-y|--yes|--bun|--))* /;
  // A word may contain spaces.
  const line = words.map((word) => word.replaceAll(" ", "_")).join(" ");
  const begun = line.replace(starter, "");
  const found = commands.find(([form]) => form.test(begun));
  if (found === undefined) return undefined;
  const [form, registry] = found;
  const given = argumentsOf(words.slice(-begun.replace(form, "").split(" ").length));
  const [place, ...others] = given.places;
  if (place === undefined) throw unknownCommand(words);
  const only = begun.startsWith("gh skill") ? [...given.only, ...others] : given.only;
  const at = given.ref === undefined || place.includes("#") ? "" : `#${given.ref}`;
  return { place: `${place}${at}`, only, version: given.version, ...(registry && { registry }) };
}

/** A place with flags of such a command, but without the command. @throws PackageRefusal for another command */
function withFlags(words: readonly string[]): InstallCommand | undefined {
  if (words.length < 2) return undefined;
  const { places, ...given } = argumentsOf(words);
  const [place] = places;
  if (place === undefined || places.length > 1) throw unknownCommand(words);
  return { place, ...given };
}

interface Arguments {
  places: string[];
  only: string[];
  version?: string;
  ref?: string;
}

function argumentsOf(words: readonly string[]): Arguments {
  const given: Arguments = { places: [], only: [] };
  let flag = "";
  for (const word of words) {
    const [name, value] = word.startsWith("-") ? word.split(/=(.*)/s) : [undefined, word];
    if (name !== undefined) flag = name;
    if (value === undefined) continue;
    take(given, flag, value);
    // A list goes on until the next flag.
    if (!/^(?:--skills?|--only|-s|-a|--agent)$/.test(flag)) flag = "";
  }
  return given;
}

function take(given: Arguments, flag: string, value: string): void {
  const names = /^(?:--skills?|--only)$/.test(flag) || (flag === "-s" && given.places.length > 0);
  if (names && value !== "*") given.only.push(value);
  else if (flag === "--version") given.version = value;
  else if (/^(?:-b|--branch|--ref)$/.test(flag)) given.ref = value;
  else if (!names && (!valued.test(flag) || value.includes("/"))) given.places.push(value);
}

function placeOf(written: string): PackageAddress {
  const text = withProtocol(written);
  const hub = /^allm-community-id:([a-z-]+):([\w-]+)$/.exec(text);
  if (hub !== null) {
    const url = `https://hub.external.anythingllm.com/v1/${hub[1]}/${hub[2]}/pull`;
    return { kind: "hub", url, canonical: text };
  }
  if (text.startsWith("mcp:")) return { kind: "server", server: text.slice("mcp:".length), canonical: text };
  if (!/^(?:git\+)?https?:/i.test(text)) return shortForm(text);
  return listing(text) ?? fromUrl(text);
}

/** `github.com/…`, `git@host:…` and `ssh://…` as https; without a password nothing else is fetched. */
function withProtocol(text: string): string {
  const scp = /^[\w.-]+@([\w.-]+):(?!\/\/)(?:\d+\/)?(.+)$/.exec(text);
  if (scp !== null) return `https://${scp[1]}/${withGit(scp[2])}`;
  const ssh = /^(?:git|(?:git\+)?ssh):\/\/(?:[\w.-]+@)?([\w.-]+)(?::\d+)?\/(.+)$/.exec(text);
  if (ssh !== null) return `https://${ssh[1]}/${withGit(ssh[2])}`;
  const [host = ""] = text.split("/");
  const isHost =
    forges.has(host) || /^(?:(?:www\.)?skills\.sh|clawd?hub\.(?:ai|com)|gist\.github\.com)$/.test(host);
  return isHost ? `https://${text}` : text;
}

function withGit(path = ""): string {
  const [, repository = "", fragment = ""] = /^([^#]*?)(?:\.git)?\/?(#.*)?$/.exec(path) ?? [];
  return `${repository}.git${fragment}`;
}

/** Forges by the prefixes that installers use. */
const prefixes: Readonly<Record<string, string>> = {
  github: "github.com",
  gh: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
  codeberg: "codeberg.org",
};

/** `owner/name`, with `@skill`, `/folder` or `#branch`, on GitHub unless a prefix says where. */
function shortForm(text: string): PackageAddress {
  const form = /^(?:(\w+):)?([\w.-]+)\/([\w.-]+?)(?:\.git)?((?:\/[^@#]+)?)(?:#([^@]+))?(?:@(.+))?$/.exec(
    text.replace(/\/$/, ""),
  );
  const [, prefix = "github", owner = "", name = "", folder = "", ref, skill] = form ?? [];
  const host = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : undefined;
  if (form === null || host === undefined || /^\.+$/.test(owner)) throw noPlace(text);
  const at = folder === "" ? (ref ?? "") : `${ref ?? "HEAD"}:${folder.slice(1)}`;
  const found = fromUrl(`https://${host}/${owner}/${name}.git${at === "" ? "" : `#${at}`}`);
  return skill === undefined ? found : { ...found, only: [skill] };
}

/** A page of a listing of skills. @throws PackageRefusal for one that names no place */
function listing(text: string): PackageAddress | undefined {
  const url = webAddress(text.replace(/^git\+/, ""));
  const host = url.hostname.toLowerCase().replace(/^www\./, "");
  const [first = "", second = "", third] = url.pathname.split("/").filter((part) => part !== "");
  if (host === "skills.sh") {
    if (second === "" || first === "site") throw noRepository(text, "OWNER/REPOSITORY");
    const found = shortForm(`${first}/${second}`);
    return third === undefined ? found : { ...found, only: [third] };
  }
  if (!/^clawd?hub\.(?:ai|com)$/.test(host) || first === "api") return undefined;
  if (first === "") throw noRepository(text, "`clawhub install NAME`");
  return clawHub(second === "" || first === "skills" ? second || first : `${first}/${second}`);
}

/** The archive of a skill of ClawHub: `name`, `owner/name` or `@owner/name`. */
function clawHub(place: string, version?: string): PackageAddress {
  const [name = "", owner] = place.replace(/^@/, "").split("/").toReversed();
  if (!/^[\w.-]+$/.test(name)) throw noPlace(place);
  const url = new URL("https://clawhub.ai/api/v1/download");
  url.searchParams.set("slug", name);
  if (version !== undefined) url.searchParams.set("version", version);
  return { kind: "download", url: url.href, canonical: url.href, owner };
}

function fromUrl(text: string): PackageAddress {
  const address = gitAddress(text);
  if (address === undefined) {
    const url = rawAddress(webAddress(text));
    const [owner, ...rest] = url.pathname.split("/").filter((part) => part !== "");
    const isOwned = rest.length > 0 && forges.has(url.hostname);
    return { kind: "download", url: url.href, canonical: text, owner: isOwned ? owner : undefined };
  }
  const { repository, ref, folder } = address;
  const [owner, ...rest] = repository.pathname.split("/").filter((part) => part !== "");
  const at = folder === undefined ? (ref ?? "") : `${ref ?? "HEAD"}:${folder}`;
  const marked = /\.git\/?$/.test(repository.pathname) ? repository.href : `git+${repository.href}`;
  const canonical = `${marked}${at === "" ? "" : `#${encodeURI(at)}`}`;
  return { kind: "git", address, canonical, owner: rest.length === 0 ? undefined : owner };
}

const forms =
  "What works: the https address of a repository, of a folder in it or of an archive, OWNER/REPOSITORY on GitHub, OWNER/REPOSITORY@SKILL, or `clawhub install NAME`.";

function noPlace(text: string): PackageRefusal {
  const message = `${shownName(text)} does not say where the package is. Nothing was fetched. ${forms}`;
  return new PackageRefusal("unsupported_address", message);
}

function noRepository(text: string, form: string): PackageRefusal {
  const message = `The page ${shownName(text)} lists skills; it is none. Nothing was fetched; open the skill there, and give its repository as ${form}.`;
  return new PackageRefusal("unsupported_address", message);
}

/** A command that is not known, or that names no place. */
function unknownCommand(words: readonly string[]): PackageRefusal {
  const line = words.join(" ");
  const [, name, market] = /\bplugins? install (\S+?)(?:@(\S+))?$/.exec(line) ?? [];
  const message =
    name === undefined
      ? `${shownName(line)} is a command, and commands are not run. Nothing was fetched. ${forms}`
      : `The plugin ${shownName(name)} is looked up in a marketplace${market === undefined ? "" : ` called ${shownName(market)}`}, whose place this line does not say. Nothing was fetched; give the repository that its line \`/plugin marketplace add OWNER/REPOSITORY\` names.`;
  return new PackageRefusal("unsupported_address", message);
}
