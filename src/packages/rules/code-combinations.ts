import { type Capability, foundIn, type ReviewedFile, type ReviewSubject } from "../review-subject.ts";
import { addressesIn, oddPlace } from "./hosts.ts";

const sendsData =
  /\.(?:post|put|patch)\s*\(|\bmethod\s*[:=]\s*["'](?:POST|PUT|PATCH)|\b(?:Request|urlopen)\s*\(.{0,120}\bdata\s*=|\s-X\s*["']?(?:POST|PUT)|\s(?:--data\S*|-d|-F|-T|--upload-file|--form)[\s=]|\bsend(?:all|to|Beacon|mail|_message)?\s*\(|\.end\s*\(\s*\w|\bFormData\b|\bWebSocket\s*\(|\b(?:storbinary|put_object|putObject|upload_file)\s*\(|[?&]\w{1,20}=(?:\$\{|["'`]\s*\+|\{)|\bparams\s*=/;
/** Sends a file whole: as a form, a body or an upload. */
const uploads =
  /\bfiles\s*=\s*[{[]|\s(?:-F|--form)\s*["']?[\w-]+=@|\s-T\s|--upload-file|--data-binary\s+["']?@|\bupload_file\s*\(|\bstorbinary\s*\(|\bsendmail\s*\(.{0,120}\bopen\s*\(/;
/** Takes in a whole text or file that it was given. */
const readsInput =
  /\bstdin\.(?:buffer\.)?read\(|\bopen\(\s*(?:sys\.argv|args?\.)|readFile(?:Sync)?\(\s*(?:process\.argv|args|0\b)|\bcat\s+["']?\$\{?[1@]|\$\(\s*<\s*["']?\$1/;
/** A request with a key of the person who set the skill up, who has an account there. */
const withOwnKey =
  /\bAuthorization\b|\bBearer\b|x-api-key|api[_-]?key|access[_-]?token|auth=|[A-Z]_(?:KEY|TOKEN)\b/i;
const runsText =
  /(?<![.\w$])(?:eval|exec)\s*\((?!\s*["'`])|\bnew\s+Function\s*\(|["'](?:ba|z)?sh["']\s*,\s*["']-\w*c["']\s*,\s*(?!["'`])\w|\bos\.(?:system|popen)\s*\(\s*(?!f?["'`])\w|\bexecSync\s*\(\s*\w+\s*[,)]/;
const decodesText =
  /\b(?:b64decode|atob|fromhex|unhexlify|decompress|marshal)\b|\bfrom\s*\([^()]{1,60},\s*["'](?:base64|hex)["']/;

type Own = ReadonlyMap<string, Capability>;

/** What a file of code does by several capabilities together, and the purpose does not explain. */
export function codeCombinations(subject: ReviewSubject, capabilities: readonly Capability[]): Capability[] {
  return subject.files
    .filter(({ role }) => role === "code")
    .flatMap((file) => {
      const found = capabilities.filter(({ path }) => path === file.path).toReversed();
      const own = new Map(found.map((each) => [each.code, each]));
      return [
        ...(own.has("network") ? overNetwork(file, own, subject) : []),
        ...fromData(file, own, subject),
      ];
    });
}

function overNetwork(file: ReviewedFile, own: Own, { purpose }: ReviewSubject): Capability[] {
  const isKnown = ({ place }: { place: string }) => purpose.isAboutAttacks || purpose.names(place);
  const unknown = new Set(
    file.lines.flatMap(({ text }) => addressesIn(text)).flatMap((each) => (isKnown(each) ? [] : [each.host])),
  );
  const lineOf = (form: RegExp) => file.lines.find(({ text }) => form.test(text));
  const found: Capability[] = [];
  const odd = file.lines.find(({ text }) => oddPlace(text) !== undefined && !addressesIn(text).some(isKnown));
  if (odd !== undefined)
    found.push(foundIn(file, odd, "warning", "unusual_host", `It contacts ${oddPlace(odd.text)}.`));
  const run = own.has("minified") ? undefined : lineOf(runsText);
  if (run !== undefined && unknown.size > 0)
    found.push(
      foundIn(
        file,
        run,
        "warning",
        "runs_what_it_fetches",
        "It fetches text from the network and may run it as a program.",
      ),
    );
  const sent = lineOf(sendsData);
  return sent === undefined
    ? found
    : [...found, sending(file, sent, own, { unknown, isOdd: odd !== undefined })];
}

/** What is sent, and whether the purpose explains that it goes there. */
function sending(
  file: ReviewedFile,
  sent: ReviewedFile["lines"][number],
  own: Own,
  { unknown, isOdd }: { unknown: ReadonlySet<string>; isOdd: boolean },
): Capability {
  const to =
    unknown.size === 0
      ? "a host"
      : `${[...unknown].slice(0, 3).join(", ")}, which its description does not name`;
  const hasKey = withOwnKey.test(file.raw);
  const secret = own.get("reads_whole_environment") ?? own.get("reads_credentials");
  const gathered = secret ?? (hasKey ? undefined : own.get("reads_all_files"));
  if (gathered !== undefined && unknown.size > 0) {
    const message = `It gathers files, keys or variables and sends data to ${to}.`;
    return {
      ...gathered,
      severity: isOdd && secret !== undefined ? "danger" : "warning",
      code: "sends_what_it_finds",
      message,
    };
  }
  const upload =
    file.lines.find(({ text }) => uploads.test(text)) ?? (readsInput.test(file.raw) ? sent : undefined);
  const isStrange = upload !== undefined && unknown.size > 0 && !hasKey;
  return foundIn(
    file,
    upload ?? sent,
    isStrange ? "warning" : "info",
    "sends_data",
    `It sends ${isStrange ? "files or texts" : "data"} to ${to}.`,
  );
}

/** Code whose names or text come out of data. */
function fromData({ raw, lines }: ReviewedFile, own: Own, { purpose }: ReviewSubject): Capability[] {
  const dynamic = own.get("dynamic_code");
  if (dynamic === undefined || own.has("minified") || purpose.isAboutAttacks) return [];
  const readsData = /\bjson\.loads?\b|JSON\.parse|\.read\w*\s*\(|\bopen\s*\(|readFile/.test(raw);
  const isMade =
    (readsData && byNames.some(([loads, calls]) => loads.test(raw) && calls.test(raw))) ||
    (decodesText.test(raw) && lines.some(({ text }) => runsText.test(text))) ||
    /(?<![.\w])(?:exec|eval)\s*\(\s*(?:\w+\s*\(\s*)?(?:open\s*\(|Path\s*\(|\w+\.read|readFile)/.test(raw);
  if (!isMade) return [];
  const message = "What it calls or runs comes out of data, so that no reader sees what it does.";
  return [{ ...dynamic, severity: "warning", code: "unreadable_code", message }];
}

/** A module and one of its functions, both by a name that is not written there. */
const byNames: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:require|import)\s*\(\s*[A-Za-z_$][\w$.[\]]*\s*\)/, /[\w$)\]]\[\s*[A-Za-z_$][\w$]*\s*\]\s*\(/],
  [/(?:\bimport_module|__import__)\s*\(\s*(?!["'])/, /\bgetattr\s*\([^,\n]{1,80},\s*(?!["'])\w/],
];
