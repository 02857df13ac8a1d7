import { type Model, ModelError, type Models } from "../../../src/core/ports/model.ts";

/** The only model there is, for all work. */
export function soleModel(model: Model): Models {
  return {
    main: model,
    proposals: () => [{ name: model.id, description: "" }],
    named: (name) => (name === model.id ? model : unknownModel(name)),
    small: () => model,
    choose: (name) =>
      name === model.id
        ? { ok: true, name }
        : { ok: false, message: `There is no model ${name}. The one there is: ${model.id}.` },
  };
}

/** A model that fails every request with a reason. */
function unknownModel(id: string): Model {
  return {
    id,
    generative: true,
    // biome-ignore lint/correctness/useYield: it fails before it has anything to say
    async *stream() {
      throw new ModelError("not_configured", `There is no model ${id}.`);
    },
  };
}
