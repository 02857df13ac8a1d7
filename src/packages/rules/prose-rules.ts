import { pattern } from "../../base/pattern.ts";
import {
  type Capability,
  type FileRule,
  foundIn,
  type Purpose,
  type ReviewSubject,
} from "../review-subject.ts";
import { oddPlace } from "./hosts.ts";
import { type Code, meanings } from "./meanings.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";

/** A part of a rule: one of these concepts, where the sign before them says; after `>` the first one before the second. */
interface Term {
  sign: string;
  concepts: readonly string[];
}

/**
 * What no skill has to ask, and what many may: combinations of concepts within a sentence. A row has a code, `info` where it is an ability,
 * `quoted` where quotations count, and terms: `a|b` one of them is stated, `~a` in the sentence or near it, `+a` it is ordered, `~+a` ordered in
 * the sentence or near it, `!a` denied, `-a` not stated, `^a` not stated in the description, `=a` stated there, `a>b` one before the other.
 */
const rows = table(`
  sends_to_address     info send|copy|put address
  acts_through_tools   info quoted toolwords
  reads_attachments    info open|given given
  changes_agent        info quoted put|keep|exchange guides
  sends_conversation   +send|put host words|identity
  sends_conversation   +send host files|secrets|~words|~given -bug
  sends_conversation   +send host ritual|turn|everything|silently -bug
  sends_conversation   quoted +send|copy|put|keep|tell person words|files|secrets|identity -bug
  sends_conversation   quoted +send|copy|put person ritual|turn|everything|silently -bug
  sends_conversation   +admit person access|everything|words|ritual
  sends_conversation   filled ~+send|open|put
  sends_conversation   filled picture
  sends_conversation   blank open|send|put words
  sends_conversation   blank ritual|turn -bug|sample
  sends_conversation   blank open|send|put files|identity ritual|turn
  sends_conversation   host open|put ~turn put ~words
  sends_conversation   host +open words ritual|turn -bug
  sends_conversation   +send|copy outsider words|files|secrets|identity ritual|turn|everything|silently ^outsider
  sends_conversation   +send server secrets everything
  sends_conversation   +send|copy|put public words|files|secrets ^public
  sends_conversation   quoted bcc person
  hides_from_people    hush
  hides_from_people    !tell deed
  hides_from_people    !tell ~host|person ~+send|copy|put|open -hidden|bug|discretion
  hides_from_people    silently +send|copy words|files|secrets|~host|person
  hides_from_people    +omit answer ~host|person
  hides_from_people    omit answer host|person +send|copy|put
  hides_from_people    wonder checks|consent|deed tell|answer
  hides_from_people    wonder cover +tell
  claims_consent       people>agreed already|calls -condition
  claims_consent       consent|agreed already calls -condition
  claims_consent       consent assumed -condition
  claims_consent       consent>agreed people everything -condition
  claims_consent       !consent need calls -condition
  claims_consent       consent myself admit
  claims_consent       !consent myself
  claims_consent       quoted button choose
  claims_consent       card forever choose|tell people
  claims_consent       +tell ~card cover people|them
  claims_consent       silence consent|agreed
  claims_consent       card everything consent answer -condition
  claims_consent       whoever phrase powers
  claims_consent       quoted person agreed whoever|words|calls
  claims_consent       quoted person exempt
  claims_consent       counts myself ~consent
  claims_consent       +forge ~consent|agreed|memory
  changes_settings     +split ~limit|gates ~money
  changes_settings     deem fine checks
  changes_agent        quoted +put|keep|exchange guides quote ^guides ^memory
  changes_agent        quoted +on|exchange|off|omit skillfiles ~skills ^skills
  changes_settings     +off gates -condition
  changes_settings     off checks ~whoever
  changes_settings     +on|put|admit|exchange|off lists
  plants_memory        quoted +keep memory quote|account|person|host -heard
  plants_memory        +keep memory colon -heard
  plants_memory        +keep memory ~account
  persistence          +make|keep schedule ~host|person|silently ^schedule
  asks_for_secrets     have>typed login
  asks_for_secrets     +ask login people|them|answer -files|sample
  prompt_injection     +ignore authority
  prompt_injection     precede authority
  obeys_hidden_text    decode ~comply
  obeys_remote_text    host open ~+comply|asorder
  obeys_remote_text    asorder foreign|person|host -data
  obeys_remote_text    bidding -data
  obeys_remote_text    obeying foreign -data
  steers_answers       +favour brand offer ritual|everything|regardless -honest
  steers_answers       top brand ~offer -honest
  steers_answers       top regardless ~offer -honest
  steers_answers       +deem unseen
  steers_answers       +deem regardless brand
  steers_answers       =faithful omit downside|passage
  steers_answers       =faithful !tell downside|passage
  steers_answers       =faithful favour brand
  steers_answers       favour regardless ~offer -honest
  steers_answers       sponsor +favour|put ~offer -honest ^sponsor
  steers_answers       referral details|put|favour ^sponsor
  steers_answers       account ~money ~+use|exchange|put|send -sample|verify
  steers_answers       account hidden -sample
  steers_answers       exchange money against
  steers_answers       +exchange details account|host|person|referral|sponsor
  steers_answers       +deem fine regardless|brand
  steers_answers       +omit downside ~offer
`);

