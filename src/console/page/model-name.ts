/** How people read the name of a model; `offline` stands for none. */
export function modelName(model: string): string {
  return model === "offline" ? "no language model" : model;
}
