import { html, nothing, type TemplateResult } from "lit-html";
import { formatBytes } from "../../base/amounts.ts";
import { escapedInvisible } from "../../base/text/invisible-text.ts";
import type { PackageReview } from "../../client/shapes.ts";

type Finding = PackageReview["findings"][number];
type Severity = Finding["severity"];

const severityNames = { danger: "Danger", warning: "Warning", info: "Note" } as const;

/** The number of findings by severity: `1 danger`, `2 warnings`. */
export function reviewBadges({ findings }: Pick<PackageReview, "findings">): TemplateResult {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const badge = (severity: Severity, one: string, many: string) => {
    const number = count(severity);
    return number === 0
      ? nothing
      : html`<span class="badge is-${severity}">${number} ${number === 1 ? one : many}</span>`;
  };
  return html`<span class="badges">
    ${badge("danger", "danger", "dangers")} ${badge("warning", "warning", "warnings")} ${badge("info", "note", "notes")}
    ${findings.length === 0 ? html`<span class="badge is-clear">Nothing found</span>` : nothing}
  </span>`;
}

/**
 * The contents and abilities of a package. Its texts are untrusted: they are shown as text, with hidden characters made
 * visible.
 */
export function reviewView(review: PackageReview): TemplateResult {
  const { findings, isolation } = review;
  return html`<div class="review" data-testid="review">
    ${
      findings.length === 0
        ? html`<p class="hint">No hidden text, download or command line was found. Read its files before you trust it with more.</p>`
        : html`<ul class="findings">
            ${findings.map(findingView)}
          </ul>`
    }
    <dl class="facts">
      ${listed("Scripts", review.scripts)} ${listed("Names hosts", review.hosts)} ${listed("Needs programs", review.bins)}
      ${listed("Needs variables", review.env)}
      <dt>Isolation</dt>
      <dd>${isolation}</dd>
      <dt>Files</dt>
      <dd>${review.files}, ${formatBytes(review.bytes)}</dd>
      <dt>SHA-256</dt>
      <dd><code title=${review.hash}>${review.hash.slice(0, 12)}…</code></dd>
    </dl>
  </div>`;
}

function findingView({ severity, code, message, path, line, excerpt }: Finding): TemplateResult {
  const where = path === undefined ? "" : `${escapedInvisible(path)}${line === undefined ? "" : `:${line}`}`;
  return html`<li class="finding is-${severity}" data-severity=${severity}>
    <p><strong class="badge is-${severity}">${code === "opinion" ? "Opinion" : severityNames[severity]}</strong> ${message}</p>
    ${where === "" ? nothing : html`<code class="finding-place">${where}</code>`}
    ${
      excerpt === undefined
        ? nothing
        : html`<pre tabindex="0" aria-label="Excerpt of ${where}"><code>${escapedInvisible(excerpt)}</code></pre>`
    }
  </li>`;
}

/** Maximum names listed; the rest is counted. */
const maxListed = 12;

function listed(title: string, names: readonly string[]): TemplateResult | typeof nothing {
  if (names.length === 0) return nothing;
  const rest = names.length - maxListed;
  const shown = names
    .slice(0, maxListed)
    .map((each) => escapedInvisible(each))
    .join(", ");
  return html`<dt>${title}</dt>
    <dd>${shown}${rest > 0 ? ` and ${rest} more` : ""}</dd>`;
}
