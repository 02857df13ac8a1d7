import { type Capability, placeIn, type ReviewedFile, type ReviewSubject } from "../review-subject.ts";
import { addressesIn, oddPlace } from "./hosts.ts";

const sendsData =
  /\.(?:post|put|patch)\s*\(|\bmethod\s*[:=]\s*["'](?:POST|PUT|PATCH)|\b(?:Request|urlopen)\s*\(.{0,120}\bdata\s*=|\s-X\s*["']?(?:POST|PUT)|\s(?:--data\S*|-d|-F|-T|--upload-file|--form)[\s=]|\bsend(?:all|to|Beacon|mail|_message)\s*\(|\bFormData\b|\bWebSocket\s*\(|\b(?:storbinary|put_object|putObject|upload_file)\s*\(|[?&]\w{1,20}=(?:\$\{|["'`]\s*\+|\{)|\bparams\s*=/;
/** Sends a file whole: as a form, a body or an upload. */
const uploads =
  /\bfiles\s*=\s*[{[]|\s(?:-F|--form)\s*["']?[\w-]+=@|\s-T\s|--upload-file|--data-binary\s+["']?@|\bupload_file\s*\(|\bstorbinary\s*\(/;
/** A request with a key of the person who set the skill up, who has an account there. */
const withOwnKey =
  /\bAuthorization\b|\bBearer\b|x-api-key|api[_-]?key|access[_-]?token|auth=|[A-Z]_(?:KEY|TOKEN)\b/i;
const runsText =
  /(?<![.\w$])(?:eval|exec)\s*\((?!\s*["'`])|\bnew\s+Function\s*\(|["'](?:ba|z)?sh["']\s*,\s*["']-\w*c["']\s*,\s*(?!["'`])\w|\bos\.(?:system|popen)\s*\(\s*(?!f?["'`])\w|\bexecSync\s*\(\s*\w+\s*[,)]/;
const decodesText =
  /\b(?:b64decode|atob|fromhex|unhexlify|decompress|marshal)\b|\bfrom\s*\([^()]{1,60},\s*["'](?:base64|hex)["']/;

/** What a file of code does by several capabilities together, and the purpose does not explain. */
export function codeCombinations(subject: ReviewSubject, capabilities: readonly Capability[]): Capability[] {
  return subject.files
    .filter(({ role }) => role === "code")
    .flatMap((file) => {
      const own = new Map<string, Capability>();
      for (const each of capabilities.filter(({ path }) => path === file.path).toReversed())
        own.set(each.code, each);
      return [...overNetwork(file, own, subject), ...fromData(file, own, subject)];
    });
}

function overNetwork(
  file: ReviewedFile,
  own: ReadonlyMap<string, Capability>,
  { purpose }: ReviewSubject,
): Capability[] {
  if (!own.has("network")) return [];
  const unknown = [
    ...new Set(
      file.lines
        .flatMap(({ text }) => addressesIn(text))
        .filter(({ place }) => !purpose.names(place))
        .map(({ host }) => host),
    ),
  ];
  const lineOf = (form: (text: string) => boolean) => file.lines.find(({ text }) => form(text));
  const finding = (
    severity: Capability["severity"],
    code: string,
    message: string,
    line = file.lines[0],
  ): Capability[] =>
    line === undefined
      ? []
      : [{ severity, code, message, hosts: unknown, ...placeIn(file, line.number, line.text) }];
  const odd = lineOf((text) => oddPlace(text) !== undefined);
  const sent = lineOf((text) => sendsData.test(text));
  const gathered =
    own.get("reads_whole_environment") ?? own.get("reads_credentials") ?? own.get("reads_all_files");
  const to = unknown.length === 0 ? "a host" : unknown.slice(0, 3).join(", ");
  const found: Capability[] = [];
  if (odd !== undefined && !purpose.isAboutAttacks)
    found.push(...finding("warning", "unusual_host", `It contacts ${oddPlace(odd.text)}.`, odd));
  const isStrange = unknown.length > 0 && !purpose.isAboutAttacks;
  const hasKey = withOwnKey.test(file.raw);
  if (
    gathered !== undefined &&
    sent !== undefined &&
    isStrange &&
    (gathered.code !== "reads_all_files" || !hasKey)
  ) {
    const isGrave = odd !== undefined && gathered.code !== "reads_all_files";
    const message = `It gathers files, keys or variables and sends data to ${to}, which its description does not name.`;
    found.push(
      ...finding(
        isGrave ? "danger" : "warning",
        "sends_what_it_finds",
        message,
        lineOf((text) => text.includes(gathered.excerpt?.slice(0, 40) ?? "\0")) ?? sent,
      ),
    );
  } else if (sent !== undefined) {
    const upload = lineOf((text) => uploads.test(text));
    const isStranger = upload !== undefined && isStrange && !hasKey;
    const message = isStranger
      ? `It sends files to ${to}, which its description does not name.`
      : `It sends data to ${to}.`;
    found.push(...finding(isStranger ? "warning" : "info", "sends_data", message, upload ?? sent));
  }
  const run = lineOf((text) => runsText.test(text));
  if (run !== undefined && isStrange)
    found.push(
      ...finding(
        "warning",
        "runs_what_it_fetches",
        "It fetches text from the network and may run it as a program.",
        run,
      ),
    );
  return found;
}

/** Code whose names or text come out of data. */
function fromData(
  file: ReviewedFile,
  own: ReadonlyMap<string, Capability>,
  { purpose }: ReviewSubject,
): Capability[] {
  const { raw, lines } = file;
  const dynamic = own.get("dynamic_code");
  if (dynamic === undefined || own.has("minified") || purpose.isAboutAttacks) return [];
  const readsData = /\bjson\.loads?\b|JSON\.parse|\.read\w*\s*\(|\bopen\s*\(|readFile/.test(raw);
  const isMade =
    (readsData &&
      /\b(?:require|import)\s*\(\s*[A-Za-z_$][\w$.[\]]*\s*\)/.test(raw) &&
      /[\w$)\]]\[\s*[A-Za-z_$][\w$]*\s*\]\s*\(/.test(raw)) ||
    (readsData &&
      /(?:\bimport_module|__import__)\s*\(\s*(?!["'])/.test(raw) &&
      /\bgetattr\s*\([^,"'\n]{1,80},\s*(?!["'])\w/.test(raw)) ||
    (lines.some(({ text }) => runsText.test(text)) && decodesText.test(raw)) ||
    /(?<![.\w])(?:exec|eval)\s*\(\s*(?:\w+\s*\(\s*)?(?:open\s*\(|Path\s*\(|\w+\.read|readFile)/.test(raw);
  if (!isMade) return [];
  const message = "What it calls or runs comes out of data, so that no reader sees what it does.";
  return [{ ...dynamic, severity: "warning", code: "unreadable_code", message }];
}
