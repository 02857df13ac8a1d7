import { expect, test } from "vitest";
import { asError, errorCode, errorText } from "../../../src/base/error-text.ts";

const withCode = (code: unknown) => Object.assign(new Error("message"), { code });

test.each([
  [new Error("message"), "message"],
  [new TypeError(""), ""],
  ["thrown text", "thrown text"],
  [undefined, "undefined"],
  [{ message: "no error" }, "[object Object]"],
])("the text of %o is %j", (error, text) => {
  expect(errorText(error)).toBe(text);
});

test.each([
  [withCode("ENOENT"), "ENOENT"],
  [withCode(7), undefined],
  [new Error("message"), undefined],
  [{ code: "ENOENT" }, undefined],
  [undefined, undefined],
])("the code of %o is %j", (error, code) => {
  expect(errorCode(error)).toBe(code);
});

test("a thrown value is an error, or becomes one with its text", () => {
  const error = new TypeError("message");
  expect(asError(error)).toBe(error);
  expect(asError("thrown text")).toEqual(new Error("thrown text"));
});
