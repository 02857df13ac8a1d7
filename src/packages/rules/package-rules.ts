import { basename } from "node:path";
import { parsedJson } from "../../base/json-reader.ts";
import { editDistance } from "../../base/nearest-name.ts";
import { isRecord } from "../../base/record.ts";
import type { PackageFinding } from "../../core/skill/packages.ts";
import {
  type Code,
  excerptOf,
  type FileRule,
  maxReviewed,
  type ReviewSubject,
  type Severity,
} from "../review-subject.ts";
import meanings from "./meanings.json" with { type: "json" };
import names from "./names.json" with { type: "json" };

/** Pictures, sounds and fonts, if their first bytes are not those of a program. */
const media = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|mp3|wav|ogg|m4a|mp4|webm|mov|woff2?|ttf|otf|pdf)$/i;
const compiled = /\.(?:pyc|class|jar|so|dll|dylib|node|wasm)$/i;
const ordinaryHidden =
  /^\.(?:gitignore|gitattributes|editorconfig|prettierrc|eslintrc|npmignore|gitkeep|github)/;
const manifests =
  /^(?:requirements[\w.-]*\.txt|pyproject\.toml|pipfile|setup\.py|gemfile|go\.mod|cargo\.toml)$/;
const hooks = ["preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare"];

function found(
  path: string,
  severity: Severity,
  code: Code,
  message: string = meanings[code],
): PackageFinding {
  return { severity, code, message, path };
}

/** The real kind of a file, whatever its name: programs, files that no review can read, and hidden ones, which people easily miss. */
export const fileKindRule: FileRule = ({ content, path, bytes, executable }) => {
  const findings: PackageFinding[] = [];
  if (content === "program") findings.push(found(path, "danger", "binary_program"));
  else if (content === "zip") findings.push(found(path, "info", "packed_document"));
  else if (content !== "text" && (executable || !media.test(path)))
    findings.push(found(path, executable || compiled.test(path) ? "warning" : "info", "binary_file"));
  else if (content === "text" && bytes > maxReviewed)
    findings.push(
      found(path, "warning", "partly_reviewed", `Only its first ${maxReviewed / 1_000} kB were reviewed.`),
    );
  const hidden = path.split("/").find((part) => part.startsWith("."));
  if (hidden === undefined || ordinaryHidden.test(hidden)) return findings;
  const isSettings = /^\.env/.test(hidden) && !/example|sample|template/.test(hidden);
  const message = "It contains somebody's settings, which may include secrets.";
  return [
    ...findings,
    isSettings ? found(path, "warning", "hidden_file", message) : found(path, "info", "hidden_file"),
  ];
};

/** Manifests: what installing the package's dependencies would fetch and run. */
export const manifestRule: FileRule = ({ path, raw }) => {
  const name = basename(path).toLowerCase();
  // A manifest that no program can read starts nothing either.
  const manifest = name === "package.json" ? membersOf(parsedJson(raw)) : {};
  const scripts = membersOf(manifest.scripts);
  const started = hooks.flatMap((hook): PackageFinding[] => {
    const script = scripts[hook];
    if (typeof script !== "string") return [];
    const runs = /\b(?:node|sh|bash|python3?|curl|wget|deno|bun|eval)\b/.test(script);
    return [
      {
        ...found(path, runs ? "warning" : "info", "install_script"),
        excerpt: excerptOf(`${hook}: ${script}`),
      },
    ];
  });
  const required = { ...membersOf(manifest.dependencies), ...membersOf(manifest.optionalDependencies) };
  const listed = manifests.test(name)
    ? raw.slice(0, 50_000).match(/(?<=^[\s"']{0,8})[A-Za-z][\w.-]{2,60}/gm)
    : [];
  const wanted = [...Object.keys(required), ...(listed ?? [])];
  if (wanted.length === 0) return started;
  const excerpt = excerptOf(wanted.join(", "));
  return [...started, ...mistaken(wanted, path), { ...found(path, "info", "dependencies"), excerpt }];
};

function membersOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Dependencies that are a letter away from a popular package. */
function mistaken(wanted: readonly string[], path: string): PackageFinding[] {
  const popular = names.popular.split(" ");
  return wanted.slice(0, 500).flatMap((written) => {
    const name = written.toLowerCase().replaceAll("_", "-");
    const meant = popular.find((each) => each.length >= 5 && editDistance(each, name) === 1);
    if (meant === undefined || popular.includes(name)) return [];
    return [
      found(
        path,
        "warning",
        "similar_name",
        `It depends on ${written}, which is easily mistaken for ${meant}.`,
      ),
    ];
  });
}

/** Letters that look like Latin ones (Unicode TR39, the frequent ones of Cyrillic, Greek and digits). */
const lookalikes = new Map(names.lookalikes.split(" ").map(([letter = "", latin = ""]) => [letter, latin]));

/** A name that can be mistaken for that of a skill that ships. */
export function nameFindings({ skill: { id, origin }, shipped }: ReviewSubject): PackageFinding[] {
  if (origin.source === "bundled") return [];
  return shipped.flatMap((other) => {
    const looksAlike = skeleton(other.id) === skeleton(id);
    const isNear = other.id.length >= 6 && editDistance(other.id, id.toLowerCase()) <= 1;
    if (other.id === id || !(looksAlike || isNear)) return [];
    const message = `Its name ${id} is easily mistaken for ${other.id}, which ships with the bot.`;
    return [{ severity: looksAlike ? "danger" : "warning", code: "similar_name", message }];
  });
}

function skeleton(id: string): string {
  const folded = id.normalize("NFKC").toLowerCase().replaceAll("rn", "m").replaceAll("vv", "w");
  return [...folded.replace(/[-_.]/g, "")].map((letter) => lookalikes.get(letter) ?? letter).join("");
}
