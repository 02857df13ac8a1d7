import type { ReviewedLine } from "../review-lines.ts";
import { type Capability, foundIn, type ReviewedFile, type ReviewSubject } from "../review-subject.ts";
import { type Act, actsOf } from "./code-rules.ts";
import { hostsReached, type NamedAddress, oddPlace } from "./hosts.ts";

/** Gives a file or text whole: as a form, a body or an upload. */
const uploads =
  /\bfiles\s{0,4}=\s{0,4}[{[]|\s(?:-F|--form)\s{0,4}"?[\w-]+=[@<]|\s-T\s|--upload-file|--post-file|--data(?:-binary|-raw)?[\s=]+"?@|\b(?:upload_file\w*|storbinary)\s{0,4}\(|\b(?:scp|rsync|sftp)\s/;
const uploadsWhole =
  /\b(?:sendmail|post|put|Request|urlopen)\s{0,4}\(.{0,300}(?:\bopen\s{0,4}\(|\bread(?:_text|_bytes|FileSync|File)?\s{0,4}\()|\b(?:cat|tar|zip|gzip|base64|env|printenv|history)\s[^;|]{0,100}(?:\|[^;|]{0,60}){0,2}\|\s{0,4}(?:curl|wget|nc|ncat|ssh|mail)\b/;
/** A key that the person who set the skill up has for an account there, or an address they set. */
const ownKey =
  /(?:environ|getenv|process\.env|\bENV)\W{0,6}(?:get\W{0,3})?\w{0,40}(?:KEY|TOKEN|SECRET|PASS|AUTH|WEBHOOK|URL|HOST)|\$\{?\w{0,40}(?:_KEY|_TOKEN|TOKEN\b|KEY\b)|\b(?:args?|opts?|options|config|settings|cfg)\b\W{0,3}\w{0,20}(?:key|token|url|host|server|webhook)|\bAuthorization\b/i;
/** `OPENROUTER` of `OPENROUTER_API_KEY`. */
const keyNames =
  /\b(?!API|ACCESS|AUTH|CLIENT|SECRET|BASE|USER|KNACK)[A-Z][A-Z0-9]{3,30}(?=_(?:[A-Z]+_)?(?:KEY|TOKEN|SECRET)\b)/g;
const runsText =
  /(?<![.\w$])(?:eval|exec)\s{0,4}\((?!\s{0,4}")|\bnew\s{1,4}Function\s{0,4}\(|"(?:ba|z)?sh"\s{0,4},\s{0,4}\[?\s{0,4}"-\w*c"\s{0,4},\s{0,4}(?!")\w|\bos\.(?:system|popen)\s{0,4}\(\s{0,4}(?!")\w|\bexec(?:Sync)?\s{0,4}\(\s{0,4}\w+\s{0,4}[,)]/;
const runsProgram =
  /\b(?:run|call|Popen|check_output|check_call)\s{0,4}\(\s{0,4}(?!")[\w.]+\s{0,4},.{0,100}shell\s{0,4}=\s{0,4}True|\[\s*(?:sys\.executable|process\.execPath)\s*,\s*(?:\w+|"\/tmp[^"]{0,80}")\s*\]/;
const runsSaved =
  /\b(?:sh|bash|eval)\s{1,4}(?:-c\s{1,4})?"?\$\{?\w|\bchmod\b|\.chmod\s*\(|\bspec_from_file_location\b|\bsys\.path\.(?:insert|append)\b.{0,60}(?:tmp|cache|download)/;
/** Makes the name of a host of data and a domain. */
const domain =
  /"[\w-]{1,60}(?:\.[\w-]{1,60}){0,3}\.[a-z]{2,12}"\s*\]\s*\.join\("\."\)|[\w)\]]\s*\+\s*"\.(?:[\w-]{1,60}\.){1,3}[a-z]{2,12}"/;
/** A module and one of its functions, both by a name that is not written there. */
const byNames: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:require|import)\s*\(\s*[A-Za-z_$][\w$.[\]]*\s*\)/, /[\w$)\]]\[\s*[A-Za-z_$][\w$]*\s*\]\s*\(/],
  [/(?:\bimport_module|__import__)\s*\(\s*(?!")/, /\bgetattr\s*\([^,\n]{1,80},\s*(?!")\w/],
];
const secrets = ["reads_credentials", "reads_whole_environment"];
const sources = [...secrets, "reads_identity", "reads_all_files"];
const stays =
  /\b(?:offline|locally|local (?:processing|only)|(?:everything|all|nothing) (?:stays|leaves)|on this machine|no network|without (?:a )?network|never leaves?|nothing is sent)\b/i;

/** What flows through code from its sources to a host, and out of data into what runs, where the purpose does not explain it. */
export function flows(subject: ReviewSubject, capabilities: readonly Capability[]): Capability[] {
  const code = subject.files.filter(({ role }) => role === "code");
  const paths = new Set(code.map(({ path }) => path));
  const gathered = capabilities.filter(
    ({ code: each, path = "" }) => sources.includes(each) && paths.has(path),
  );
  return [
    ...code.flatMap((file) => {
      const own = new Map(
        capabilities
          .filter(({ path }) => path === file.path)
          .toReversed()
          .map((each) => [each.code, each]),
      );
      return [
        ...(own.has("network") ? overNetwork(file, own, gathered, subject) : []),
        ...fromData(file, own, subject),
      ];
    }),
    ...subject.files.filter(({ role }) => role !== "code").flatMap((file) => commandsThatSend(file, subject)),
  ];
}

type Own = ReadonlyMap<string, Capability>;

/** What the statements of a file do, and the hosts they name that the purpose does not. */
function statementsOf(file: ReviewedFile, { purpose }: ReviewSubject) {
  const names = file.statements.flatMap(({ text }) => text.match(keyNames) ?? []);
  const keyed = [...new Set(names.map((name) => name.toLowerCase()))];
  const isKnown = ({ host, place }: NamedAddress) =>
    purpose.isAboutAttacks || purpose.names(place) || keyed.some((name) => host.includes(name));
  return file.statements.map((line) => {
    const places = hostsReached(line.text);
    const unknown = places.filter((each) => !isKnown(each)).map(({ host }) => host);
    const isOdd = oddPlace(line.text) !== undefined && unknown.length === places.length;
    return { line, acts: actsOf(line.text), isNaming: places.length > 0, unknown, isOdd };
  });
}

function overNetwork(file: ReviewedFile, own: Own, gathered: readonly Capability[], subject: ReviewSubject) {
  const statements = statementsOf(file, subject);
  const does = (...wanted: Act[]) => statements.filter(({ acts }) => wanted.some((act) => acts.has(act)));
  const find = (...forms: RegExp[]) =>
    file.statements.find(({ text }) => forms.some((form) => form.test(text)));
  const found: Capability[] = [];
  const odd = statements.find(({ isOdd }) => isOdd)?.line;
  if (odd !== undefined)
    found.push(foundIn(file, odd, "warning", "unusual_host", `It contacts ${oddPlace(odd.text)}.`));
  const isStranger = statements.some(({ unknown }) => unknown.length > 0);
  const run = own.has("minified") || !isStranger ? undefined : find(runsText, runsProgram, runsSaved);
  if (run !== undefined) found.push(foundIn(file, run, "warning", "runs_what_it_fetches"));
  const named = does("looksUp").length === 0 ? undefined : find(domain);
  if (named !== undefined) found.push(foundIn(file, named, "warning", "sends_by_name"));
  const [sent] = [...does("posts"), ...does("queries")];
  if (sent === undefined) return found;
  // The hosts of the statements that send; where these name none, all of the file.
  const senders = does("posts", "queries").filter(({ isNaming }) => isNaming);
  const to = [...new Set((senders.length > 0 ? senders : statements).flatMap(({ unknown }) => unknown))];
  const place =
    to.length === 0 ? "a host" : `${to.slice(0, 3).join(", ")}, which its description does not name`;
  const isWhole = does("given").length > 0 && does("reads").length > 0;
  const whole = find(uploads, uploadsWhole) ?? (isWhole ? sent.line : undefined);
  const flow = {
    sent: sent.line,
    isPosted: sent.acts.has("posts"),
    whole,
    hasKey: find(ownKey) !== undefined,
  };
  return [
    ...found,
    sending(file, gathered, { ...flow, place, isStranger: to.length > 0, isOdd: odd !== undefined }, subject),
  ];
}

interface Flow {
  sent: ReviewedLine;
  isPosted: boolean;
  /** The statement that gives a file or text whole. */
  whole: ReviewedLine | undefined;
  hasKey: boolean;
  place: string;
  /** Whether the purpose does not name the place. */
  isStranger: boolean;
  isOdd: boolean;
}

/** What is sent, and whether the purpose explains that it goes there. */
function sending(
  file: ReviewedFile,
  gathered: readonly Capability[],
  { sent, isPosted, whole, hasKey, place, isStranger, isOdd }: Flow,
  { purpose, skill }: ReviewSubject,
): Capability {
  const secret = gathered.find((each) => secrets.includes(each.code));
  const source = secret ?? (hasKey ? undefined : gathered[0]);
  if (source !== undefined && isStranger) {
    const message = `It gathers files, keys or variables and sends data to ${place}.`;
    const severity = isOdd && secret !== undefined ? "danger" : "warning";
    return { ...source, severity, code: "sends_what_it_finds", message };
  }
  const isKeyed = hasKey && skill.requires.env.length > 0;
  const isStrange = (whole !== undefined && !isKeyed) || (isPosted && !hasKey) || stays.test(purpose.text);
  const message = `It sends ${whole === undefined ? "data" : "files or texts"} to ${place}.`;
  const severity = isStranger && isStrange ? "warning" : "info";
  return foundIn(file, whole ?? sent, severity, "sends_data", message);
}

/** A command that a guide shows or data carries, which gives files or variables to a host. */
function commandsThatSend(file: ReviewedFile, { purpose }: ReviewSubject): Capability[] {
  return file.lines.flatMap((line) => {
    const { role, text } = line;
    const isSending =
      role !== "prose" && /\b(?:curl|wget|nc|ncat|scp|rsync|mail|ssh)\b/.test(text) && !ownKey.test(text);
    if (!isSending || !(uploads.test(text) || uploadsWhole.test(text)) || purpose.isAboutAttacks) return [];
    const unknown = hostsReached(text).find(({ place }) => !purpose.names(place));
    const message = `It sends files or texts to ${unknown?.host}, which its description does not name.`;
    return unknown === undefined ? [] : [foundIn(file, line, "warning", "sends_data", message)];
  });
}

/** Code whose names or text come out of data. */
function fromData({ raw, statements }: ReviewedFile, own: Own, { purpose }: ReviewSubject): Capability[] {
  const dynamic = own.get("dynamic_code") ?? own.get("runs_programs");
  if (dynamic === undefined || own.has("minified") || purpose.isAboutAttacks) return [];
  const all = statements.map(({ text }) => text).join("\n");
  const isMade =
    (/\bjson\.loads?\b|JSON\.parse|\.read\w*\s*\(|\bopen\s*\(|readFile/.test(raw) &&
      byNames.some(([loads, calls]) => loads.test(all) && calls.test(all))) ||
    (actsOf(all).has("decodes") &&
      statements.some(({ text }) => [runsText, runsProgram, runsSaved].some((form) => form.test(text)))) ||
    /(?<![.\w])(?:exec|eval)\s*\(\s*(?:\w+\s*\(\s*){0,2}(?:open\s*\(|Path\s*\(|\w+\.read|readFile)/.test(all);
  const message = "What it calls or runs comes out of data, so that no reader sees what it does.";
  return isMade ? [{ ...dynamic, severity: "warning", code: "unreadable_code", message }] : [];
}