function table(text: string) {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [code = "", ...rest] = line.trim().split(/\s+/);
      if (!(code in meanings)) throw new TypeError(`The code ${code} has no meaning.`);
      const terms = rest.flatMap((term): Term[] => {
        const [, sign = "", concepts = ""] = /^(~\+|[~+!^=-]?)(.*)$/.exec(term) ?? [];
        if (/^(?:info|quoted)$/.test(term)) return [];
        if (concepts.includes(">")) return [{ sign: ">", concepts: concepts.split(">") }];
        return [{ sign, concepts: concepts.split("|") }];
      });
      const severity = rest.includes("info") ? ("info" as const) : ("warning" as const);
      return { code: code as Code, severity, isQuoted: rest.includes("quoted"), terms };
    });
}

/** Whether the terms of a row hold for a sentence, with or without its quotations. */
function readingOf(sentence: Sentence, isQuoted: boolean, { concepts: meant }: Purpose) {
  const { stated, denied, ordered, precedes } = isQuoted ? sentence.whole : sentence;
  const near = isQuoted ? new Set([...sentence.near, ...stated]) : sentence.near;
  const places: Record<string, ReadonlySet<string>> = {
    ...{ "": stated, "~": near, "+": ordered, "~+": sentence.around, "!": denied },
    ...{ "=": meant, "-": stated, "^": meant },
  };
  return ({ terms }: (typeof rows)[number]) =>
    terms.every(({ sign, concepts }) => {
      const [first = "", second = ""] = concepts;
      if (sign === ">") return precedes(first, second);
      const isThere = concepts.some((each) => places[sign]?.has(each));
      return /[-^]/.test(sign) ? !isThere : isThere;
    });
}

/** Comments that speak to an agent; others are for the readers of the source. */
const addressed =
  /\b(?:to|for|dear|attention|when you are|if you are)\s(?:an?|the|any|all|every)\s(?:\w+\s)?(?:ai|agents?|assistants?|model|llms?|bots?)\b|^\W*(?:the\s|ai\s)?(?:agents?|assistants?|llms?|bots?|system)\b[\w ]{0,30}[:,!]/i;
const duty =
  /\b(?:the|any|every|an?) (?:ai|agent|assistant|model|llm|bot) (?:must|should|shall|has to|needs to|always)\b/i;
const templates =
  /<\|(?:system|im_start|im_end)\|>|^\s*(?:SYSTEM|ASSISTANT)\s*(?:PROMPT|OVERRIDE|MESSAGE)\s*:|\byou are (?:now|no longer)\b.{0,60}\b(?:unrestricted|jailbroken|developer mode|DAN|not bound|without (?:limits|restrictions))/i;

