import { expect, it } from "@effect/vitest"
import { encodeKey, keyNames } from "../../src/terminal/keys.ts"

it("encodes keys as xterm does", () => {
  const expected: ReadonlyArray<readonly [string, string]> = [
    ["Enter", "\r"],
    ["Escape", "\x1b"],
    ["Backspace", "\x7f"],
    ["Shift-Tab", "\x1b[Z"],
    ["F1", "\x1bOP"],
    ["F5", "\x1b[15~"],
    ["Ctrl-C", "\x03"],
    ["Ctrl-c", "\x03"],
    ["Ctrl-@", "\0"],
    ["Ctrl-Space", "\0"],
    ["Ctrl-[", "\x1b"],
    ["Ctrl-\\", "\x1c"],
    ["Ctrl-Up", "\x1b[1;5A"],
    ["Alt-x", "\x1bx"],
    ["Alt-ä", "\x1bä"],
    ["Alt-Left", "\x1b[1;3D"],
    ["Alt-Enter", "\x1b\r"],
  ]
  for (const [name, sequence] of expected) expect([name, encodeKey(name, false)]).toEqual([name, sequence])
  expect([encodeKey("Up", false), encodeKey("Up", true), encodeKey("Home", true)]).toEqual([
    "\x1b[A",
    "\x1bOA",
    "\x1bOH",
  ])
  for (const name of keyNames) expect(encodeKey(name, false)).not.toBe(undefined)
  for (const name of ["", "up", "Ctrl-", "Ctrl-F1", "Alt-xy", "Hyper-x"]) expect(encodeKey(name, false)).toBe(undefined)
})
