import { pattern } from "../../base/pattern.ts";
import type { ReviewedLine } from "../review-lines.ts";
import { type Capability, type FileRule, foundIn } from "../review-subject.ts";
import { addressesIn, oddPlace } from "./hosts.ts";
import { danger, inCode, isExplained, signRule, warning } from "./signs.ts";
import { type Judge, type Severity, table } from "./table.ts";

const shells = /(?:sudo\s+(?:-\S+\s+)?)?(?:env\s+)?(?:\/usr)?(?:\/local)?(?:\/bin\/)?(?:ba|z|da|k|fi)?sh\b/;
const interpreters = pattern()`(?:${shells}|python[\d.]*\b|node\b|perl\b|ruby\b|php\b|osascript\b|iex\b|invoke-expression\b)`;
const fetchers =
  /(?:curl|wget|fetch|http|aria2c|lwp-request|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\b/;
/** Commands that run their input as a program. `| python3 -m json.tool` reads it as data, a shell never does. */
const runsInput = pattern()`(?:${shells}|(?:python[\d.]*|node|perl|ruby|php|osascript)(?=\s*(?:-(?:\s|$)|$|["'\`;&|)]))|iex\b|invoke-expression\b)`;
/** A call of one of the fetchers, in contrast to a word or a table cell. */
const fetchCall = pattern()`${fetchers}\s+(?:-|["'$<({]|https?:|[\w-]{1,60}\.[a-z]{2})`;
const decoders =
  /(?:base64\s+(?:-\w{0,9}d\w{0,9}|-D|--decode)|openssl\s+(?:enc\s+-d\b|base64\s+-d\b)|xxd\s+-r\b|base32\s+-d\b|\btr\s+\S{2,80}\s+\S{2,80}|\brev\b|\bg?unzip\s+-c|\bzcat\b|\bgpg\s+-d\b)/;

/** How grave it is to run a program from there: from an anonymous place, from somebody whom the purpose does not name, or from its maker. */
const bySource: Judge = (text, { role }, { purpose }) => {
  const bare =
    /(\b(?:curl|wget|irm|iwr)\b(?:\s{1,4}-[\w-]{1,40}){0,6}\s{1,4}["']?)(?=(?:[\w-]{1,60}\.){1,5}[a-z]{2,})/gi;
  const written = text.replace(bare, "$1https://");
  if (oddPlace(written) !== undefined) return "danger";
  const places = addressesIn(written);
  if (places.length === 0) return role === "code" && /\$\(\s*(?:curl|wget)/.test(text) ? "warning" : "info";
  return places.every(({ place }) => purpose.names(place)) ? "info" : "warning";
};
const fromStranger: Judge = (text, _, { purpose }) =>
  addressesIn(text).every(({ host, place }) => purpose.names(place) || host.startsWith("download."))
    ? "info"
    : "warning";
const fromCode: Judge = (text, { role }) =>
  role === "code" && /\/dev\/tcp.{0,120}0>&1|exec:|-e\s{1,4}\S{0,40}sh\b/.test(text) ? "danger" : "warning";
const outsideSamples: Judge = (_, { role }) => (role === "sample" ? "info" : "warning");

const patternRule = signRule(table`
  encoded_command said ${pattern("i")`${decoders}[^|\n]{0,200}\|\s*(?:\w{1,40}\s+(?:-?\w{1,40}\s*)?\|\s*)?${runsInput}|(?:eval|${interpreters}\s+-c)\b.{0,30}(?:\$\(|<\(|\`).{0,400}${decoders}|\b(?:powershell|pwsh)(?:\.exe)?\b.{0,120}\s-e(?:nc|ncodedcommand|c)?\s+["']?[A-Za-z0-9+/=]{16}|frombase64string\(.{0,400}(?:\|\s*iex|invoke-expression|::load\()|(?:iex|invoke-expression)\b.{0,200}frombase64string|\b(?:eval|exec|Function)\s*\(.{0,80}(?:atob\s*\(|b64decode\s*\(|["']base64["']|fromhex\s*\(|unhexlify\s*\(|zlib\.decompress)`} judge ${danger}
  credential_theft said ${/osascript\b.{0,300}display dialog.{0,200}(?:password|hidden answer)|\bdscl\b.{0,30}-?authonly\b/i} judge ${danger}
  backdoor said ${/>\s{0,20}\S{0,60}(?:authorized_keys|\/etc\/(?:rc\.local|ld\.so\.preload|sudoers))|\bsudo\s+(?:visudo|useradd)\b/i} unless ${/\bssh\b|server|deploy|provision|sysadmin/i} judge ${inCode}
  disables_protection said ${/\bxattr\b.{0,20}-\w*[dc]\w*\b.{0,40}(?:com\.apple\.quarantine|-r)|spctl\b.{0,20}--(?:master|global)-disable|csrutil\s+disable|set-mppreference\b.{0,60}-disable|add-mppreference\b.{0,40}-exclusion|netsh\b.{0,40}firewall.{0,40}\boff\b|\bsetenforce\s+0|ufw\s+disable|(?:executionpolicy|-ep)\s+(?:bypass|unrestricted)\b/i} judge ${inCode}
  persistence said ${/\bcrontab\s+(?:-(?!l)|\S+\.|\/)|\blaunchctl\s+(?:load|bootstrap|submit)\b|\bsystemctl\b.{0,20}\benable\b|\bschtasks\b.{0,20}\/create|>>\s*\S{0,30}\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|currentversion\\run\b/i} unless ${/\b(?:cron\w*|schedul\w*|daily|nightly|hourly|weekly|periodic\w*|automat\w*|autostart|daemon|services?|background|launchd|systemd|backup\w*|monitor\w*|watch\w*|remind\w*|heartbeat|boot|server|agent|deploy\w*|sync\w*|shell|dotfiles|install\w*|setup|wake|alarm|tunnel|bridge|gateway)\b/i} judge ${inCode}
  destructive said ${/\brm\s+-\w*(?:rf|fr)\w*\s+["']?(?:\/|~|\$HOME)\/?\*?(?:["'\s]|$)|\bmkfs\b|\bdd\b.{0,40}\bof=\/dev\/|\brmtree\s*\((?!.{0,80}(?:te?mp|cache|build|dist|stag|scratch|work_?dir))\s*(?:[\w.]{1,30}\(\s*)?(?:home|Path\.home|each|path|folder|workspace|root|base|os\.environ|sys\.argv)\b|\brmtree\(\s*(?:os\.path\.expanduser\(["']~["']\)|Path\.home\(\))\s*\)/i} unless ${/\b(?:clean\w*|delet\w*|remov\w*|tidy\w*|prun\w*|uninstall\w*|reset\w*|wip\w*|purg\w*|cache|disk|rotat\w*|backup\w*|mirror\w*)\b/i} judge ${inCode}
  elevated said ${/(?:^|[\s`$;&|(])sudo\s+\w|start-process\b.{0,80}-verb\s+runas|with administrator privileges/i}
  installs_software said ${/["']?kind["']?\s*:\s*["']?(?:brew|node|npm|go|uv|pip|apt|cargo)\b|\b(?:pip3?|uv pip|pipx|uv tool)\s+install\b|\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|ci)\b|\b(?:npx|uvx|bunx)\s+(?!knack\b)\S|\bbrew\s+install\b|\b(?:apt|apt-get|dnf|yum|apk|pacman|choco|winget)\s+(?:-\w+\s+)?(?:install|add|-S)\b|\b(?:go|cargo|gem)\s+install\b/}
  remote_code said ${pattern("i")`\b${fetchCall}[^|]{0,600}\|\s*(?:tee\s[^|]{0,80}\|\s*)?${runsInput}|${interpreters}(?:\s+-\w{1,10}){0,4}\s+["']?(?:\$\(|<\(|\`)\s*${fetchers}|\b(?:eval|source)\b[^\n]{0,20}(?:\$\(|<\(|\`)\s*${fetchers}|\b(?:iex|invoke-expression)\b.{0,120}(?:downloadstring|webclient|iwr|irm|invoke-webrequest)|(?:downloadstring|invoke-webrequest|\biwr\b|\birm\b).{0,300}\|\s*(?:iex|invoke-expression)|\b(?:exec|eval)\s*\(.{0,60}(?:urlopen|requests\.get|urllib|fetch\s*\(|http\.get)|\b(?:mshta(?:\.exe)?\s+["']?(?:https?:|javascript:|vbscript:)|bitsadmin\b.{0,80}\/transfer|regsvr32\b.{0,80}\/i:http|rundll32\b.{0,60}javascript:|certutil(?:\.exe)?\b.{0,80}-urlcache\b)`} judge ${bySource}
  backdoor said ${/\bsh\s{1,4}-i\s{0,4}(?:>&|[<>]\s{0,4}\/dev\/tcp)|\/dev\/tcp\/(?:[\d.]{7,40}|\S{1,80}.{0,40}0>&1)|mkfifo\b.{0,120}\bnc\b|\bn(?:c|cat)\b.{0,40}\s-\w{0,4}e\s{1,4}\/\S{0,40}sh\b|pty\.spawn\(\s{0,4}["'](?:\/bin\/)?(?:ba|z)?sh|socat\b.{0,80}exec:/i} judge ${fromCode}
  foreign_registry said ${/--(?:extra-)?index-url\b|--find-links\b|--trusted-host\b|\b(?:npm|pnpm|yarn|npx|bun)\b.{0,80}--registry\b|\b(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:EXTRA_)?INDEX_URL|UV_INDEX|npm_config_registry)\b|^\s*(?:extra-index-url|index-url|@[\w-]{1,60}:registry|registry)\s*=\s*\S|\bconfig\s+set\s+(?:\S{0,60}registry|\S{0,20}index-url)|"[\w@/.-]{1,80}"\s*:\s*"https?:\/\/[^"\s]{1,200}\.t(?:ar\.)?gz"/i} judge ${fromStranger}
  sends_by_name said ${/\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup|dig|nslookup|host|ping6?)\b[\s(]{1,3}(?:\+?-?\w+\s+){0,3}["'`]?[^\s,]{0,40}(?:\$\{?[^}\s]{1,60}\}?|\{[^}\s]{1,60}\})(?:\.[\w-]+|\.\$?\{[^}\s]{1,60}\}){0,3}\.[a-z][\w-]*\.[a-z]{2,}\b|\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup)\s*\(\s*[^()"'`]{1,60}\+\s*["'`]\.[\w-]+\.[a-z]/i} judge ${warning}
  secret said ${/(?!.{0,60}(?:x{8}|example|\*{4}|0{12}))(?:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,90})\b|\bglpat-[A-Za-z0-9_-]{20}\b|\bxox[abeprs]-[A-Za-z0-9-]{20,120}|\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,200}|\bAIza[0-9A-Za-z_-]{35}\b|\b[rs]k_live_[A-Za-z0-9]{20,100}\b|\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}|\bnpm_[A-Za-z0-9]{36}\b|\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----)/} judge ${outsideSamples}
  downloads_program said ${/["']?kind["']?\s*:\s*["']?download\b/} judge ${fromStranger} in-data
`);

/** `curl -o FILE …; sh FILE`. */
const savesAndStarts = pattern(
  "i",
)`\b${fetchers}[^\n]{0,300}(?:\s-\w{0,6}[oO]|--output|--output-document|-outfile|>)[\s=]{0,3}["']?(?!\/dev\/)([^\s"';|&<>]{3,100})[^]{0,600}?(?:[;&|\n]|\bthen\b)\s{0,20}(?:chmod\b|${interpreters}|\.\/|open\b|start\b|["'$\/])[^\n]{0,100}?\1`;

/** On one line or within the next few, and no checksum between. */
const fetchAndRunRule: FileRule = (file, subject) =>
  file.lines.flatMap((line, at) => {
    if (!fetchCall.test(line.text)) return [];
    const text = [line, ...file.lines.slice(at + 1, at + 5)].map((each) => each.text).join("\n");
    if (!savesAndStarts.test(text) || /sha(?:256|512)sum|gpg --verify/.test(text)) return [];
    const isMeant = !subject.purpose.isAboutAttacks && !isExplained(line.text);
    return [foundIn(file, line, isMeant ? bySource(line.text, line, subject) : "info", "remote_code")];
  });

const downloads =
  /\b(?:download|get|obtain|visit|go to|open|herunterladen|lade|laden|télécharge[rz]?|descarg[aeu]\w*|baixe|baixar|scarica\w*)\b|скача|загруз|下载|下載|ダウンロード|다운로드/i;
const executes =
  /\b(?:run|running|execute|launch|double-click|start|install|open it|ausführen|führe|starte\w*|installier\w*|exécute[rz]?|lance[rz]?|ejecut\w*|execut\w*|esegui\w*|avvia\w*)\b|запуст|运行|運行|執行|执行|実行|실행|安装/i;
const pastes =
  /(?:\b(?:paste|copy|kopier\w*|füge|colle[rz]?|copie[rz]?|peg[au]\w*|copi[ae]\w*|incolla\w*)\b|вставь|скопир|粘贴|复制|貼り付け|붙여).{0,160}(?:\b(?:terminal|console|shell|command (?:line|prompt)|powershell|cmd|konsole|consola)\b|终端|終端|ターミナル|терминал|터미널)/i;
const locked =
  /\b(?:extract|unzip|archive|zip|rar|7z|unpack\w*|entpack\w*|decompress)\b.{0,80}\b(?:pass(?:word|code|phrase)?|pwd|passwort|contraseña|mot de passe|senha)\b|\b(?:pass(?:word)?|pwd)\s?[:=]\s*[`"']?\w{3,}|解压密码|解壓密碼|пароль.{0,20}архив/i;
const packed =
  /https?:\/\/[^\s)>\]"'`]{4,400}\.(?:exe|msi|dmg|pkg|scr|apk|appimage|jar|zip|7z|rar|bat|cmd|vbs|ps1|bin)\b/i;

/**
 * Prose that has the agent or a person fetch a program and run it: the payload of ClawHavoc (early 2026) was no script but a “prerequisite” in
 * SKILL.md. Grave if the place is anonymous, or the archive is locked against scanners.
 */
const prerequisiteRule: FileRule = (file, { purpose }) =>
  sections(purpose.isAboutAttacks ? [] : file.lines).flatMap((lines): Capability[] => {
    const text = lines.map((line) => line.text).join(" ");
    if (!downloads.test(text) || !/https?:/.test(text)) return [];
    const found = (line: ReviewedLine, severity: Severity, message?: string) => [
      foundIn(file, line, severity, "prerequisite_download", message),
    ];
    const programs = packed.test(text) && executes.test(text) ? lines : [];
    const locks = programs.find((line) => locked.test(line.text));
    if (locks !== undefined) return found(locks, "danger", hiding);
    const pasted = lines.find((line) => pastes.test(line.text) && /https?:/.test(line.text));
    if (pasted !== undefined) return found(pasted, isOdd(pasted) ? "danger" : "info", pasting);
    return programs
      .filter(isDownload)
      .slice(0, 1)
      .flatMap((line) => found(line, fromStranger(line.text, line, { purpose })));
  });

const hiding = "It has people run a program from an archive with a password, which hides it from scanners.";
const pasting = "It has people paste a command from elsewhere into a terminal.";
const isOdd = ({ text }: ReviewedLine) => oddPlace(text) !== undefined;
const isDownload = ({ role, text }: ReviewedLine) =>
  role === "prose" && packed.test(text) && downloads.test(text);

/** The lines below each heading, at most 25 together. */
function sections(lines: readonly ReviewedLine[]): ReviewedLine[][] {
  const found: ReviewedLine[][] = [[]];
  for (const line of lines.filter(({ role }) => role === "prose" || role === "sample")) {
    const isNew =
      (found.at(-1)?.length ?? 0) >= 25 || (line.role === "prose" && /^\s{0,3}#{1,6}\s/.test(line.text));
    if (isNew) found.push([line]);
    else found.at(-1)?.push(line);
  }
  return found;
}

/** Commands that nobody should run, in any text: in code, in prose that tells somebody to, or in data. */
export const commandRule: FileRule = (file, subject) =>
  [patternRule, fetchAndRunRule, prerequisiteRule].flatMap((rule) => rule(file, subject));
