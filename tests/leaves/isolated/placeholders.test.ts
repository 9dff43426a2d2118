import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { utimesSync } from "node:fs"
import * as nodeFs from "node:fs"
import { ensurePlaceholder, withoutPlaceholders } from "../../../src/leaves/isolated/placeholders.ts"
import { findHost } from "../../../src/host/findHost.ts"
import { workshop } from "../../support/workshop.ts"

describe("placeholders of another leaf", () => {
  it.effect("are ignored, also while one is being made", () =>
    Effect.gen(function* () {
      const { makeDirectory, path, write } = yield* workshop
      const host = findHost()
      if (host === undefined) return expect.unreachable()
      const { fileKind } = withoutPlaceholders(nodeFs, host)
      ensurePlaceholder(nodeFs, { path: path(".git") }, path("making"))
      ensurePlaceholder(nodeFs, { path: path(".env"), content: "" }, path("making"))
      // Without its time yet.
      makeDirectory("refs")
      expect([".git", ".env", "refs"].map((name) => fileKind(path(name)))).toEqual(["none", "none", "none"])
      write(".env", "A=1\n")
      utimesSync(path("refs"), Date.now() / 1000 - 60, Date.now() / 1000 - 60)
      expect([".env", "refs"].map((name) => fileKind(path(name)))).toEqual(["file", "directory"])
    }))
})
