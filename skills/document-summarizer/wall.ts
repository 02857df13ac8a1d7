/** Whether a page only asks for consent, a login or a bot check, in English or German. */
export function isWall(text: string): boolean {
  if (text.length < short && asking.some((each) => each.test(text))) return true;
  const words = text.match(/\p{L}+/gu)?.length ?? 0;
  const about = text.match(subject)?.length ?? 0;
  return text.length < medium && about >= 3 && about >= words * density;
}

/** Maximum characters of a page with little other text, and of a consent page with all details expanded. */
const short = 1_200;
const medium = 5_000;
/** Minimum share of words about consent; an article about cookies has a lower share. */
const density = 0.05;

const asking: readonly RegExp[] = [
  /\b(?:accept (?:all|cookies)|reject all|cookie settings|before you continue|value your privacy|enable javascript)\b/i,
  /\b(?:(?:log|sign) ?in to continue|subscribe to (?:read|continue))\b/i,
  /\b(?:verify (?:that )?you are (?:a )?human|checking your browser)\b/i,
  /\b(?:alle (?:cookies )?(?:akzeptieren|ablehnen)|zustimmen und)\b/i,
];
const subject = /cookie|consent|privacy|einwillig|zustimm|datenschutz/gi;
