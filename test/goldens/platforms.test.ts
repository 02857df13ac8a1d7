import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { it } from "vitest";
import { skillModal } from "../../src/platforms/discord/incoming/skill-modal.ts";
import { slashCommands } from "../../src/platforms/discord/incoming/slash-commands.ts";
import { manifestOverHttp, readManifest } from "../../src/platforms/slack/connection/manifest.ts";
import { askModal } from "../../src/platforms/slack/incoming/ask-modal.ts";
import { formModal } from "../../src/platforms/slack/incoming/form-modal.ts";
import { expectGoldenJson } from "./golden.ts";
import { createGoldenBot } from "./golden-bot.ts";

it("Discord gets the same commands", async () => {
  const commands = slashCommands(createGoldenBot().test.app.commands);
  await expectGoldenJson("platforms/discord-commands.json", commands);
});

it("Slack gets the same manifest", async () => {
  const file = fileURLToPath(new URL("../../config/slack-manifest.yaml", import.meta.url));
  const manifest = readManifest(await readFile(file, "utf8"));
  const overHttp = [false, true].map((installations) =>
    manifestOverHttp(manifest, "https://knack.example/bot", installations),
  );
  await expectGoldenJson("platforms/slack-manifest.json", { manifest, over_http: overHttp });
});

/** Forms as they are filled in. */
const filled = [
  {},
  { text: "x" },
  { text: "two words", count: "2", colour: "red" },
  { text: "x", count: "many", colour: "blue" },
];

it("forms for the parameters of skills are the same on both platforms", async () => {
  const { intake } = createGoldenBot();
  const place = { namespace: "fake:team:general", thread: "t1" };
  const forms: object[] = [];
  for (const id of ["notes", "weekly", "haiku", "only-agent", "no-key", "weather", "nots"]) {
    for (const person of ["ben", "gus"]) {
      const form = await intake.form(id, place, person);
      const shown = form && {
        fields: form.fields,
        discord: skillModal(form),
        slack: formModal(form, place),
        filled: filled.map((values) => {
          const command = form.command(values);
          return command.ok ? { values, text: command.text } : { values, problems: command.problems };
        }),
      };
      forms.push({ skill: id, person, form: shown ?? "none" });
    }
  }
  await expectGoldenJson("platforms/skill-forms.json", forms);
});

it("Slack's form that asks about a message is the same", async () => {
  const message = { ts: "1.2", thread_ts: "1.0", text: "It rains.", files: [{ id: "F1", name: "a.txt" }] };
  const views = [askModal("C1", message, false), askModal("C1", { ts: "1.2" }, true)];
  await expectGoldenJson("platforms/slack-ask.json", views);
});
