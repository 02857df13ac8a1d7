import type { Plan, PlanStep } from "./plan.ts";

/** The plan as a Markdown checklist. */
export function renderPlan({ title, steps, risks, questions }: Plan): string {
  const sections = [
    `**${title}**`,
    steps.map(renderStep).join("\n"),
    renderList("Risks", risks),
    renderList("Open questions", questions),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function renderStep({ id, title, description, depends_on, complexity, success_criteria }: PlanStep): string {
  const facts = [
    ...(complexity === "medium" ? [] : [`${complexity} effort`]),
    ...(depends_on.length === 0 ? [] : [`after ${depends_on.join(", ")}`]),
  ];
  const lines = [
    `- [ ] ${id}. ${title}${facts.length === 0 ? "" : ` _(${facts.join("; ")})_`}`,
    ...(description === "" ? [] : [`  ${oneLine(description)}`]),
    ...(success_criteria === "" ? [] : [`  Done when: ${oneLine(success_criteria)}`]),
  ];
  return lines.join("\n");
}

function renderList(heading: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  return [`**${heading}**`, ...items.map((item) => `- ${oneLine(item)}`)].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/(?<!\s)\s*\n\s*/g, " ").trim();
}
