import type { Audit } from "./audit.ts";
import type { ChangeSettings, SettingsChange } from "./channel-settings.ts";
import type { SkillService } from "./skill-service.ts";

const done = {
  pinned: { action: "skill_enabled", words: "enabled" },
  blocked: { action: "skill_disabled", words: "disabled" },
  available: { action: "skill_reset", words: "left to the agent:" },
};

/** The same skills, with every change of them noted. */
export function auditedSkills(skills: SkillService, audit: Audit): SkillService {
  return {
    ...skills,
    async set(namespace, id, state, by) {
      const outcome = await skills.set(namespace, id, state, by);
      if (outcome.ok) {
        const { action, words } = done[state];
        const subject = outcome.value.id;
        audit.record({ action, by, namespace, subject, detail: `${words} **${subject}**` });
      }
      return outcome;
    },
  };
}

/** The same settings, with every change of them noted. */
export function auditedSettings(change: ChangeSettings, audit: Audit): ChangeSettings {
  return async (namespace, settings, by) => {
    const outcome = await change(namespace, settings, by);
    const detail = changes(settings);
    if (outcome.ok && detail !== "")
      audit.record({ action: "settings_changed", by, namespace, subject: namespace, detail });
    return outcome;
  };
}

function changes(settings: SettingsChange): string {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const words = given.map(([name, value]) => `${name} to \`${value === null ? "default" : String(value)}\``);
  return words.length === 0 ? "" : `set ${words.join(", ")}`;
}
