import { hash } from "node:crypto";
import type { ReadTaughtText } from "../core/skill/taught-skills.ts";
import { readSkillDocument } from "./document/skill-document.ts";
import { createDocumentSkill } from "./document-skill.ts";

/** Fields that only the bot's own skills and operators decide. */
const own = { active: false, direct: false, enabled: true } as const;

/** A SKILL.md that people wrote in the chat: a guide without files. */
export const readTaughtDocument: ReadTaughtText = (id, text, origin) => {
  const file = `${origin.path}/SKILL.md`;
  const { document, diagnostics } = readSkillDocument(text, file, id);
  if (document === undefined)
    return { ok: false, reason: diagnostics.map(({ message }) => message).join(" ") };
  const { tool_type: _, entry_points: __, settings: ___, ...rest } = document;
  const contents = { files: [], hash: hash("sha256", text, "hex"), document: undefined, diagnostics: [] };
  const request = { contents, origin, root: origin.path, file, diagnostics };
  const guide = { ...rest, metadata: { ...document.metadata, ...own, id } };
  return { ok: true, skill: createDocumentSkill(request, guide) };
};
