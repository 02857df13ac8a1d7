import { once } from "../../base/made-once.ts";
import names from "./names.json" with { type: "json" };

/**
 * What a statement of code does: what it uses, where data comes from, where it goes. In `names.json` are the names for it in the languages of
 * scripts: `x` anywhere in a path such as `a.x.b`, `x()` called alone, `.x()` as a method. Here is what only a pattern can tell. A key is
 * one that the person who set the skill up has for an account, or an address they set; what is given `whole` is a file or text.
 */
// biome-ignore format: one pattern a line
const shapes: readonly (readonly [act: string, said: RegExp])[] = [
  ["network", /\bgit\s+(?:push|remote\s+add)\s[^;|&]{0,80}:\/\/|["'](?:node:)?(?:https?|net|tls|dgram|dns)(?:\/promises)?["']|"wss?:\/\/|\/dev\/(?:tcp|udp)\/|\bInvoke-(?:RestMethod|WebRequest)\b|\bnc\s+[-\w"$]/],
  ["posts", /\bmethod\s*[:=]\s*"(?:POST|PUT|PATCH)|\brequest\s*\(\s*"(?:POST|PUT|PATCH)|\b(?:Request|urlopen)\s*\(.{0,300}\bdata\s*=|\burlopen\s*\([^()]{1,200},\s*\w|-Method\s+"?(?:POST|PUT)/i],
  ["posts", /\s-X\s*"?(?:POST|PUT)|\s(?:--data\S*|--post-(?:data|file)\S*|-d|-F|-T|--upload-file|--form|--json)[\s="]|\|\s*(?:nc|ncat|telnet|ssh|mail|sendmail)\s|>\s*\/dev\/(?:tcp|udp)\/|\b(?:req\w*|sock\w*|conn\w*|client|writer|stream)\.write\s*\(|\.end\s*\(\s*\w/i],
  ["queries", /\bparams\s*=/],
  ["posts", /\brclone\s+copy|\bgit\s+(?:push|remote\s+add)\s[^;|&]{0,80}:\/\/|\bgh\s+gist\s+create/],
  ["queries", /(?:https?:\/\/[^\s"]{1,200}|\bpath\s*:\s*"[^"]{0,200})(?:\$?\{|"\s*\+)[^"}]{0,40}(?:text|data|content|part|chunk|body|payload|message|blob|encode|line|note|secret)/i],
  ["given", /\bopen\(\s{0,4}(?:sys\.argv|args?\.)|\bcat\s{1,4}"?\$\{?[1@]|\$\(\s{0,4}<\s{0,4}"?\$1|"\$\{?[1@]|@"?\$\{?[1@]|\$\{1:/],
  ["reads_all_files", /\bfind\s+["']?(?:\$|\.|~|\/)\S*(?!.{0,60}-maxdepth).{0,60}-type f|\btar\s+\S{0,10}c\S{0,6}\s|\bZipFile\s*\(.{0,80}"w|\bcat\s+["\w/.$-]{0,60}\*|\bKNACK_WORKSPACE\b.{0,60}\*/],
  ["reads_whole_environment", /\b(?:JSON\.stringify|Object\.(?:entries|keys|values|assign))\s{0,4}\([^()]{0,20}\bprocess\.env\s{0,4}[),]|\b(?:str|repr|dumps|dict)\s{0,4}\(\s{0,4}(?:dict\s{0,4}\(\s{0,4})?os\.environ\b(?!\.get|\[)|\.\.\.process\.env\b(?=.{0,200}\bbody\b)/],
  ["reads_whole_environment", /(?:^|[;&|(`]\s{0,4})(?:env|set|export\s{1,4}-p|declare\s{1,4}-x)\s{0,4}\||\/proc\/self\/environ|\bprocess\s{0,4}\[\s{0,4}(?!["'`])|\b(?:body|data|\w{1,60}\s{0,4}=)\s{0,4}[:=]?\s{0,4}(?:process\.env|os\.environ)\s{0,4}[;,)]?\s{0,4}$/],
  ["reads_identity", /\$\(hostname\)|\bgit\s+config\s+(?:--\w+\s+)?user\.(?:email|name)|\bid\s+-un\b|\benviron\W{1,6}(?:get\W{1,3})?(?:USER|USERNAME|LOGNAME)\b/],
  ["runs_programs", /\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b|shell\s*=\s*True/],
  ["dynamic_code", /\bnew\s+Function\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'`]|\b(?:require|import)\s*\(\s*[^"'`)\s][^)]{0,100}\)/],
  ["native_code", /\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|["'`](?:bun:ffi|ffi-napi|koffi)["'`]/],
  ["reaches_outside", /(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)|\.\.\/\.\.\/\.\.\//],
  ["decodes", /\bfrom\s*\([^()]{1,60},\s*"(?:base64|hex)"/],
  ["whole", /\bfiles\s{0,4}=\s{0,4}[{[]|\s(?:-F|--form)\s{0,4}"?[\w-]+=[@<]|\s-T\s|--upload-file|--post-file|--data(?:-binary|-raw)?[\s=]+"?@|\b(?:upload_file\w*|storbinary)\s{0,4}\(|\b(?:scp|rsync|sftp)\s/],
  ["whole", /\b(?:sendmail|post|put|Request|urlopen)\s{0,4}\(.{0,300}(?:\bopen\s{0,4}\(|\bread(?:_text|_bytes|FileSync|File)?\s{0,4}\()|\b(?:cat|tar|zip|gzip|base64|env|printenv|history)\s[^;|]{0,100}(?:\|[^;|]{0,60}){0,2}\|\s{0,4}(?:curl|wget|nc|ncat|ssh|mail)\b/],
  ["key", /(?:environ|getenv|process\.env|\bENV)\W{0,6}(?:get\W{0,3})?\w{0,40}(?:KEY|TOKEN|SECRET|PASS|AUTH|WEBHOOK|URL|HOST)|\$\{?\w{0,40}(?:_KEY|_TOKEN|TOKEN\b|KEY\b)|\b(?:args?|opts?|options|config|settings|cfg)\b\W{0,3}\w{0,20}(?:key|token|url|host|server|webhook)|\bAuthorization\b/i],
  ["runs_text", /(?<![.\w$])(?:eval|exec)\s{0,4}\((?!\s{0,4}")|\bnew\s{1,4}Function\s{0,4}\(|"(?:ba|z)?sh"\s{0,4},\s{0,4}\[?\s{0,4}"-\w*c"\s{0,4},\s{0,4}(?!")\w|\bos\.(?:system|popen)\s{0,4}\(\s{0,4}(?!")\w|\bexec(?:Sync)?\s{0,4}\(\s{0,4}\w+\s{0,4}[,)]/],
  ["runs_text", /\b(?:run|call|Popen|check_output|check_call)\s{0,4}\(\s{0,4}(?!")[\w.]+\s{0,4},.{0,100}shell\s{0,4}=\s{0,4}True|\[\s*(?:sys\.executable|process\.execPath)\s*,\s*(?:\w+|"\/tmp[^"]{0,80}")\s*\]/],
  ["runs_text", /\b(?:sh|bash|eval)\s{1,4}(?:-c\s{1,4})?"?\$\{?\w|\bchmod\b|\.chmod\s*\(|\bspec_from_file_location\b|\bsys\.path\.(?:insert|append)\b.{0,60}(?:tmp|cache|download)/],
  ["domain", /"[\w-]{1,60}(?:\.[\w-]{1,60}){0,3}\.[a-z]{2,12}"\s*\]\s*\.join\("\."\)|[\w)\]]\s*\+\s*"\.(?:[\w-]{1,60}\.){1,3}[a-z]{2,12}"/],
  ["loads_named", /\b(?:require|import)\s*\(\s*[A-Za-z_$][\w$.[\]]*\s*\)|(?:\bimport_module|__import__)\s*\(\s*(?!")/],
  ["calls_named", /[\w$)\]]\[\s*[A-Za-z_$][\w$]*\s*\]\s*\(|\bgetattr\s*\([^,\n]{1,80},\s*(?!")\w/],
  ["data", /\bjson\.loads?\b|JSON\.parse|\.read\w*\s*\(|\bopen\s*\(|readFile/],
];

const listed = once(() => {
  const acts = new Map<string, string[]>();
  for (const [act, words] of Object.entries(names.acts))
    for (const word of words.split(" ")) acts.set(word, [...(acts.get(word) ?? []), act]);
  return acts;
});

const paths = /([A-Za-z_$][\w$]*(?:(?:::|\.)[A-Za-z_$][\w$]*){0,6})(\s?\()?/g;

/** What a statement does. */
export function actsOf(text: string): Set<string> {
  const named = [...text.matchAll(paths)].flatMap(([, path = "", call]) => keysOf(path, call !== undefined));
  const shaped = shapes.flatMap(([act, said]) => (said.test(text) ? [act] : []));
  return new Set([...named.flatMap((key) => listed().get(key) ?? []), ...shaped]);
}

/** The forms in which a path of names may be listed. */
function keysOf(path: string, isCall: boolean): string[] {
  const parts = path.split(/::|\./);
  const keys = parts.flatMap((_, at) =>
    parts.slice(at).map((_part, more) => parts.slice(at, at + more + 1).join(".")),
  );
  return isCall ? [...keys, `${path}()`, `.${parts.at(-1)}()`, `${parts.slice(-2).join(".")}()`] : keys;
}
