import { z } from "zod";
import { type WebFindings, type WebQuery, WebSearchError } from "../../src/core/ports/web.ts";
import { defineSkill, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { toJson } from "../../src/core/values/json.ts";

/** Maximum characters of the text of one result. */
const maxText = 600;

/** A site's host name, from an address, `*.example.com` or `bücher.example`. */
const host = z
  .string()
  .trim()
  .transform(
    (text) => URL.parse(`https://${text.replace(/^(https?:\/\/|site:|\*\.)+/i, "")}`)?.hostname ?? "",
  )
  .pipe(z.string().regex(/^[a-z0-9.-]+\.[a-z][a-z0-9-]+$/, "a site such as example.com"));

export const skill = defineSkill({
  name: "web_search",
  title: "Searching the web",
  effect: "read_only",
  finds: "results",
  parameters: z.object({
    words: z.string().trim().min(1).max(400).describe("that stand on the page; nothing private"),
    within: z.enum(["day", "week", "month", "year"]).optional().describe("not older than that"),
    site: host.optional().describe("only this site"),
    most: z.number().int().min(1).max(20).default(8),
  }),
  output: z.object({
    results: z.array(
      z.object({ title: z.string(), url: z.string(), date: z.string().optional(), text: z.string() }),
    ),
    searched: z.array(z.string()).describe("engines that answered"),
    note: z.string().optional().describe("what to tell the person"),
  }),
  async run(query, context) {
    context.progress(`Searching for ${query.words.slice(0, 100)}`);
    const found = await context.step("search", async () => toJson(await search(query, context)));
    const { hits, engines, notes } = found as unknown as WebFindings;
    const nothing = hits.length === 0 ? ["Nothing was found; other or fewer words may find something."] : [];
    const note = [...nothing, ...notes].join(" ");
    return {
      results: hits.map(({ title, url, date, text }) => ({ title, url, text: text.slice(0, maxText), date })),
      searched: [...engines],
      note: note || undefined,
    };
  },
});

async function search(query: WebQuery, { searchWeb }: Pick<ToolContext, "searchWeb">): Promise<WebFindings> {
  try {
    return await searchWeb(query);
  } catch (error) {
    if (error instanceof WebSearchError) throw new SkillFailure(error.code, error.message, error.hint);
    throw error;
  }
}
