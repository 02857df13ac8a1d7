import { html, nothing, type TemplateResult } from "lit-html";
import type { QuestionView } from "../../core/log/turn-view.ts";
import { onSubmit } from "../page/form.ts";
import { icon } from "../page/icons.ts";
import { clockTime } from "../page/relative-time.ts";
import type { Actions } from "../state/actions.ts";

/** A question of the agent: choices as buttons, and a field for another answer. */
export function questionCard(turnId: string, question: QuestionView, actions: Actions): TemplateResult {
  const answer = (text: string) => actions.messages.answer(turnId, question.question_id, text);
  const submit = onSubmit((texts) => answer(texts.get("answer") ?? ""));
  return html`<section class="card question" aria-label="A question for you">
    <p class="card-title">${icon("question")} ${question.text}</p>
    ${
      question.choices.length === 0
        ? nothing
        : html`<div class="choices" role="group" aria-label="Choices">
            ${question.choices.map(
              (choice) =>
                html`<button type="button" class="button" @click=${() => answer(choice)}>${choice}</button>`,
            )}
          </div>`
    }
    <form class="inline-form" @submit=${submit}>
      <input
        class="field"
        name="answer"
        autocomplete="off"
        aria-label="Your answer"
        placeholder=${question.choices.length === 0 ? "Your answer" : "Or in your own words"}
      />
      <button type="submit" class="button is-primary">Answer</button>
    </form>
    <p class="hint">Open until ${clockTime(question.expires_at)}.</p>
  </section>`;
}
