import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import type { Replay } from "../../client/shapes.ts";
import { formatDuration } from "../../core/log/turn-view.ts";
import { costText } from "../../core/log/usage.ts";
import { onSubmit } from "../page/form.ts";
import { modelName } from "../page/thread-title.ts";
import type { Actions } from "../state/actions.ts";
import type { ReceiptState } from "../state/state.ts";
import type { RenderMarkdown } from "./markdown.ts";

/** The receipt of an answer, and below it the form that has another model answer again. */
export function receiptView(
  turnId: string,
  { receipt, models = [], replaying, replay, problem }: ReceiptState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult {
  if (receipt === undefined) return html`<p class="hint">Reading the receipt</p>`;
  const submit = onSubmit((texts) => {
    const model = texts.get("model")?.trim();
    if (model) void actions.receipts.replay(turnId, model);
  });
  return html`<section class="receipt" aria-label="Receipt" data-testid="receipt">
    <div class="answer">${guard([receipt.text], () => markdown(receipt.text))}</div>
    <form class="replay-form" @submit=${submit}>
      <label>
        <span class="visually-hidden">Model</span>
        <input name="model" list="models-${turnId}" placeholder="provider/model" autocomplete="off" required />
      </label>
      <datalist id="models-${turnId}">${models.map((name) => html`<option value=${name}></option>`)}</datalist>
      <button type="submit" class="small-button" ?disabled=${replaying !== undefined}>Replay</button>
      <span class="hint" role="status">${replayHint(replaying)}</span>
    </form>
    ${problem === undefined ? nothing : html`<p class="replay-problem" role="alert">${problem}</p>`}
    ${replay === undefined ? nothing : comparison(replay, markdown)}
  </section>`;
}

function replayHint(replaying: string | undefined): string {
  return replaying === undefined
    ? "Another model answers again, with the recorded results: its provider gets the conversation, and its tokens cost. Nothing runs, nothing is posted."
    : `${replaying} is answering`;
}

function comparison({ recorded, replayed, notes }: Replay, markdown: RenderMarkdown): TemplateResult {
  return html`<div class="comparison" data-testid="replay">
      ${column("Recorded", recorded, markdown)} ${column("Replayed", replayed, markdown)}
    </div>
    ${notes.map((note) => html`<p class="hint">${note}</p>`)}`;
}

function column(
  title: string,
  { model, text, calls, rounds, usage, duration_ms, error }: Replay["recorded"],
  markdown: RenderMarkdown,
): TemplateResult {
  const facts = [
    rounds === 1 ? "1 round" : `${rounds} rounds`,
    `${(usage.input_tokens + usage.output_tokens).toLocaleString()} tokens`,
    costText(usage),
    formatDuration(duration_ms),
  ];
  return html`<section aria-label=${title}>
    <h4>${title}: ${modelName(model)}</h4>
    <p class="hint">${facts.filter((fact) => fact !== "").join(" · ")}</p>
    ${
      calls.length === 0
        ? nothing
        : html`<ul class="replay-calls">
            ${calls.map(
              ({ tool, arguments: given, recorded }) =>
                html`<li><code>${tool} ${JSON.stringify(given)}</code>${recorded ? nothing : html` <strong>not recorded</strong>`}</li>`,
            )}
          </ul>`
    }
    ${error === undefined ? html`<div class="answer">${markdown(text)}</div>` : html`<p class="replay-problem">No answer: ${error.message}</p>`}
  </section>`;
}