/** The shipped skill that a sentence speaks against. */
function discredited(
  { stated, denied, text }: Sentence,
  { skill, shipped }: ReviewSubject,
): string | undefined {
  if (!stated.has("against") && !denied.has("use")) return undefined;
  return shipped.find(({ id }) => {
    if (id === skill.id || id === skill.parent) return false;
    const named = pattern(
      "i",
    )`\bskill [\x60"“]?${id}\b|\b(?:${id}|${id.replaceAll("-", " ")})[\x60"”]? (?:skill|tool)\b`;
    return named.test(text) || (id.includes("-") && pattern("i")`(?<![\w-])${id}(?![\w-])`.test(text));
  })?.id;
}

/** What prose makes an agent do against, or past, the people it works for. */
export const proseRule: FileRule = (file, subject) =>
  sentencesOf(file, subject).flatMap((sentence) => {
    const found = new Map(
      findingsIn(sentence, subject).map(([severity, code, message]) => {
        const line = { number: sentence.line, text: sentence.text };
        return [`${severity} ${code}`, foundIn(file, line, severity, code, message)];
      }),
    );
    return [...found.values()];
  });

type Found = [severity: Capability["severity"], code: Code, message?: string];

function findingsIn(sentence: Sentence, subject: ReviewSubject): Found[] {
  const { purpose } = subject;
  const { text, isHidden, stated, around } = sentence;
  const { isAboutAttacks } = purpose;
  // What warns of attacks quotes them, and says what happens; and people may ask for what they like.
  const isQuoting = isAboutAttacks && (isHidden || /["“`|]|^\s*>/.test(text));
  const isMeant = !stated.has("attack") && !stated.has("wish") && !isQuoting;
  const counts = ({ severity, terms }: (typeof rows)[number]) =>
    severity === "info" || (isMeant && (!isAboutAttacks || terms.some(({ sign }) => sign === "+")));
  const [holds, holdsQuoted] = [false, true].map((isQuoted) => readingOf(sentence, isQuoted, purpose));
  const found = rows
    .filter((row) => counts(row) && (row.isQuoted ? holdsQuoted : holds)?.(row) === true)
    .map(({ severity, code }): Found => [severity, code]);
  const other = discredited(sentence, subject);
  if (other !== undefined)
    found.push([
      "warning",
      "discredits_skill",
      `It speaks against the skill ${other}, which ships with the bot.`,
    ]);
  const odd = oddPlace(text);
  if (odd !== undefined)
    found.push([isMeant && stated.has("send") ? "warning" : "info", "unusual_host", `It names ${odd}.`]);
  if (isMeant && !isAboutAttacks && templates.test(text)) found.push(["warning", "prompt_injection"]);
  const isTold = isHidden && (addressed.test(text) || duty.test(text)) && acts.some((act) => around.has(act));
  if (isMeant && isTold) found.push(["warning", "hidden_instructions"]);
  return found;
}

const acts = ["send", "copy", "put", "open", "comply", "ignore", "keep", "run"];

const styled =
  /<(?!input|button|option|img)[a-z]+\b[^>]{0,200}(?:\bcolor\s*[:=]\s*["']?(?:white|#fff\b|#ffffff|transparent)|display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0\b|visibility\s*:\s*hidden|\shidden[\s>])[^>]{0,200}>\s*(?=(?:[^<\s]+\s+){2}|[^<]{8})/i;

/** Text that is styled to be invisible when a page is shown. Pages for people hide parts until they are needed. */
export const hiddenMarkupRule: FileRule = (file, { purpose }) => {
  if (/\.html?$/i.test(file.path) || purpose.isAboutAttacks) return [];
  return file.lines.flatMap(({ number, role, text }): Capability[] => {
    if (role !== "prose" || !styled.test(text.replace(/`[^`]*`/g, ""))) return [];
    return [foundIn(file, { number, text }, "warning", "hidden_instructions")];
  });
};
