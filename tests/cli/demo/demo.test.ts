import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { demo } from "../../../src/cli/demo/demo.ts"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, sluice, type Written } from "../support.ts"

const recording = fileURLToPath(new URL("../../../src/cli/demo/session.ndjson", import.meta.url))
/** Any request of a command line fails. */
const offline = { OPENAI_API_KEY: "", http_proxy: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" }

const textOf = (written: ReadonlyArray<Written>): string => written.map(({ text }) => text).join("")
const words = (...speed: ReadonlyArray<string>) => ({
  name: "demo",
  operands: [],
  flags: new Map(speed.length === 0 ? [] : [["speed", speed]]),
})

describe("sluice demo", () => {
  it.effect("shows what the model says, its commands with their output, its edits and what to try next", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      mkdirSync(shop.path("empty"))
      const before = readFileSync(recording)
      const { status, stderr, stdout } = yield* sluice(["demo"], {
        env: offline,
        cwd: shop.path("empty"),
      })
      expect([status, stderr]).toEqual([0, ""])
      const order = [
        "$ sluice agent 'fix the failing tests'\n",
        "I run the tests.\n",
        "[1.1] run_command node test.mjs\n\x1b[32m✔\x1b[39m Two Words",
        "✖ a,  b a---b, not a-b",
        "[1.1] exit 1",
        "[3.1] edit_file slugify.mjs\n-export const slugify",
        "+export const slugify",
        "[6.1] exit 0",
        "All tests pass.",
        "done: 7 turns, 6 calls",
        "Next:\n",
      ].map((text) => stdout.indexOf(text))
      expect(order).toEqual(order.toSorted((one, other) => one - other))
      expect(order[0]).toBeGreaterThan(0)
      const next = stdout.slice(stdout.indexOf("Next:\n")).trim().split("\n").slice(1)
      expect(next.length).toBe(3)
      // The first of them works.
      const [, args = ""] = /npx @sluice\/shell (journal show .*)$/.exec(next[0] ?? "") ?? []
      const shown = yield* sluice(args.split(" ").map((word) => word.replace(/^'(.*)'$/, "$1")))
      expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining("ShellExec node test.mjs")])
      expect(readdirSync(shop.path("empty"))).toEqual([])
      expect(readFileSync(recording).equals(before)).toBe(true)
    }))

  it.effect("plays at its pace on a terminal, and without pauses with --speed max", () =>
    Effect.gen(function* () {
      const cli = { ...fakeProcess(["demo"]), isTerminal: () => true }
      const showing = yield* Effect.forkChild(demo(words(), cli))
      yield* eventually("the session begins", () => cli.written.length > 0)
      yield* TestClock.adjust("3 seconds")
      yield* eventually("the model says something", () => textOf(cli.written).includes("I run the"))
      expect(textOf(cli.written)).not.toContain("Next:")
      const quick = { ...fakeProcess(["demo"]), isTerminal: () => true }
      expect(yield* demo(words("max"), quick)).toBe(0)
      expect(textOf(quick.written)).toContain("Next:")
      yield* Fiber.interrupt(showing)
    }))

  it.effect("shows a complete recording, which takes at most 60 KB of the package", () =>
    Effect.gen(function* () {
      expect(readFileSync(recording).length).toBeLessThanOrEqual(60 * 1_024)
      const { status, stdout } = yield* sluice(["journal", "verify", "--journal", recording])
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^holds: \d+ entries\n/)])
    }))
})
