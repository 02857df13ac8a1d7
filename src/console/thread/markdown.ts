import createPurifier from "dompurify";
import { html, type TemplateResult } from "lit-html";
import { unsafeHTML } from "lit-html/directives/unsafe-html.js";
import { Lexer, Parser } from "marked";
import { AnswerRenderer, headingLevels } from "./answer-renderer.ts";

/** Turns a model's Markdown into safe HTML. */
export type RenderMarkdown = (text: string) => TemplateResult;

/** Maximum rendered blocks in the cache. */
const maxBlocks = 600;

/** DOMPurify's rule for attribute values with fewer schemes: no scheme, or one of these. */
const allowedValues = /^(?:(?:https?|mailto):|[^a-z]|[a-z+.-]+(?:[^a-z+.:-]|$))/i;

const lexing = { gfm: true, breaks: true };

/**
 * Each top-level block is rendered and sanitised once: while a long answer streams, only its last block is rendered again.
 * Links open a new tab; HTML is shown as it was written; external pictures become links.
 */
export function createMarkdown(window: Window & typeof globalThis): RenderMarkdown {
  const purifier = createPurifier(window);
  purifier.addHook("afterSanitizeAttributes", (node) => {
    if (node.tagName !== "A") return;
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  });
  const sanitise = (dirty: string): string =>
    purifier.sanitize(dirty, {
      USE_PROFILES: { html: true },
      FORBID_TAGS: ["style", "form", "input", "textarea", "select", "video", "audio"],
      FORBID_ATTR: ["style", "id", "name", "srcset"],
      ALLOWED_URI_REGEXP: allowedValues,
    });
  const blocks = new Map<string, string>();
  const renderBlock = (key: string, render: () => string): string => {
    const known = blocks.get(key);
    const made = known ?? sanitise(render());
    blocks.delete(key);
    blocks.set(key, made);
    const oldest = blocks.keys().next();
    if (blocks.size > maxBlocks && !oldest.done) blocks.delete(oldest.value);
    return made;
  };
  return (text) => {
    const tokens = Lexer.lex(text, lexing).filter(({ type }) => type !== "space");
    // A block may refer to a link definition, so its rendering depends on the definitions.
    const definitions = tokens.flatMap(({ type, raw }) => (type === "def" ? [raw] : [])).join("");
    const levelOf = headingLevels();
    return html`${tokens.map((token) => {
      const level = token.type === "heading" ? levelOf(Number(token.depth)) : 0;
      const render = () => Parser.parse([token], { renderer: new AnswerRenderer(level) });
      return unsafeHTML(renderBlock(`${level} ${token.raw}${definitions}`, render));
    })}`;
  };
}
