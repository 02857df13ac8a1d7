import { honestResearcher, researchQuestion } from "../../support/skills/research-world.ts";
import { callThenSay, read, runThenSay, type SkillTask } from "./task.ts";

const csv = "month,orders\n2026-01,120\n2026-02,95\n2026-03,143\n2026-04,160\n";
/** Longer than what a message shows whole: what stands there whole is left to the model. */
const diff = `diff --git a/pay.js b/pay.js
--- a/pay.js
+++ b/pay.js
@@ -1,2 +1,3 @@
 const total = sum(lines);
+charge(card, total * 100);
 done();
diff --git a/prices.txt b/prices.txt
--- /dev/null
+++ b/prices.txt
@@ -0,0 +1,400 @@
${Array.from({ length: 400 }, (_, at) => `+article ${at + 1} costs ${at * 7} euros`).join("\n")}
`;
/** Numbers of sources, as they stand in JSON. */
const numberPairs = Array.from({ length: 100 }, (_, at) => `${Math.floor(at / 10)},${at % 10}`);
const handbook = `# Handbook\n\n## Travel\n\n${"By train, second class. ".repeat(60)}\n\n## Leave\n\nParents get 34 days of parental leave.\n`;
const minutes =
  "# Minutes\n\nThe team decided to move the launch to 14 December.\n\nAnn checks the 37 open tickets until Friday.\n\n## Reports\n\n" +
  Array.from({ length: 400 }, (_, at) => `Ticket ${at + 1} waits for its owner.\n`).join("");
/** A report with its sources, as the guide says. */
function researched(result: string): string {
  const { answer = result.slice(0, 400), sources = [] } = read(result);
  const list = sources.map(
    ({ n, title, url, date }) => `- [${n}] [${title}](${url})${date ? `, ${date}` : ""}`,
  );
  return [answer, "", "Sources:", ...list].join("\n");
}
/** A value of a result that is shown in words, `name: value`. */
const valueIn = (result: string, name: string) =>
  new RegExp(`"?${name}"?:\\s*"?([^"\\n]+)`).exec(result)?.[1] ?? "";
const svg =
  '<svg viewBox="0 0 420 120"><rect x="10" y="30" width="150" height="60" rx="8" fill="#e8f0fa" stroke="#336"/><text x="50" y="66" font-size="18">Channel</text><path d="M160 60 L250 60" stroke="#333" stroke-width="2"/><rect x="250" y="30" width="150" height="60" rx="8" fill="#eafaf0" stroke="#363"/><text x="300" y="66" font-size="18">Agent</text></svg>';

