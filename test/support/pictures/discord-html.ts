import { marked } from "marked";
import { escaped } from "./slack-html.ts";

type Part = Record<string, unknown>;

const listOf = (value: unknown) => (Array.isArray(value) ? (value as Part[]) : []);
const labelOf = ({ emoji, label, name, value }: Part) =>
  escaped([(emoji as Part | undefined)?.name, label ?? name ?? value].filter(Boolean).join(" "));

/** A message, form or list of completions as Discord shows it. */
export function discordHtml({ title, name, content, components, poll, choices, attachments }: Part): string {
  return [
    title === undefined && name === undefined ? "" : `<h3>${escaped(title ?? name)}</h3>`,
    content ? marked.parse(escaped(content).replaceAll("&gt;", ">"), { async: false }) : "",
    ...listOf(components).map(partHtml),
    poll === undefined ? "" : pollHtml(poll as Part),
    ...listOf(choices).map((each) => `<p class="c">▸ ${labelOf(each)}</p>`),
    ...listOf(attachments).map(
      (each) => `<p>[file ${escaped(each.filename)}: ${escaped(each.description)}]</p>`,
    ),
  ].join("");
}

function pollHtml({ question, answers, duration, allow_multiselect }: Part): string {
  const lines = listOf(answers).map(({ poll_media }) => {
    const { emoji, text } = (poll_media ?? {}) as Part;
    return `<p>◯ ${labelOf({ emoji, label: text })}</p>`;
  });
  const several = allow_multiselect === true ? "Select one or more answers" : "Select one answer";
  return `<div class="b"><b>${escaped((question as Part).text)}</b><p class="c">${several}</p>${lines.join("")}<p class="c">${escaped(duration)} h left</p></div>`;
}

/** https://discord.com/developers/docs/components/reference */
function partHtml(part: Part): string {
  const {
    type,
    components,
    content,
    component,
    label,
    description,
    placeholder,
    value,
    style,
    options,
    items,
  } = part;
  const inner = listOf(components).map(partHtml).join(" ");
  switch (type) {
    case 1:
      return `<p>${inner}</p>`;
    case 2:
      return `<button>${labelOf(part)}${style === 3 ? " (green)" : style === 4 ? " (red)" : ""}</button>`;
    case 3:
      return `<span class="b">▾ ${escaped(placeholder)}: ${listOf(options).map(labelOf).join(" / ")}</span>`;
    case 4:
      return `<span class="b">${style === 2 ? "▭ long" : "▭"} ${escaped(label)} ${escaped(value ?? placeholder)}</span>`;
    case 9:
      return `${inner}${partHtml(part.accessory as Part)}`;
    case 10:
      return marked.parse(escaped(content).replaceAll("&gt;", ">"), { async: false });
    case 12:
      return listOf(items)
        .map((each) => `<p>[picture: ${escaped(each.description)}]</p>`)
        .join("");
    case 13:
      return `<p>[file ${escaped(JSON.stringify(part.file))}]</p>`;
    case 14:
      return "<hr>";
    case 17:
      return `<div class="b">${inner}</div>`;
    case 18:
      return `<p><b>${escaped(label)}</b> ${partHtml(component as Part)}<br><span class="c">${escaped(description)}</span></p>`;
    default:
      return `<i class="e">${escaped(JSON.stringify(part))}</i>`;
  }
}
