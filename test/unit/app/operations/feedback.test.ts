import { expect, it } from "vitest";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { ada, ben } from "../../../support/test-app.ts";
import { place, presentedApp, stagedModel } from "../chat/present/presented-app.ts";

it("feedback on answers is listed for managers of the channel, and for nobody else", async () => {
  const platform = createFakePlatform();
  const { app, ask, reach, intake } = presentedApp(stagedModel(["Wrong."], ["Right."]), { platform });
  for (const button of ["bad", "good"]) {
    const turnId = await ask(`question for a ${button} answer`, { author: ben });
    await reach(turnId, "turn_finished");
    await intake.press({ place, id: button, person: "ben", button: `${button}:${turnId}`, reference: "m1" });
  }
  const call = { input: { namespace: place.namespace } };
  const listed = await app.run("feedback.list", { ...call, asker: { by: ada, namespace: place.namespace } });
  expect(listed).toMatchObject({
    value: {
      answers: [
        { question: "question for a good answer", good: ["ben"], bad: [] },
        { question: "question for a bad answer", asker: "Ben", good: [], bad: ["ben"] },
      ],
    },
  });
  const refused = await app.run("feedback.list", { ...call, asker: { by: ben, namespace: place.namespace } });
  expect(refused).toMatchObject({ ok: false, status: 403 });
});
