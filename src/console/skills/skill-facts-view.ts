import { html, nothing, type TemplateResult } from "lit-html";
import { counted, formatBytes } from "../../base/amounts.ts";
import { lineForPeople } from "../../base/line-for-people.ts";
import { escapedInvisible } from "../../base/text/invisible-text.ts";
import type { SkillDetail } from "../../client/shapes.ts";
import { disclosure } from "./disclosure.ts";
import { kindNames } from "./skill-kinds.ts";

/** The facts about a skill, without empty ones. */
export function factsView(detail: SkillDetail): TemplateResult {
  const rows: [string, string][] = [
    ["Kind", kindNames[detail.kind].one],
    ["Id", detail.id],
    ["Version", detail.version],
    ["Category", detail.category],
    ["Author", detail.author],
    ["License", detail.license ?? ""],
    ["Homepage", detail.homepage ?? ""],
    ["Tools of servers", serverTools(detail)],
    ["Time limit", `${detail.max_execution_seconds} s`],
    ["From", detail.source],
    ["Where", detail.path],
  ];
  return html`<dl class="facts">
    ${rows
      .filter(([, value]) => value !== "")
      .map(
        ([name, value]) => html`<dt>${name}</dt>
          <dd>${escapedInvisible(value)}</dd>`,
      )}
    <dt>SHA-256</dt>
    <dd><code title=${detail.hash}>${detail.hash.slice(0, 12)}…</code></dd>
  </dl>`;
}

/** Problems in its files. */
export function problemList({ problems }: SkillDetail): TemplateResult | typeof nothing {
  if (problems.length === 0) return nothing;
  return html`<section>
    <h4>Problems</h4>
    <ul class="problems">
      ${problems.map(({ message, path, severity }) => html`<li class="is-${severity}">${message} <code>${escapedInvisible(path)}</code></li>`)}
    </ul>
  </section>`;
}

export function parameterList({ parameters }: SkillDetail): TemplateResult | typeof nothing {
  if (parameters.length === 0) return nothing;
  return disclosure(
    counted(parameters.length, "parameter"),
    html`<dl class="parameters">
      ${parameters.map(
        ({ name, type, description, required, default: preset }) => html`<dt>
            <code>${name}</code> <span>${type}${required ? ", required" : ""}</span>
          </dt>
          <dd>${description} ${preset === undefined ? nothing : html`<span>Default: <code>${JSON.stringify(preset)}</code></span>`}</dd>`,
      )}
    </dl>`,
  );
}

export function toolList({ tools }: SkillDetail): TemplateResult | typeof nothing {
  if (tools.length === 0) return nothing;
  return disclosure(
    counted(tools.length, "tool"),
    html`<dl class="parameters">
      ${tools.map(
        ({ name, description }) => html`<dt><code>${name}</code></dt>
          <dd>${lineForPeople(description, 200)}</dd>`,
      )}
    </dl>`,
  );
}

export function fileList({ files }: SkillDetail): TemplateResult | typeof nothing {
  if (files.length === 0) return nothing;
  return disclosure(
    counted(files.length, "file"),
    html`<ul class="skill-files">
      ${files.map(({ path, bytes }) => html`<li><code>${escapedInvisible(path)}</code> <span>${formatBytes(bytes)}</span></li>`)}
    </ul>`,
  );
}

/** `files: read_file, write_file; notes: all`. */
function serverTools({ tool_list }: SkillDetail): string {
  return Object.entries(tool_list)
    .map(([server, tools]) => `${server}: ${tools.length === 0 ? "all" : tools.join(", ")}`)
    .join("; ");
}
