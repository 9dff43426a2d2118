import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isDeepStrictEqual } from "node:util"
import { project, readAnswers, readDifferences, runInSandbox, scripts } from "./everyday.ts"

const answers = readAnswers()
const differences = readDifferences()

it("has the output of bash for each script, and a script for each difference", () => {
  expect(Object.keys(answers)).toEqual([...scripts.keys()])
  expect(Object.keys(differences).filter((name) => !scripts.has(name))).toEqual([])
  expect(Object.keys(project).length).toBeGreaterThan(40)
})

it.live("has the output of bash for everyday scripts of agents", () =>
  Effect.gen(function* () {
    const results = yield* Effect.forEach(scripts, ([name, script]) =>
      Effect.map(
        Effect.result(runInSandbox(script)),
        (result) => ({ name, given: result._tag === "Success" ? result.success : result.failure }),
      ), { concurrency: 8 })
    const failed = results.filter(({ given, name }) => !isDeepStrictEqual(given, answers[name]))
    const unexpected = failed.filter(({ name }) => differences[name] === undefined)
    expect(Object.fromEntries(unexpected.map(({ given, name }) => [name, given])))
      .toEqual(Object.fromEntries(unexpected.map(({ name }) => [name, answers[name]])))
    const names = new Set(failed.map(({ name }) => name))
    expect(Object.keys(differences).filter((name) => !names.has(name)), "take them off differences.json: they pass")
      .toEqual([])
  }), 120_000)
