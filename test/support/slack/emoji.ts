/** Emoji that this workspace knows by these names: some of Slack's, and one of its own. Slack's differ from GitHub's in places. */
export const knownEmoji: ReadonlySet<string> = new Set([
  "+1",
  "-1",
  "eyes",
  "fire",
  "heart",
  "party-parrot",
  "rocket",
  "tada",
  "thinking_face",
  "thumbsdown",
  "thumbsup",
  "white_check_mark",
]);
