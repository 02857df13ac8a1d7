import type { PackageFinding } from "../../core/skill/packages.ts";
import { type FileRule, placeIn, type ReviewedLine } from "../review-subject.ts";

/** The words of known incidents, in their languages. Whole words in scripts with spaces. */
const downloads =
  /\b(?:download|fetch|grab|get|obtain|visit|go to|open the (?:link|page)|herunterladen|lade|laden|télécharge[rz]?|descarg[aeu]\w*|baixe|baixar|scarica\w*)\b|скача|загруз|下载|下載|ダウンロード|다운로드/i;
const installs =
  /\b(?:install(?:ed|ing|ation)?|set ?up|installier\w*|instal[ae]r?\w*|installez)\b|установ|安装|安裝|インストール|설치/i;
const runs =
  /\b(?:run|runs|running|execute|launch|double-click|start|paste|extract|unzip|ausführen|führe|starte\w*|exécute[rz]?|lance[rz]?|ejecut\w*|execut\w*|esegui\w*|avvia\w*)\b|запуст|运行|執行|执行|実行|실행/i;
const requires =
  /\b(?:prerequisites?|pre-?reqs?|required?|requirements?|requires|must|mandatory|before (?:using|running|you|starting|first)|first[- ]time|needs? to be|will not work without|voraussetzung\w*|erforderlich|zuerst|vorher|préalable\w*|prérequis|requis|avant|requisitos?|antes de|necesari\w*|obrigatóri\w*|prerequisit\w*|prima di)\b|требован|необходим|перед|前提|必须|必需|必要|先|事前|필수|먼저/i;
const pastes =
  /(?:\b(?:paste|copy|kopier\w*|füge|colle[rz]?|copie[rz]?|peg[au]\w*|copi[ae]\w*|incolla\w*)\b|вставь|скопир|粘贴|复制|貼り付け|붙여).{0,160}(?:\b(?:terminal|console|shell|command (?:line|prompt)|powershell|cmd|konsole|consola|ejecutar)\b|终端|終端|ターミナル|терминал|터미널)/i;
const passwords =
  /(?:\b(?:extract|unzip|archive|zip|rar|7z|unpack|entpack\w*)\b.{0,80}\b(?:pass(?:word|code|phrase)?|pwd|passwort|contraseña|mot de passe|senha)\b|\b(?:pass(?:word)?|pwd)\s*[:=]\s*[`"']?\w{3,}.{0,60}\b(?:extract|unzip|archive|zip)\b|解压密码|解壓密碼|пароль.{0,20}архив)/i;

const links = /https?:\/\/[^\s)>\]"'`]{4,400}/gi;
/** Programs and packed files; a page for people does not count. */
const programFile =
  /\.(?:exe|msi|dmg|pkg|scr|apk|appimage|jar|zip|7z|rar|tgz|tar\.gz|sh|bash|ps1|bat|cmd|vbs|command|run|bin|deb|rpm)(?:[?#]|$|[`"')\s,.])/i;
/** Places where anybody can upload anything anonymously. */
const pasteSite =
  /\/\/(?:[\w-]+\.)*(?:glot\.io|rentry\.(?:co|org)|pastebin\.com|paste\.ee|hastebin\.com|ghostbin\.\w+|termbin\.com|ix\.io|0x0\.st|transfer\.sh|file\.io|gofile\.io|mega\.nz|mediafire\.com|anonfiles\.com|dropbox\.com|discordapp\.com|bit\.ly|tinyurl\.com|t\.ly|is\.gd|cutt\.ly)\b|\/\/\d{1,3}(?:\.\d{1,3}){3}/i;

interface Paragraph {
  line: number;
  text: string;
  /** The heading above it. */
  heading: string;
}

/**
 * Prose that tells the agent or a person to download something and run it: the payload of ClawHavoc (early 2026) was no script but a
 * "prerequisite" in SKILL.md. It is a danger if the download is a program, comes from an anonymous place, is protected by a password
 * against scanners, or is pasted into a terminal; otherwise a warning.
 */
export const prerequisiteRule: FileRule = (file) => {
  if (file.role !== "prose") return [];
  return paragraphs(file.lines).flatMap((paragraph): PackageFinding[] => {
    const verdict = judge(paragraph);
    if (verdict === undefined) return [];
    const place = placeIn(file, paragraph.line, paragraph.text);
    return [{ ...verdict, code: "prerequisite_download", ...place }];
  });
};

type Verdict = Pick<PackageFinding, "severity" | "message">;

function judge(paragraph: Paragraph): Verdict | undefined {
  return dangerous(paragraph.text) ?? questionable(paragraph);
}

function dangerous(text: string): Verdict | undefined {
  const isFetched = downloads.test(text) || installs.test(text);
  const isRun = runs.test(text) || installs.test(text);
  if (passwords.test(text) && (isFetched || isRun)) {
    const message =
      "It tells the agent or people to unpack an archive with a password, which hides the content from scanners.";
    return { severity: "danger", message };
  }
  if (pastes.test(text) && (downloads.test(text) || linksIn(text).length > 0)) {
    return {
      severity: "danger",
      message: "It tells the agent or people to paste a command from elsewhere into a terminal.",
    };
  }
  if ((isFetched && isNameless(text)) || (downloads.test(text) && isRun && namesProgram(text))) {
    const message =
      "It tells the agent or people to download a program and run it, which is how skills have spread malware.";
    return { severity: "danger", message };
  }
  return undefined;
}

function questionable({ text, heading }: Paragraph): Verdict | undefined {
  const isFetched = downloads.test(text) || installs.test(text);
  if (!isFetched || linksIn(text).length === 0 || !requires.test(`${heading} ${text}`)) return undefined;
  const message = "It requires software from elsewhere, which was not reviewed.";
  return { severity: "warning", message };
}

function linksIn(text: string): string[] {
  return text.match(links) ?? [];
}

function isNameless(text: string): boolean {
  return linksIn(text).some((link) => pasteSite.test(link));
}

function namesProgram(text: string): boolean {
  return programFile.test(text) || linksIn(text).some((link) => programFile.test(`${link} `));
}

/** Text between blank lines and headings, at most 3,000 characters each; the items of a list stay together. */
function paragraphs(lines: readonly ReviewedLine[]): Paragraph[] {
  const found: Paragraph[] = [];
  let heading = "";
  let current: Paragraph | undefined;
  for (const { number, text } of lines) {
    const isHeading = /^\s{0,3}#{1,6}\s/.test(text) || /^\s*\*\*[^*]{1,80}\*\*:?\s*$/.test(text);
    if (isHeading) heading = text;
    if (isHeading || text.trim() === "") {
      current = undefined;
      continue;
    }
    if (current === undefined || current.text.length > 3_000) {
      current = { line: number, text, heading };
      found.push(current);
    } else current.text = `${current.text} ${text}`;
  }
  return found;
}
