import { checkSelect, flatComponents } from "./component-check.ts";
import { FormErrors } from "./form-errors.ts";
import { isObject, type Json } from "./json.ts";

type Path = readonly (string | number)[];

/** Allowed content of a label: text input, selects, file upload, radio buttons and check boxes. */
const labelled = [3, 4, 5, 6, 7, 8, 19, 21, 22, 23];

/** Throws 50035 if a modal breaks a limit. Source: Discord reference, "Modal", "Text Input", "Label". */
export function checkModal(data: Json): void {
  const errors = new FormErrors();
  errors.text(["data", "title"], data.title, { least: 1, most: 45 });
  errors.text(["data", "custom_id"], data.custom_id, { least: 1, most: 100 });
  errors.list(["data", "components"], data.components, { least: 1, most: 5 }).forEach((component, index) => {
    checkField(errors, ["data", "components", index], component);
  });
  const ids = flatComponents(data.components).map((component) => component.custom_id);
  const named = ids.filter((id) => typeof id === "string");
  if (new Set(named).size < named.length) {
    errors.add(
      ["data", "components"],
      "COMPONENT_CUSTOM_ID_DUPLICATED",
      "Component custom id cannot be duplicated",
    );
  }
  errors.refuse();
}

function checkField(errors: FormErrors, path: Path, field: unknown): void {
  const type = isObject(field) ? field.type : undefined;
  if (!isObject(field) || ![1, 10, 18].includes(Number(type))) {
    errors.choices([...path, "type"], "1, 10, 18");
  } else if (type === 1) {
    const [input, second] = errors.list([...path, "components"], field.components, { least: 1, most: 1 });
    if (!isObject(input) || second !== undefined || input.type !== 4) {
      errors.choices([...path, "components", 0, "type"], "4");
    } else {
      errors.text([...path, "components", 0, "label"], input.label, { least: 1, most: 45 });
      checkTextInput(errors, [...path, "components", 0], input);
    }
  } else if (type === 18) {
    checkLabel(errors, path, field);
  }
}

function checkLabel(errors: FormErrors, path: Path, label: Json): void {
  errors.text([...path, "label"], label.label, { least: 1, most: 45 });
  errors.text([...path, "description"], label.description, { most: 100, optional: true });
  const component = label.component;
  const here = [...path, "component"];
  if (!isObject(component) || !labelled.includes(Number(component.type))) {
    errors.choices([...here, "type"], labelled.join(", "));
  } else if (component.type === 4) {
    if (component.label)
      errors.add([...here, "label"], "UNKNOWN_FIELD", "An input in a label has no label of its own");
    checkTextInput(errors, here, component);
  } else if (Number(component.type) <= 8) {
    checkSelect(errors, here, component);
  } else {
    errors.text([...here, "custom_id"], component.custom_id, { least: 1, most: 100 });
  }
}

function checkTextInput(errors: FormErrors, path: Path, input: Json): void {
  errors.text([...path, "custom_id"], input.custom_id, { least: 1, most: 100 });
  errors.text([...path, "value"], input.value, { most: 4000, optional: true });
  errors.text([...path, "placeholder"], input.placeholder, { most: 100, optional: true });
  if (input.style !== 1 && input.style !== 2) errors.choices([...path, "style"], "1, 2");
}
