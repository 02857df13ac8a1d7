import type { LoadedSkills, SkillSource } from "../core/skill/skill.ts";

/**
 * The skills of a source as `judge` returns them. Returns the same object as before while the source does and `state` is equal. If the
 * judgement fails, on a full disk for instance, the skills are returned as they are: a call reports that, and the next load repeats it.
 */
export function createJudgedSource(
  source: SkillSource,
  judge: (loaded: LoadedSkills) => LoadedSkills | Promise<LoadedSkills>,
  state: () => string | Promise<string> = () => "",
): SkillSource {
  let before: { loaded: LoadedSkills; state: string; judged: LoadedSkills } | undefined;
  return {
    id: source.id,
    async load() {
      const loaded = await source.load();
      const now = await state();
      if (loaded === before?.loaded && now === before.state) return before.judged;
      try {
        before = { loaded, state: now, judged: await judge(loaded) };
        return before.judged;
      } catch {
        return loaded;
      }
    },
  };
}
