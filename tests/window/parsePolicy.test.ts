import { expect, it } from "@effect/vitest"
import type { Window } from "@sluice/shell"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parsePolicy } from "../../src/window/parsePolicy.ts"
import { cut } from "./support.ts"

const read = (text: string): Window.Policy => Result.getOrThrow(parsePolicy(text))

it("reads every policy, and names each by the form that it reads", () => {
  for (const text of ["final", "lines:50", "silence:100", "paragraph", "bytes:4096", "lines:50,silence:100,bytes:9"]) {
    expect(read(text).name).toBe(text)
    expect(read(read(text).name).name).toBe(text)
  }
  expect(read("silence:250").silenceMillis).toBe(250)
  expect(read("silence:100ms").silenceMillis).toBe(100)
  expect(read("lines:5,silence:2s").silenceMillis).toBe(2_000)
  expect(read("lines:5,silence:300,silence:200").silenceMillis).toBe(200)
  expect(read("lines:5").silenceMillis).toBe(Infinity)
})

it("allows blanks around names and numbers", () => {
  expect(read(" lines : 5 , paragraph ").name).toBe("lines:5,paragraph")
})

it.effect("parsed policies cut; several combine to the first that ends a window", () =>
  Effect.gen(function* () {
    const text = "a\nb\nc\n\nd\ne\nfghijkl\n"
    expect(yield* cut(read("final"), text)).toEqual([text])
    expect(yield* cut(read("lines:3"), text)).toEqual(["a\nb\nc\n", "\nd\ne\n", "fghijkl\n"])
    expect(yield* cut(read("paragraph"), text)).toEqual(["a\nb\nc\n\n", "d\ne\nfghijkl\n"])
    expect(yield* cut(read("bytes:11"), text)).toEqual(
      ["a\nb\nc\n\nd\ne\n", "fghijkl\n"].flatMap((t) => t.match(/[^]{1,11}/g) ?? []),
    )
    expect(yield* cut(read("paragraph,bytes:5,lines:9"), text)).toEqual(["a\nb\nc", "\n\n", "d\ne\nf", "ghijk", "l\n"])
    expect(yield* cut(read("final,lines:4"), text)).toEqual(["a\nb\nc\n\n", "d\ne\nfghijkl\n"])
  }))

it("fails with one line that names the problem and the accepted forms", () => {
  const refused = (text: string): string => Result.getOrThrow(Result.flip(parsePolicy(text)))
  const forms = "final, lines:N, silence:MS, paragraph, bytes:N"
  expect(refused("")).toBe(`the window policy is empty: use ${forms}, or several joined by ","`)
  expect(refused("  ")).toBe(refused(""))
  expect(refused("line:5")).toBe(`unknown window policy "line": use ${forms}, or several joined by ","`)
  expect(refused("Lines:5")).toContain(`unknown window policy "Lines"`)
  expect(refused("lines:5,")).toContain(`unknown window policy ""`)
  expect(refused("toString")).toContain(`unknown window policy "toString"`)
  expect(refused("final:3")).toBe(`window policy "final" does not take a number`)
  expect(refused("paragraph:")).toBe(`window policy "paragraph" does not take a number`)
  expect(refused("lines")).toBe(
    `window policy "lines" needs a whole number of lines from 1, as in lines:50; got nothing`,
  )
  expect(refused("silence:")).toContain("a whole number of milliseconds from 1, as in silence:50; got nothing")
  for (const bad of ["silence:100h", "silence:ms", "silence:1.5s", "silence:0s", "lines:5s", "bytes:5ms"]) {
    expect(refused(bad)).toMatch(/^window policy "[a-z]+" needs a whole number of /)
  }
  for (const bad of ["0", "-1", "1.5", "1e3", "0x10", "many", "5 5", "9007199254740992", "٣"]) {
    expect(refused(`paragraph,bytes:${bad}`)).toContain(`a whole number of bytes from 1, as in bytes:50; got "${bad}"`)
  }
})
