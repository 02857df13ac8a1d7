import { basename } from "node:path";
import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import { editDistance } from "../../base/text/nearest-name.ts";
import type { PackageFinding } from "../../core/skill/packages.ts";
import { type FileRule, foundIn, maxReviewed, type ReviewSubject } from "../review-subject.ts";
import { hostsIn } from "./hosts.ts";
import { packages } from "./known-names.ts";

/** Pictures, sounds and fonts, if their first bytes are not those of a program. */
const media = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|mp3|wav|ogg|m4a|mp4|webm|mov|woff2?|ttf|otf|pdf)$/i;
const compiled = /\.(?:pyc|class|jar|so|dll|dylib|node|wasm)$/i;
const ordinaryHidden =
  /^\.(?:gitignore|gitattributes|editorconfig|prettierrc|eslintrc|npmignore|gitkeep|github|mcp\.json)/;
const manifests =
  /^(?:requirements[\w.-]*\.txt|pyproject\.toml|pipfile|setup\.py|gemfile|go\.mod|cargo\.toml)$/;
const hooks = /^(?:(?:pre|post)?(?:install|prepare))$/;
const installs =
  /\b(?:(?:pip3?|uv pip|pipx|uv tool)\s+install|uv add|(?:npm|pnpm|yarn|bun)\s+(?:install|i|add)|npx|uvx)((?:[ \t]+[\w@./=~^<>[\],-]{1,60}){1,12})/g;

/** The real kind of a file, whatever its name: programs, files that no review can read, and hidden ones. */
export const fileKindRule: FileRule = (file) => {
  const { content, path, bytes, executable } = file;
  const findings: PackageFinding[] = [];
  const found = foundIn.bind(undefined, file, {});
  if (content === "program") findings.push(found("danger", "binary_program"));
  else if (content === "zip") findings.push(found("info", "packed_document"));
  else if (content !== "text" && (executable || !media.test(path)))
    findings.push(found(executable || compiled.test(path) ? "warning" : "info", "binary_file"));
  const part = `Only its first ${maxReviewed / 1_000} kB were reviewed.`;
  if (content === "text" && bytes > maxReviewed) findings.push(found("warning", "partly_reviewed", part));
  const hidden = path.split("/").find((each) => each.startsWith(".") && !ordinaryHidden.test(each));
  const isSettings = hidden?.startsWith(".env") && !/example|sample|template/.test(hidden);
  const settings = "It contains somebody's settings, which may include secrets.";
  if (isSettings) findings.push(found("warning", "hidden_file", settings));
  else if (hidden !== undefined) findings.push(found("info", "hidden_file"));
  return findings;
};

/** Manifests: what installing the package's dependencies would fetch and run, and the tool servers it brings. */
export const manifestRule: FileRule = (file, { accounts }) => {
  const name = basename(file.path).toLowerCase();
  const isJson = name === "package.json" || name === ".mcp.json" || name === "mcp.json";
  // A manifest that no program can read starts nothing either.
  const manifest = isJson ? membersOf(parsedJson(file.raw)) : {};
  const started = Object.entries(membersOf(manifest.scripts)).flatMap(([hook, script]) => {
    if (!hooks.test(hook) || typeof script !== "string") return [];
    const runs = /\b(?:node|sh|bash|python3?|curl|wget|deno|bun|eval)\b/.test(script);
    return [foundIn(file, { text: `${hook}: ${script}` }, runs ? "warning" : "info", "install_script")];
  });
  const servers = Object.values(membersOf(manifest.mcpServers)).flatMap((server) => {
    const url = String(membersOf(server).url ?? "");
    const isStrange = hostsIn(url, false).some((host) => !accounts.named(host));
    const message = "It brings a tool server at a host that its description does not name.";
    return isStrange ? [foundIn(file, { text: url }, "warning", "unusual_host", message)] : [];
  });
  const listed = /(?<=^[\s"']{0,8}|[[,]\s{0,4}["'])[A-Za-z][\w.-]{2,60}/gm;
  const written = manifests.test(name) ? (file.raw.slice(0, 50_000).match(listed) ?? []) : [];
  const wanted = [...Object.keys(membersOf(manifest.dependencies)), ...written];
  const commanded = [...file.raw.slice(0, 50_000).matchAll(installs)].flatMap(([, list = ""]) =>
    list.split(/\s+/).flatMap((each) => /^[A-Za-z][\w.-]{2,60}[A-Za-z\d]/.exec(each)?.[0] ?? []),
  );
  const mistaken = [...new Set([...wanted, ...commanded])].slice(0, 500).flatMap((each) => {
    const plain = each.toLowerCase().replaceAll("_", "-");
    if (plain.length < 5 || packages.has(plain)) return [];
    const meant = [...packages].find((other) => other.length >= 5 && isNear(other, plain));
    const message = `It depends on ${each}, which is easily mistaken for ${meant}.`;
    return meant === undefined ? [] : [foundIn(file, {}, "warning", "similar_name", message)];
  });
  const all = wanted.length > 0 ? [foundIn(file, { text: wanted.join(", ") }, "info", "dependencies")] : [];
  return [...started, ...servers, ...mistaken, ...all];
};

const isNear = (one: string, other: string) =>
  Math.abs(one.length - other.length) <= 1 && editDistance(one, other) === 1;

function membersOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Letters that look like Latin ones (Unicode TR39, the frequent ones of Cyrillic, Greek and digits). */
const lookalikes = new Map(
  "аa еe оo рp сc уy хx іi јj ѕs һh кk мm тt вb нh αa εe οo ρp νv ιi κk τt υu χx ɡg ӏl ԁd ԛq ԝw 0o 1l 3e 5s |l il"
    .split(" ")
    .map(([letter = "", latin = ""]) => [letter, latin]),
);

/** A name that can be mistaken for that of a skill that ships. */
export function nameFindings({ skill: { id, origin }, shipped }: ReviewSubject): PackageFinding[] {
  if (origin.source === "bundled") return [];
  return shipped.flatMap((other) => {
    const looksAlike = skeleton(other.id) === skeleton(id);
    const isClose = other.id.length >= 6 && editDistance(other.id, id.toLowerCase()) <= 1;
    if (other.id === id || !(looksAlike || isClose)) return [];
    const message = `Its name ${id} is easily mistaken for ${other.id}, which ships with the bot.`;
    return [{ severity: looksAlike ? "danger" : "warning", code: "similar_name", message }];
  });
}

function skeleton(id: string): string {
  const folded = id.normalize("NFKC").toLowerCase().replaceAll("rn", "m").replaceAll("vv", "w");
  return [...folded.replace(/[-_.]/g, "")].map((letter) => lookalikes.get(letter) ?? letter).join("");
}
