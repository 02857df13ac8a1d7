import { once } from "../../base/made-once.ts";
import { editDistance } from "../../base/nearest-name.ts";
import type { ReviewedLine, TextRole } from "../review-lines.ts";
import {
  belongingsIn,
  chatHooks,
  domainOf,
  hostsReached,
  inCells,
  isElsewhere,
  type NamedAddress,
  oddPlace,
  ownersOf,
} from "./hosts.ts";
import names from "./names.json" with { type: "json" };
import { isWellKnown, type Purpose } from "./purpose.ts";

/** The text of a file, and its role. */
export type Written = { path: string; raw: string; role: TextRole };

/** Files that go to others once they are filled in, and those that are only there to try something or to describe the package. */
const templates =
  /\.(?:x?html?|svg)$|(?:^|\/)(?:templates?|assets|vorlagen?|mod[eè]les?|plantillas?|modelli|snippets|layouts?|signatures?|letters?)\//i;
const trials =
  /(?:^|[/._-])(?:tests?|examples?|samples?|fixtures?|cassettes|mocks?)(?:[/._-]|$)|(?:package|plugin|marketplace|tsconfig|composer)[\w-]{0,40}\.json$|(?:feeds?|sources?|bookmarks|sites)\.|\.opml$|pyproject|pre-commit/i;
