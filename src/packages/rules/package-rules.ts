import { basename } from "node:path";
import { parsedJson } from "../../base/json-reader.ts";
import { editDistance } from "../../base/nearest-name.ts";
import {
  type Capability,
  excerptOf,
  type FileRule,
  maxReviewed,
  type ReviewedFile,
  type ReviewSubject,
} from "../review-subject.ts";
import { meanings } from "./meanings.ts";

/** The real kind of a file, whatever its name: programs, installers, files that no review can read. */
export const fileKindRule: FileRule = (file) => {
  const finding = (severity: Capability["severity"], code: string, message: string): Capability[] => [
    { severity, code, message, path: file.path },
  ];
  if (file.content === "program") {
    return finding("danger", "binary_program", "It is a compiled program, which no review can read.");
  }
  if (file.content === "zip") {
    return finding("info", "packed_document", "It is an office document; what is in it was not reviewed.");
  }
  if (file.content !== "text") {
    if (isMedia(file)) return [];
    const isCode = file.executable || /\.(?:pyc|class|jar|so|dll|dylib|node|wasm)$/i.test(file.path);
    return finding(isCode ? "warning" : "info", "binary_file", "It is not text, and was not reviewed.");
  }
  if (file.bytes > maxReviewed) {
    const message = `Only its first ${maxReviewed / 1_000} kB were reviewed.`;
    return finding("warning", "partly_reviewed", message);
  }
  return [];
};

/** Pictures, sounds and fonts: their first bytes are not those of a program, and their ending is known. */
function isMedia({ path, executable }: ReviewedFile): boolean {
  return (
    !executable &&
    /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|mp3|wav|ogg|m4a|mp4|webm|mov|woff2?|ttf|otf|pdf)$/i.test(path)
  );
}

const hooks = ["preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare"];

/** Packages that most people install, of Python and npm. */
const popular =
  "requests numpy pandas matplotlib scipy pillow django flask fastapi httpx aiohttp openai anthropic beautifulsoup4 selenium playwright pyyaml python-dateutil python-dotenv cryptography scikit-learn tensorflow pydantic sqlalchemy openpyxl tabulate colorama express lodash axios react webpack commander typescript dotenv moment chalk puppeteer cheerio node-fetch".split(
    " ",
  );

/** Manifests: what installing the package's dependencies would fetch and run. */
export const manifestRule: FileRule = (file) => {
  const name = basename(file.path).toLowerCase();
  if (name === "package.json") return npmFindings(file);
  if (
    !/^(?:requirements[\w.-]*\.txt|pyproject\.toml|pipfile|setup\.py|gemfile|go\.mod|cargo\.toml)$/.test(name)
  )
    return [];
  const listed = [...file.raw.slice(0, 50_000).matchAll(/^[\s"']{0,8}([A-Za-z][\w.-]{2,60})/gm)].map(
    ([, each = ""]) => each,
  );
  return [
    { severity: "info", code: "dependencies", message: meanings.dependencies, path: file.path },
    ...typos(listed, file.path),
  ];
};

/** Dependencies that are a letter away from a popular one. */
function typos(names: readonly string[], path: string): Capability[] {
  return names.slice(0, 500).flatMap((written): Capability[] => {
    const name = written.toLowerCase().replaceAll("_", "-");
    const meant = popular.find((each) => each.length >= 5 && editDistance(each, name) === 1);
    if (meant === undefined || popular.includes(name)) return [];
    const message = `It depends on ${written}, which is easily mistaken for ${meant}.`;
    return [{ severity: "warning", code: "similar_name", message, path }];
  });
}

function npmFindings({ raw, path }: ReviewedFile): Capability[] {
  // A manifest that no program can read starts nothing either.
  const manifest = objectOf(parsedJson(raw));
  const scripts = objectOf(manifest?.scripts);
  const findings: Capability[] = [];
  for (const hook of hooks) {
    const script = scripts?.[hook];
    if (typeof script !== "string") continue;
    const message = `It runs a command by itself when its dependencies are installed (${hook}).`;
    const isOwn = /\b(?:node|sh|bash|python3?|curl|wget|deno|bun|eval)\b/.test(script);
    findings.push({
      severity: isOwn ? "warning" : "info",
      code: "install_script",
      message,
      path,
      excerpt: excerptOf(script),
    });
  }
  const names = Object.keys({
    ...objectOf(manifest?.dependencies),
    ...objectOf(manifest?.optionalDependencies),
  });
  if (names.length > 0) {
    const excerpt = excerptOf(names.join(", "));
    findings.push(...typos(names, path));
    findings.push({ severity: "info", code: "dependencies", message: meanings.dependencies, path, excerpt });
  }
  return findings;
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
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
const lookalikes: ReadonlyMap<string, string> = new Map(
  "аa еe оo рp сc уy хx іi јj ѕs һh кk мm тt вb нh αa εe οo ρp νv ιi κk τt υu χx ɡg ӏl ԁd ԛq ԝw 0o 1l 3e 5s |l il"
    .split(" ")
    .map(([letter = "", latin = ""]) => [letter, latin]),
);

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
