import { basename } from "node:path";
import { parsedJson } from "../../base/json-reader.ts";
import { editDistance } from "../../base/nearest-name.ts";
import type { PackageFinding } from "../../core/skill/packages.ts";
import {
  excerptOf,
  type FileRule,
  maxReviewed,
  placeIn,
  type ReviewedFile,
  type ReviewSubject,
} from "../review-subject.ts";

/** The real kind of a file, whatever its name: programs, installers, files that no review can read. */
export const fileKindRule: FileRule = (file) => {
  const finding = (severity: PackageFinding["severity"], code: string, message: string): PackageFinding[] => [
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
    return finding("warning", "binary_file", "It is not text, and was not reviewed.");
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

const unreviewedSoftware =
  "It names software that has to be installed for the skill; that software was not reviewed.";

const hooks = ["preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare"];

/** Manifests: what installing the package's dependencies would fetch and run. */
export const manifestRule: FileRule = (file) => {
  const name = basename(file.path).toLowerCase();
  if (name === "package.json") return npmFindings(file);
  if (
    /^(?:requirements[\w.-]*\.txt|pyproject\.toml|pipfile|setup\.py|gemfile|go\.mod|cargo\.toml)$/.test(name)
  ) {
    return [{ severity: "info", code: "dependencies", message: unreviewedSoftware, path: file.path }];
  }
  if (/(?:^|\/)node_modules\/[^/]+$/.test(file.path)) return [];
  if (name === "skill.md") return installBlock(file);
  return [];
};

function npmFindings({ raw, path }: ReviewedFile): PackageFinding[] {
  // A manifest that no program can read starts nothing either.
  const manifest = objectOf(parsedJson(raw));
  const scripts = objectOf(manifest?.scripts);
  const findings: PackageFinding[] = [];
  for (const hook of hooks) {
    const script = scripts?.[hook];
    if (typeof script !== "string") continue;
    const message = `It runs a command by itself when its dependencies are installed (${hook}).`;
    findings.push({ severity: "warning", code: "install_script", message, path, excerpt: excerptOf(script) });
  }
  const names = Object.keys({
    ...objectOf(manifest?.dependencies),
    ...objectOf(manifest?.optionalDependencies),
  });
  if (names.length > 0) {
    const excerpt = excerptOf(names.join(", "));
    findings.push({ severity: "info", code: "dependencies", message: unreviewedSoftware, path, excerpt });
  }
  return findings;
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** The installers that OpenClaw packages name in their frontmatter; they are never run here. */
function installBlock(file: ReviewedFile): PackageFinding[] {
  const end = file.raw.indexOf("\n---", 3);
  if (!file.raw.startsWith("---") || end === -1) return [];
  return file.raw
    .slice(0, Math.min(end, 50_000))
    .split("\n")
    .flatMap((line, at): PackageFinding[] => {
      const kind = /["']?kind["']?\s*:\s*["']?(download|brew|node|npm|go|uv|pip|apt|cargo)\b/.exec(line)?.[1];
      if (kind === undefined) return [];
      const place = placeIn(file, at + 1, line);
      if (kind === "download") {
        const message = "It wants a program downloaded from an address of its own.";
        return [{ severity: "warning", code: "downloads_program", message, ...place }];
      }
      const message = `It wants software installed (${kind}).`;
      return [{ severity: "info", code: "installs_software", message, ...place }];
    });
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

/** Modules of Python's own library (`sys.stdlib_module_names` of 3.11, and later additions). */
const pythonModules = new Set(
  [
    "abc aifc annotationlib argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect",
    "builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall",
    "compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses",
    "datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl",
    "filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp",
    "gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress itertools json keyword",
    "linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc",
    "nntplib nturl2path numbers opcode operator optparse os pathlib pdb pickle pickletools pipes pkgutil platform",
    "plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pyexpat queue quopri",
    "random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal",
    "site smtpd smtplib sndhdr socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics",
    "string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile",
    "termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle",
    "types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc",
    "zipapp zipfile zipimport zlib zoneinfo",
  ]
    .join(" ")
    .split(" "),
);

/**
 * Modules that Python prefers to its own. The folders of a skill come first where its scripts look for modules, and no skill's folders are
 * searched for another's.
 */
export function moduleFindings({ files }: ReviewSubject): PackageFinding[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path }): PackageFinding[] => {
    const [, folder = "", name = ""] =
      /^((?:[^/]+\/)*)(?!__init__\.)([A-Za-z_]\w*)(?:\/__init__)?\.(?:pyc?|(?:[\w-]{1,60}\.)?so)$/.exec(
        path,
      ) ?? [];
    if (name === "sitecustomize" || name === "usercustomize") {
      const message =
        "Python runs it by itself before each of the skill's scripts (not before those of other skills).";
      return [{ severity: "warning", code: "runs_by_itself", message, path }];
    }
    if (!pythonModules.has(name)) return [];
    // Names of modules in a package begin with the package's name, unless a script next to them is started.
    const severity = paths.has(`${folder}__init__.py`) ? "info" : "warning";
    const message = `The skill's scripts get it in place of Python's own module ${name} (scripts of other skills do not).`;
    return [{ severity, code: "shadows_module", message, path }];
  });
}

/** Letters that look like Latin ones (Unicode TR39, the frequent ones of Cyrillic, Greek and digits). */
const lookalikes: ReadonlyMap<string, string> = new Map(
  "аa еe оo рp сc уy хx іi јj ѕs һh кk мm тt вb нh αa εe οo ρp νv ιi κk τt υu χx ɡg ӏl ԁd ԛq ԝw 0o 1l 3e 5s |l il"
    .split(" ")
    .map(([letter = "", latin = ""]) => [letter, latin]),
);

/** Names that can be mistaken for those of a skill that ships, or that mix scripts to look like another. */
export function nameFindings({ skill, shipped }: ReviewSubject): PackageFinding[] {
  if (skill.origin.source === "bundled") return [];
  const findings: PackageFinding[] = [];
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
