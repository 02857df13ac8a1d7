/**
 * Packages in the shapes in which people publish them, what somebody asks of each, and the file that has to come of it. The model of the
 * tests may use only what stood in its request: what it does here it was told by the package's own guide.
 */
import type { HonestModel, Step } from "../../support/models/honest-model.ts";

export interface OwnPackage {
  /** Its folder in `test/fixtures/skill-packages`. */
  folder: string;
  /** What it is like. */
  kind: string;
  /** Its skills that are chosen and enabled, by the names they are listed under. */
  skills: readonly [string, ...string[]];
  /** The others, which are not chosen. */
  others?: readonly string[];
  say: string;
  does(results: readonly string[]): Step;
  says: RegExp;
  /** The file that is posted, and what is in it. */
  posts: { name: RegExp; begins: string; says?: RegExp };
}

/** Opens the guide, makes these calls one after the other, and says something. */
function guided(skill_name: string, commands: readonly Command[], said: string): OwnPackage["does"] {
  const command = ({ command: text, invents = [] }: Command): Step => ({
    call: "run_skill_script",
    with: { skill_name, command: text },
    invents,
  });
  return (results) => {
    const next = commands[results.length - 1];
    const last = results.at(-1) ?? "";
    if (last.startsWith('{"error"')) return { say: `That failed: ${last}` };
    if (results.length === 0) return { call: "activate_skill", with: { skill_name } };
    return next === undefined ? { say: said, invents: [said] } : command(next);
  };
}

interface Command {
  command: string;
  invents?: readonly string[];
}

export const ownPackages: readonly OwnPackage[] = [
  {
    folder: "emoji-gif",
    kind: "a maker of GIFs with its own library",
    skills: ["emoji-gif"],
    say: "a GIF of a bouncing ball, please",
    does: guided(
      "emoji-gif",
      [
        {
          command: `python3 - <<'EOF'
from core.frames import circle, save_frames
save_frames("frames.json", [circle(64, x=32, y=y, radius=9) for y in (10, 18, 30, 46, 54, 46, 30, 18)])
EOF`,
          invents: ["EOF"],
        },
        {
          command: `python3 - <<'EOF' && python scripts/check.py output/ball.gif
from core.frames import load_frames
from core.gif_builder import GIFBuilder
builder = GIFBuilder(width=64, height=64, colours=["#ffffff", "#e01e5a"], delay=8)
for frame in load_frames("frames.json"):
    builder.add_frame(frame)
builder.save("output/ball.gif")
EOF`,
          invents: ["EOF", "output/ball.gif"],
        },
      ],
      "Here is the ball.",
    ),
    says: /Here is the ball/,
    posts: { name: /^ball\.gif$/, begins: "GIF89a" },
  },
  {
    folder: "word-files",
    kind: "a maker of Word files with templates",
    skills: ["word-files"],
    say: "a letter for Word: we move on Monday",
    does: guided(
      "word-files",
      [
        {
          command: `cp -r templates/letter letter
sed -i 's/TITLE/Moving/; s/BODY/We move on Monday./' letter/word/document.xml
python3 scripts/pack.py letter output/moving.docx && python3 scripts/check.py output/moving.docx`,
          invents: ["s/TITLE/Moving/; s/BODY/We move on Monday./"],
        },
      ],
      "The letter is ready.",
    ),
    says: /letter is ready/,
    posts: { name: /^moving\.docx$/, begins: "PK", says: /We move on Monday\./ },
  },
  {
    folder: "paper-collection",
    kind: "one skill of a marketplace",
    skills: ["poster"],
    others: ["haiku"],
    say: "a sign for the door: please knock",
    does: guided(
      "poster",
      [{ command: `python3 scripts/poster.py "Please|knock" output/door.pdf`, invents: ["Please|knock"] }],
      "The sign can be printed.",
    ),
    says: /sign can be printed/,
    posts: { name: /^door\.pdf$/, begins: "%PDF-1.4", says: /Please.*knock/s },
  },
  {
    folder: "invoice-writer",
    kind: "a handler of AnythingLLM",
    skills: ["invoice-writer"],
    say: "an invoice for Moon Ltd over 420 euros",
    does: (results) =>
      results.length === 0
        ? {
            call: "invoke_skill",
            with: { skill_id: "invoice-writer", params: { customer: "Moon Ltd", amount: "420" } },
          }
        : { say: "The invoice is attached." },
    says: /invoice is attached/,
    posts: { name: /^invoice-moon-ltd\.html$/, begins: "<!doctype html>", says: /Moon Ltd: 420\.00 EUR/ },
  },
  {
    folder: "tidy-archive",
    kind: "a skill of OpenClaw with its programs",
    skills: ["tidy-archive"],
    say: "pack a file with the word hello for me",
    does: guided(
      "tidy-archive",
      [
        {
          command:
            "echo hello > note.txt && $KNACK_SKILL_DIR/scripts/tidy.sh parcel note.txt && mv parcel.tar.gz output/",
        },
      ],
      "Your parcel is packed.",
    ),
    says: /parcel is packed/,
    posts: { name: /^parcel\.tar\.gz$/, begins: "\u001f" },
  },
  {
    folder: "release-desk",
    kind: "a plugin: command, agent and server",
    skills: ["release-notes", "editor"],
    say: "/skill run release-notes version 41, please",
    does: (results) => {
      const [, changes = ""] = results;
      const lines = changes.split("\n").filter((line) => /^[A-Z]/.test(line));
      switch (results.length) {
        case 0:
          return { call: "activate_skill", with: { skill_name: "mcp_desk" } };
        case 1:
          return { call: "desk__list_changes", with: { version: "41" } };
        case 2:
          return {
            call: "handoff",
            with: { to: "editor", reason: `Check these notes.\n${lines.join("\n")}` },
          };
        case 3:
          return {
            call: "run_skill_script",
            with: {
              skill_name: "release-notes",
              command: `cat > changes.txt <<'EOF'
${lines.join("\n")}
EOF
python3 $KNACK_SKILL_DIR/scripts/notes.py 41 changes.txt > output/notes.md`,
            },
            invents: ["EOF"],
          };
        default:
          return { say: `Version 41 has its notes. The editor: ${results[2]}` };
      }
    },
    says: /has its notes\. The editor: All clear/,
    posts: { name: /^notes\.md$/, begins: "# Version 41", says: /- Reports load twice as fast\n- Dates/ },
  },
];

/** Teaches the model what people ask of the packages. */
export function teach(model: HonestModel): void {
  for (const { say, does } of ownPackages) model.about(say.replace(/^.skill run \S+ /, ""), does);
  model.about("Check these notes.", (_results, request) => ({
    say: request.includes("You check release notes.") ? "All clear" : "Who am I?",
  }));
}