/** What a reader's program loads by itself, or an address that is filled in. */
const loads = /!\[|\bjavascript:|<img\b|\burl\(|:\/\/\S{0,200}(?:\{\{|\$\{|<\w)/i;
/** What only explains: a text by itself, a message, a name of a kind of document; a remark behind a statement, the page of a program in brackets. */
const explains =
  /^\s*"|\b(?:print\w*|echo|console|help|usage|epilog|description|raise|throw|error|log\w*|xmlns|ns)\b|http:\/\//i;
const remark = /\s(?:#|\/\/)\s[^"]*$/;
const page = /\(\+?https?:\/\/[^)\s"]{1,200}\)/g;
const body = /'\{[^']{0,600}'/g;
/** A name that is written in code and changes a number or is the result: `if "Some Name" in text: score += 3`. */
const favour =
  /\bif\b[^"]{0,80}"(\p{Lu}[^"]{3,60})"[\s\S]{0,100}?(?:(?:[+*-]=|\breturn)\s{0,3}-?\d|=\s{0,3}"\1")/u;
/** `OPENROUTER` of `OPENROUTER_API_KEY`. */
const keyNames =
  /\b(?!API|ACCESS|AUTH|CLIENT|SECRET|BASE|USER|KNACK)[A-Z][A-Z0-9]{3,30}(?=_(?:[A-Z]+_)?(?:KEY|TOKEN|SECRET)\b)/g;
/** Words of `names.json`; and whether a text has one of them. */
const words = once(() =>
  Object.fromEntries(Object.entries(names.words).map(([of, list]) => [of, list.split("|")])),
);
const has = (text: string, of: keyof typeof names.words) =>
  words()[of]?.some((each) => text.includes(each)) === true;
const brands = once(() => names.brands.split(" "));
/** Parts of a host behind which people sign in; and those that stand before a name. */
const signIn = /^(?:login|auth|accounts?|sso|secure|signin|verify)$/;
const doors = /^(?:api|login|auth|accounts?|www|sso|secure|my|signin)$/;

/** The name in a domain, without what owners add to theirs: `hel` of `api.hel.io`, `camino` of `getcamino.ai`. */
function ownLabel(host: string): string {
  const [label = ""] = domainOf(host).split(".");
  return label.replace(/^(?:get|try|use)(?=\w{4})|(?<=\w{4})(?:app|hq|ai|io|labs?|api|analytics)$/g, "");
}

/** Whether a host has one of the names, or nearly, as a part of its own: `login-slack.example`, `api.slack.cdn.example`. */
function isImposter(host: string, known: readonly string[]): boolean {
  const labels = host.split(".");
  const parts = (labels.at(-2) ?? "").split("-");
  const plain = (part: string) =>
    part.replace(/[0135]/g, (sign) => ({ 0: "o", 1: "l", 3: "e", 5: "s" })[sign] ?? "");
  const isLike = (part: string, each: string) =>
    each === part
      ? parts.length > 1
      : plain(part) === each || (each.length >= 7 && editDistance(each, part) === 1);
  const within = labels.slice(0, -2).join("-").split("-");
  const isDoor =
    (labels.length > 3 && doors.test(labels[0] ?? "") && known.includes(labels[1] ?? "")) ||
    (within.some((part) => signIn.test(part)) && within.some((part) => known.includes(part)));
  return isDoor || parts.some((part) => known.some((each) => isLike(part, each)));
}

/**
 * Reads in the lines of a file which places they name and what belongs to somebody, and which of it the description does not name (`stranger`)
 * or people who read the guide do not see either (`untold`).
 */
export function placeReader(lines: readonly ReviewedLine[], { path, role }: Written, purpose: Purpose) {
  const said = purpose.text.toLowerCase();
  const isCode = role === "code";
  const isLoaded = isCode || role === "data" || /\.(?:html?|svg)$/i.test(path);
  const isTrial = trials.test(path);
  const template = !isCode && (role === "data" || templates.test(path)) && !isTrial;
  const quoted = purpose.isAboutAttacks && !isCode && (role === "prose" || has(said, "attacks"));
  const keys = [...new Set(lines.flatMap(({ text }) => text.match(keyNames) ?? []))].map((key) =>
    key.toLowerCase(),
  );
  const isFalse = ({ host }: NamedAddress) =>
    !isWellKnown(domainOf(host)) && isImposter(host, [...brands(), ...keys]);
  const isKnown = (at: NamedAddress) =>
    quoted || (!isFalse(at) && (purpose.names(at.place) || keys.some((key) => ownLabel(at.host) === key)));
  const isTold = (place: NamedAddress) => ownersOf(place).some(purpose.tells);
  const places = names.words.places.split("|").filter((each) => said.includes(each));
  const isOwned = (text: string) =>
    purpose.isAboutAttacks || has(text, "kept") || places.some((each) => text.includes(each));
  const isJudge = isCode && has(said, "judging");
  const isFavoured = (near: readonly ReviewedLine[]) => {
    const name = favour.exec(near.map(({ text }) => text).join("\n"))?.[1];
    return name !== undefined && !purpose.tells(name);
  };
  const reachedBy = (text: string, isSilent: boolean) => {
    if (!isCode) return hostsReached(text.replace(body, ""));
    if (isSilent && explains.test(text)) return [];
    return hostsReached(text.replace(page, "").replace(isSilent ? remark : "", ""));
  };
  const isTheirs = (fact: string, each: string, text: string) =>
    fact === "public_key" ||
    !(purpose.tells(each) || (fact === "mailbox" && has(text.toLowerCase(), "makers")));
  const isOdd = (text: string, isStrange: boolean) =>
    (isStrange || (isCode && chatHooks.test(text))) && oddPlace(text) !== undefined;

  return ({ text, role: part }: ReviewedLine, next: readonly ReviewedLine[], isSilent: boolean) => {
    const reached = reachedBy(text, isSilent);
    const strange = reached.filter((place) => !isKnown(place));
    const isSeen = isLoaded || part === "comment" || loads.test(text);
    const found = Object.entries({
      quoted,
      template,
      passwords: has(said, "passwords"),
      owned: isOwned(text.toLowerCase()),
      host: reached.length > 0,
      stranger: strange.length > 0,
      untold: isSeen && strange.some((place) => !isTold(place)),
      imposter: (template ? hostsReached(text, [inCells]) : reached).some(isFalse),
      favours: isJudge && isFavoured(next.slice(0, 2)),
      elsewhere: isElsewhere(text.includes("<a ") ? next.map((each) => each.text).join(" ") : text),
      odd: isOdd(text, strange.length === reached.length),
    });
    const theirs = (isTrial ? [] : belongingsIn(text)).map(
      ({ fact, found: those }) => [fact, those.some((each) => isTheirs(fact, each, text))] as const,
    );
    const facts = [...found, ...theirs].flatMap(([fact, isThere]) => (isThere ? [[fact, 0] as const] : []));
    return { facts, strangers: strange.map(({ host }) => host) };
  };
}
