/**
 * Invisible characters that can hide text from people: soft hyphen, zero-width space and joiners next to ASCII, word joiners,
 * bidirectional controls, byte order mark, Unicode tags and supplementary variation selectors. Joiners between letters of other
 * scripts and inside emoji are visible, so they stay.
 */
const controls = /[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const tags = /[\u{e0000}-\u{e007f}]/gu;
const selectors = /[\u{e0100}-\u{e01ef}]/gu;
const joiners = /(?<=^|\p{ASCII}|\p{Join_Control})\p{Join_Control}|\p{Join_Control}(?=$|\p{ASCII})/gmu;

/** The text without invisible characters. */
export function withoutInvisible(text: string): string {
  return text.replace(controls, "").replace(tags, "").replace(selectors, "").replace(joiners, "");
}
