import { basename } from "node:path";
import { parsedJson } from "../../base/json-reader.ts";
import { editDistance } from "../../base/nearest-name.ts";
import { isRecord } from "../../base/record.ts";
import {
  type Capability,
  type Code,
  excerptOf,
  type FileRule,
  maxReviewed,
  type ReviewSubject,
  type Severity,
} from "../review-subject.ts";
import meanings from "./meanings.json" with { type: "json" };
import names from "./names.json" with { type: "json" };

/** The real kind of a file, whatever its name: programs, installers, files that no review can read. */
export const fileKindRule: FileRule = ({ content, path, bytes, executable }) => {
  const finding = (severity: Severity, code: Code, message: string = meanings[code]) => [
    { severity, code, message, path },
  ];
  if (content === "program") return finding("danger", "binary_program");
  if (content === "zip") return finding("info", "packed_document");
  if (content === "text") {
    const part = `Only its first ${maxReviewed / 1_000} kB were reviewed.`;
    return bytes > maxReviewed ? finding("warning", "partly_reviewed", part) : [];
  }
  if (!executable && media.test(path)) return [];
  const isCode = executable || /\.(?:pyc|class|jar|so|dll|dylib|node|wasm)$/i.test(path);
  return finding(isCode ? "warning" : "info", "binary_file");
};

/** Pictures, sounds and fonts, if their first bytes are not those of a program. */
const media = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|mp3|wav|ogg|m4a|mp4|webm|mov|woff2?|ttf|otf|pdf)$/i;
const hooks = ["preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare"];
const manifests =
  /^(?:requirements[\w.-]*\.txt|pyproject\.toml|pipfile|setup\.py|gemfile|go\.mod|cargo\.toml)$/;

/** Manifests: what installing the package's dependencies would fetch and run. */
export const manifestRule: FileRule = ({ path, raw }) => {
  const name = basename(path).toLowerCase();
  if (name === "package.json") return npmFindings(raw, path);
  if (!manifests.test(name)) return [];
  const listed = raw.slice(0, 50_000).match(/(?<=^[\s"']{0,8})[A-Za-z][\w.-]{2,60}/gm);
  return dependencies(listed ?? [], path);
};

function npmFindings(raw: string, path: string): Capability[] {
  // A manifest that no program can read starts nothing either.
  const manifest = membersOf(parsedJson(raw));
  const scripts = membersOf(manifest.scripts);
  const started = hooks.flatMap((hook): Capability[] => {
    const script = scripts[hook];
    if (typeof script !== "string") return [];
    const message = `It runs a command by itself when its dependencies are installed (${hook}).`;
    const runs = /\b(?:node|sh|bash|python3?|curl|wget|deno|bun|eval)\b/.test(script);
    const severity = runs ? "warning" : "info";
    return [{ severity, code: "install_script", message, path, excerpt: excerptOf(script) }];
  });
  const wanted = { ...membersOf(manifest.dependencies), ...membersOf(manifest.optionalDependencies) };
  const listed = Object.keys(wanted);
  return listed.length === 0 ? started : [...started, ...dependencies(listed, path)];
}

function membersOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** What is to be installed, and which of it is a letter away from a popular package. */
function dependencies(wanted: readonly string[], path: string): Capability[] {
  const popular = names.popular.split(" ");
  const alike = wanted.slice(0, 500).flatMap((written): Capability[] => {
    const name = written.toLowerCase().replaceAll("_", "-");
    const meant = popular.find((each) => each.length >= 5 && editDistance(each, name) === 1);
    if (meant === undefined || popular.includes(name)) return [];
    const message = `It depends on ${written}, which is easily mistaken for ${meant}.`;
    return [{ severity: "warning", code: "similar_name", message, path }];
  });
  const excerpt = wanted.length > 0 ? { excerpt: excerptOf(wanted.join(", ")) } : {};
  const { dependencies: message } = meanings;
  return [...alike, { severity: "info", code: "dependencies", message, path, ...excerpt }];
}

/** Hidden files: loaders do not show them to the agent, but scripts can use them. */
export const hiddenFileRule: FileRule = (file) => {
  const part = file.path.split("/").find((each) => each.startsWith("."));
  if (
    part === undefined ||
    /^\.(?:gitignore|gitattributes|editorconfig|prettierrc|eslintrc|npmignore|gitkeep|github)/.test(part)
  )
    return [];
  const isSettings = /^\.env/.test(part) && !/example|sample|template/.test(part);
  const message = isSettings
    ? "It contains somebody's settings, which may include secrets."
    : "It is a hidden file, which people easily miss.";
  return [{ severity: isSettings ? "warning" : "info", code: "hidden_file", message, path: file.path }];
};

/** Letters that look like Latin ones (Unicode TR39, the frequent ones of Cyrillic, Greek and digits). */
const lookalikes = new Map(names.lookalikes.split(" ").map(([letter = "", latin = ""]) => [letter, latin]));

/** Names that can be mistaken for those of a skill that ships, or that mix scripts to look like another. */
export function nameFindings({ skill, shipped }: ReviewSubject): Capability[] {
  if (skill.origin.source === "bundled") return [];
  const findings: Capability[] = [];
  if (/\p{Script=Latin}/u.test(skill.id) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(skill.id)) {
    const message = `Its name ${skill.id} mixes letters of several scripts, so that it looks like another name.`;
    findings.push({ severity: "danger", code: "similar_name", message });
  }
  for (const { id } of shipped) {
    if (id === skill.id) continue;
    const looksAlike = skeleton(id) === skeleton(skill.id);
    if (!looksAlike && !(id.length >= 6 && editDistance(id, skill.id.toLowerCase()) <= 1)) continue;
    const message = `Its name ${skill.id} is easily mistaken for ${id}, which ships with the bot.`;
    findings.push({ severity: looksAlike ? "danger" : "warning", code: "similar_name", message });
  }
  return findings;
}

function skeleton(id: string): string {
  const folded = id.normalize("NFKC").toLowerCase().replaceAll("rn", "m").replaceAll("vv", "w");
  return [...folded.replace(/[-_.]/g, "")].map((letter) => lookalikes.get(letter) ?? letter).join("");
}
