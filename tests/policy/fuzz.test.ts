import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fuzz } from "./fuzz.ts"

it.live("lets nothing run in a real bash that is not in the list, whatever the script", () =>
  Effect.gen(function* () {
    const { allowed, escapes } = yield* fuzz(20_261_122, 400, Infinity)
    expect(escapes).toEqual([])
    // Most of what is made is refused; what is not was run.
    expect(allowed).toBeGreaterThan(30)
  }))

it.live("would see what runs", () =>
  Effect.gen(function* () {
    const { escapes } = yield* fuzz(7, 300, Infinity, ["evil"])
    expect(escapes.map(([, ran]) => ran).join("\n")).toContain("evil")
  }))
