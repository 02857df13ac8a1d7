import { FormErrors } from "./form-errors.ts";
import { isObject, type Json, objects, text } from "./json.ts";

type Path = readonly (string | number)[];

/** Names of chat commands and options. Source: Discord reference, "Application Command Naming". */
const nameShape = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** Combined characters of a command's names, descriptions and values. Source: discord-api-docs pull request 6668. */
const combinedLimit = 8000;

const commandFields = new Set(
  "id type name name_localizations description description_localizations options default_member_permissions dm_permission default_permission nsfw contexts integration_types handler".split(
    " ",
  ),
);
const optionFields = new Set(
  "type name name_localizations description description_localizations required choices options channel_types min_value max_value min_length max_length autocomplete".split(
    " ",
  ),
);

/** Throws 50035 unless Discord takes these commands as the whole list of an application or a guild. */
export function checkCommands(commands: readonly unknown[], userInstall = true): void {
  const errors = new FormErrors();
  const list = commands.filter(isObject);
  if (list.length < commands.length)
    errors.add([], "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
  const limits = { 1: 100, 2: 15, 3: 15 };
  for (const [type, most] of Object.entries(limits)) {
    const ofType = list.filter((command) => String(command.type ?? 1) === type);
    if (ofType.length > most) errors.add([], "BASE_TYPE_MAX_LENGTH", `Must be ${most} or fewer in length.`);
    const names = ofType.map(({ name }) => name);
    if (new Set(names).size < names.length) {
      errors.add([], "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique");
    }
  }
  list.forEach((command, index) => {
    checkCommand(errors, [index], command);
    const { integration_types: types } = command;
    if (!userInstall && Array.isArray(types) && types.includes(1))
      errors.choices([index, "integration_types"], "0");
  });
  errors.refuse();
}

function checkCommand(errors: FormErrors, path: Path, command: Json): void {
  errors.onlyFields(path, command, commandFields);
  const type = command.type ?? 1;
  if (type === 1) {
    checkNames(errors, path, command);
    checkOptions(errors, path, command, 0);
  } else {
    errors.text([...path, "name"], command.name, { least: 1, most: 32 });
    if (command.description) {
      errors.add(
        [...path, "description"],
        "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION",
        "Context menu commands cannot have description",
      );
    }
    if (command.options)
      errors.add(
        [...path, "options"],
        "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS",
        "Context menu commands cannot have options",
      );
  }
  const allowed = command.default_member_permissions;
  if (allowed !== undefined && allowed !== null && (typeof allowed !== "string" || !/^\d+$/.test(allowed))) {
    errors.add(
      [...path, "default_member_permissions"],
      "BASE_TYPE_BAD_TYPE",
      "Could not interpret value as a permission string.",
    );
  }
  if (combined(command) > combinedLimit) {
    errors.add(path, "APPLICATION_COMMAND_TOO_LARGE", `Command exceeds maximum size (${combinedLimit})`);
  }
}

function checkNames(errors: FormErrors, path: Path, entry: Json): void {
  const name = entry.name;
  errors.text([...path, "name"], name, { least: 1, most: 32 });
  if (typeof name === "string" && (!nameShape.test(name) || name !== name.toLowerCase())) {
    errors.add([...path, "name"], "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  }
  errors.text([...path, "description"], entry.description, { least: 1, most: 100 });
}

/** `depth` is 0 in a command, 1 in a group, 2 in a subcommand. */
function checkOptions(errors: FormErrors, path: Path, parent: Json, depth: 0 | 1 | 2): void {
  const here = [...path, "options"];
  const options = errors.list(here, parent.options, { most: 25 }).filter(isObject);
  const names = options.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    errors.add(
      here,
      "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS",
      "Option name already exists in this list of options",
    );
  }
  const nesting = options.map(({ type }) => type === 1 || type === 2);
  if (nesting.some((nests) => nests !== nesting[0])) {
    errors.add(
      here,
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-command and sub-command group option types are mutually exclusive to all other types",
    );
  }
  const firstOptional = options.findIndex((option, index) => !nesting[index] && option.required !== true);
  if (firstOptional >= 0 && options.slice(firstOptional).some(({ required }) => required === true)) {
    errors.add(
      here,
      "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
      "Required options must be placed before non-required options",
    );
  }
  options.forEach((option, index) => {
    checkOption(errors, [...here, index], option, depth);
  });
}

function checkOption(errors: FormErrors, path: Path, option: Json, depth: 0 | 1 | 2): void {
  errors.onlyFields(path, option, optionFields);
  checkNames(errors, path, option);
  const type = Number(option.type);
  const allowed =
    depth === 0 ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] : depth === 1 ? [1] : [3, 4, 5, 6, 7, 8, 9, 10, 11];
  if (!allowed.includes(type)) errors.choices([...path, "type"], allowed.join(", "));
  if (type === 1 || type === 2) {
    checkOptions(errors, path, option, type === 2 ? 1 : 2);
    return;
  }
  const choices = errors.list([...path, "choices"], option.choices, { most: 25 });
  checkChoices(errors, [...path, "choices"], choices, type);
  if (option.autocomplete === true && (choices.length > 0 || ![3, 4, 10].includes(type))) {
    errors.add(
      [...path, "autocomplete"],
      "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID",
      "Autocomplete needs a text or number option without choices",
    );
  }
}

/** Checks choices of an option, or of an autocomplete answer. */
export function checkChoices(
  errors: FormErrors,
  path: Path,
  choices: readonly unknown[],
  type: number,
): void {
  choices.forEach((choice, index) => {
    const entry = isObject(choice) ? choice : {};
    errors.onlyFields([...path, index], entry, new Set(["name", "name_localizations", "value"]));
    errors.text([...path, index, "name"], entry.name, { least: 1, most: 100 });
    if (type === 3) errors.text([...path, index, "value"], entry.value, { most: 100 });
    else if (typeof entry.value !== "number")
      errors.add([...path, index, "value"], "NUMBER_TYPE_COERCE", "Value is not a number.");
  });
}

function combined(entry: Json): number {
  const parts = [entry.name, entry.description, entry.value];
  const own = parts.reduce<number>((sum, part) => sum + [...text(part)].length, 0);
  const inner = [...objects(entry.options), ...objects(entry.choices)];
  return inner.reduce((sum, child) => sum + combined(child), own);
}
