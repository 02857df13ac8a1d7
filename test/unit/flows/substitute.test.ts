import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/values/json.ts";
import { substitute, substituteDeep, substituteJson } from "../../../src/flows/substitute.ts";

const variables = new Map<string, Json>(
  Object.entries({
    name: 'Ada "L" O\'Neil',
    empty: "",
    zero: 0,
    no: false,
    nothing: null,
    nested: "${name}",
    text: '{"a": 1}',
    number: "42",
    list: ["a", { b: "c" }],
    object: { a: { b: [1, 2] }, "a.b": "dotted", "0": "zeroth", gone: null },
  }),
);

it.each([
  ["no placeholder", "no placeholder"],
  ["${name}", 'Ada "L" O\'Neil'],
  ["<${empty}> ${zero} ${no}", "<> 0 false"],
  ["${missing} ${nothing} ${object.gone}", "${missing} ${nothing} ${object.gone}"],
  ["${object.a}", '{"b":[1,2]}'],
  ["${list}", '["a",{"b":"c"}]'],
  ["${object.a.b[1]} ${object.a.b.0}", "2 1"],
  ["${object.a.b[2]} ${object.a.b.length}", "${object.a.b[2]} 2"],
  ["${list[1].b} ${list.1.b}", "c c"],
  ["${object[\"a.b\"]} ${object['a.b']} ${object[a.b]}", "dotted dotted dotted"],
  ["${object[0]} ${object.0}", "${object[0]} zeroth"],
  ["${text.a}", "${text.a}"],
  ["${nested}", "${name}"],
  ["${ object.a.b[0] }", "1"],
  ["${object.constructor} ${list.map} ${name.length}", "${object.constructor} ${list.map} ${name.length}"],
  ["${__proto__} ${object.__proto__}", "${__proto__} ${object.__proto__}"],
  ["${object..a} ${object[} ${}", "${object..a} ${object[} ${}"],
])("substituting turns %s into %s", (text, expected) => {
  expect(substitute(text, variables)).toBe(expected);
});

it.each([
  ["a.prop", "top-prop"],
  ["a.b.c", "answer"],
  ["a.b.num", "100"],
  ["a.b.arr[2]", "3"],
  ["a.b.subarr[2].name", "answer4"],
  ["a.b.subarr.1.id", "2"],
  ["a.b.arr", "[1,2,3]"],
  ["a.items[0]['my-long-key'][1].name", "answer2"],
  ["a.b.none", "${v.a.b.none}"],
])("the path %s leads to %s, as in AnythingLLM", (path, expected) => {
  const subarr = [2, 3, 4].map((at) => ({ id: at - 1, name: `answer${at}` }));
  const items = [{ "my-long-key": [{ id: 1 }, { id: 2, name: "answer2" }] }];
  const v = { a: { prop: "top-prop", b: { c: "answer", num: 100, arr: [1, 2, 3], subarr }, items } };
  expect(substitute(`\${v.${path}}`, new Map([["v", v]]))).toBe(expected);
});

it("substituting reaches every string of a value, and no keys", () => {
  const value = { "${zero}": ["${zero}", { deep: "${no}" }, 1, null] };
  expect(substituteDeep(value, variables)).toEqual({ "${zero}": ["0", { deep: "false" }, 1, null] });
});

it("substituting takes linear time for text made to take long", () => {
  const text = "${a[".repeat(20_000);
  expect(substitute(text, variables)).toBe(text);
});

describe("in a JSON body", () => {
  it.each<[string, Json]>([
    ['{"a": "${name}"}', { a: 'Ada "L" O\'Neil' }],
    ['{"a": "Hi ${name}, \\"${zero}\\""}', { a: 'Hi Ada "L" O\'Neil, "0"' }],
    ['{"a": "${object.a}"}', { a: '{"b":[1,2]}' }],
    ['{"a": ${object.a}, "b": ${number}, "c": ${no}}', { a: { b: [1, 2] }, b: 42, c: false }],
    ['{"a": ${name}, "b": ${empty}}', { a: 'Ada "L" O\'Neil', b: "" }],
    ['{"a": ${missing}, "b": "${missing}"}', { a: "${missing}", b: "${missing}" }],
    ["${object.a}", { b: [1, 2] }],
  ])("the JSON body %s is %j", (body, expected) => {
    expect(JSON.parse(substituteJson(body, variables))).toEqual(expected);
  });
});