/** What people ask the shipped skills, on every surface. */
export const skillTasks: readonly SkillTask[] = [
  {
    skill: "write_file",
    say: "write a shopping list into a file",
    does: callThenSay(
      "write_file",
      { name: "shopping.md", content: "- bread\n- milk\n" },
      () => "It is in shopping.md.",
    ),
    says: [/shopping\.md/],
    posts: [/shopping\.md/],
  },
  {
    skill: "text-analyzer",
    say: "what is the tone of “I love this, but the ending was terrible”?",
    does: runThenSay(
      "text-analyzer",
      { text: "I love this, but the ending was terrible", analysis_type: "sentiment" },
      (result) => `It is ${valueIn(result, "label") || "unknown"}.`,
    ),
    says: [/It is mixed/],
  },
  {
    skill: "data-visualization",
    say: "draw the orders of this table per month",
    files: [{ name: "orders.csv", content: csv }],
    does: callThenSay(
      "chart_draw",
      {
        file: "orders.csv",
        spec: {
          title: "Orders per month",
          mark: "bar",
          encoding: {
            x: { field: "month", type: "ordinal", title: "Month" },
            y: { field: "orders", type: "quantitative", title: "Orders" },
          },
        },
      },
      () => "Here is the chart: orders-per-month.png.",
      ["orders-per-month.png"],
    ),
    says: [/Here is the chart/],
    posts: [/orders-per-month\.(png|svg)|Orders per month/],
  },
  {
    skill: "image-generation",
    say: "draw a diagram of a channel and its agent",
    does: callThenSay("diagram_draw", { svg, name: "Channel and agent" }, () => "That is how it works.", [
      "Channel and agent",
    ]),
    says: [/how it works/],
    posts: [/channel-and-agent\.png/],
  },
  {
    skill: "image-generation without a service",
    say: "make a photo of a cat",
    does: runThenSay("image-generation#make", { prompt: "A cat on a sofa, photo" }, (result) =>
      /service that generates images/.test(result)
        ? "It needs a service that generates images; I can draw a diagram."
        : "Done.",
    ),
    says: [/service that generates images/],
  },
  {
    skill: "simple-writing",
    say: "write the project report as Word and PDF",
    does: callThenSay(
      "document_write",
      {
        title: "Project report",
        markdown: "We are on time.\n\n| Month | Orders |\n|---|---|\n| January | 120 |\n",
        formats: ["docx", "pdf"],
      },
      () => "The report is ready.",
    ),
    says: [/report is ready/],
    posts: [/Project-report\.docx/, /Project-report\.pdf/],
  },
  {
    skill: "document-summarizer",
    say: "sum up the attached minutes",
    files: [{ name: "minutes.md", content: minutes }],
    does: callThenSay("document_summarize", {}, (result) => result.slice(0, 200)),
    within: {
      "Summarise the documents": {
        answer: (input) => ({
          summary: /decided to move the launch to 14 December/.test(input)
            ? "The launch moves to 14 December."
            : "Nothing was decided.",
          points: [
            {
              text: "The launch moves.",
              source: 1,
              place: "Minutes",
              quote: "decided to move the launch to 14 December",
            },
          ],
        }),
      },
    },
    says: [/launch moves to 14 December/],
  },
  {
    skill: "translate",
    say: "translate the attached note into German",
    files: [{ name: "note.md", content: "# Hello\n\nRun `npm start` within 30 seconds.\n" }],
    does: runThenSay("translate", { file: "note.md", to: "German" }, () => "It is in note.german.md.", [
      "note.german.md",
    ]),
    within: {
      "Translate the text": { answer: () => "# Hallo\n\nStarte `npm start` innerhalb von 30 Sekunden." },
    },
    says: [/note\.german\.md/],
    posts: [/note\.german\.md/],
  },
  {
    skill: "code-review",
    say: "review the attached change",
    files: [{ name: "change.diff", content: diff }],
    does: runThenSay("code-review", { what: "change.diff" }, (result) => {
      const [, table = "", finding = ""] = result.split("\n\n");
      return `${table}\n\n${finding.replace(/\n(.*)/, " Better: `$1`")}`;
    }),
    within: {
      "Review this change": {
        answer: () => ({
          findings: [
            {
              file: "pay.js",
              line: 2,
              severity: "major",
              title: "Cents twice",
              why: "charge takes cents.",
              quote: "charge(card, total * 100);",
              proposal: "charge(card, total);",
            },
          ],
        }),
      },
    },
    says: [/major/, /pay\.js:2/, /Cents twice/, /Better: .*charge\(card, total\);/],
  },
  {
    skill: "code-execution",
    say: "add up the orders of this table with a program",
    files: [{ name: "orders.csv", content: csv }],
    does: runThenSay(
      "code-execution",
      { task: "Sum the column orders", files: ["orders.csv"] },
      (result) => valueIn(result, "result") || result.slice(0, 300),
    ),
    within: {
      "Plan a program": {
        answer: () => ({ language: "bash", steps: ["sum the column"], checks: ["four rows"] }),
      },
      "Write one whole": {
        answer: () => ({
          code: 'awk -F, \'NR>1{s+=$2;n++} END{print "rows",n; print "sum",s}\' /workspace/input/orders.csv',
        }),
        invents: ["/workspace/input/orders.csv", "awk"],
      },
      "Say what the program found": {
        answer: (input) => {
          const [, sum = ""] = /sum (\d+)/.exec(input) ?? [];
          return {
            result: `The orders add up to ${sum}.`,
            checks: [{ what: "four rows", ok: /rows 4/.test(input) }],
          };
        },
      },
    },
    says: [/add up to 518/],
    posts: [/program\.sh/],
  },
  {
    skill: "code-generation",
    say: "write a shell script that greets, with a test",
    does: runThenSay(
      "code-generation",
      { task: "A script greet.sh that prints Hello and its argument", language: "bash" },
      (result) => (/"?passed"?:\s*1\b/.test(result) ? "Written; its one test passed." : result.slice(0, 400)),
    ),
    within: {
      "Write what the task asks for": {
        answer: () => ({
          language: "bash",
          files: [
            { path: "greet.sh", purpose: "greets", content: 'echo "Hello $1"\n' },
            {
              path: "greet_test.sh",
              purpose: "tests it",
              content: '[ "$(bash greet.sh Ann)" = "Hello Ann" ]\n',
            },
          ],
          start: "bash greet.sh Ann",
        }),
        invents: ["greet.sh", "greet_test.sh"],
      },
    },
    says: [/its one test passed/],
    posts: [/greet\.sh/, /greet_test\.sh/],
  },
  {
    skill: "schedule",
    say: "remind me tomorrow at 9 of the invoice",
    does: callThenSay(
      "schedule_add",
      {
        text: "Think of the invoice.",
        at: `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T09:00`,
      },
      (result) => result,
    ),
    says: [/reminder .*9:00/],
  },
  {
    skill: "memory",
    say: "remember that the deploy is on Friday",
    does: callThenSay("memory_remember", { text: "The deploy is on Friday." }, (result) => result),
    says: [/deploy is on Friday/],
  },
  {
    skill: "memory, a document",
    say: "learn the attached handbook",
    files: [{ name: "handbook.md", content: handbook }],
    does: runThenSay("memory#learn", { what: "handbook.md" }, (result) => result),
    says: [/Learned handbook\.md as document 1/],
  },
  {
    skill: "memory, in another thread",
    say: "how many days of parental leave do we get?",
    does: callThenSay(
      "memory_recall",
      { query: "parental leave days" },
      (result) => {
        const passage = read(result).passages?.[0];
        const [sentence] = /[^.\n]*parental leave[^.\n]*\./.exec(passage?.text ?? "") ?? [];
        return `${sentence} (${passage?.document}, ${passage?.place})`;
      },
      ["parental leave days"],
    ),
    says: [/34 days of parental leave/, /handbook\.md, Leave/],
  },
  {
    skill: "task-planning",
    say: "plan our move: pack, then load the van, then clean",
    does: runThenSay(
      "task-planning",
      {
        task_description: "Move house",
        steps: [
          { title: "Pack" },
          { title: "Load the van", depends_on: [1] },
          { title: "Clean", depends_on: [2] },
        ],
      },
      (result) => read(result).text ?? result.slice(0, 400),
    ),
    says: [/Pack/, /Load the van/, /Clean/],
  },
  {
    skill: "web-scraping",
    say: "find the official page of the Kestrel Tower and tell me who opened it",
    does: (results) => {
      const [found = "", page] = results;
      if (found === "")
        return { call: "web_search", with: { words: "Kestrel Tower" }, invents: ["Kestrel Tower"] };
      const url = /http:\/\/[^"]*\/official/.exec(found)?.[0] ?? "";
      if (page === undefined) return { call: "web_read", with: { url } };
      return { say: /It was opened[^.]*\./.exec(page)?.[0] ?? page.slice(0, 300) };
    },
    says: [/opened on 14 May 1998 by the mayor/],
  },
  {
    skill: "web-search",
    say: "search the web for the Kestrel Tower",
    does: callThenSay("web_search", { words: "Kestrel Tower height" }, (result) =>
      /\/official/.test(result) ? "I found its official page." : result.slice(0, 300),
    ),
    says: [/its official page/],
  },
  {
    skill: "web-research",
    say: researchQuestion,
    does: (results) =>
      results.length === 0
        ? {
            call: "invoke_skill",
            with: { skill_id: "web-research", params: { question: researchQuestion, depth: "quick" } },
            invents: ["quick", researchQuestion, "web-research"],
          }
        : { say: researched(results.at(-1) ?? "") },
    within: Object.fromEntries(
      [
        "Plan a research",
        "List what this page says",
        "Judge what the sources",
        "Answer the question from",
        "Check statements of an answer",
      ].map((words) => [
        words,
        {
          answer: (input: string) =>
            honestResearcher({
              system: words === "Judge what the sources" ? "Judge" : words,
              messages: [{ role: "user", text: input }],
            }),
          invents: numberPairs,
        },
      ]),
    ),
    says: [/331 metres tall\. \\?\[1/, /\[1\\?\] .*Kestrel Tower.*3 March 2026/],
  },
  {
    skill: "channel-summary",
    say: "what was decided here today?",
    does: runThenSay("channel-summary", {}, (result) => {
      const { from, to, topics = [] } = read(result);
      return [`From ${from} to ${to}:`, ...topics.map(({ text, link }) => `- ${text} [there](${link})`)].join(
        "\n",
      );
    }),
    within: {
      "Sum up a conversation": {
        answer: (input) => {
          const [, number = "0", , text = ""] = /^\[(\d+)\] (.*?): (.*)$/m.exec(input) ?? [];
          return {
            decisions: [],
            open: [],
            topics: [{ text: text.slice(0, 80), who: "", message: Number(number) }],
          };
        },
      },
    },
    says: [/From \w+ \d{4}-\d\d-\d\d/, /there/],
  },
];
