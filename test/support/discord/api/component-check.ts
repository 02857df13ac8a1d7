import type { FormErrors } from "./form-errors.ts";
import { isObject, type Json, objects } from "./json.ts";

type Path = readonly (string | number)[];

/** Component types. Source: Discord reference, "Component Types". */
const types = {
  row: 1,
  button: 2,
  select: 3,
  input: 4,
  section: 9,
  text: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
} as const;
const selects = [3, 5, 6, 7, 8];
const topLevel = [1, 9, 10, 12, 13, 14, 17];

/** All components of a message, nested ones and accessories included. */
export function flatComponents(components: unknown): Json[] {
  return objects(components).flatMap((component) => [
    component,
    ...flatComponents(component.components),
    ...flatComponents([component.accessory, component.component]),
  ]);
}

/** The visible text of a message: its content, or the texts of its components. */
export function allWords({ content, components }: { content: string; components: unknown }): string {
  const texts = flatComponents(components).filter((component) => component.type === types.text);
  return [content, ...texts.map((component) => String(component.content))].filter(Boolean).join("\n\n");
}

/** Names of the files that components show. */
export function shownFiles(components: unknown): string[] {
  const media = flatComponents(components).flatMap((component) => [
    component.file,
    ...objects(component.items).map((item) => item.media),
  ]);
  const urls = media.filter(isObject).map(({ url }) => String(url));
  return urls.flatMap((url) => (url.startsWith("attachment://") ? [url.slice("attachment://".length)] : []));
}

/** Checks a message's components; `modern` is Components V2. Limits: Discord reference, "Component Reference". */
export function checkComponents(errors: FormErrors, components: unknown, modern: boolean): void {
  const path = ["components"];
  const list = errors.list(path, components, { most: modern ? 40 : 5 });
  const all = flatComponents(list);
  if (modern) checkModernTotals(errors, all);
  list.forEach((component, index) => {
    const here = [...path, index];
    if (!isObject(component))
      errors.add(here, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
    else if (!modern && component.type !== types.row) errors.choices([...here, "type"], "1");
    else if (!topLevel.includes(Number(component.type)))
      errors.choices([...here, "type"], topLevel.join(", "));
    else checkComponent(errors, here, component);
  });
  const ids = all.map((component) => component.custom_id).filter((id) => typeof id === "string");
  if (new Set(ids).size < ids.length) {
    errors.add(path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
  }
}

function checkModernTotals(errors: FormErrors, all: readonly Json[]): void {
  if (all.length > 40) {
    errors.add(
      ["components"],
      "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
      "The total number of components exceeds 40",
    );
  }
  const texts = all.filter((component) => component.type === types.text);
  const length = texts.reduce((sum, component) => sum + [...String(component.content ?? "")].length, 0);
  if (length > 4000) {
    errors.add(
      ["components"],
      "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
      "The total displayable text exceeds 4000 characters",
    );
  }
}

function checkComponent(errors: FormErrors, path: Path, component: Json): void {
  const type = Number(component.type);
  if (type === types.row) checkRow(errors, path, component);
  else if (type === types.button) checkButton(errors, path, component);
  else if (selects.includes(type)) checkSelect(errors, path, component);
  else if (type === types.text)
    errors.text([...path, "content"], component.content, { least: 1, most: 4000 });
  else if (type === types.section) checkSection(errors, path, component);
  else if (type === types.gallery) errors.list([...path, "items"], component.items, { least: 1, most: 10 });
  else if (type === types.container)
    checkChildren(errors, path, component, { least: 1, most: 40 }, [1, 9, 10, 12, 13, 14]);
}

function checkRow(errors: FormErrors, path: Path, row: Json): void {
  checkChildren(errors, path, row, { least: 1, most: 5 }, [types.button, ...selects]);
  const children = objects(row.components);
  if (children.length > 1 && children.some(({ type }) => type !== types.button)) {
    errors.add(
      [...path, "components"],
      "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
      "The specified component exceeds the maximum width",
    );
  }
}

function checkSection(errors: FormErrors, path: Path, section: Json): void {
  checkChildren(errors, path, section, { least: 1, most: 3 }, [types.text]);
  const accessory = section.accessory;
  if (!isObject(accessory)) errors.required([...path, "accessory"]);
  else if (accessory.type === types.button) checkButton(errors, [...path, "accessory"], accessory);
  else if (accessory.type !== types.thumbnail) errors.choices([...path, "accessory", "type"], "2, 11");
}

function checkChildren(
  errors: FormErrors,
  path: Path,
  parent: Json,
  limits: { least: number; most: number },
  allowed: readonly number[],
): void {
  errors.list([...path, "components"], parent.components, limits).forEach((child, index) => {
    const here = [...path, "components", index];
    if (!isObject(child) || !allowed.includes(Number(child.type))) {
      errors.choices([...here, "type"], allowed.join(", "));
    } else checkComponent(errors, here, child);
  });
}

function checkButton(errors: FormErrors, path: Path, button: Json): void {
  const style = Number(button.style);
  if (!(style >= 1 && style <= 6)) errors.choices([...path, "style"], "1, 2, 3, 4, 5, 6");
  errors.text([...path, "label"], button.label, { most: 80, optional: true });
  if (style === 5) {
    errors.text([...path, "url"], button.url, { least: 1, most: 512 });
    if (button.custom_id)
      errors.add(path, "COMPONENT_CUSTOM_ID_AND_URL", "A custom id and url cannot both be specified");
  } else if (style !== 6) {
    errors.text([...path, "custom_id"], button.custom_id, { least: 1, most: 100 });
    if (button.url) errors.add(path, "BUTTON_COMPONENT_URL", "Only link buttons have a url");
  }
  if (style !== 6 && !button.label && !button.emoji) {
    errors.add(path, "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", "A button needs a label or an emoji");
  }
}

/** Checks a select menu of a message or a modal. */
export function checkSelect(errors: FormErrors, path: Path, select: Json): void {
  errors.text([...path, "custom_id"], select.custom_id, { least: 1, most: 100 });
  errors.text([...path, "placeholder"], select.placeholder, { most: 150, optional: true });
  if (select.type !== types.select) return;
  const options = errors.list([...path, "options"], select.options, { least: 1, most: 25 });
  objects(options).forEach((option, index) => {
    const here = [...path, "options", index];
    errors.text([...here, "label"], option.label, { least: 1, most: 100 });
    errors.text([...here, "value"], option.value, { least: 1, most: 100 });
    errors.text([...here, "description"], option.description, { most: 100, optional: true });
  });
  const values = objects(options).map((option) => option.value);
  if (new Set(values).size < values.length) {
    errors.add(
      [...path, "options"],
      "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
      "The specified option value is already used",
    );
  }
}
