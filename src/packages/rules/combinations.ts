import type { ReviewedLine } from "../review-lines.ts";
import { type Capability, foundIn, type ReviewedFile, type ReviewSubject } from "../review-subject.ts";
import { hostsReached, type NamedAddress, oddPlace } from "./hosts.ts";

/** A statement that gives data to a host. */
const sends =
  /\.(?:post|put|patch)\s*\(|\bmethod\s*[:=]\s*"(?:POST|PUT|PATCH)|\brequest\s*\(\s*"(?:POST|PUT|PATCH)|\b(?:Request|urlopen)\s*\(.{0,300}\bdata\s*=|\burlopen\s*\([^()]{1,200},\s*\w|\s-X\s*"?(?:POST|PUT)|\s(?:--data\S*|--post-(?:data|file)\S*|-d|-F|-T|--upload-file|--form|--json)[\s="]|\b(?:send(?:all|to|Beacon|mail|_message|Mail)?|storbinary|put_object|putObject|upload_file\w*)\s*\(|\.end\s*\(\s*\w|\b(?:req\w*|sock\w*|conn\w*|client|writer|stream)\.write\s*\(|\bWebSocket\s*\(|\bparams\s*=|https?:\/\/[^\s"]{1,200}(?:\$?\{|"\s*\+)[^"}]{0,40}(?:text|data|content|part|chunk|body|payload|message|blob|encode|line|note|secret)|\bpath\s*:\s*"[^"]{0,200}(?:\$\{|"\s{0,4}\+)[^}"]{0,40}(?:text|data|content|part|chunk|body|payload|blob|encode)|\|\s*(?:nc|ncat|telnet|ssh|mail|sendmail)\s|\b(?:scp|rsync|sftp)\s[^|;]{0,200}\w:|\brclone\s+copy|\bgit\s+push\s+\S*:\/\/|\bgh\s+gist\s+create|>\s*\/dev\/(?:tcp|udp)\/|-Method\s+"?(?:POST|PUT)/i;
/** Gives a file or text whole: as a form, a body or an upload. */
const uploads =
  /\bfiles\s{0,4}=\s{0,4}[{[]|\s(?:-F|--form)\s{0,4}"?[\w-]+=[@<]|\s-T\s|--upload-file|--post-file|--data(?:-binary|-raw)?[\s=]+"?@|\b(?:upload_file\w*|storbinary)\s{0,4}\(|\b(?:sendmail|post|put|Request|urlopen)\s{0,4}\(.{0,300}(?:\bopen\s{0,4}\(|\bread(?:_text|_bytes|FileSync|File)?\s{0,4}\()|\b(?:scp|rsync|sftp)\s|\b(?:cat|tar|zip|gzip|base64|env|printenv|history)\s[^;|]{0,100}(?:\|[^;|]{0,60}){0,2}\|\s{0,4}(?:curl|wget|nc|ncat|ssh|mail)\b/;
/** Takes in a whole text or file that it was given. */
const readsInput =
  /\bstdin\.(?:buffer\.)?read\(|\bopen\(\s{0,4}(?:sys\.argv|args?\.)|readFile(?:Sync)?\(\s{0,4}(?:process\.argv|args|0\b)|\bcat\s{1,4}"?\$\{?[1@]|\$\(\s{0,4}<\s{0,4}"?\$1|\bPath\(\s{0,4}(?:sys\.argv|args?\.)[^()]{0,60}\)\.read_(?:text|bytes)|\bfor\s{1,4}\w+\s{1,4}in\s{1,4}sys\.stdin\b/;
/** A request with a key that the person who set the skill up has for an account there. */
const withOwnKey =
  /(?:environ|getenv|process\.env|\bENV)\W{0,6}(?:get\W{0,3})?\w{0,40}(?:KEY|TOKEN|SECRET|PASS|AUTH|WEBHOOK|URL|HOST)|\$\{?\w{0,40}(?:_KEY|_TOKEN|TOKEN\b|KEY\b)|\b(?:args?|opts?|options|config|settings|cfg)\b\W{0,3}\w{0,20}(?:key|token|url|host|server|webhook)/i;
const runsText =
  /(?<![.\w$])(?:eval|exec)\s{0,4}\((?!\s{0,4}")|\bnew\s{1,4}Function\s{0,4}\(|"(?:ba|z)?sh"\s{0,4},\s{0,4}\[?\s{0,4}"-\w*c"\s{0,4},\s{0,4}(?!")\w|\bos\.(?:system|popen)\s{0,4}\(\s{0,4}(?!")\w|\bexec(?:Sync)?\s{0,4}\(\s{0,4}\w+\s{0,4}[,)]|\b(?:run|call|Popen|check_output|check_call)\s{0,4}\(\s{0,4}(?!")[\w.]+\s{0,4},.{0,100}shell\s{0,4}=\s{0,4}True|\b(?:sh|bash|eval)\s{1,4}(?:-c\s{1,4})?"?\$\{?\w/;
const keepsProgram =
  /\bchmod\b|\.chmod\s*\(|\bspec_from_file_location\b|\bsys\.path\.(?:insert|append)\b.{0,60}(?:tmp|cache|download)/;
const decodesText =
  /\b(?:b64decode|atob|fromhex|unhexlify|decompress|marshal|a85decode|b85decode|b32decode)\b|\bfrom\s*\([^()]{1,60},\s*"(?:base64|hex)"/;
const sources = [
  "reads_credentials",
  "reads_whole_environment",
  "reads_identity",
  "reads_all_files",
] as const;

/** What code does by several capabilities together, and the purpose does not explain. */
export function combinations(subject: ReviewSubject, capabilities: readonly Capability[]): Capability[] {
  const code = subject.files.filter(({ role }) => role === "code");
  const paths = new Set(code.map(({ path }) => path));
  const gathered = capabilities.filter(
    ({ code: each, path = "" }) => sources.some((source) => source === each) && paths.has(path),
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

function overNetwork(
  file: ReviewedFile,
  own: Own,
  gathered: readonly Capability[],
  { purpose }: ReviewSubject,
): Capability[] {
  const isKnown = ({ place }: NamedAddress) => purpose.isAboutAttacks || purpose.names(place);
  const reached = file.statements.map((line) => ({ line, places: hostsReached(line.text) }));
  const strange = reached.flatMap(({ places }) => places.filter((each) => !isKnown(each)));
  const unknown = [...new Set(strange.map(({ host }) => host))];
  const find = (form: RegExp) => file.statements.find(({ text }) => form.test(text));
  const found: Capability[] = [];
  const odd = reached.find(
    ({ line, places }) => oddPlace(line.text) !== undefined && !places.some(isKnown),
  )?.line;
  if (odd !== undefined)
    found.push(foundIn(file, odd, "warning", "unusual_host", `It contacts ${oddPlace(odd.text)}.`));
  const run = own.has("minified") ? undefined : (find(runsText) ?? find(keepsProgram));
  if (run !== undefined && unknown.length > 0)
    found.push(foundIn(file, run, "warning", "runs_what_it_fetches"));
  const sent = find(sends);
  return sent === undefined
    ? found
    : [...found, sending(file, sent, gathered, { unknown, isOdd: odd !== undefined })];
}

/** What is sent, and whether the purpose explains that it goes there. */
function sending(
  file: ReviewedFile,
  sent: ReviewedLine,
  gathered: readonly Capability[],
  { unknown, isOdd }: { unknown: readonly string[]; isOdd: boolean },
): Capability {
  const to =
    unknown.length === 0
      ? "a host"
      : `${unknown.slice(0, 3).join(", ")}, which its description does not name`;
  const all = file.statements.map(({ text }) => text).join("\n");
  const hasKey = withOwnKey.test(all);
  const secret = gathered.find(({ code }) => code !== "reads_all_files" && code !== "reads_identity");
  const source = secret ?? (hasKey ? undefined : gathered[0]);
  if (source !== undefined && unknown.length > 0) {
    const message = `It gathers files, keys or variables and sends data to ${to}.`;
    const severity = isOdd && secret !== undefined ? "danger" : "warning";
    return { ...source, severity, code: "sends_what_it_finds", message };
  }
  const upload =
    file.statements.find(({ text }) => uploads.test(text)) ?? (readsInput.test(all) ? sent : undefined);
  const isStrange = upload !== undefined && unknown.length > 0 && !hasKey;
  const message = `It sends ${isStrange ? "files or texts" : "data"} to ${to}.`;
  return foundIn(file, upload ?? sent, isStrange ? "warning" : "info", "sends_data", message);
}

/** A command that a guide shows or data carries, which gives files or variables to a host. */
function commandsThatSend(file: ReviewedFile, { purpose }: ReviewSubject): Capability[] {
  const isSending = ({ role, text }: ReviewedLine) =>
    role !== "prose" && sendingCommand.test(text) && uploads.test(text) && !withOwnKey.test(text);
  return file.lines.filter(isSending).flatMap((line) => {
    const unknown = hostsReached(line.text).find(
      ({ place }) => !purpose.isAboutAttacks && !purpose.names(place),
    );
    const message = `It sends files or texts to ${unknown?.host}, which its description does not name.`;
    return unknown === undefined ? [] : [foundIn(file, line, "warning", "sends_data", message)];
  });
}

const sendingCommand = /\b(?:curl|wget|nc|ncat|scp|rsync|mail|ssh)\b/;

/** Code whose names or text come out of data. */
function fromData({ raw, statements }: ReviewedFile, own: Own, { purpose }: ReviewSubject): Capability[] {
  const dynamic = own.get("dynamic_code") ?? own.get("runs_programs");
  if (dynamic === undefined || own.has("minified") || purpose.isAboutAttacks) return [];
  const all = statements.map(({ text }) => text).join("\n");
  const readsData = /\bjson\.loads?\b|JSON\.parse|\.read\w*\s*\(|\bopen\s*\(|readFile/.test(raw);
  const isMade =
    (readsData && byNames.some(([loads, calls]) => loads.test(all) && calls.test(all))) ||
    (decodesText.test(all) && statements.some(({ text }) => runsText.test(text))) ||
    /(?<![.\w])(?:exec|eval)\s*\(\s*(?:\w+\s*\(\s*){0,2}(?:open\s*\(|Path\s*\(|\w+\.read|readFile)/.test(all);
  if (!isMade) return [];
  const message = "What it calls or runs comes out of data, so that no reader sees what it does.";
  return [{ ...dynamic, severity: "warning", code: "unreadable_code", message }];
}

/** A module and one of its functions, both by a name that is not written there. */
const byNames: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:require|import)\s*\(\s*[A-Za-z_$][\w$.[\]]*\s*\)/, /[\w$)\]]\[\s*[A-Za-z_$][\w$]*\s*\]\s*\(/],
  [/(?:\bimport_module|__import__)\s*\(\s*(?!")/, /\bgetattr\s*\([^,\n]{1,80},\s*(?!")\w/],
];
